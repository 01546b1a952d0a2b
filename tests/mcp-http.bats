#!/usr/bin/env bats
# lb-mcp and servers that are URLs: streamable HTTP of both eras, what was before
# it, and how they fail.

load helper
load mcp

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	stop_mcp
}

posts() {
	heard 'select(.http == "POST") | .message.method // "answer"' | paste -sd' '
}

@test "a session is begun, named in each request, listened to and ended" {
	mcp_http --http --session
	run -0 --separate-stderr mcp tools --url "$MCP_URL" --elicit
	same 22 "${#lines[@]}"
	same 'POST server/discover -
POST initialize -
POST notifications/initialized session-1 2025-11-25
POST tools/list session-1 2025-11-25
GET session-1 2025-11-25
DELETE session-1 2025-11-25' "$(heard '[.http, .message.method, .headers["mcp-session-id"] // "-",
		(if .message.method == "initialize" or .message.method == "server/discover" then null
		else .headers["mcp-protocol-version"] end)] | map(select(.)) | join(" ")' |
		sort -s -k1,1r)"
	heard 'select(.http == "POST") | .headers.accept' | sort -u |
		grep -qx 'application/json, text/event-stream'
}

@test "before 2025-06-18 there is no header of the revision" {
	mcp_http --http --revision 2025-03-26
	run -0 --separate-stderr mcp tools --url "$MCP_URL"
	same 'null' "$(heard 'select(.message.method == "tools/list") | .headers["mcp-protocol-version"]')"
}

@test "answers come as JSON and as event streams, questions within them" {
	mcp_http --http --session --sse
	run -0 mcp call echo text=x --url "$MCP_URL"
	same '{"text": "x"}' "$output"
	run -0 mcp call ask --elicit --url "$MCP_URL"
	same '{"action": "accept", "content": {"name": "nobody", "old": true}}' "$output"
	run -0 mcp call slow ms=1500 steps=5 -t 1s --url "$MCP_URL"
	same 'done' "$output"
}

@test "a stream that breaks before the answer is taken up behind its last event" {
	mcp_http --http --session --cut
	run -0 mcp call slow ms=10 --url "$MCP_URL"
	same 'done' "$output"
	same 1 "$(heard 'select(.headers["last-event-id"]) | .http' | wc -l)"
	same 1 "$(posts | tr ' ' '\n' | grep -c tools/call)"
	stop_mcp
	mcp_http --http --session --cut --no-resume
	run -76 mcp call slow ms=10 --url "$MCP_URL" -t 5s
	same 1 "$(posts | tr ' ' '\n' | grep -c tools/call)"
}

@test "a session that was forgotten is begun anew, once" {
	for status in 404 400; do
		mcp_http --http --session --expire 3 --expired-status $status
		run -0 mcp call echo n=1 --url "$MCP_URL"
		same '{"n": 1}' "$output"
		same 2 "$(posts | tr ' ' '\n' | grep -c '^initialize')"
		stop_mcp
	done
	mcp_http --http --session --expire 2
	run -65 mcp tools --url "$MCP_URL"
	same 2 "$(posts | tr ' ' '\n' | grep -c '^initialize')"
}

@test "in the newer era there is no session, and headers say what is asked" {
	mcp_http --http --era modern
	run -0 mcp call header place='é x' --url "$MCP_URL"
	same '{"place": "\u00e9 x"}' "$output"
	same 'server/discover|-|-
tools/list|-|-
tools/call|header|=?base64?w6kgeA==?=' "$(heard '[.headers["mcp-method"], .headers["mcp-name"] // "-",
		.headers["mcp-param-place"] // "-"] | join("|")')"
	same 2026-07-28 "$(heard '.headers["mcp-protocol-version"]' | sort -u)"
	run -0 mcp call ask --elicit --url "$MCP_URL"
	same '[{"action": "accept", "content": {"name": "nobody", "old": true}}, "s"]' "$output"
	run -65 mcp call nothere --url "$MCP_URL"
	[[ $output == *'unknown tool: nothere (-32602)' ]]
	run -0 mcp tools --url "$MCP_URL" --era modern
	run -69 mcp tools --url "$MCP_URL" --era legacy
}

@test "what was before is there where streamable HTTP is not, and only then" {
	mcp_http --old-http
	run -0 mcp call slow ms=100 --url "$MCP_URL"
	same 'done' "$output"
	cat > "$LB_CONFIG" <<-END
		mcp: {servers: {
		  any: {url: "$MCP_URL"}, new: {url: "$MCP_URL", mode: http}, old: {url: "$MCP_URL", mode: sse}}}
	END
	run -0 mcp tools any
	run -0 mcp tools old
	run -69 mcp tools new
	for status in 401 403 429 500; do
		stop_mcp
		mcp_http --http --status $status
		run mcp tools --url "$MCP_URL"
		[ "$status" -gt 68 ]
		same '' "$(heard 'select(.http == "GET")')"
	done
}

@test "keys go with each request, to the server alone" {
	mcp_http --http --token 'Bearer sesame'
	run -69 mcp tools --url "$MCP_URL"
	[[ $output == *'HTTP 401 (it wants a key'* ]]
	export TOKEN='Bearer sesame'
	run -0 --separate-stderr mcp tools --url "$MCP_URL" --header 'Authorization: env:TOKEN'
	printf 'Bearer sesame\n' > key
	cat > "$LB_CONFIG" <<-END
		mcp: {servers: {s: {url: "$MCP_URL", headers: {Authorization: "file:$PWD/key"}}}}
	END
	run -0 --separate-stderr mcp tools s
	! grep -rq sesame "$LB_STATE" || false
	stop_mcp
	mcp_http --http --redirect http://127.0.0.2:1/mcp
	run -77 mcp tools --url "$MCP_URL" --header 'Authorization: env:TOKEN'
	[[ $output == *'its keys do not go there' ]]
}

@test "what is silent, noisy, endless or dies is borne over HTTP as at a pipe" {
	of() { # STATUS TEXT VERB... -- OPTION... of the double
		local want=$1 text=$2 verb=()
		shift 2
		while [ "$1" != -- ]; do
			verb+=("$1")
			shift
		done
		mcp_http --http "${@:2}"
		run -"$want" --separate-stderr mcp "${verb[@]}" --url "$MCP_URL"
		[[ $output$stderr == *"$text"* ]] || same "$text" "$output$stderr"
		stop_mcp
	}
	of 75 'it was not ready within 1 s' tools -t 1s -- --mute
	of 75 'no answer within 1 s' call slow ms=20000 -t 1s -- --sse
	of 75 "broke: closed without an answer" call die -t 5s --
	of 0 '{"text": "x"}' call echo text=x -- --sse --noise --strays
	same 1 "$(grep -c 'no message, which is left out: Starting server' <<< "$stderr")"
	of 76 'it wrote what is no message' call echo --strict -- --sse --noise
	of 76 'its answer is to nothing that was asked' call echo -- --wrong-id
	of 76 'its event stream ended without the answer' call echo -- --sse --wrong-id
	of 0 '"name":"header"' tools -- --pages 7
	same 22 "${#lines[@]}"
	of 76 'its pages go round in a circle' tools -- --circle
}

@test "an answer may be as long as a line may be, as JSON and as an event" {
	for as in --session --sse; do
		mcp_http --http $as
		mcp call big n=15000000 --url "$MCP_URL" > big
		same 15000001 "$(stat -c %s big)"
		run -76 --separate-stderr mcp call big n=17000000 --url "$MCP_URL"
		[[ $stderr == *' 16777216 bytes' ]]
		stop_mcp
	done
}

@test "a revision that is refused by HTTP 400 and a text is made way for" {
	mcp_http --http --refuse 2025-03-26 --refuse-text
	run -0 --separate-stderr mcp tools --url "$MCP_URL"
	same '2025-11-25 2025-03-26' "$(heard '.message.params.protocolVersion // empty' | paste -sd' ')"
}

@test "each way to fail has its status and phase" {
	fails() { # STATUS PHASE OPTION...
		local want=$1 phase=$2
		shift 2
		mcp_http --http "$@"
		run -"$want" --separate-stderr mcp tools --url "$MCP_URL" -t 3s --json
		same "$phase" "$(jq -r .error_phase <<< "$stderr")"
		stop_mcp
	}
	fails 69 mcp_init --status 404
	fails 69 mcp_init --status 403
	fails 75 mcp_init --status 503
	fails 75 mcp_init --status 429
	fails 76 mcp_init --type text/html
	fails 76 mcp_init --revision 1999-01-01
	run -69 --separate-stderr mcp tools --url http://127.0.0.1:1/ --json
	same relay_connect "$(jq -r .error_phase <<< "$stderr")"
	mcp_http --http --status-of tools/list=500
	run -75 mcp tools --url "$MCP_URL"
	run -0 mcp prompts --url "$MCP_URL"
}
