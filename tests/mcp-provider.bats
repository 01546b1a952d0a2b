#!/usr/bin/env bats
# lb-mcp as a tool provider, of servers on this machine: what it tells of them
# while they live, change, are slow and die.

load helper
load mcp

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	mkfifo in out
}

teardown() {
	stop_mcp
}

# servers YAML... - entities, each a line; `double` is the command of our double.
servers() {
	printf 'mcp: {servers: {%s}}\n' "$*" |
		sed "s|double|command: python3, host: true, args: [$BATS_TEST_DIRNAME/doubles/mcp-server.py]|g" > "$LB_CONFIG"
}

# begin - the provider, which is asked at 5 and answers at 6.
begin() {
	lb-mcp provide < in > out 2> err 3>&- &
	PID=$!
	exec 5> in 6< out
	say '{"op":"hello","version":1}'
	hear '.version == 1'
	say '{"op":"list","id":"l","context":{}}'
	hear '.id == "l"'
}

finish() {
	exec 5>&- 6<&-
	wait "$PID"
}

say() {
	printf '%s\n' "$@" >&5
}

# call ID NAME [ARGUMENTS [DEADLINE_MS]]
call() {
	say "$(jq -cn --arg i "$1" --arg n "$2" --argjson a "${3:-{\}}" --argjson d "${4:-60000}" \
		'{op: "call", id: $i, name: $n, arguments: $a, context: {deadline_ms: $d}}')"
}

# hear FILTER - read lines until one fits; it is LINE, all before it HEARD.
hear() {
	HEARD=
	while read -r -t 30 LINE <&6; do
		! jq -e "$1" <<< "$LINE" > /dev/null || return 0
		HEARD+=$LINE$'\n'
	done
	echo "$HEARD" "$(cat err)"
	return 1
}

status() {
	lb-mcp list --json | jq -c "[.status, .error_phase, .retry_count] + [$1]"
}

# changes - a tool comes while the provider knows the server `s`.
changes() {
	begin
	same '[]' "$(jq -c '[.tools[].name | select(startswith("s__new"))]' <<< "$LINE")"
	call 1 s__change
	hear '.event == "changed"'
	say '{"op":"list","id":"2","context":{}}'
	hear '.id == "2"'
	new=$(jq -r '.tools[].name | select(startswith("s__new"))' <<< "$LINE")
	[[ $new == s__new* ]]
	same "${new#s__}" "$(lb-mcp list --json | jq -r '.tools[-1].name')"
	same object "$(lb-mcp list --json | jq -r '.tools[0].parameters.type')"
	finish
}

@test "tools that come while a server runs are told of, and may be called" {
	servers 's: {double}'
	changes
}

@test "in the newer era a server is asked to tell of changes, at a pipe and over HTTP" {
	servers 's: {double}'
	sed -i 's/mcp-server.py/&, --era, modern/' "$LB_CONFIG"
	changes
	mcp_http --http --era modern
	servers "s: {url: \"$MCP_URL\"}"
	changes
	same '{"toolsListChanged":true}' "$(heard 'select(.message.method == "subscriptions/listen").message.params.notifications')"
}

@test "a slow call holds up no other, of its server or of another" {
	servers 's: {double}, t: {double}'
	begin
	call slow s__slow '{"ms":1500}'
	call quick s__echo '{"a":1}'
	call other t__echo '{"a":2}'
	hear '.id == "slow"'
	same '["other","quick"]' "$(jq -sc '[.[].id] | sort' <<< "$HEARD")"
	finish
}

@test "a call whose time is over is how its server is, until the next is answered" {
	servers 's: {double}'
	begin
	same '["connected",null,0,null]' "$(status .error_message)"
	call 1 s__slow '{"ms":60000}' 300
	hear '.id == "1"'
	same timeout "$(jq -r .error.code <<< "$LINE")"
	same '["connected","tool_call",0,"no answer within 0.3 s"]' "$(status .error_message)"
	same "$PID" "$(jq .pid "$LB_STATE/mcp/status/s")"
	call 2 s__echo
	hear '.id == "2"'
	same '["connected",null,0,null]' "$(status .error_message)"
	finish
}

@test "one that ends while it serves is at fault since then, and its calls fail" {
	servers 's: {double}'
	begin
	call 1 s__slow '{"ms":60000}'
	call 2 s__die
	hear '.id == "2"'
	same '["1"]' "$(jq -sc '[.[].id | select(.)]' <<< "$HEARD")"
	same unavailable "$(jq -r .error.code <<< "$LINE")"
	same '["error","runtime",1,"it exited 3"]' "$(status .error_message)"
	finish
}

# passed SECONDS - so many more than there were, and it looks at its clock.
passed() {
	echo "$1" > passed.new
	mv passed.new passed
	call "at$1" t__echo
	hear ".id == \"at$1\""
}

@test "one that answers nothing any more is found out within a minute, and begun again" {
	need cc
	cc -shared -fPIC -o clock.so "$BATS_TEST_DIRNAME/doubles/clock.c"
	export LD_PRELOAD=$PWD/clock.so CLOCK_PASSED=$PWD/passed \
		ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-}
	servers 's: {double}, t: {double}'
	begin
	call 1 s__sh '{"command":"echo $PPID"}'
	hear '.id == "1"'
	kill -STOP "$(jq -r '.content | rtrimstr("\n")' <<< "$LINE")"
	passed 59
	passed 61 # it is asked whether it lives
	passed 69
	same '["connected",null,0,"s"]' "$(status .name | head -n 1)"
	passed 72
	until_true eval 'status .name | grep -q error'
	same '["error","runtime",1,"s"]' "$(status .name | head -n 1)"
	passed 75
	until_true eval '[ "$(status .name | grep -c connected)" -eq 2 ]'
	finish
}

@test "a result without end is cut, and says so" {
	servers 's: {double}'
	begin
	call 1 s__big '{"n":6000000}'
	hear '.id == "1"'
	[[ $(jq -r '.content[-40:]' <<< "$LINE") == *' bytes more were left out]' ]]
	[ "${#LINE}" -lt 4300000 ]
	finish
}
