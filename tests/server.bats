#!/usr/bin/env bats
# The test server itself: what other tests take for granted.

load helper
load server

teardown() {
	stop_servers
}

ask() {
	curl -sS -m 10 -w '%{http_code}\n' "$@" "$SERVER_URL/v1/chat/completions"
}

chat() {
	ask -H 'Authorization: Bearer k' -H 'Content-Type: application/json' -d "$1"
}

strict() {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict k
		answer You said: {last}
	END
}

@test "the strict service answers what the real one would answer" {
	strict
	run -0 chat '{"model":"m","messages":[{"role":"user","content":"a b"}]}'
	same 'You said: a b' \
		"$(head -c -4 <<< "$output" | jq -r '.choices[0].message.content')"
	same 200 "${output: -3}"
	run -0 chat '{"model":"m","stream":true,"messages":[{"role":"system",
		"content":"x"},{"role":"user","content":[{"type":"text",
		"text":"a b"}]}],"stream_options":{"include_usage":true}}'
	same 'You said: a b' "$(sed -n 's/^data: {/{/p' <<< "$output" |
		jq -j '.choices[0].delta.content // empty')"
	grep -q '^data: \[DONE\]' <<< "$output"
	grep -q '"usage":{' <<< "$output"
}

@test "the strict service refuses what the real one refuses" {
	strict
	local body u='{"role":"user","content":"a"}'
	for body in '' '[]' '{' '{"messages":['"$u"']}' '{"model":"m"}' \
		'{"model":"m","messages":{}}' '{"model":"m","messages":[]}' \
		'{"model":7,"messages":['"$u"']}' \
		'{"model":"m","messages":[{"role":"bot","content":"a"}]}' \
		'{"model":"m","messages":[{"role":"user"}]}' \
		'{"model":"m","messages":[{"role":"user","content":null}]}' \
		'{"model":"m","messages":[{"role":"user","content":[{"type":"text"}]}]}' \
		'{"model":"m","messages":[{"role":"tool","content":"a","tool_call_id":"x"}]}' \
		'{"model":"m","messages":['"$u"'],"stream":"yes"}' \
		'{"model":"m","messages":['"$u"'],"stream_options":{}}' \
		'{"model":"m","messages":['"$u"'],"temperature":3}' \
		'{"model":"m","messages":['"$u"'],"max_tokens":0}' \
		'{"model":"m","messages":['"$u"'],"tools":[]}'; do
		run -0 chat "$body"
		echo "$body"
		same 400 "${output: -3}"
		jq -e .error.message <<< "${output%???}"
	done
}

@test "the strict service wants its key" {
	strict
	run -0 ask -d '{}'
	same 401 "${output: -3}"
	run -0 ask -H 'Authorization: Bearer other' -d '{}'
	same 401 "${output: -3}"
}

@test "the text of a message can choose the answer, and uses run out" {
	serve <<-'END'
		on POST *
		if-body [[500]]
		reply 500
		on POST *
		if-json messages.0.content "two\nlines"
		reply 202
		on POST *
		uses 2
		reply 200
	END
	for body in '"[[500]]"' '{"messages":[{"content":"two\nlines"}]}' 1 2 3; do
		curl -sS -o /dev/null -w '%{http_code} ' -d "$body" "$SERVER_URL/p"
	done > "$BATS_TEST_TMPDIR/codes"
	same '500 202 200 200 404 ' "$(< "$BATS_TEST_TMPDIR/codes")"
	same '[1,2,3,3,null]' "$(jq -sc 'map(.exchange)' "$SERVER_LOG")"
	same 3 "$(requests 'select(.unexpected).body | tonumber')"
}

@test "a mistake in a script is named with its line" {
	run -65 "$LB_BUILD/tests/server/lb-test-server" - <<< $'on GET /\nsned x'
	[[ $output == *'line 2: no such line' ]]
}

@test "the server ends with its input when told to" {
	serve <<< $'on GET /\nreply 200'
	run -0 timeout 10 "$LB_BUILD/tests/server/lb-test-server" --until-eof \
		"${SERVER_LOG%/log}/script" < /dev/null
}
