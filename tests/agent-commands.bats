#!/usr/bin/env bats

# Commands that lb-pipeline hands to lb-agent, and what a model is shown of a
# conversation.

load helper
load server

setup() {
	exec < /dev/null
	export LB_MODEL=offline:text=fine
}

teardown() {
	stop_servers
}

# query SESSION TEXT [JSON] - a query as lb-pipeline makes it.
query() {
	jq -cn --arg s "$1" --arg t "$2" --argjson more "${3:-{\}}" '{kind: "query",
		id: ("id-" + $t), bot: "-", session: $s, launcher_type: "person",
		launcher_id: $s, pipeline: "default", runner: "local-agent",
		prompt: [{role: "system", content: "p"}], sender_id: "7",
		user: {role: "user", content: [{type: "text", text: $t}]}} + $more'
}

# order SESSION NAME [ARG...] - a command of it; each has an id of its own.
order() {
	local session=$1 name=$2
	shift 2
	count=$((${count-0} + 1))
	query "$session" "order-$BASHPID-$RANDOM-$count-$name" \
		"$(jq -cn '{command: {name: $ARGS.positional[0],
			args: $ARGS.positional[1:]}}' --args "$name" "$@")"
}

# answered - all queries of the input are, and no provider refuses one.
answered() {
	lb-agent | jq -se 'length > 0 and all(.failed == null)' > /dev/null
}

# say SESSION TEXT... - these are said, and answered.
say() {
	local session=$1 text
	shift
	for text; do query "$session" "$text"; done | answered
}

# answer SESSION NAME [ARG...] - what a command answers.
answer() {
	order "$@" | lb-agent | jq -r 'select(.kind == "reply").text'
}

# endpoint - answers every chat and refuses what providers refuse.
endpoint() {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer You said: {last}
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
}

# sent - the texts of the last request.
sent() {
	requests '.body|fromjson|[.messages[].content]' | tail -n 1
}

@test "a command is answered without a model, in one final reply" {
	LB_MODEL=offline:auth run --separate-stderr -0 lb-agent < <(order a usage)
	same 1 "${#lines[@]}"
	same 'reply 1 true null null' "$(jq -r '[.kind, .part, .final, .failed, .model] | map(tostring) | join(" ")' <<< "$output")"
	same "$(jq -r .text <<< "$output")" "$(jq -r '.chain[0].text' <<< "$output")"
	same null "$(jq -c .command <<< "$output")"
}

@test "a command that is none is answered, too" {
	same 'There is no command fly.' "$(answer a fly)"
	run -0 lb-agent < <(query a x '{"command":{}}'; query a y '{"command":{"name":7}}')
	same 2 "$(grep -c '"kind":"reply"' <<< "$output")"
}

@test "a command runs once: what is asked again is answered from the store" {
	say a one two
	order a undo > "$BATS_TEST_TMPDIR/undo"
	lb-agent < "$BATS_TEST_TMPDIR/undo" > "$BATS_TEST_TMPDIR/1"
	run -0 lb-agent < "$BATS_TEST_TMPDIR/undo"
	same true "$(jq -c .replayed <<< "$output")"
	same "$(jq -r .text "$BATS_TEST_TMPDIR/1")" "$(jq -r .text <<< "$output")"
	same one "$(lb-session export | jq -r '.messages[0].content[0].text')"
}

@test "a command waits for the answer before it" {
	run -0 lb-agent < <(query a one; order a undo)
	same 'id-one fine' "$(jq -r 'select(.kind == "reply") | .id + " " + .text' <<< "$output" | head -n 1)"
	[ -z "$(lb-session export)" ]
}

@test "new and reset begin another conversation and keep the earlier" {
	endpoint
	say a one
	answer a new
	say a two
	same '["p","two"]' "$(sent)"
	answer a reset
	say a three
	same '["p","three"]' "$(sent)"
	same 3 "$(answer a list | grep -c '[0-9]  20')"
	answer a new
	answer a new
	# one that nothing was said in is not begun twice
	same 4 "$(answer a list | grep -c '[0-9]  20')"
}

@test "list: newest first, ten a page, the one in use is marked" {
	same 'There are no conversations yet.' "$(answer a list)"
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		query a "talk $i"
		order a new
	done | lb-agent > /dev/null
	run -0 answer a list
	same 11 "${#lines[@]}"
	[[ ${lines[0]} == *"page 1 of 2"* && ${lines[1]} == '* 1  '*'(nothing yet)' ]]
	[[ ${lines[2]} == '  2  '*'talk 11' ]]
	run -0 answer a list 2
	[[ ${#lines[@]} -eq 3 && ${lines[2]} == '  12  '*'talk 1' ]]
	run -0 answer a list 99
	[[ ${lines[0]} == *"page 1 of 2"* ]]
	[[ $(TZ=Asia/Tokyo answer a list) != "$(answer a list)" ]]
}

@test "switch, last and next go on with another conversation" {
	endpoint
	say a one
	answer a new
	say a two
	answer a new
	say a three
	[[ $(answer a last) == *two ]]
	say a more
	same '["p","two","You said: two","more"]' "$(sent)"
	[[ $(answer a last) == *one ]]
	same 'There is no earlier conversation.' "$(answer a last)"
	answer a next
	[[ $(answer a next) == *three ]]
	same 'There is no later conversation.' "$(answer a next)"
	[[ $(answer a switch 3) == *one ]]
	say a again
	same '["p","one","You said: one","again"]' "$(sent)"
	for n in 0 4 -1 x 99999999999999999999 1x; do
		[[ $(answer a switch "$n") == *"There is no conversation $n;"* ]]
	done
	same 'Which one? Say its number in the list.' "$(answer a switch)"
	answer a reset
	[[ $(answer a last) == *three ]]
}

@test "del forgets the conversation in use, one of the list, or all" {
	say a one
	answer a new
	say a two
	same 'Deleted: 1.' "$(answer a del)"
	same one "$(lb-session export | jq -r '.messages[0].content[0].text')"
	[[ $(answer a del) == *"No conversation is in use"* ]]
	answer a del 1
	[ -z "$(lb-session export)" ]
	say a three four
	answer a new
	say a five
	same 'Deleted: 2.' "$(answer a del all)"
	same 'There are no conversations yet.' "$(answer a del all)"
	same 'There are no conversations yet.' "$(answer a del 1)"
}

@test "undo forgets the last question and its answer" {
	endpoint
	say a one two
	same 'The last question and its answer are forgotten.' "$(answer a undo)"
	say a three
	same '["p","one","You said: one","three"]' "$(sent)"
	answer a undo
	answer a undo
	same 'Nothing was said yet.' "$(answer a undo)"
	same 'Nothing was said yet.' "$(answer b undo)"
}

@test "prompt shows the conversation and not the operator's prompt" {
	say a one two
	same 'user: one
assistant: fine
user: two
assistant: fine' "$(answer a prompt)"
	same 'Nothing was said yet.' "$(answer b prompt)"
	say b "$(printf '%5000s' x)" "$(printf '%5000s' y)"
	[ "$(answer b prompt | wc -c)" -lt 2000 ]
}

@test "model tells which one answers, and names another for the conversation" {
	endpoint
	same 'openai/m answers here.' "$(answer a model)"
	say a one
	same 'offline:text=other answers here.' "$(answer a model offline:text=other)"
	same other "$(query a two | lb-agent | jq -r 'select(.kind == "reply").text')"
	same 'You said: three' "$(query b three | lb-agent | jq -r 'select(.kind == "reply").text')"
	[[ $(answer a model opnai/x 2> /dev/null) == 'There is no model opnai/x.' ]]
	answer a model default
	say a four
	same '["p","one","You said: one","two","other","four"]' "$(sent)"
}

@test "usage adds up the tokens, of the conversation and of all" {
	same 'Questions in this conversation: 0; tokens read: 0, written: 0.
In all of them: 0; tokens read: 0, written: 0.' "$(answer a usage)"
	endpoint
	say a one
	answer a new
	say a two
	say a three
	# the double counts messages in and bytes out
	same 'Questions in this conversation: 2; tokens read: 6, written: 28.
In all of them: 3; tokens read: 8, written: 41.' "$(answer a usage)"
}

@test "tools and skills: there are none here" {
	same 'The model may use no tools here.' "$(answer a tools)"
	same 'There are no skills here.' "$(answer a skills)"
}

@test "people read the language and the words that are configured" {
	cat > "$LB_CONFIG" <<-'END'
		system: {language: zh_Hans}
		notices: {zh_Hans: {command-reset: "是"}}
	END
	same 是 "$(answer a reset)"
	same 还没有任何对话。 "$(answer a list)"
}

@test "dates are those of system.timezone, and an unknown zone is refused" {
	say a one
	cat > "$LB_CONFIG" <<< 'system: {timezone: Asia/Tokyo}'
	[[ $(answer a list) == *"$(TZ=Asia/Tokyo date +'%Y-%m-%d %H')"* ]]
	cat > "$LB_CONFIG" <<< 'system: {timezone: Europe/Atlantis}'
	run --separate-stderr -78 lb-agent < /dev/null
	[[ $stderr == *"no time zone 'Europe/Atlantis'"* ]]
}

@test "a conversation that was silent for expire-time is over" {
	need python3
	cat > "$LB_CONFIG" <<< 'pipelines: {default: {ai: {runner: {expire-time: 60}}}}'
	endpoint
	say a one
	say a two
	same '["p","one","You said: one","two"]' "$(sent)"
	python3 - "$LB_STATE/lb.db" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		c.execute("UPDATE conversations SET updated = updated - 61000")
		c.commit()
	END
	say a three
	same '["p","three"]' "$(sent)"
	# it can be gone back to, and then it is not over at once
	answer a last
	say a four
	same '["p","one","You said: one","two","You said: two","four"]' "$(sent)"
}

@test "history is cut by whole turns to max-history-tokens" {
	cat > "$LB_CONFIG" <<< 'pipelines: {default: {ai: {local-agent: {max-history-tokens: 150}}}}'
	endpoint
	say a one "$(printf '%400s' x)" two
	say a three
	same '["p","two","You said: two","three"]' "$(sent)"
}

@test "alternating pipelines keep their histories" {
	endpoint
	for t in one two three four; do
		pipeline=default
		[[ $t != two && $t != four ]] || pipeline=other
		query a "$t" "{\"pipeline\":\"$pipeline\"}" | lb-agent > /dev/null
	done
	same '["p","two","You said: two","four"]' "$(sent)"
}

@test "too long for the model: asked again with less of the history" {
	endpoint
	say a one two three
	stop_servers
	serve <<-'END'
		on POST /v1/chat/completions
		if-body one
		uses any
		reply 400
		header Content-Type: application/json
		send {"error":{"message":"too long","code":"context_length_exceeded"}}
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer ok
	END
	export OPENAI_BASE_URL=$SERVER_URL/v1
	run --separate-stderr -0 lb-agent < <(query a four)
	same ok "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
	same '["p","three","You said: three","four"]' "$(sent)"
	same 1 "$(grep -c 'half of the history' <<< "$stderr")"
	# where nothing is left to leave out, it fails
	run --separate-stderr -0 lb-agent < <(query b one)
	same context_length "$(jq -r 'select(.kind == "reply").failed.code' <<< "$output")"
}

@test "the date stands in the prompt once, however long the conversation" {
	endpoint
	for t in one two three; do
		lb-ingest text <<< "$t" | lb-pipeline | lb-agent > /dev/null
	done
	same 5 "$(requests '.body|fromjson|.messages|map(select(.role != "system"))|length' | tail -n 1)"
	same '[1,1]' "$(requests '.body|fromjson|[(.messages|map(select(.role == "system"))|length),
		([.messages[].content|scan("Today is")]|length)]' | tail -n 1)"
}

@test "an answer that was streamed is remembered whole" {
	endpoint
	run -0 lb-agent --stream < <(query a 'one two three')
	[ "$(jq -c 'select(.kind == "chunk")' <<< "$output" | wc -l)" -gt 2 ]
	say a again
	same '["p","one two three","You said: one two three","again"]' "$(sent)"
}

@test "the pipeline's model answers, not that of the others" {
	unset LB_MODEL
	cat > "$LB_CONFIG" <<-'END'
		llm: {model: "offline:text=usual"}
		pipelines:
		  default: {}
		  own: {ai: {local-agent: {model: "offline:text=own"}}}
		  primary: {ai: {local-agent: {model: {primary: "offline:text=first"}}}}
	END
	for pipeline in default own primary; do
		query a "$pipeline" "{\"pipeline\":\"$pipeline\"}" | lb-agent |
			jq -r 'select(.kind == "reply").text'
	done > "$BATS_TEST_TMPDIR/texts"
	same 'usual own first' "$(xargs < "$BATS_TEST_TMPDIR/texts")"
}

# damage SQL... - change the database by hand.
damage() {
	python3 - "$LB_STATE/lb.db" "$@" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		for sql in sys.argv[2:]:
		    c.execute(sql)
		c.commit()
	END
}

@test "damaged history never gets a 400: orphans, arguments, surrogates" {
	need python3
	endpoint
	say a one two three four five
	call='{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a"}}'
	damage "UPDATE turns SET messages = '[{\"role\":\"user\",\"content\":\"q\"},
			{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"r\"},
			{\"role\":\"assistant\",\"content\":\"a\"}]' WHERE turn = 1" \
		"UPDATE turns SET messages = '[{\"role\":\"user\",\"content\":\"q\"},
			{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$call]},
			{\"role\":\"assistant\",\"content\":\"a\"}]' WHERE turn = 2" \
		"UPDATE turns SET messages = '[{\"role\":\"user\",\"content\":\"q\"},
			{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$call]},
			{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"r\"},
			{\"role\":\"assistant\",\"content\":\"a\"}]' WHERE turn = 3" \
		"UPDATE turns SET messages = '[{\"role\":\"user\",\"content\":\"\\ud83d\"},
			{\"role\":\"assistant\",\"content\":\"a\"}]' WHERE turn = 4" \
		"UPDATE turns SET messages = '[{\"role\":\"user\",\"content\":\"q\"},
			{\"role\":\"assistant\",\"content\":\"\"}]' WHERE turn = 5"
	run --separate-stderr -0 lb-agent < <(query a six)
	same 'You said: six' "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
	same 4 "$(grep -c 'is mended' <<< "$stderr")"
	[[ $stderr == *"a result without its call"* ]]
	same '{"truncated":true,"text":"{\"a"}' "$(requests '.body|fromjson|.messages[]|.tool_calls//empty|.[0].function.arguments' | jq -r .)"
}

@test "a conversation survives restarts, trimming and a change of models" {
	need python3
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {default: {ai: {local-agent: {max-round: 2}}}}
		providers: {blind: {base-url: "URL", api-keys: [kkkk], vision: false}}
	END
	endpoint
	sed -i "s|URL|$SERVER_URL/v1|" "$LB_CONFIG"
	call='{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}'
	say a one
	damage "UPDATE turns SET messages = '[{\"role\":\"user\",\"content\":\"q\"},
		{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[$call]},
		{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"r\"},
		{\"role\":\"assistant\",\"content\":\"a\"}]'"
	for t in two three four; do
		say a "$t"
		answer a model "blind/$t" > /dev/null
	done
	image='[{"type":"image_base64","image_base64":"data:image/png;base64,AA=="}]'
	query a five "{\"user\":{\"role\":\"user\",\"content\":$image}}" | answered
	same 5 "$(requests 'select(.path)' | wc -l)"
	same '["p","three","You said: three","four","You said: four","[Image]"]' "$(sent)"
}

# A PNG of one pixel.
picture() {
	base64 -d <<< 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
}

# parts JSON - a query whose user's message has these parts.
parts() {
	query a "$RANDOM$RANDOM" "{\"user\":{\"role\":\"user\",\"content\":$1}}"
}

@test "an image by path is shown to a model that can see, and to no other" {
	endpoint
	mkdir -p "$LB_STATE/media/aa"
	picture > "$LB_STATE/media/aa/b.png"
	path='[{"type":"text","text":"see"},{"type":"image_path","image_path":"'$LB_STATE/media/aa/b.png'"}]'
	lb-agent < <(parts "$path") > /dev/null
	same "data:image/png;base64,$(picture | base64 -w 0)" \
		"$(requests '.body|fromjson|.messages[-1].content[1].image_url.url' | tail -n 1 | jq -r .)"
	# it is part of the conversation while the file is there
	say a two
	same image_url "$(requests '.body|fromjson|.messages[1].content[1].type' | tail -n 1 | jq -r .)"
	rm "$LB_STATE/media/aa/b.png"
	say a three
	same '"see[Image: the file is gone]"' "$(sent | jq -c '.[1]')"
	picture > "$LB_STATE/media/aa/b.png"
	cat > "$LB_CONFIG" <<< "providers: {openai: {vision: false}}"
	say a four
	same '"see[Image]"' "$(sent | jq -c '.[1]')"
}

@test "no path leaves the media folder, and a file that is no image is none" {
	endpoint
	mkdir -p "$LB_STATE/media/aa"
	picture > "$BATS_TEST_TMPDIR/out.png"
	ln -s "$BATS_TEST_TMPDIR/out.png" "$LB_STATE/media/aa/link.png"
	echo secret > "$LB_STATE/media/aa/text.png"
	for p in "$BATS_TEST_TMPDIR/out.png" "$LB_STATE/media/../../out.png" \
		"$LB_STATE/media/aa/link.png" "$LB_STATE/media/aa/text.png" \
		"$LB_STATE/media/aa" /etc/passwd ''; do
		lb-agent < <(parts '[{"type":"image_path","image_path":"'"$p"'"}]') > /dev/null
		[[ $(sent | jq -c '.[-1]') == '"[Image'* ]]
	done
}

@test "data are shown once and not kept in the conversation" {
	endpoint
	png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
	lb-agent < <(parts '[{"type":"text","text":"see "},
		{"type":"image_base64","image_base64":"data:image/png;base64,'"$png"'"},
		{"type":"file_base64","file_name":"a.txt","file_base64":"data:;base64,AA=="}]') > /dev/null
	same "data:image/png;base64,$png" "$(requests '.body|fromjson|.messages[-1].content[1].image_url.url' | jq -r .)"
	[[ $(lb-session export) != *base64* ]]
	say a two
	same '"see [Image]\n[file: a.txt]"' "$(sent | jq -c '.[1]')"
}

@test "an image by its address is shown once, and its address is told from then on" {
	endpoint
	lb-agent < <(parts '[{"type":"text","text":"see "},
		{"type":"image_url","image_url":{"url":"https://x.example/a.png"}},
		{"type":"image_url","image_url":{"url":"data:image/png;base64,'"$(picture | base64 -w 0)"'"}}]') > /dev/null
	same '["https://x.example/a.png","data"]' "$(requests '.body|fromjson|[.messages[-1].content[1:][].image_url.url|sub("data:.*"; "data")]')"
	say a two
	same '"see [Image: https://x.example/a.png][Image]"' "$(sent | jq -c '.[1]')"
	[[ $(lb-session export) != *base64* ]]
}

@test "an image of the history that a model refuses is not why nothing is answered" {
	serve <<-'END'
		on POST /v1/chat/completions
		if-json model picky
		if-body image_url
		uses any
		reply 400
		send {"error":{"message":"no such image","type":"invalid_request_error"}}
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer You said: {last}
		on POST /claude/v1/messages
		uses any
		anthropic strict
		answer You said: {last}
	END
	cat > "$LB_CONFIG" <<< "providers: {claude: {preset: anthropic, base-url: '$SERVER_URL/claude', api-keys: [k]}}"
	chmod 600 "$LB_CONFIG"
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	mkdir -p "$LB_STATE/media/aa"
	{ picture; head -c 6M /dev/zero; } > "$LB_STATE/media/aa/b.png"
	path='{"type":"image_path","image_path":"'$LB_STATE/media/aa/b.png'"}'
	parts '[{"type":"text","text":"see"},'"$path"']' | answered
	# refused by the service
	LB_MODEL=openai/picky say a two 2> "$BATS_TEST_TMPDIR/log"
	grep -q 'asked again without the images of the history' "$BATS_TEST_TMPDIR/log"
	same '["p","see[Image]","You said: see","two"]' "$(sent)"
	# larger than the service takes
	LB_MODEL=claude/m say a three
	same 4 "$(requests 'select(.path)' | wc -l)"
	# and shown again to who can see it
	LB_MODEL=openai/m say a four
	same image_url "$(requests '.body|fromjson|.messages[1].content[1].type' | tail -n 1 | jq -r .)"
	# what is refused in the question itself is told
	LB_MODEL=openai/picky run -0 --separate-stderr lb-agent < <(parts "[$path]")
	same bad_request "$(jq -r 'select(.kind == "reply").failed.code' <<< "$output")"
}
