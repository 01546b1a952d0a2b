#!/usr/bin/env bats
# What strangers may write to a Telegram bot, and a model may answer.

load helper
load doubles
load supervised

setup() {
	need python3
	cd "$BATS_TEST_TMPDIR" || return
	bot_api
	export T=$BOT_API_TOKEN LB_MODEL=offline:text=ok
	cat > "$LB_CONFIG" <<-END
		bots:
		  tg:
		    adapter: telegram
		    token: env:T
		    base-url: $BOT_API
		    album-wait: none
		    limits: {chat-interval: 0, group-interval: 0, all-interval: 0}
	END
	PIDS=()
}

teardown() {
	stop_supervised
	stop_doubles
}

# from JQ - an update with a message that JQ makes more of.
from() {
	jq -cn --argjson n "$((N = ${N-0} + 1))" '{message: ({message_id: $n,
		date: 1700000000, chat: {id: 7, type: "private"},
		from: {id: 7, is_bot: false, first_name: "Ann"}} | '"$1"')}'
}

# push_file FILE - updates, a line each, too long for an argument.
push_file() {
	jq -cs '{op: "push", updates: .}' "$1" > order
	python3 - "$BOT_API/_control" <<-'END'
		import sys, urllib.request
		urllib.request.urlopen(sys.argv[1], open("order", "rb").read())
	END
}

once() {
	timeout 30 lb-ingest telegram --once "$@"
}

@test "names and types of files lead nowhere but below media" {
	local name n=0
	: > updates
	for name in ../../../../tmp/x /etc/passwd '..' '.' 'a/../../b' \
		$'x\ny' '-rf' '%2e%2e%2f' 'con.' "$(head -c 3000 /dev/zero |
			tr '\0' n)" '....//....//x' 'x.../../../a' 'a.b c' 'p.jpg;x' $'\u202egpj.exe'; do
		n=$((n + 1))
		bot_api_op "$(jq -cn --arg n "$n" --arg p "$name" '{op: "file",
			file_id: ("F" + $n), text: "abc", path: $p}')"
		from ".document = {file_id: \"F$n\", file_name: $(jq -n --arg p \
			"$name" '$p'), mime_type: $(jq -n --arg p "$name" '$p')}" >> updates
	done
	push_file updates
	once > out 2> err
	same "$n" "$(jq -c 'select(.kind == "message")' out | wc -l)"
	find "$PWD" ! -path '*/bot-api*' -type f ! -name odd | grep -v \
		-e "^$LB_STATE/media/[0-9a-f][0-9a-f]/[0-9a-f]*\(\.[a-z0-9]*\)\?$" \
		-e "^$LB_STATE/queue.db" -e "^$LB_STATE/run/" \
		-e "^$PWD/\(out\|err\|updates\|order\|config.yaml\)$" > odd || true
	same '' "$(cat odd)"
	jq -r 'select(.kind == "message").chain[].path // empty' out |
		while read -r path; do
			[[ $path == "$LB_STATE/media/"* && $path != *..* ]]
		done
}

@test "links that somebody put into media are not written through, nor read" {
	local path
	mkdir trap
	bot_api_op '{"op":"file","file_id":"P","path":"p.jpg","text":"abc"}'
	from '.photo = [{file_id: "P", file_size: 3}]' > updates
	push_file updates
	once > out
	path=$(jq -r 'select(.kind == "message").chain[].path // empty' out)
	rm -r "${path%/*}"
	ln -s "$PWD/trap" "${path%/*}"
	from '.photo = [{file_id: "P", file_size: 3}]' > updates
	push_file updates
	once > out 2> err
	same '' "$(ls trap)"
	grep "stays where it is: '.*' is not a folder" err
	echo secret > "trap/${path##*/}"
	run lb-send telegram < <(jq -cn --arg p "$path" '{kind: "reply", id: "a",
		session: "tg/person_7", bot: "tg", launcher_type: "person",
		launcher_id: "7", chain: [{type: "File", path: $p}]}')
	same 0 "$(bot_api_log 'select(.files)' | wc -l)"
	rm "${path%/*}"
	mkdir "${path%/*}"
	ln -s "$PWD/trap/${path##*/}" "$path"
	from '.photo = [{file_id: "P", file_size: 3}]' > updates
	push_file updates
	once > out 2> err
	same secret "$(cat "trap/${path##*/}")"
	same abc "$(cat "$path")"
}

@test "marks of direction, separators, half surrogates and NULs come through as text" {
	cat > updates <<-'END'
		{"message":{"message_id":1,"date":1,"text":"a\u2028b\u2029c\u202ed\u0000e\ufefff","chat":{"id":7,"type":"private"},"from":{"id":7,"is_bot":false,"first_name":"\u202e\u0000\u001b[31m"}}}
		{"message":{"message_id":2,"date":1,"text":"x\ud83dy","chat":{"id":7,"type":"private"},"from":{"id":7,"is_bot":false,"first_name":"A"}}}
	END
	python3 - "$BOT_API/_control" <<-'END'
		import sys, urllib.request
		lines = open("updates").read().split("\n")[:2]
		urllib.request.urlopen(sys.argv[1],
			('{"op":"push","updates":[%s]}' % ",".join(lines)).encode())
	END
	once > out 2> err
	same 2 "$(jq -c 'select(.kind == "message")' out | wc -l)"
	lb-pipeline < out | lb-agent | lb-wrap | lb-send > ends 2>> err
	same 2 "$(jq -c 'select(.kind == "receipt")' ends | wc -l)"
	run ! grep $'\e\\|\u202e' err
}

@test "ten thousand entities, and a caption of a megabyte, take no time" {
	from '.text = ("@demo_bot " * 10000) | .entities = [range(10000) |
		{type: "mention", offset: (. * 10), length: 9}]' > updates
	from '.text = ("😀" * 10000) | .entities = [range(10000) | {type:
		"text_mention", offset: (10000 - .), length: 20000, user:
		{id: 4242}}]' >> updates
	from '.caption = ("x" * 1000000) | .photo = [{file_id: "P"}] |
		.caption_entities = [range(10000) | {type: "mention",
		offset: (. * 1e12), length: -5}]' >> updates
	from '.text = "x" | .reply_to_message = {message_id: 1, chat: {id: 7,
		type: "private"}, text: ("y" * 1000000)}' >> updates
	push_file updates
	began=$SECONDS
	once > out 2> err
	[ $((SECONDS - began)) -le 5 ]
	same 4 "$(jq -c 'select(.kind == "message")' out | wc -l)"
	[ "$(wc -L < out)" -lt 16777216 ]
}

@test "a megabyte of markup as an answer arrives, in pieces the platform takes" {
	bot_api_op '{"op":"chat","chat":{"id":7,"type":"private"}}'
	python3 - > replies <<-'END'
		import json
		texts = ["**a** _b_ `c` [d](http://e.f/) ||g||\n" * 3000,
			 "```\n" + "x" * 60000 + "\n", "> " * 20000,
			 "*_~`[" * 8000, "# h\n\n- i\n  - j\n" * 3000,
			 "\u202e\u2028\u0000<b>&amp;" * 5000]
		for i, text in enumerate(texts):
		    print(json.dumps({"kind": "reply", "id": "r%d" % i,
		        "session": "tg/person_7", "bot": "tg",
		        "launcher_type": "person", "launcher_id": "7",
		        "chain": [{"type": "Plain", "text": text}]}))
	END
	began=$SECONDS
	run -0 --separate-stderr timeout 60 lb-send telegram < replies
	same 6 "$(jq -c 'select(.kind == "receipt")' <<< "$output" | wc -l)"
	[ $((SECONDS - began)) -le 20 ]
	bot_api_log 'select(.method == "sendMessage" and .status != 200).status' > no
	same '' "$(cat no)"
}

@test "two of each at once: no message twice, none lost" {
	for n in {1..20}; do bot_api_say "$n" hello; done
	lb-ingest telegram --once --queue in > /dev/null 2>&1 3>&- & one=$!
	lb-ingest telegram --once --queue in > /dev/null 2>&1 3>&- || true
	wait "$one" || true
	lb-ingest telegram --once --queue in > /dev/null
	same 20 "$(lb-queue stats | jq .put)"
	start lb-queue work in --once -- lb-run flow
	run -0 lb-queue work in --once -- lb-run flow
	ended 0
	same "$(seq 20)" "$(bot_api_sent .chat_id | sort -n)"
}

@test "without standard input or output it says so, or does as well" {
	bot_api_say 7 hello
	run -0 bash -c 'lb-ingest telegram --queue in --once <&-'
	run -74 --separate-stderr bash -c 'lb-queue work --once -- \
		sed -u "s/\"message\"/\"drop\"/" >&- <&-'
	bot_api_say 7 again
	run -0 bash -c 'timeout 20 lb-run --once <&- >&- 2>&-'
	same 1 "$(bot_api_sent .text | wc -l)"
}
