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

# config WHAT [N] - a hostile server of that kind, and after it one as others are.
config() {
	cat > "$LB_CONFIG" <<-END
		mcp:
		  servers:
		    bad: {command: python3, host: true, args: ["$HOSTILE", "$1", "${2-}"]}
		    good: {command: python3, host: true, args: ["$BATS_TEST_DIRNAME/doubles/mcp-server.py"]}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
	END
}

# list - what the provider lists, as a line of its own; the size of it in `size`.
list() {
	printf '%s\n' '{"op":"hello","version":1}' '{"op":"list","id":"1","context":{}}' |
		timeout 60 lb-mcp 2> err | sed -n 2p > listed
	size=$(stat -c %s listed)
}

names() {
	jq -r '.tools[].name' listed
}

@test "a list of thousands of tools leaves room for those of others" {
	config many 9000
	list
	# no more than lb-agent takes, and all of the other's
	[ "$(names | wc -l)" -le 512 ]
	[ "$(names | grep -c '^bad__')" -ge 400 ]
	names | grep -qx good__echo
	names | grep -qx good__header
	grep -q "MCP server 'bad': left out: what is beyond 500 tools (8500)" err
	grep -q "MCP server 'bad': left out: tools for which there is no room beside those of others" err
	run -1 grep -q "MCP server 'good'" err
}

@test "what is said of a tool is cut, and what is too large is left out" {
	config large 16000000
	list
	[ "$size" -lt 100000 ]
	same 8192 "$(jq '.tools[] | select(.name == "bad__large").description | length' listed)"
	names | grep -qx good__echo
	config schema 200000
	list
	names | grep -qx bad__small
	run -1 eval 'names | grep -qx bad__schema'
	grep -q "MCP server 'bad': left out: tools of more than 128 KiB (1)" err
}

@test "an agent keeps the tools of others, whatever one lists" {
	config large 16776000
	export LB_MODEL=offline:tools
	jq -cn '{kind: "query", id: "q1", bot: "-", platform: "text", session: "-/s",
		launcher_type: "person", launcher_id: "s", sender_id: "s", pipeline: "default",
		runner: "local-agent", prompt: [], user: {role: "user", content: [{type: "text", text:
		"call good__echo {\"text\":\"x\"}\nsay {results}"}]}}' > query
	run -0 --separate-stderr timeout 60 lb-agent < query
	same '{"text": "x"}' "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
	[[ $stderr != *'too long'* ]]
}

@test "a result that is longer than a line may be fails alone" {
	config bytes 2500000
	# three bytes for each that is none: 30 MB of four pictures
	printf '%s\n' '{"op":"call","id":"1","name":"bad__t","arguments":{},"context":{}}' \
		'{"op":"call","id":"2","name":"good__echo","arguments":{"a":1},"context":{}}' |
		timeout 60 lb-mcp 2> err > out
	same 'limit the answer is longer than a line may be (16 MiB)' \
		"$(jq -r 'select(.id == "1").error | "\(.code) \(.message)"' out)"
	same '{"a": 1}' "$(jq -r 'select(.id == "2").content' out)"
}

@test "a server whose tools change at each look is not looked at without a pause" {
	config changes "$PWD/again"
	{
		echo '{"op":"hello","version":1}'
		until_true eval '[ "$(wc -l < again)" -ge 3 ]' >&2 # it is looked at again
		sleep 1
	} | timeout 60 lb-mcp > out
	[ "$(wc -l < again)" -lt 10 ]
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
