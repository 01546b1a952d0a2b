#!/usr/bin/env bats
# MCP servers that mean harm: to those who ask them, and to other servers.

load helper
load mcp

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	HOSTILE=$BATS_TEST_DIRNAME/doubles/mcp-hostile.py
}

teardown() {
	stop_mcp
	[ ! -e orphan ] || kill -9 "$(< orphan)" 2> /dev/null || true
}

@test "whoever a server leaves behind holds nobody up, however much he writes" {
	local began=$SECONDS got=0
	timeout 30 lb-mcp tools --host --stdio "python3 $HOSTILE orphan $PWD/orphan; sleep 1" \
		-t 20s > /dev/null 2>&1 || got=$?
	same 75 "$got"
	[ $((SECONDS - began)) -lt 15 ] # and not the time that it may take
}

@test "a stream that is to be taken up at once is not asked for without a pause" {
	local port fifo=$PWD/port
	mkfifo "$fifo"
	python3 "$HOSTILE" retry "$PWD/again" > "$fifo" 3>&- &
	MCP_PIDS+=("$!")
	read -r -t 30 port < "$fifo"
	echo "mcp: {servers: {bad: {url: 'http://127.0.0.1:$port/mcp'}}}" > "$LB_CONFIG"
	{
		echo '{"op":"hello","version":1}'
		until_true eval '[ "$(wc -l < again)" -ge 3 ]' >&2
		sleep 1
	} | timeout 60 lb-mcp
	[ "$(wc -l < again)" -lt 20 ]
}
