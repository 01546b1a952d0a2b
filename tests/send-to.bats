#!/usr/bin/env bats
# lb-send telegram against a double of the Bot API: a conversation that
# nobody began.

load helper
load doubles
load telegram

setup_file() {
	double_for_all
}

teardown_file() {
	no_double_for_all
}

setup() {
	bot_and_chats
}

@test "--to: a text goes to a chat or a topic, and nothing is printed" {
	bot_api_op '{"op":"chat","chat":{"id":-5,"type":"supergroup","username":"ann_news"}}'
	run --separate-stderr -0 lb-send telegram --to person:7 --bot b 'hello you'
	[ -z "$output$stderr" ]
	run --separate-stderr -0 lb-send --to group:-100/42 - <<< $'from\na pipe\n'
	[ -z "$output$stderr" ]
	run --separate-stderr -0 lb-send --to group:@Ann_News -- -1
	[ -z "$output$stderr" ]
	same $'7 hello you\n-100 from\na pipe\n-5 -1' "$(texts)"
	bot_api_log .params | jq -se '.[1].message_thread_id == 42'
}

@test "--to: --records says what it became" {
	bot_api_op '{"op":"chat","chat":{"id":-5,"type":"channel","username":"ann_news"}}'
	run --separate-stderr -0 lb-send telegram --to person:7 --records=- 'hello you'
	is 'length == 1 and (.[0] | .kind == "receipt" and .target == "person:7" and
		.session == "b/person_7" and .message_ids == ["7:1"] and
		(.id | length) == 36)'
	run -0 lb-send --to group:-100/42 --records=fd:1 - <<< 'a pipe'
	is '.[0].session == "b/group_-100#42"'
	run -0 lb-send --to group:@ann_news --records="$BATS_TEST_TMPDIR/rec" x
	[ -z "$output" ]
	jq -e '.kind == "receipt" and .message_ids == ["-5:1"]' "$BATS_TEST_TMPDIR/rec"
}

@test "--to: each run is its own, unless it is called the same" {
	run -0 lb-send --to person:7 tick
	run -0 lb-send --to person:7 tick
	same 2 "$(texts | wc -l)"
	run -0 lb-send --to person:7 --id monday tick
	run -0 lb-send --to person:7 --id monday --records=- tick
	is '.[0].replayed'
	same 3 "$(texts | wc -l)"
	# the same run for another chat is another message, and goes there alone
	run -0 lb-send --to person:8 --id monday tick
	same '8 tick' "$(texts | tail -n 1)"
	same 4 "$(texts | wc -l)"
}

@test "--to: nothing to say is no message, no output and no failure" {
	for nothing in '' $'\n' $' \n\t\n'; do
		run --separate-stderr -0 lb-send --to person:7 <<< "$nothing"
		[ -z "$output$stderr" ]
		run --separate-stderr -0 lb-send telegram --to person:7 "$nothing"
		[ -z "$output$stderr" ]
	done
	same 0 "$(bot_api_log .n | wc -l)"
}

@test "--to: a failure is an exit status and a line for people" {
	bot_api_op '{"op":"block","chat":7}'
	run --separate-stderr -69 lb-send --to person:7 hello
	[ -z "$output" ]
	[[ $stderr == "lb-send: "*": part 1 not delivered: sendMessage: 403: "* ]]
	same 1 "$(wc -l <<< "$stderr")"
	run --separate-stderr -69 lb-send --to person:7 --records=- hello
	is 'map([.kind, .code]) == [["error", "denied"]]'
	[[ $stderr == "lb-send: "*": part 1 not delivered: sendMessage: 403: "* ]]
	bot_api_op '{"op":"fail","how":"429","n":9,"retry_after":0}'
	run --separate-stderr -75 lb-send --to person:8 hello
	# another run would send it twice: nobody should try again
	bot_api_op '{"op":"heal"}'
	bot_api_op '{"op":"fail","how":"cut-after"}'
	run --separate-stderr -69 lb-send --to person:8 --records=- hello
	is 'map(.code) == ["lost"]'
}

@test "--to: mistakes are told" {
	for to in 7 person: user:7 group:/3; do
		run --separate-stderr -64 lb-send --to "$to" x
	done
	# of the platform: at once, before the text is there
	mkfifo "$BATS_TEST_TMPDIR/silent"
	exec 9<> "$BATS_TEST_TMPDIR/silent"
	for to in group:abc group:7 person:-100 person:@ann group:-100/x; do
		run --separate-stderr -64 timeout 10 lb-send --to "$to" <&9
		same "lb-send: --to: target '$to' is none of Telegram: person:NUMBER, group:-NUMBER[/TOPIC] or group:@NAME" \
			"$stderr"
	done
	exec 9>&-
	run --separate-stderr -64 lb-send --bot b < /dev/null
	run --separate-stderr -64 lb-send --to person:7 nothing telegram x
	[[ $stderr == "lb-send: one adapter and one text, no more; a text is one operand: quote it"* ]]
	run --separate-stderr -64 lb-send --to person:7 hello you
	[[ $stderr == "lb-send: there is no adapter 'hello'; "*"; a text is one operand: quote it"* ]]
	run --separate-stderr -78 lb-send --to person:7 --bot who x
	same "lb-send: there is no bot 'who'" "$stderr"
	echo '  c: {adapter: telegram, token: "1:x"}' >> "$LB_CONFIG"
	run --separate-stderr -64 lb-send --to person:7 x
	same 'lb-send: there are 2 bots of adapter telegram (b, c): name one with --bot' "$stderr"
	same 0 "$(bot_api_log .n | wc -l)"
}

@test "--to: a word that is an adapter's name is not guessed at" {
	run --separate-stderr -64 lb-send --to person:7 telegram <<< hello
	[[ $stderr == "lb-send: 'telegram' is an adapter: put the text behind it, or - for the input"* ]]
	run -0 lb-send --to person:7 telegram telegram
	run -0 lb-send --to person:7 telegram - <<< hello
	same $'7 telegram\n7 hello' "$(texts)"
}

@test "a reply with a target starts a conversation from a pipe" {
	run -0 lb-send telegram < <(echo '{"kind":"reply","id":"r","bot":"b","target":"group:-100","chain":[{"type":"Plain","text":"hi all"}]}')
	is '.[0].kind == "receipt"'
	same '-100 hi all' "$(texts)"
}
