# tests/server.bash - the scripted HTTP server for .bats files.
#
#     serve script-file        or    serve <<-'END' ... END
#
# starts one and sets SERVER_URL, SERVER_LOG and SERVER_PID; stop_servers
# belongs into teardown(). The script is documented in
# tests/server/lb-test-server.c.

SERVER_PIDS=()

# serve [OPTION...] [SCRIPT] - wait until it listens.
serve() {
	local dir script=- port options=()
	local program=${LB_BUILD:?}/tests/server/lb-test-server
	[ -x "$program" ] || return 1
	while [[ ${1-} == --* ]]; do
		options+=("$1")
		shift
	done
	dir=$(mktemp -d "$BATS_TEST_TMPDIR/server.XXXXXX")
	script=${1--}
	# A job in the background has no stdin of its own.
	[ "$script" != - ] || { cat > "$dir/script"; script=$dir/script; }
	SERVER_LOG=$dir/log
	: > "$SERVER_LOG"
	mkfifo "$dir/port"
	"$program" --log "$SERVER_LOG" \
		"${options[@]}" "$script" > "$dir/port" 3>&- &
	SERVER_PID=$!
	SERVER_PIDS+=("$SERVER_PID")
	read -r -t 30 port < "$dir/port" || return 1
	SERVER_PORT=$port
	SERVER_URL=http://127.0.0.1:$port
}

stop_servers() {
	local pid
	for pid in "${SERVER_PIDS[@]}"; do
		kill "$pid" 2> /dev/null || true
		wait "$pid" 2> /dev/null || true
	done
	SERVER_PIDS=()
}

# requests JQ-FILTER - what the log of the last server says, an entry a line.
requests() {
	jq -c "$1" "$SERVER_LOG"
}
