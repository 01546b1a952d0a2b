# tests/supervised.bash - programs that run others, for .bats files. The test
# sets PIDS=() first; stop_supervised belongs into teardown().

# start COMMAND... - in the background; RUN is its pid, its output is in out
# and err.
start() {
	"$@" > out 2> err < /dev/null 3>&- &
	RUN=$!
	PIDS+=("$RUN")
}

stop_supervised() {
	local pid
	for pid in "${PIDS[@]}"; do
		kill -9 "$pid" 2> /dev/null || true
		wait "$pid" 2> /dev/null || true
	done
	PIDS=()
}

# ended STATUS - wait for what runs, and it exits so.
ended() {
	local status=0
	wait "$RUN" || status=$?
	same "$1" "$status"
}

# ours - the programs that run on this test's state, by their environment.
ours() {
	local pid
	for pid in $(pgrep '^lb-|^tee$'); do
		tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null |
			grep -qxF "LB_STATE=$LB_STATE" && cat "/proc/$pid/comm"
	done 2> /dev/null || true
}

nobody_left() {
	[ -z "$(ours)" ]
}

# member NAME - the pid of a program of this test.
member() {
	local pid
	for pid in $(pgrep -x "$1"); do
		tr '\0' '\n' < "/proc/$pid/environ" 2> /dev/null |
			grep -qxF "LB_STATE=$LB_STATE" && echo "$pid"
	done 2> /dev/null | head -n 1
}
