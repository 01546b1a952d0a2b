#!/usr/bin/env bats
# lb-send --hold: what failed for now is not overtaken in its session.

load helper
load doubles
load telegram

setup() {
	bot_and_chats
}

teardown() {
	exec 7>&-
	stop_doubles
}

# refuse CHAT N - so many calls for it are refused, at once.
refuse() {
	bot_api_op "{\"op\":\"fail\",\"how\":\"429\",\"chat\":$1,\"n\":$2,\"retry_after\":0}"
}

# feed - lb-send reads what is written to 7 and writes to `out`.
feed() {
	mkfifo "$BATS_TEST_TMPDIR/to"
	lb-send telegram --hold < "$BATS_TEST_TMPDIR/to" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	exec 7> "$BATS_TEST_TMPDIR/to"
}

# said N - wait for so many lines; `output` is all of them.
said() {
	local i
	for ((i = 0; i < 1000; i++)); do
		output=$(cat "$BATS_TEST_TMPDIR/out")
		[ -z "$output" ] || [ "$(wc -l <<< "$output")" -lt "$1" ] || return 0
		sleep 0.02
	done
	echo "not $1 lines: $output"
	return 1
}

ended() {
	exec 7>&-
	wait "$pid"
	output=$(cat "$BATS_TEST_TMPDIR/out")
}

@test "without it, what comes after a failure goes on" {
	refuse 7 5
	run -0 lb-send telegram < <(reply a 7 1; reply b 7 2)
	is 'map([.kind, .id, .behind]) == [["error", "a", null], ["receipt", "b", null]]'
}

@test "what is behind a failure is given back, other sessions go on" {
	refuse 7 5
	run -0 lb-send telegram --hold < <(reply a 7 1; reply b 7 2; reply c 7 3; reply d 8 4)
	is 'map(select(.kind == "error") |
		[.id, .code, .retryable, .behind, .sent_parts, .record.text]) == [
		["a", "rate", true, null, 0, "1"], ["b", "rate", true, "a", 0, "2"],
		["c", "rate", true, "a", 0, "3"]]'
	is 'map(select(.kind == "receipt").id) == ["d"]'
	same '8 4' "$(texts)"
}

@test "what failed for good holds up nothing" {
	bot_api_op '{"op":"fail","how":"403","chat":7}'
	run -0 lb-send telegram --hold < <(reply a 7 1; reply b 7 2)
	is 'map([.kind, .id]) == [["error", "a"], ["receipt", "b"]]'
	# nor does what fails so when it comes again
	refuse 7 5
	bot_api_op '{"op":"fail","how":"403","chat":7}'
	run -0 lb-send telegram --hold < <(reply c 7 1; reply d 7 2; reply c 7 1; reply e 7 3
		reply d 7 2)
	is 'map([.kind, .id, .behind]) == [["error", "c", null], ["error", "d", "c"],
		["error", "c", null], ["error", "e", "d"], ["receipt", "d", null]]'
}

@test "what comes again is sent in its order, and nothing new before it" {
	refuse 7 5
	run -0 lb-send telegram --hold < <(reply a 7 1; reply b 7 2; reply c 7 3
		reply a 7 1; reply d 7 4; reply b 7 2; reply c 7 3; reply d 7 4; reply e 7 5)
	is 'map([.kind, .id, .behind]) == [["error", "a", null], ["error", "b", "a"],
		["error", "c", "a"], ["receipt", "a", null], ["error", "d", "b"],
		["receipt", "b", null], ["receipt", "c", null], ["receipt", "d", null],
		["receipt", "e", null]]'
	same "$(seq 5)" "$(bot_api_sent .text | jq -r .)"
}

@test "a second failure holds again" {
	refuse 7 10
	run -0 lb-send telegram --hold < <(reply a 7 1; reply b 7 2; reply a 7 1; reply b 7 2
		reply a 7 1; reply b 7 2)
	is 'map([.kind, .id, .behind]) == [["error", "a", null], ["error", "b", "a"],
		["error", "a", null], ["error", "b", "a"], ["receipt", "a", null],
		["receipt", "b", null]]'
}

@test "what was tried too often and does not come again holds up nothing" {
	refuse 7 5
	run -0 lb-send telegram --hold < <(reply a 7 1; reply b 7 2; reply c 7 3; reply b 7 2
		reply c 7 3; reply d 7 4)
	is 'map(select(.kind == "receipt").id) == ["b", "c", "d"]'
}

@test "a record of several parts is given back once, and sent whole" {
	parts() {
		reply "$1" 7 "$1 one" '{"part":1,"final":false}'
		reply "$1" 7 "$1 two" '{"part":2,"final":true}'
	}
	bot_api_op '{"op":"fail","how":"429","skip":1,"n":5,"retry_after":0}'
	run -0 lb-send telegram --hold < <(parts a; parts b; parts a; parts b)
	is 'map([.kind, .id, .part, .sent_parts, .behind]) == [
		["receipt", "a", 1, null, null], ["error", "a", null, 1, null],
		["error", "b", null, 0, "a"],
		["receipt", "a", 1, null, null], ["receipt", "a", 2, null, null],
		["receipt", "b", 1, null, null], ["receipt", "b", 2, null, null]]'
	same $'7 a one\n7 a two\n7 b one\n7 b two' "$(texts)"
}

@test "a part that comes again before the last was seen is tried again" {
	refuse 7 5
	one=$(reply a 7 one '{"part":1,"final":false}')
	run -0 lb-send telegram < <(echo "$one"; echo "$one"
		reply a 7 two '{"part":2,"final":true}')
	is 'map([.kind, .part]) == [["error", null], ["receipt", 1], ["receipt", 2]]'
}

@test "an answer that streams is not shown before the one that failed" {
	refuse 7 5
	feed
	reply a 7 1 >&7
	said 1
	chunk b 7 'so far' 1 >&7
	chunk c 8 'so far' 1 >&7
	shown 8 1
	same '8 so far' "$(texts)"
	reply c 8 'so far and' >&7
	said 2
	same 0 "$(bot_api_log 'select(.params.chat_id == 7 and .method ==
		"sendChatAction").n' | wc -l)"
	reply a 7 1 >&7
	# now it may be seen
	shown 7 $((5 + 1 + 1))
	reply b 7 'so far too' >&7
	ended
	is 'map([.kind, .id]) == [["error", "a"], ["receipt", "c"], ["receipt", "a"],
		["receipt", "b"]]'
	same $'7 1\n7 so far too' "$(texts | grep ^7)"
}

@test "what showed an answer that failed is what a later try changes" {
	edits='{"op":"fail","how":"429","method":"editMessageText","n":5,"retry_after":0}'
	feed
	chunk a 7 'so far' 1 >&7
	shown 7 1
	bot_api_op "$edits"
	reply a 7 'so far so good' >&7
	said 1
	reply a 7 'so far so good' >&7
	said 2
	is 'map([.kind, .message_ids]) == [["error", null], ["receipt", ["7:1"]]]'
	# of several parts, too
	chunk b 8 'one two' 1 >&7
	shown 8 1
	bot_api_op "$edits"
	for n in 1 2; do
		reply b 8 one '{"part":1,"final":false}' >&7
		reply b 8 two '{"part":2,"final":true}' >&7
	done
	ended
	same $'7 so far so good\n8 one\n8 two' "$(texts)"
	is '.[2:] | map([.kind, .part, .message_ids]) == [["error", null, null],
		["receipt", 1, ["8:1"]], ["receipt", 2, ["8:2"]]]'
}

@test "adapters that need no network hold, too" {
	run -0 lb-send null --fail transient --hold < <(reply a 7 1; reply b 7 2; reply c 8 3)
	is 'map([.id, .behind]) == [["a", null], ["b", "a"], ["c", null]]'
	run -64 lb-send --hold --to person:7 x
}
