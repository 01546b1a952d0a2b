#!/usr/bin/env bats
# lb-mcp serve --http: streamable HTTP, and whoever may come by it.

load helper
load skill
load mcp-serve

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR" || exit
	export USER=me TOKEN=a-token-nobody-guesses
	SERVERS=()
}

teardown() {
	local pid
	for pid in "${SERVERS[@]}"; do
		kill -9 "$pid" 2> /dev/null || true
		wait "$pid" 2> /dev/null || true
	done
}

# web OPTION... - serve; URL, PORT and SERVER are set.
web() {
	local i
	: > err
	lb-mcp serve --session=s --http 0 "$@" 2> err 3>&- &
	SERVER=$!
	SERVERS+=("$SERVER")
	for ((i = 0; i < 500; i++)); do
		URL=$(sed -n 's/^lb-mcp: listening at //p' err)
		[ -z "$URL" ] || break
		sleep 0.02
	done
	PORT=${URL#http://127.0.0.1:}
	PORT=${PORT%/mcp}
	[ -n "$URL" ] || { cat err; return 1; }
}

unweb() {
	kill -9 "$SERVER"
	wait "$SERVER" 2> /dev/null || true
}

# post BODY [CURL-OPTION...] - as a host does, with $SESSION if there is one.
post() {
	local body=$1
	shift
	curl -sS -N -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
		${SESSION:+-H "Mcp-Session-Id: $SESSION"} -d "$body" "$@" "$URL"
}

# status CURL-OPTION... - that of an answer.
status() {
	curl -sS -o /dev/null -w '%{http_code}' "$@"
}

# begin [VERSION] - a session: SESSION.
begin() {
	SESSION=
	SESSION=$(post "$(init "${1-2025-11-25}" | head -n 1)" -D - -o answer | tr -d '\r' |
		sed -n 's/^Mcp-Session-Id: //p')
	[ -n "$SESSION" ]
	same 202 "$(post "$(note notifications/initialized)" -o /dev/null -w '%{http_code}')"
}

# events - those of a stream, their data alone.
events() {
	sed -n 's/^data: \({.*\)/\1/p'
}

# modern ID METHOD [NAME] [PARAMS] - a request of the newer era, and its headers.
modern() {
	local params=${4:+$4,}
	post "$(rq "$1" "$2" "{$params$META}")" -H 'MCP-Protocol-Version: 2026-07-28' \
		-H "Mcp-Method: $2" ${3:+-H "Mcp-Name: $3"} "${@:5}"
}

hostile() {
	python3 "$BATS_TEST_DIRNAME/doubles/mcp_hostile.py" "$PORT" "$@"
}

@test "what serves by HTTP says who may ask, and never on its command line" {
	run -64 --separate-stderr lb-mcp serve --http 0
	[[ $stderr == *'--http needs --token'* ]]
	run -64 lb-mcp serve --http 0 --no-token --token=env:TOKEN
	run -64 --separate-stderr lb-mcp serve --http 0.0.0.0:0 --no-token
	same 'lb-mcp: without a token nobody but this machine is served' "$stderr"
	run -64 --separate-stderr lb-mcp serve --http 0 --token=secret-secret-secret
	[[ $stderr == *'a command line is no place for a secret' ]]
	TOKEN=short run -78 --separate-stderr timeout 10 lb-mcp serve --http 0 --token=env:TOKEN
	[[ $stderr == *"has less than 16 bytes" && $stderr != *short* ]]
	run -78 lb-mcp serve --http 0 --token=env:NONE
	run -64 lb-mcp serve --http 0:70000 --no-token
	run -64 lb-mcp serve --http example.org:80 --no-token
	run -64 lb-mcp serve --http 127.1:80 --no-token
	web --no-token
	run -75 --separate-stderr lb-mcp serve --http "$PORT" --no-token
	[[ $stderr == "lb-mcp: cannot listen at '127.0.0.1:$PORT': "* ]]
}

@test "a session: begun, used, ended; and no request without one" {
	web --no-token
	begin
	same 2025-11-25 "$(of 0 .result.protocolVersion "$(cat answer)")"
	same 3 "$(post "$(rq 1 tools/list)" -H 'MCP-Protocol-Version: 2025-11-25' | jq '.result.tools|length')"
	same 400 "$(post "$(rq 1 tools/list)" -H 'MCP-Protocol-Version: 1999-01-01' -o answer -w '%{http_code}')"
	same '-32022' "$(jq '.error.code' answer)"
	same 400 "$(post '[]' -o /dev/null -w '%{http_code}')"
	same 400 "$(post 'no JSON' -o answer -w '%{http_code}')"
	same -32700 "$(jq .error.code answer)"
	same 200 "$(post "$(rq 1 nix)" -o answer -w '%{http_code}')"
	same -32601 "$(jq .error.code answer)"
	local old=$SESSION
	begin
	[ "$old" != "$SESSION" ]
	same 204 "$(status -X DELETE -H "Mcp-Session-Id: $SESSION" "$URL")"
	same 404 "$(post "$(rq 1 tools/list)" -o /dev/null -w '%{http_code}')"
	same 404 "$(status -X DELETE -H "Mcp-Session-Id: $SESSION" "$URL")"
	SESSION=$old
	same '{}' "$(post "$(rq 1 ping)" | jq -c .result)"
	SESSION=
	same 400 "$(post "$(rq 1 tools/list)" -o answer -w '%{http_code}')"
	same 1 "$(jq .id answer)"
	same 400 "$(status "$URL" -H 'Accept: text/event-stream')"
	same 404 "$(status "$URL" -H 'Mcp-Session-Id: nix')"
	# A version that is none begins nothing.
	same 400 "$(post "$(rq 1 initialize '{}')" -o /dev/null -w '%{http_code}')"
}

@test "messages at once: one answer with all of theirs" {
	web --no-token
	begin 2025-03-26
	local batch
	batch="[$(rq 1 ping),$(note x),$(rq 2 nix),$(rq 3 tools/list)]"
	same '[1,2,3]' "$(post "$batch" | jq -c '[.[].id]|sort')"
	same '[1]' "$(post "[$(rq 1 ping)]" | jq -c '[.[].id]')"
	same 202 "$(post "[$(note x)]" -o /dev/null -w '%{http_code}')"
	begin 2025-06-18
	same -32600 "$(post "$batch" | jq .error.code)"
}

@test "who may come in: Host, Origin, token, path, method, types" {
	web --token=env:TOKEN --allow-host=bot.example --allow-origin=app://host
	local auth=(-H "Authorization: Bearer $TOKEN") body row
	body=$(init | head -n 1)
	same 200 "$(post "$body" "${auth[@]}" -o /dev/null -w '%{http_code}')"
	same 401 "$(post "$body" -o answer -D heads -w '%{http_code}')"
	grep -qi '^www-authenticate: bearer' heads
	for row in 'Bearer wrong' "Bearer ${TOKEN}x" "Bearer ${TOKEN%?}" "Basic $TOKEN" Bearer 'Bearer '; do
		same 401 "$(post "$body" -H "Authorization: $row" -o /dev/null -w '%{http_code}')" || { echo "$row"; return 1; }
	done
	same 401 "$(post "$body" "${auth[@]}" "${auth[@]}" -o /dev/null -w '%{http_code}')"
	# It may be a page of elsewhere that asks, by a name of its own.
	for row in evil.example evil.example:80 localhost.evil.example 192.0.2.1 '[2001:db8::1]' 0.0.0.0; do
		same 403 "$(post "$body" "${auth[@]}" -H "Host: $row" -o /dev/null -w '%{http_code}')" || { echo "$row"; return 1; }
	done
	for row in localhost localhost:1 127.0.0.1 127.1.2.3 '[::1]:9' LOCALHOST bot.example Bot.Example:443; do
		same 200 "$(post "$body" "${auth[@]}" -H "Host: $row" -o /dev/null -w '%{http_code}')" || { echo "$row"; return 1; }
	done
	for row in http://evil.example null https://localhost.evil.example http://bot.example file://localhost \
		'http://localhost, http://evil.example' http://a@localhost; do
		same 403 "$(post "$body" "${auth[@]}" -H "Origin: $row" -o /dev/null -w '%{http_code}')" || { echo "$row"; return 1; }
	done
	for row in http://localhost:6274 https://127.0.0.1 app://host; do
		same 200 "$(post "$body" "${auth[@]}" -H "Origin: $row" -o /dev/null -w '%{http_code}')" || { echo "$row"; return 1; }
	done
	same 404 "$(status "${auth[@]}" -d "$body" "${URL}x")"
	same 404 "$(status "${auth[@]}" "${URL%/mcp}/")"
	same 405 "$(status "${auth[@]}" -X PUT -D heads "$URL")"
	grep -q '^Allow: POST, GET, DELETE' heads
	same 405 "$(status "${auth[@]}" -X OPTIONS "$URL")"
	same 415 "$(status "${auth[@]}" -d "$body" "$URL")"
	same 415 "$(status "${auth[@]}" -d "$body" -H 'Content-Type: application/jsonx' "$URL")"
	same 406 "$(status "${auth[@]}" -d "$body" -H 'Content-Type: application/json' -H 'Accept: text/html' "$URL")"
	same 200 "$(status "${auth[@]}" -d "$body" -H 'Content-Type: application/json; charset=utf-8' -H 'Accept: application/*;q=0.5' "$URL")"
	same 406 "$(status "${auth[@]}" -H 'Accept: application/json' "$URL")"
	[[ $(cat err) != *"$TOKEN"* ]]
}

@test "a call that takes long becomes a stream, which can be taken up where it broke off" {
	needs_sandbox
	web --no-token --tools=exec
	begin
	same 'application/json' "$(post "$(rq 1 tools/call "$(exec_of true)")" -o /dev/null -w '%{content_type}')"
	run -28 post "$(rq 2 tools/call '{"name":"exec","arguments":{"command":"sleep 3; echo end"},"_meta":{"progressToken":7}}')" \
		-o part --max-time 1.6
	same $'id: 1-1\nretry: 1000\ndata: ' "$(head -n 3 part)"
	same '[7,1]' "$(events < part | jq -c '.params|[.progressToken,.progress]' | head -n 1)"
	local last
	last=$(sed -n 's/^id: //p' part | tail -n 1)
	run -0 curl -sSN -m 20 -H "Mcp-Session-Id: $SESSION" -H 'Accept: text/event-stream' \
		-H "Last-Event-ID: $last" "$URL"
	same 'end' "$(of 2 '.result.structuredContent.stdout|rtrimstr("\n")' "$(events <<< "$output")")"
	# None is missing, and none comes twice.
	same "$(sed -n 's/^id: //p' <(cat part; echo "$output") | sort -u -t- -k2n)" \
		"$(sed -n 's/^id: //p' <(cat part; echo "$output"))"
	# It is still there once more, and what is none is refused.
	run -0 curl -sSN -m 20 -H "Mcp-Session-Id: $SESSION" -H 'Last-Event-ID: 1-1' "$URL"
	same 2 "$(events <<< "$output" | jq 'select(.id).id')"
	for last in 9-1 1-99 x -1 1- 99999999999999999999999-1; do
		same 400 "$(status -H "Mcp-Session-Id: $SESSION" -H "Last-Event-ID: $last" "$URL")"
	done
	# Older callers do not expect an event with nothing in it.
	begin 2025-06-18
	run -0 post "$(rq 3 tools/call "$(exec_of 'sleep 1.2')")"
	same 3 "$(events <<< "$output" | jq .id)"
	[[ $output != *retry* ]]
}

@test "what concerns no request comes by GET, to one at a time" {
	web --no-token --skills --tools=none
	begin
	curl -sSN -m 20 -H "Mcp-Session-Id: $SESSION" -H 'Accept: text/event-stream' "$URL" > first 3>&- &
	local one=$! two
	until grep -q '^id: 0-1' first; do sleep 0.02; done
	curl -sSN -m 20 -H "Mcp-Session-Id: $SESSION" -H 'Accept: text/event-stream' "$URL" > second 3>&- &
	two=$!
	wait "$one"
	skill "$LB_STATE/skills/one"
	until [ "$(grep -c list_changed second)" -eq 3 ]; do sleep 0.02; done
	same 204 "$(status -X DELETE -H "Mcp-Session-Id: $SESSION" "$URL")"
	wait "$two"
	same '' "$(events < first)"
}

@test "the newer era: headers say what the message says; methods that are none are not found" {
	needs_sandbox
	lb-tool call --session=s write '{"path":"f","content":"a"}'
	web --no-token
	same complete "$(modern 1 server/discover | jq -r .result.resultType)"
	same '"a"' "$(modern 2 tools/call read '"name":"read","arguments":{"path":"f"}' | jq '.result.structuredContent.content')"
	same '"a"' "$(modern 3 tools/call '=?base64?cmVhZA==?=' '"name":"read","arguments":{"path":"f"}' | jq '.result.structuredContent.content')"
	local row body
	body=$(rq 4 tools/call "{\"name\":\"read\",$META}")
	while IFS='|' read -r -a row; do
		local options=()
		for h in "${row[@]}"; do options+=(-H "$h"); done
		same 400 "$(post "$body" "${options[@]}" -o answer -w '%{http_code}')"
		same '-32020 4' "$(jq -r '"\(.error.code) \(.id)"' answer)" || { echo "${row[@]}"; return 1; }
	done <<-'END'
		Mcp-Method: tools/call|Mcp-Name: read
		MCP-Protocol-Version: 2026-07-28|Mcp-Name: read
		MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call
		MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/list|Mcp-Name: read
		MCP-Protocol-Version: 2026-07-28|Mcp-Method: TOOLS/CALL|Mcp-Name: read
		MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|Mcp-Name: grep
		MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|Mcp-Name: =?base64?Z3JlcA==?=
		MCP-Protocol-Version: 2026-07-28|Mcp-Method: tools/call|Mcp-Name: =?base64?!!!?=
		MCP-Protocol-Version: 2025-11-25|Mcp-Method: tools/call|Mcp-Name: read
	END
	same 404 "$(modern 5 nix '' '' -o answer -w '%{http_code}')"
	same -32601 "$(jq .error.code answer)"
	same 404 "$(modern 5 initialize '' '"protocolVersion":"2025-11-25"' -o /dev/null -w '%{http_code}')"
	META=${META/2026-07-28/v9} same 400 "$(post "$(rq 6 tools/list "{${META/2026-07-28/v9}}")" -H 'MCP-Protocol-Version: v9' -H 'Mcp-Method: tools/list' -o answer -w '%{http_code}')"
	same '-32022 v9' "$(jq -r '.error|"\(.code) \(.data.requested)"' answer)"
	same 400 "$(post "$(rq 7 tools/list '{}')" -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list' -o answer -w '%{http_code}')"
	same -32602 "$(jq .error.code answer)"
	same 202 "$(post "$(note x)" -H 'MCP-Protocol-Version: 2026-07-28' -o /dev/null -w '%{http_code}')"
	same 405 "$(status -H 'MCP-Protocol-Version: 2026-07-28' -H 'Accept: text/event-stream' "$URL")"
	same 405 "$(status -X DELETE -H 'MCP-Protocol-Version: 2026-07-28' "$URL")"
}

@test "the newer era: who hangs up takes his request back" {
	needs_sandbox
	web --no-token --tools=exec
	run -28 modern 1 tools/call exec '"name":"exec","arguments":{"command":": serve-hung-up; touch began; sleep 600"}' -m 2
	gone serve-hung-up
	same true "$(lb-tool call --session=s read '{"path":"began"}' | jq .ok)"
	# In a session that is no reason to stop; taking it back is.
	begin
	post "$(rq 2 tools/call "$(exec_of ': serve-goes-on; sleep 600')")" 3>&- > /dev/null &
	local curl=$!
	until pgrep -f 'bwrap .*[s]erve-goes-on' > /dev/null; do sleep 0.02; done
	post "$(note notifications/cancelled '{"requestId":2}')"
	gone serve-goes-on
	wait "$curl"
	# So is the end of the session.
	post "$(rq 3 tools/call "$(exec_of ': serve-session; sleep 600')")" 3>&- > /dev/null &
	curl=$!
	until pgrep -f 'bwrap .*[s]erve-session' > /dev/null; do sleep 0.02; done
	same 204 "$(status -X DELETE -H "Mcp-Session-Id: $SESSION" "$URL")"
	gone serve-session
	wait "$curl"
}

@test "the newer era: a stream of changes, until it ends" {
	web --no-token --skills --tools=none
	modern 9 subscriptions/listen '' '"notifications":{"toolsListChanged":true}' -m 20 > stream 3>&- &
	local curl=$!
	until grep -q acknowledged stream; do sleep 0.02; done
	skill "$LB_STATE/skills/one"
	until grep -q list_changed stream; do sleep 0.02; done
	kill "$SERVER"
	wait "$curl"
	same '["notifications/subscriptions/acknowledged","notifications/tools/list_changed",9]' \
		"$(events < stream | jq -sc 'map(.method // .id)')"
	same '9 9 complete' "$(events < stream | jq -sr '"\(.[0].params._meta["io.modelcontextprotocol/subscriptionId"]) \(.[1].params._meta["io.modelcontextprotocol/subscriptionId"]) \(.[2].result.resultType)"')"
	run wait "$SERVER"
	same 143 "$status"
}

@test "sessions: as many as may be, the idle ones make room, and end by themselves" {
	web --no-token --sessions=2 --idle=1h
	begin
	local a=$SESSION b
	begin
	b=$SESSION
	SESSION=$a post "$(rq 1 ping)" -o /dev/null
	begin
	SESSION=$b same 404 "$(SESSION=$b post "$(rq 1 ping)" -o /dev/null -w '%{http_code}')"
	same '{}' "$(SESSION=$a post "$(rq 1 ping)" | jq -c .result)"
	# One that is read makes no room.
	local s pids=()
	for s in "$a" "$SESSION"; do
		curl -sSN -m 20 -H "Mcp-Session-Id: $s" "$URL" > "$s" 3>&- &
		pids+=($!)
		until grep -q '^id' "$s"; do sleep 0.02; done
	done
	same 503 "$(SESSION='' post "$(init | head -n 1)" -o /dev/null -w '%{http_code}')"
	kill "${pids[@]}"
	unweb
	web --no-token --idle=300ms
	begin
	until [ "$(post "$(rq 1 ping)" -o /dev/null -w '%{http_code}')" = 404 ]; do sleep 0.7; done
}

@test "clients with odd manners are served" {
	need python3
	web --no-token
	same 'in order' "$(hostile pipelined)"
	same 200 "$(hostile piecemeal)"
	same 200 "$(hostile chunked)"
	same 'HTTP/1.1 100 Continue 200' "$(hostile expect)"
	local init
	init=$(init | head -n 1)
	same 200 "$(hostile raw "\r\n\r\nPOST /mcp HTTP/1.1\r\nHOST: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${#init}\r\n\r\n${init//\"/\\\"}")"
	same 200 "$(hostile raw "POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${#init}\r\n\r\n$init")"
	same '403' "$(hostile raw 'POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n')"
}

@test "requests of which two servers could make two things are refused" {
	need python3
	web --no-token
	local end='\r\nContent-Type: application/json\r\n'
	same 400 "$(hostile raw "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: localhost$end\r\n")"
	same 400 "$(hostile raw "POST /mcp HTTP/1.1\r\nHost: localhost${end}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")"
	same 400 "$(hostile raw "POST /mcp HTTP/1.1\r\nHost: localhost${end}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab")"
	same 400 "$(hostile raw "POST /mcp HTTP/1.1\r\nHost: localhost${end}Content-Length: 1 1\r\n\r\nab")"
	same 501 "$(hostile raw "POST /mcp HTTP/1.1\r\nHost: localhost${end}Transfer-Encoding: xchunked\r\n\r\n")"
	same 400 "$(hostile raw 'POST http://localhost/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n')"
	same 400 "$(hostile raw 'GET /mcp HTTP/1.1\nHost: localhost\n\r\n\r\n')"
	same 400 "$(hostile raw "POST /mcp HTTP/1.1\r\nHost: localhost${end}Transfer-Encoding: chunked\r\n\r\nzz\r\n")"
	same 505 "$(hostile raw 'GET /mcp HTTP/3.0\r\nHost: localhost\r\n\r\n')"
	same 431 "$(hostile raw "GET /mcp HTTP/1.1\r\nHost: localhost\r\nA: $(printf 'x%.0s' $(seq 17000))\r\n\r\n")"
	same 400 "$(hostile raw '\x16\x03\x01\x02\x00\x01\r\n\r\n')"
}

@test "what is too much is refused as early as that is known" {
	need python3
	web --token=env:TOKEN
	same '401 early' "$(hostile giant 1000000000)"
	unweb
	web --no-token
	same '413 early' "$(hostile giant 1000000000)"
	same '413 early' "$(hostile giant 16777217)"
	same '413 early' "$(hostile giant_chunked)"
	same '400' "$(hostile giant 999999999999999999999 | cut -d' ' -f1)"
	same 200 "$(SESSION='' post "$(init | head -n 1)" -o /dev/null -w '%{http_code}')"
}

@test "a crowd that asks nothing keeps nobody out" {
	need python3
	web --no-token
	same '200 soon' "$(hostile crowd 200)"
	same '200 soon' "$(hostile crowd 400)"
	unweb
	web --no-token --connections=5
	same '200 soon' "$(hostile crowd 20)"
}

@test "who is slow has ten seconds; who does not read is not read" {
	need python3
	needs_sandbox
	skill "$LB_STATE/skills/one"
	head -c 100000 /dev/zero | tr '\0' x > "$LB_STATE/skills/one/big"
	web --no-token --skills --tools=exec
	hostile slow > slow 3>&- &
	local slow=$!
	begin
	same 'held up' "$(hostile unread "$SESSION" "$(rq 1 resources/read '{"uri":"skill://one/big"}')")"
	same 'held up' "$(hostile unread "$SESSION" "$(rq 1 tools/call "$(exec_of 'sleep 60')")")"
	same '{}' "$(post "$(rq 1 ping)" | jq -c .result)"
	wait "$slow"
	same '408 in time' "$(cat slow)"
	# What it said is not in memory.
	[ "$(awk '/^VmHWM/ { print $2 }' "/proc/$SERVER/status")" -lt 60000 ]
}

@test "what many do not read is not in memory without end" {
	need python3
	skill "$LB_STATE/skills/one"
	head -c 4000000 /dev/zero > "$LB_STATE/skills/one/big"
	web --no-token --skills
	begin
	same 'some were let go' "$(hostile hoard "$SESSION" "$(rq 1 resources/read '{"uri":"skill://one/big"}')")"
	same '{}' "$(post "$(rq 1 ping)" | jq -c .result)"
	local most
	! ldd "$(command -v lb-mcp)" | grep -q libasan ||
		skip "a sanitizer keeps what was freed"
	most=$(awk '/^VmHWM/ { print $2 }' "/proc/$SERVER/status")
	[ "$most" -lt 150000 ] || { echo "$most"; return 1; }
}
