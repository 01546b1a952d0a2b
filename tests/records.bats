#!/usr/bin/env bats
# What lb-records(7) and the schemas say of records is true.

load helper

schemas=$BATS_TEST_DIRNAME/../share/lb/schema
validate=$LB_TEST_BUILD/tests/unit/validate-record

# The kinds that have a schema.
kinds() {
	(cd "$schemas" && printf '%s\n' *.json | sed 's/\.json$//')
}

# The example records of the page.
literals() {
	page lb-records.7 | sed -n 's/^ *{"kind"/{"kind"/p'
}

# refused JQ - an example of the page, changed, is not valid any more.
refused() {
	literals | jq -c "$1" > "$BATS_TEST_TMPDIR/changed"
	[ -s "$BATS_TEST_TMPDIR/changed" ]
	while IFS= read -r line; do
		run -1 "$validate" "$schemas" <<< "$line"
	done < "$BATS_TEST_TMPDIR/changed"
}

# flow OPTION... - a message through the flow, each stage's output kept.
# LB_MODEL decides how it goes, the options are lb-send's.
flow() {
	local n=$((runs += 1))
	lb-ingest text --person "p$n" | tee "$at/$n.message" |
		lb-pipeline | tee "$at/$n.query" |
		lb-agent | tee "$at/$n.reply" |
		lb-wrap | tee "$at/$n.wrapped" |
		lb-send "$@" > "$at/$n.sent"
}

setup() {
	runs=0
	at=$BATS_TEST_TMPDIR/records
	mkdir "$at"
	unset LB_CONFIG
}

@test "the page has an example of every kind that has a schema, and no other" {
	need mandoc
	same "$(kinds)" "$(literals | jq -r .kind | sort -u)"
}

@test "every example of lb-records(7) is valid" {
	need mandoc
	literals > "$at/literals"
	[ "$(wc -l < "$at/literals")" -ge "$(kinds | wc -l)" ]
	run -0 "$validate" "$schemas" < "$at/literals"
	[ -z "$output" ]
}

@test "each schema is JSON, names its kind and demands it" {
	for kind in $(kinds); do
		jq -e --arg kind "$kind" '.properties.kind.const == $kind and
			.title == $kind and (.required | index("kind")) and
			(.required - (.properties | keys) == [])' \
			"$schemas/$kind.json"
	done
}

@test "a record that lacks a member it needs is not valid" {
	need mandoc
	for kind in $(kinds); do
		for key in $(jq -r '.required[]' "$schemas/$kind.json"); do
			refused "select(.kind == \"$kind\") | del(.$key)"
		done
	done
}

@test "a member of the wrong type or value is not valid" {
	need mandoc
	refused 'select(.kind != "error" and .id) | .id = 5'
	refused 'select(.kind == "message") | .time = "now"'
	refused 'select(.kind == "message") | .launcher_type = "robot"'
	refused 'select(.kind == "message") | .chain[0] = {text: "x"}'
	refused 'select(.kind == "message") | .chain[0] = {type: "Quote", origin: [1]}'
	refused 'select(.kind == "edit") | .mentions = ["99", 7]'
	refused 'select(.kind == "edit") | .mentioned_me = "yes"'
	refused 'select(.kind == "edit") | .edit_of = ""'
	refused 'select(.kind == "callback") | .data = 5'
	refused 'select(.kind == "status") | .state = "tired"'
	refused 'select(.kind == "status") | .self = "me"'
	refused 'select(.kind == "query") | .user.content[0].type = "video"'
	refused 'select(.kind == "chunk") | .seq = -1'
	refused 'select(.kind == "reply") | .part = 0'
	refused 'select(.kind == "reply") | .final = 1'
	refused 'select(.failed) | .failed.code = "bad luck"'
	refused 'select(.usage) | .usage.input = 1.5'
	refused 'select(.kind == "receipt") | .message_ids = [7]'
	refused 'select(.kind == "error") | .code = "bad luck"'
	refused 'select(.kind == "error") | del(.record, .line)'
	refused 'select(.kind == "request") | del(.prompt)'
	refused 'select(.kind == "message") | {id} + . '
	refused 'select(.kind == "message") | .kind = "unheard-of"'
}

@test "what an answered, streamed message becomes is valid" {
	flow jsonl <<< hi
	LB__BOTS__X__STREAM=true LB_MODEL=offline:stream flow jsonl <<< hi
	LB_MODEL=offline:text=ok flow null <<< hi
	run -0 "$validate" "$schemas" < <(cat "$at"/*)
	[ -z "$output" ]
	same $'chunk\nmessage\nquery\nreceipt\nreply' \
		"$(cat "$at"/* | jq -r .kind | sort -u)"
}

@test "what a failed, cut, hidden or dropped message becomes is valid" {
	for how in auth rate-limit timeout malformed truncated; do
		LB_MODEL=offline:$how flow jsonl <<< hi
	done
	export LB__PIPELINES__DEFAULT__OUTPUT__MISC__EXCEPTION_HANDLING=hide
	LB_MODEL=offline:auth flow jsonl <<< hi
	same auth "$(jq -r 'select(.kind == "error").code' "$at/6.sent")"
	flow null --fail=transient <<< hi
	same true "$(jq -r 'select(.kind == "error").retryable' "$at/7.sent")"
	flow null --fail=transient --hold < <(printf 'hi\nyou\n')
	same 1 "$(jq -c 'select(.behind).id' "$at/8.sent" | wc -l)"
	flow null --fail=permanent:1 <<< hi
	flow jsonl <<< ""
	echo '{"text":""}' | lb-ingest jsonl | lb-pipeline > "$at/drop"
	same drop "$(jq -r .kind "$at/drop")"
	run -0 "$validate" "$schemas" < <(cat "$at"/*)
	[ -z "$output" ]
}

@test "the parts of a long answer and their receipts are valid" {
	export LB__PIPELINES__DEFAULT__OUTPUT__LONG_TEXT_PROCESSING__STRATEGY=split
	export LB__PIPELINES__DEFAULT__OUTPUT__LONG_TEXT_PROCESSING__THRESHOLD=20
	flow jsonl <<< hi
	flow null --fail=permanent:2 <<< hi
	same 1 "$(jq 'select(.kind == "error").sent_parts' "$at/2.sent")"
	[ "$(jq -c 'select(.kind == "receipt")' "$at/1.sent" | wc -l)" -gt 2 ]
	run -0 "$validate" "$schemas" < <(cat "$at"/*)
	[ -z "$output" ]
}

@test "an answer from the store, and one begun before, are valid" {
	flow jsonl <<< hi
	lb-agent < "$at/1.query" > "$at/again"
	same true "$(jq .replayed "$at/again")"
	lb-ingest text <<< hi | lb-pipeline > "$at/query"
	lb-agent --model offline:auth < "$at/query" > /dev/null
	lb-agent < "$at/query" > "$at/second"
	same '[2]' "$(jq -sc 'map(.attempt // empty) | unique' "$at/second")"
	run -0 "$validate" "$schemas" < <(cat "$at"/*)
	[ -z "$output" ]
}

@test "errors about lines and records of any sort are valid" {
	printf '%s\n' '[1]' '{"a":1,"a":2}' '{"kind":"message"' '{"kind":"message"}' \
		'{"kind":"message","id":5}' '{"kind":"message","id":"x","bot":[]}' \
		> "$at/bad"
	jq -nc '{kind: "message", id: "x", bot: "-", launcher_type: "robot",
		launcher_id: "y", chain: [], pad: ("x" * 70000)}' >> "$at/bad"
	jq -nc '{kind: "message", pad: ("é" * 9000)}' | sed 's/}$//' >> "$at/bad"
	run --separate-stderr -65 lb-pipeline < "$at/bad"
	printf '%s\n' "$output" > "$at/errors"
	same 8 "$(wc -l < "$at/errors")"
	same true "$(jq 'select(.record.cut).record.cut' "$at/errors")"
	run -0 "$validate" "$schemas" < "$at/errors"
	[ -z "$output" ]
	echo '{"kind":"query","id":"x"}' | lb-agent |
		run -0 "$validate" "$schemas"
}

@test "requests and their responses are valid" {
	literals | jq -c 'select(.kind == "request")' > "$at/request"
	jq -nc '{kind: "request", id: "2", model: "offline:auth",
		messages: [{role: "user", content: "hi"}]}' >> "$at/request"
	lb-llm chat --records < "$at/request" > "$at/response"
	same $'response\nerror' "$(jq -r .kind "$at/response")"
	lb-llm --json hi < /dev/null >> "$at/response"
	run -0 "$validate" "$schemas" < <(cat "$at"/*)
	[ -z "$output" ]
}

@test "what telegram's updates become is valid" {
	run -0 "$validate" "$schemas" \
		< <(cat "$BATS_TEST_DIRNAME"/data/telegram/*.records.jsonl)
	[ -z "$output" ]
}
