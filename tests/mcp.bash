# tests/mcp.bash - an MCP server for .bats files.
#
#     DOUBLE             the command of the one that talks at its standard input
#     mcp [VERB ...]     lb-mcp, with time to wait for it at most
#     mcp_http OPTION... starts it for HTTP; MCP_URL is where it is
#     heard [JQ-FILTER]  what it got, as its log has it
#
# stop_mcp belongs into teardown().

DOUBLE="python3 $BATS_TEST_DIRNAME/doubles/mcp-server.py"
MCP_PIDS=()
MCP_LOG=$BATS_TEST_TMPDIR/heard

mcp() {
	timeout 60 lb-mcp "$@"
}

mcp_http() {
	local port fifo
	fifo=$(mktemp -u "$BATS_TEST_TMPDIR/port.XXXXXX")
	: > "$MCP_LOG"
	mkfifo "$fifo"
	python3 "$BATS_TEST_DIRNAME/doubles/mcp-server.py" --log "$MCP_LOG" \
		"$@" > "$fifo" 3>&- &
	MCP_PIDS+=("$!")
	read -r -t 30 port < "$fifo" || return 1
	MCP_URL=http://127.0.0.1:$port/mcp
}

stop_mcp() {
	local pid
	for pid in "${MCP_PIDS[@]}"; do
		kill "$pid" 2> /dev/null || true
		wait "$pid" 2> /dev/null || true
	done
	MCP_PIDS=()
}

heard() {
	jq -rc "${1:-.}" "$MCP_LOG"
}
