#!/usr/bin/env bats

load helper
load filter

# message [JSON] - a message of person 7 that says hi, with these members.
message() {
	jq -nc --argjson with "${1:-{\}}" '{kind: "message",
		id: "01890a5d-ac96-774b-bcce-b302099a8057", time: 1767225600123,
		bot: "-", launcher_type: "person", launcher_id: "7",
		sender_id: "7", chain: [{type: "Plain", text: "hi"}]} + $with'
}

# is FILTER - the one record of $output.
is() {
	jq -se "length == 1 and (.[0] | $1)" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

bots() {
	cat > "$LB_CONFIG" <<-'END'
		bots:
		  support: {adapter: jsonl, pipeline: polite, stream: true}
		  lost: {adapter: jsonl, stream: false}
		pipelines:
		  polite:
		    ai:
		      local-agent:
		        prompt:
		          - {role: system, content: Be polite.}
		  curt: {}
	END
}

@test "a message becomes a query: what is asked, of whom, and how" {
	run --separate-stderr -0 lb-pipeline < <(message '{"sender_name":"Ann","x":1}')
	[ -z "$stderr" ]
	is '.kind == "query" and .pipeline == "default" and
		.runner == "local-agent" and .stream == true and .x == 1 and
		.session == "-/person_7" and
		.user == {role: "user", content: [{type: "text", text: "hi"}]} and
		(.prompt | type == "array") and .variables == {
			launcher_type: "person", launcher_id: "7",
			sender_id: "7", session_id: "person_7",
			msg_create_time: 1767225600, group_name: "",
			sender_name: "Ann", user_message_text: "hi"}'
	[[ $output == '{"kind":"query",'* ]]
}

@test "the pipeline is the message's, else the bot's, else the default" {
	bots
	run -0 lb-pipeline < <(message)
	is '.pipeline == "default"'
	run -0 lb-pipeline < <(message '{"bot":"support"}')
	is '.pipeline == "polite" and .stream == true and
		.session == "support/person_7" and
		(.prompt | length) == 1 and .prompt[0].role == "system" and
		(.prompt[0].content | startswith("Be polite.\n"))'
	run -0 lb-pipeline < <(message '{"bot":"support","pipeline":"curt"}')
	is '.pipeline == "curt"'
	run -0 lb-pipeline < <(message '{"bot":"lost"}')
	is '.pipeline == "default" and .stream == false'
	run -0 lb-pipeline < <(message '{"bot":"never heard of"}')
	is '.pipeline == "default"'
}

@test "a pipeline that is not there is an error record of code config" {
	run --separate-stderr -0 lb-pipeline < <(message '{"pipeline":"nope"}'; message)
	jq -se 'map(.kind) == ["error", "query"] and (.[0] |
		.code == "config" and .stage == "route" and
		.message == "no pipeline '"'nope'"' in the configuration" and
		.retryable == false and .record.kind == "message" and
		.id == .record.id)' <<< "$output"
}

@test "--explain says in one line a message what decided it" {
	bots
	run --separate-stderr -0 lb-pipeline --explain < <(message
		message '{"bot":"support"}'; message '{"chain":[]}'
		message '{"pipeline":"nope"}'; echo '{"kind":"status"}')
	id=01890a5d-ac96-774b-bcce-b302099a8057
	same "lb-pipeline: $id: query: route: pipeline 'default': bot '-' uses it
lb-pipeline: $id: query: route: pipeline 'polite': bot 'support' uses it
lb-pipeline: $id: drop by prepare: nothing in it that can be answered (route: pipeline 'default': bot '-' uses it)
lb-pipeline: $id: error by route: no pipeline 'nope' in the configuration" "$stderr"
}

@test "a message that says nothing is dropped, and the rule is named" {
	for chain in '[]' '[{"type":"Source","id":1}]' '[{"type":"Plain","text":""}]' \
		'[{"type":"Image","url":""}]'; do
		run -0 lb-pipeline < <(message "{\"chain\":$chain,\"x\":0.5}")
		is '.kind == "drop" and .stage == "prepare" and .x == 0.5 and
			.reason == "nothing in it that can be answered" and
			(.id | length) == 36 and (has("into") | not)'
	done
}

@test "every component that a model can read becomes a part" {
	chain='[{"type":"Source","id":1},{"type":"At","target":"9"},
		{"type":"Quote","origin":[{"type":"Plain","text":"a\nb"}]},
		{"type":"Plain","text":"see "},
		{"type":"Image","url":"http://x/i.png"},
		{"type":"Image","base64":"data:image/png;base64,AA==","url":"no"},
		{"type":"Voice","url":"http://x/v"},
		{"type":"File","name":"a.txt","base64":"data:;base64,AA=="},
		{"type":"Novel","k":1}]'
	run -0 lb-pipeline < <(message "{\"chain\":$chain}")
	is '.user.content == [{type: "text", text: "> a\n> b\n"},
		{type: "text", text: "see "},
		{type: "image_url", image_url: {url: "http://x/i.png"}},
		{type: "image_base64", image_base64: "data:image/png;base64,AA=="},
		{type: "file_url", file_url: "http://x/v", file_name: "voice"},
		{type: "file_base64", file_base64: "data:;base64,AA==",
			file_name: "a.txt"}, {type: "text", text: "[Novel]"}] and
		.variables.user_message_text == "see " and (.chain | length) == 9'
}

@test "what a message claims about its treatment is not believed" {
	run -0 lb-pipeline < <(message '{"session":"x/person_1","prompt":[1],
		"runner":"exec:sh","user":{"role":"system"},"variables":{"a":1},
		"stream":false,"command":{"name":"reset"},"not_before":1}')
	is '.session == "-/person_7" and .runner == "local-agent" and
		.user.role == "user" and .prompt != [1] and .stream == true and
		(.variables | has("a") | not) and (has("command") | not) and
		(has("not_before") | not)'
	# nor when the name is spelled with escapes
	run -0 lb-pipeline < <(message | sed 's/^{"kind":"message"/&,"sess\\u0069on":"x","runn\\u0065r":"y"/')
	is '.session == "-/person_7" and .runner == "local-agent"'
	! grep -q u0069 <<< "$output"
}

@test "numbers and unknown members keep their bytes, wherever kind stands" {
	odd='"n": [0.10, 1e2 , 18446744073709551616, -0], "s":"\\u00e9\\/"'
	run -0 lb-pipeline < <(message | sed "s|^{\"kind\":\"message\"|{ $odd , \"kind\" : \"message\"|")
	is '.kind == "query"'
	[[ $output == '{"kind":"query","n":[0.10, 1e2 , 18446744073709551616, -0],"s":"\u00e9\/","id"'* ]]
}

@test "broken text is repaired where it enters; a NUL reads as U+FFFD" {
	run -0 lb-pipeline < <(message | sed 's/"hi"/"a\xff\\ud800b\\udc00\\ud83d\\ude00"/')
	is '.user.content[0].text == "a\ufffd\ufffdb\ufffd\ud83d\ude00" and
		.chain[0].text == .user.content[0].text'
	run -0 lb-pipeline < <(message | sed 's/"hi"/"a\\u0000b"/')
	is '.user.content[0].text == "a\ufffdb"'
	# both a number out of range and bad bytes, in either order
	run -0 lb-pipeline < <(message | sed 's/^{"kind":"message"/&,"n":18446744073709551616/; s/"hi"/"\xff"/')
	is '.user.content[0].text == "\ufffd"'
	run -0 lb-pipeline < <(message | sed 's/"hi"/"\xff"/; s/}$/,"n":18446744073709551616}/')
	is '.user.content[0].text == "\ufffd"'
}

@test "a message without what it needs is an error record that holds it" {
	for without in id bot launcher_type launcher_id chain; do
		run --separate-stderr -0 lb-pipeline < <(message | jq -c "del(.$without)")
		is ".kind == \"error\" and .code == \"data\" and
			.stage == \"accept\" and .record.kind == \"message\" and
			(.message | contains(\"'$without'\"))"
	done
	for wrong in '{"id":7}' '{"id":""}' '{"launcher_type":"robot"}' \
		'{"chain":"hi"}' '{"chain":["hi"]}' '{"chain":[{"text":"hi"}]}'; do
		run -0 lb-pipeline < <(message "$wrong")
		is '.kind == "error" and .code == "data"'
	done
}

@test "a record over 64 KiB is cut in the error that tells of it" {
	run -0 lb-pipeline < <(message '{"pipeline":"nope"}' |
		sed "s/\"hi\"/\"$(printf '%070000d' 0)\"/")
	is '.record == {kind: "message", id: .id, time, bot: "-",
		launcher_type: "person", launcher_id: "7", sender_id: "7",
		cut: true}'
	[ "${#output}" -lt 2000 ]
	# a common key may be long as well, and is not copied then
	run -0 bash -c 'lb-pipeline | wc -c' < <(message '{"pipeline":"nope"}' |
		sed "s/}$/,\"sender_name\":\"$(printf '%090000d' 0)\"}/")
	[ "$output" -lt 2000 ]
}

@test "no id is longer than what is kept of it" {
	long=$(printf '%01025d' 0)
	for key in id bot launcher_id sender_id; do
		run -0 lb-pipeline < <(message "{\"$key\":\"$long\"}")
		is '.kind == "error" and .stage == "accept" and .code == "data" and
			.message == "field '"'$key'"' is too long"'
		run -0 lb-pipeline < <(message "{\"$key\":\"${long:1}\"}")
		is '.kind == "query"'
	done
}

@test "a query longer than a line may be is an error of code limit" {
	run -0 lb-pipeline --max-line 500 < <(message | sed "s/\"hi\"/\"$(printf '%0200d' 0)\"/")
	is '.kind == "error" and .code == "limit" and
		.id == "01890a5d-ac96-774b-bcce-b302099a8057"'
}

@test "nesting too deep to be meant is malformed, however it is closed" {
	deep=$(printf '[%.0s' $(seq 5000))
	run --separate-stderr -65 lb-pipeline <<< "{\"kind\":\"message\",\"x\":$deep"
	is '.kind == "error" and .code == "data"'
	run --separate-stderr -65 lb-pipeline <<< "{\"kind\":\"message\",\"x\":$deep${deep//\[/]}}"
	is '.kind == "error" and .code == "data"'
	[[ $stderr == "lb-pipeline: line 1: column "* ]]
}

@test "a malformed line is told without its words" {
	run --separate-stderr -65 lb-pipeline <<< '{"kind":"message" "hush, secret"}'
	[[ $stderr == "lb-pipeline: line 1: column "* && $stderr != *hush* ]]
	is '.line == "{\"kind\":\"message\" \"hush, secret\"}"'
}

@test "records keep their order, however many come in one read" {
	for n in 1 2 3; do
		echo "{\"kind\":\"status\",\"id\":\"s$n\"}"
		echo "{\"id\":\"t$n\",\"kind\":\"status\"}"
		message "{\"id\":\"m$n\"}"
	done > "$BATS_TEST_TMPDIR/in"
	run -0 lb-pipeline < "$BATS_TEST_TMPDIR/in"
	same "s1 t1 m1 s2 t2 m2 s3 t3 m3" "$(jq -r .id <<< "$output" | paste -sd ' ')"
}

@test "lines of other kinds pass byte for byte" {
	copies_foreign lb-pipeline
}

@test "a malformed line is an error record, and the others go on: exit 65" {
	refuses message lb-pipeline
}

@test "--strict stops at the first malformed line" {
	strict_stops message lb-pipeline
}

@test "no line is longer than the limit" {
	line_limit message lb-pipeline
}

@test "a lone message comes out at once" {
	at_once "$(message)" lb-pipeline
}

@test "a non-blocking input is waited for" {
	nonblocking "$(message)" lb-pipeline
}

@test "a reader that goes away ends it by SIGPIPE" {
	reader_leaves "$(message)" lb-pipeline
}

@test "a full disk is exit 74" {
	full_disk "$(message)" lb-pipeline
	no_output "$(message)" lb-pipeline
}

@test "usage mistakes are exit 64; a config that is wrong is 78" {
	usage_mistakes lb-pipeline --nonsense operand --max-line=x
	echo 'pipelines: {default: {ai: {runner: {runner: magic}}}}' > "$LB_CONFIG"
	run --separate-stderr -78 lb-pipeline < <(message)
	[ -z "$output" ]
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-pipeline
}

@test "-c reads another configuration file, and one that is not there is said" {
	printf '%s\n' 'bots: {b: {pipeline: p, stream: yes}}' 'pipelines: {p: {}}' \
		> "$BATS_TEST_TMPDIR/other.yaml"
	run -0 lb-pipeline -c "$BATS_TEST_TMPDIR/other.yaml" \
		< <(echo hi | lb-ingest text --bot b)
	same '["p",true]' "$(jq -c '[.pipeline,.stream]' <<< "$output")"
	run --separate-stderr -78 lb-pipeline --config=nosuch.yaml < /dev/null
	[[ $stderr == *nosuch.yaml* ]]
}

# told CHAIN [MEMBERS] - what the model is told, as one text.
told() {
	run -0 lb-pipeline < <(message "{\"chain\":$1${2:+,$2}}")
	same "$3" "$(jq -r '.user.content | map(.text) | join("")' <<< "$output")"
}

@test "of a file that is elsewhere the model hears that it was there" {
	told '[{"type":"Image","ref":"x"},{"type":"Voice","ref":"y"},{"type":"File","name":"a.pdf","ref":"z"},{"type":"File","name":"none"}]' '' \
		$'[Image]\n[voice]\n[a.pdf]'
}

@test "what is told has lines of its own" {
	told '[{"type":"Plain","text":"read it"},{"type":"File","name":"a.pdf","ref":"z"}]' '' \
		$'read it\n[a.pdf]'
	told '[{"type":"Image","ref":"z"},{"type":"Plain","text":"what"},{"type":"Plain","text":" is it?"}]' '' \
		$'[Image]\nwhat is it?'
	told '[{"type":"Plain","text":"a\n"},{"type":"Image","ref":"z"},{"type":"Plain","text":"\nb"}]' '' \
		$'a\n[Image]\nb'
	told '[{"type":"Plain","text":"a"},{"type":"Quote","origin":[{"type":"Plain","text":"q"}]},{"type":"Plain","text":"b"}]' '' \
		$'a\n> q\nb'
}

@test "a place, a bare call and a face are something to answer" {
	told '[{"type":"Source","id":1},{"type":"Unknown","text":"[location 48.85837, 2.29448]"}]' '' \
		'[location 48.85837, 2.29448]'
	told '[{"type":"At","target":"99","display":"lb_bot"}]' \
		'"launcher_type":"group","mentioned_me":true' '[7] @lb_bot'
	told '[{"type":"Face","face_name":"+1"}]' '' '[Face]+1'
	# with words, a name is no part of them
	told '[{"type":"At","target":"99"},{"type":"Plain","text":"hi"}]' '' hi
}
