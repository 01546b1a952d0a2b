#!/usr/bin/env bats
# lb-send telegram against a double of the Bot API.

load helper
load server
load doubles
load telegram

# What takes its time whatever is done goes on beside the other tests, which look
# at how it ended.
setup_file() {
	aside refused 'configure "" http://127.0.0.1:1; lb-send telegram < <(reply a 7 x)'
	aside storm 'bot_and_chats; storm'
	aside many 'bot_and_chats; much'
	double_for_all
}

teardown_file() {
	no_double_for_all
}

setup() {
	bot_and_chats
}

teardown() {
	stop_servers
}

# storm - of 429, over four chats.
storm() {
	local n chat
	for n in 3 5 9 14 22; do
		bot_api_op "{\"op\":\"fail\",\"how\":\"429\",\"skip\":$n,\"n\":2,\"retry_after\":1}"
	done
	timeout 60 lb-send telegram < <(for n in {1..20}; do
		for chat in 7 8 9 -100; do reply "$chat.$n" "$chat" "$n"; done
	done) || return
	bot_api_sent > sent
	cp "$BOT_API_LOG" log
}

# much - more records than wait, behind one that is slow; says how many were taken.
much() {
	bot_api_op '{"op":"fail","how":"slow","ms":2500}'
	jq -nc 'range(20000) | {kind: "reply", id: "r\(.)", bot: "b",
		session: "b/person_7", launcher_id: "7", chain: (if . == 0 then
		[{type: "Plain", text: "x"}] else [] end)}' > in
	cat > feed.py <<-'END'
		import os, subprocess, sys, time
		p = subprocess.Popen(["lb-send", "telegram"], stdin=subprocess.PIPE,
		                     stdout=open(sys.argv[2], "wb"))
		fd = p.stdin.fileno()
		lines = open(sys.argv[1], "rb").read()
		os.set_blocking(fd, False)
		taken = still = 0
		while still < 100 and taken < len(lines):
		    try:
		        taken += os.write(fd, lines[taken:taken + 4096])
		        still = 0
		    except BlockingIOError:
		        still += 1
		        time.sleep(0.01)
		print(lines[:taken].count(b"\n"), flush=True)
		os.set_blocking(fd, True)
		p.stdin.write(lines[taken:])
		p.stdin.close()
		sys.exit(p.wait())
	END
	python3 feed.py in answers
}

# ---- what becomes of a reply

@test "a reply is a message, its receipt names it, and all else passes" {
	run --separate-stderr -0 lb-send telegram < <(echo '{"kind":"status", "n":0.10}'
		reply a 7 hello; echo '{"kind":"drop","id":"d"}')
	same '{"kind":"status", "n":0.10}' "${lines[0]}"
	is 'map([.kind, .id, .part, .final, .message_ids]) | .[1:] | sort == [
		["drop", "d", null, null, null], ["receipt", "a", 1, true, ["7:1"]]]'
	same '7 hello' "$(texts)"
	[ -z "$stderr" ]
}

@test "without an adapter a bot sends where it is configured, records pass" {
	run -0 lb-send < <(reply a 7 hello; echo '{"kind":"drop","id":"d","bot":"b"}')
	is 'map(.kind) | sort == ["drop", "receipt"]'
	same '7 hello' "$(texts)"
}

@test "the messages of a session keep their order" {
	run -0 lb-send telegram < <(for n in {1..30}; do
		reply "a$n" 7 "$n"
		reply "b$n" 8 "$n"
	done)
	same "$(seq 30)" "$(bot_api_sent 'select(.chat_id == 7).text' | jq -r .)"
	same "$(seq 30)" "$(bot_api_sent 'select(.chat_id == 8).text' | jq -r .)"
	is 'map(select(.id[:1] == "a").id[1:] | tonumber) == [range(1; 31)]'
}

@test "a foreign line waits behind its session, and only there" {
	bot_api_op '{"op":"fail","how":"429","chat":7,"retry_after":1}'
	run -0 lb-send telegram < <(reply a 7 x
		echo '{"kind":"status","session":"b/person_7"}'
		echo '{"kind":"status","session":"b/person_8"}')
	is 'map(.session) == ["b/person_8", "b/person_7", "b/person_7"] and
		.[1].kind == "receipt"'
}

@test "three times the limit is three messages and one receipt" {
	text=$(head -c 12000 /dev/zero | tr '\0' a)
	run -0 lb-send telegram < <(reply a 7 "$text")
	is 'length == 1 and (.[0].message_ids | length) == 3'
	bot_api_sent '.text | length' | jq -se 'max <= 4096 and add == 12000'
	same "$text" "$(bot_api_sent .text | jq -rj .)"
	# no character is cut in two, and a smiley counts twice
	text=a$(printf '\U1F600%.0s' {1..4096})
	run -0 lb-send telegram < <(reply b 8 "$text")
	same "$text" "$(bot_api_sent 'select(.chat_id == 8).text' | jq -rj .)"
}

@test "parts are sent in order, and one that fails ends the record" {
	run -0 lb-send telegram < <(reply a 7 one '{"part":1,"final":false}'
		reply a 7 two '{"part":2,"final":true}')
	same $'7 one\n7 two' "$(texts)"
	is 'map([.part, .final]) == [[1, false], [2, true]]'
	bot_api_op '{"op":"fail","how":"403","skip":1}'
	run -0 lb-send telegram < <(reply b 8 one '{"part":1,"final":false}'
		reply b 8 two '{"part":2,"final":false}'
		reply b 8 three '{"part":3,"final":true}'; reply c 8 on)
	is 'map([.kind, .id, .sent_parts]) == [["receipt", "b", null],
		["error", "b", 1], ["receipt", "c", null]]'
}

@test "nothing is sent for an empty chain, and the receipt names no message" {
	run -0 lb-send telegram < <(reply a 7 '' '{"chain":[]}')
	is 'length == 1 and .[0].kind == "receipt" and .[0].message_ids == []'
	same 0 "$(bot_api_log .n | wc -l)"
}

@test "a failed reply without words has those of lb-send" {
	run -0 lb-send telegram < <(reply a 7 '' '{"chain":[],"failed":{"code":"io"}}')
	same '7 Request failed.' "$(texts)"
}

@test "a part on its way keeps the pace of its chat" {
	configure 'chat-interval: 400ms'
	run -0 lb-send telegram < <(reply a 7 1; reply b 7 2; reply c 7 3; reply d 8 4)
	bot_api_log '[.params.chat_id, .time]'
	bot_api_log '[.params.chat_id, .time]' | jq -se '
		map(select(.[0] == 7)[1]) | .[1] - .[0] >= 0.3 and .[2] - .[1] >= 0.3'
	bot_api_log '[.params.chat_id, .time]' | jq -se '(map(select(.[0] == 8))[0][1])
		- .[0][1] < 0.3'
}

@test "all chats together keep the pace of the bot" {
	configure 'chat-interval: 1ms, all-interval: 400ms'
	run -0 lb-send telegram < <(reply a 7 1; reply b 8 2; reply c 9 3)
	bot_api_log .time | jq -se '.[1] - .[0] >= 0.25 and .[2] - .[1] >= 0.25'
}

# ---- what fails

@test "a 429 is obeyed, once, and no other chat waits for it" {
	bot_api_op '{"op":"fail","how":"429","chat":7,"retry_after":1}'
	run -0 lb-send telegram < <(reply a 7 late; reply c 7 later; reply b 8 now)
	same $'8 now\n7 late\n7 later' "$(texts)"
	is 'map(.id) == ["b", "a", "c"] and all(.kind == "receipt")'
	bot_api_log '[.params.chat_id, .time]' | jq -se '
		map(select(.[0] == 7)[1]) | length == 3 and
		.[1] - .[0] >= 0.99 and .[1] - .[0] < 2'
}

@test "a storm of 429 loses nothing, doubles nothing, and keeps the order" {
	ended storm 0
	output=$(cat "$BATS_FILE_TMPDIR/storm/out")
	is 'length == 80 and all(.kind == "receipt")'
	[ "$(jq -c 'select(.status == 429)' "$BATS_FILE_TMPDIR/storm/log" | wc -l)" -eq 10 ]
	for chat in 7 8 9 -100; do
		same "$(seq 20)" "$(jq -r "select(.chat_id == $chat).text" "$BATS_FILE_TMPDIR/storm/sent")"
	done
}

@test "a storm that does not end is an error that may pass" {
	bot_api_op '{"op":"fail","how":"429","chat":7,"n":99,"retry_after":0}'
	run -0 lb-send telegram < <(reply a 7 x; reply b 8 y)
	is 'map([.kind, .id, .code, .retryable]) | sort == [
		["error", "a", "rate", true], ["receipt", "b", null, null]]'
	same 5 "$(bot_api_log 'select(.params.chat_id == 7).n' | wc -l)"
	# longer than anybody waits: at once
	bot_api_op '{"op":"heal"}'
	bot_api_op '{"op":"fail","how":"429","chat":7,"retry_after":3600}'
	run -0 timeout 10 lb-send telegram < <(reply a 7 x; reply c 7 y)
	is 'map([.id, .code, .retryable]) == [["a", "rate", true], ["c", "rate", true]]'
	same 1 "$(($(bot_api_log 'select(.params.chat_id == 7).n' | wc -l) - 5))"
	# and then it goes on where it was
	run -0 lb-send telegram < <(reply a 7 x)
	is '.[0].kind == "receipt"'
	same $'8 y\n7 x' "$(texts)"
}

@test "a 5xx is tried again" {
	bot_api_op '{"op":"fail","how":"502"}'
	run -0 lb-send telegram < <(reply a 7 x)
	is 'map(.kind) == ["receipt"]'
	bot_api_log .time | jq -se 'length == 2 and .[1] - .[0] > 0.7'
}

@test "what can never be sent is an error at once, and the next ones go on" {
	bot_api_op '{"op":"block","chat":7}'
	run --separate-stderr -0 timeout 10 lb-send telegram < <(reply a 7 1; reply b 8 2
		reply c 7 3; reply d 8 4; reply e 4711 5)
	is 'map(select(.kind == "error") | [.id, .code, .retryable, .stage,
		.sent_parts, .record.text]) | sort == [
		["a", "denied", false, "lb-send", 0, "1"],
		["c", "denied", false, "lb-send", 0, "3"],
		["e", "not_found", false, "lb-send", 0, "5"]]'
	is 'map(select(.kind == "receipt").id) == ["b", "d"]'
	is 'map(select(.id == "a"))[0].message |
		startswith("sendMessage: 403: Forbidden: bot was blocked")'
	same 3 "$(bot_api_log 'select(.status != 200).n' | wc -l)"
}

@test "a group that became a supergroup is followed" {
	bot_api_op '{"op":"chat","chat":{"id":-5,"type":"group"}}'
	bot_api_op '{"op":"move","chat":-5,"to":-1005}'
	run --separate-stderr -0 lb-send telegram < <(reply a -5 one; reply b -5 two)
	is 'map(.message_ids[0]) == ["-1005:1", "-1005:2"]'
	same $'-1005 one\n-1005 two' "$(texts)"
	same 1 "$(bot_api_log 'select(.status == 400).n' | wc -l)"
}

@test "markup that is refused is sent as plain text, once" {
	serve <<-'END'
		on POST /bot1:a/sendMessage
		if-json parse_mode HTML
		reply 400
		send {"ok":false,"error_code":400,"description":"Bad Request: can't parse entities: Unsupported start tag"}
		on POST /bot1:a/sendMessage
		if-json text 1 bold
		reply 200
		send {"ok":true,"result":{"message_id":5,"chat":{"id":7}}}
	END
	configure '' "$SERVER_URL"
	sed -i 's/token:.*/token: "1:a"/' "$LB_CONFIG"
	run -0 lb-send telegram < <(reply a 7 '1 *bold*')
	is '.[0].message_ids == ["7:5"]'
	requests '.body | fromjson | .parse_mode' > "$BATS_TEST_TMPDIR/modes"
	same $'"HTML"\nnull' "$(cat "$BATS_TEST_TMPDIR/modes")"
}

# ---- never twice

@test "a connection cut after the request is unknown, and is not retried" {
	bot_api_op '{"op":"fail","how":"cut-after"}'
	run -0 timeout 10 lb-send telegram < <(reply a 7 x; reply b 7 y)
	is 'map([.kind, .id, .code, .retryable]) == [
		["error", "a", "lost", false], ["receipt", "b", null, null]]'
	is '.[0].message | contains("--resend-unknown")'
	same $'7 x\n7 y' "$(texts)"
	# nor by the next run
	run -0 lb-send telegram < <(reply a 7 x)
	is 'map([.kind, .code, .retryable]) == [["error", "lost", false]]'
	same $'7 x\n7 y' "$(texts)"
	run -0 lb-send telegram --resend-unknown < <(reply a 7 x; reply b 7 y)
	is 'map([.kind, .id, .replayed]) == [["receipt", "a", null],
		["receipt", "b", true]]'
	same $'7 x\n7 y\n7 x' "$(texts)"
}

@test "a kept connection that is cut is not written to a second time" {
	bot_api_op '{"op":"fail","how":"cut-after","skip":1}'
	run -0 timeout 10 lb-send telegram < <(reply a 7 x; reply b 7 y)
	is 'map([.kind, .code]) == [["receipt", null], ["error", "lost"]]'
	same $'7 x\n7 y' "$(texts)"
	same 2 "$(calls sendMessage)"
}

@test "an answer that is none is unknown" {
	bot_api_op '{"op":"fail","how":"garbage"}'
	bot_api_op '{"op":"fail","how":"truncated","skip":0}'
	run -0 timeout 10 lb-send telegram < <(reply a 7 x; reply b 7 y; reply c 7 z)
	is 'map([.id, .code]) == [["a", "lost"], ["b", "lost"], ["c", null]]'
	same $'7 x\n7 y\n7 z' "$(texts)"
}

@test "an answer that names no message: the receipt names none" {
	for body in '{"ok":true}' '{"ok":true,"result":{"message_id":"x"}}' \
		'{"ok":true,"result":[7]}' '{"ok":true,"result":[{}]}'; do
		bot_api_op "$(jq -cn --arg b "$body" '{op: "fail", how: "body",
			body: $b}')"
		run -0 lb-send telegram < <(reply "$RANDOM$RANDOM" 7 hello)
		is 'map([.kind, .message_ids]) == [["receipt", []]]'
	done
}

@test "what was sent gives its receipt again, without a call" {
	run -0 lb-send telegram < <(reply a 7 x)
	first=$output
	run -0 lb-send telegram < <(reply a 7 x)
	same "$(jq -c '.replayed = true' <<< "$first")" "$output"
	same 1 "$(calls sendMessage)"
	# another bot, another part: another message
	run -0 lb-send telegram < <(reply a 7 x '{"part":2}')
	same 2 "$(calls sendMessage)"
}

@test "lb-run gc forgets what was sent, when it is old" {
	run -0 lb-send telegram < <(reply a 7 x)
	run -0 lb-run gc --json
	is 'map(select(.what == "ledger").removed) == [0]'
	run -0 lb-send telegram < <(reply a 7 x)
	is '.[0].replayed'
	echo 'retention: {ledger: 1ms}' >> "$LB_CONFIG"
	run -0 lb-run gc --json
	is 'map(select(.what == "ledger").removed) == [1]'
	run -0 lb-send telegram < <(reply a 7 x)
	is '.[0].replayed == null'
	same 2 "$(calls sendMessage)"
}

@test "killed between the claim and the answer: unknown, and not sent twice" {
	bot_api_op '{"op":"fail","how":"hang-after"}'
	reply a 7 x > "$BATS_TEST_TMPDIR/in"
	lb-send telegram < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	bot_api_wait 'length == 1'
	kill -9 "$pid"
	wait "$pid" || true
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	run -0 timeout 10 lb-send telegram < "$BATS_TEST_TMPDIR/in"
	is 'map([.kind, .code, .retryable]) == [["error", "lost", false]]'
	same 1 "$(calls sendMessage)"
	run -0 timeout 10 lb-send telegram --resend-unknown < "$BATS_TEST_TMPDIR/in"
	is 'map(.kind) == ["receipt"]'
	same 2 "$(calls sendMessage)"
}

@test "a message of several goes on after the last that was sent" {
	text=$(head -c 12000 /dev/zero | tr '\0' a)
	bot_api_op '{"op":"fail","how":"429","skip":1,"retry_after":3600}'
	run -0 timeout 10 lb-send telegram < <(reply a 7 "$text")
	is '.[0].code == "rate" and .[0].retryable'
	same 1 "$(texts | wc -l)"
	run -0 timeout 10 lb-send telegram < <(reply a 7 "$text")
	is '.[0].message_ids == ["7:1", "7:2", "7:3"]'
	same "$text" "$(bot_api_sent .text | jq -rj .)"
	same 4 "$(calls sendMessage)"
}

@test "two at once do not send the same: one waits for the other's receipt" {
	bot_api_op '{"op":"fail","how":"slow","ms":1500}'
	reply a 7 x > "$BATS_TEST_TMPDIR/in"
	lb-send telegram < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	bot_api_wait 'length == 1'
	run -0 timeout 20 lb-send telegram < "$BATS_TEST_TMPDIR/in"
	is '.[0].kind == "receipt" and .[0].replayed'
	wait "$pid"
	same 1 "$(calls sendMessage)"
}

@test "a ledger that cannot be written: nothing is sent, and it may pass" {
	mkdir -p "$LB_STATE"
	echo 'no database' > "$LB_STATE/queue.db"
	run --separate-stderr -0 timeout 20 lb-send telegram < <(reply a 7 x)
	is 'map([.kind, .code, .retryable]) == [["error", "io", true]]'
	[[ $stderr == *"queue.db"* ]]
	same 0 "$(calls sendMessage)"
}

# ---- files

# media NAME BYTES - a file that may be sent; prints its path.
media() {
	mkdir -p "$LB_STATE/media/ab"
	head -c "$2" /dev/urandom > "$LB_STATE/media/ab/$1"
	echo "$LB_STATE/media/ab/$1"
}

# sum FILE... - as the double's log has it.
sum() {
	sha256sum "$@" | cut -d ' ' -f 1
}

@test "files are uploaded byte for byte" {
	big=$(media big.bin 5000000)
	a=$(media a.png 70000)
	b=$(media b.png 1)
	run -0 lb-send telegram < <(
		reply f 7 '' "$(jq -nc --arg p "$big" '{chain: [{type: "File",
			path: $p, name: "a \"b\".bin"}]}')"
		reply p 7 '' "$(jq -nc --arg a "$a" --arg b "$b" '{chain: [
			{type: "Plain", text: "look"}, {type: "Image", path: $a},
			{type: "Image", path: $b}]}')")
	is 'map(.kind) == ["receipt", "receipt"] and (.[0].message_ids | length) == 1'
	same "$(sum "$big" "$a" "$b")" "$(bot_api_log '.files // [] | .[].sha256' | jq -r .)"
	bot_api_sent . | grep -q look
}

@test "a file that is elsewhere, gone or too large is not sent" {
	configure 'chat-interval: 1ms, media-out: 1000'
	big=$(media big.bin 1001)
	ln -s /etc/passwd "$LB_STATE/media/ab/link"
	n=0
	for path in /etc/passwd "$LB_STATE/media/../queue.db" "$LB_STATE/media/ab/link" \
		"$LB_STATE/media/ab/none" "$big"; do
		reply "r$((n += 1))" 7 '' "$(jq -nc --arg p "$path" \
			'{chain: [{type: "File", path: $p, name: "x"}]}')"
	done > "$BATS_TEST_TMPDIR/in"
	run --separate-stderr -0 lb-send telegram < "$BATS_TEST_TMPDIR/in"
	is 'length == 5 and all(.kind == "error" and .retryable == false)'
	is 'map(.code) == ["denied", "denied", "denied", "not_found", "data"]'
	same 0 "$(bot_api_log .n | wc -l)"
}

# ---- to begin and to end

@test "a bot without a token, or of another adapter, is an error a record" {
	cat > "$LB_CONFIG" <<-'END'
		bots:
		  b: {adapter: telegram}
		  n: {adapter: "null"}
	END
	run --separate-stderr -0 lb-send telegram < <(reply a 7 x
		reply b 7 x '{"bot":"n"}'; reply c 7 x '{"bot":"none"}')
	is 'map([.id, .code, .retryable]) == [["a", "config", false],
		["b", "config", false], ["c", "config", false]]'
	[[ $stderr == *"bot 'b' has no token"* ]]
}

@test "the token is never shown" {
	bot_api_op '{"op":"fail","how":"401","n":9}'
	run --separate-stderr -0 env LB_LOG=debug lb-send telegram < <(reply a 7 x)
	is '.[0].code == "auth" and .[0].retryable == false'
	[[ $output$stderr != *TEST-token* ]]
}

# feed - what is written to 7 comes out of the fifo `to`, which does not end.
feed() {
	mkfifo "$BATS_TEST_TMPDIR/to"
	exec 7<> "$BATS_TEST_TMPDIR/to"
}

@test "a signal: what is in flight ends, the rest has no record and is not sent" {
	bot_api_op '{"op":"fail","how":"slow","ms":1000}'
	feed
	lb-send telegram < "$BATS_TEST_TMPDIR/to" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" 3>&- 7>&- &
	pid=$!
	echo "$(reply a 7 1; reply b 7 2; reply c 7 3)" >&7
	bot_api_wait 'length == 1'
	kill -TERM "$pid"
	wait "$pid" || status=$?
	same 143 "$status"
	jq -se 'map(.id) == ["a"]' "$BATS_TEST_TMPDIR/out"
	same 'lb-send: stopped: 2 records are not sent and not answered' \
		"$(cat "$BATS_TEST_TMPDIR/err")"
	same '7 1' "$(texts)"
}

@test "no more time: what asks is unknown, what waits is given back" {
	bot_api_op '{"op":"fail","how":"hang-after","chat":7}'
	bot_api_op '{"op":"fail","how":"429","chat":8,"retry_after":60}'
	feed
	lb-send telegram --grace 200ms < "$BATS_TEST_TMPDIR/to" > "$BATS_TEST_TMPDIR/out" 3>&- 7>&- &
	pid=$!
	echo "$(reply a 7 1; reply b 8 2)" >&7
	bot_api_wait 'length == 2'
	kill -TERM "$pid"
	wait "$pid" || status=$?
	same 143 "$status"
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	bot_api_op '{"op":"heal"}'
	run -0 timeout 10 lb-send telegram < <(reply a 7 1; reply b 8 2)
	is 'map([.kind, .id, .code]) | sort == [["error", "a", "lost"],
		["receipt", "b", null]]'
}

@test "what waits for its time is nobody's: killed then, it is sent by the next" {
	for signal in KILL TERM; do
		a=a$signal b=b$signal c=c$signal
		configure 'chat-interval: 60s'
		feed
		lb-send telegram --grace 100ms < "$BATS_TEST_TMPDIR/to" \
			> "$BATS_TEST_TMPDIR/out" 3>&- 7>&- &
		pid=$!
		bot_api_op '{"op":"fail","how":"429","chat":8,"retry_after":60}'
		echo "$(reply $a 7 $a; reply $b 7 $b; reply $c 8 $c)" >&7
		# One is sent, one keeps the pace of its chat, one was told to wait.
		until_said() { bot_api_log .status | sort -u | tr '\n' ' ' | grep -q "200 429"; }
		for ((i = 0; i < 500; i++)); do until_said && break; sleep 0.02; done
		grep -q receipt "$BATS_TEST_TMPDIR/out" || sleep 0.1
		kill -"$signal" "$pid"
		wait "$pid" || true
		exec 7>&-
		rm "$BATS_TEST_TMPDIR/to"
		bot_api_op '{"op":"heal"}'
		configure
		run -0 timeout 20 lb-send telegram < <(reply $a 7 $a; reply $b 7 $b; reply $c 8 $c)
		is 'length == 3 and all(.kind == "receipt")'
		for id in $a $b $c; do
			same 1 "$(texts | grep -c "$id")"
		done
	done
}

@test "a slow reader loses nothing" {
	run -0 bash -c 'jq -c "range(1; 301) as \$n | .id = \"\(\$n)\"" <<< "$1" |
		lb-send telegram | (sleep 1; cat)' - "$(reply ID 7 x)"
	is 'length == 300 and (map(.id | tonumber) | sort) == [range(1; 301)]'
}

@test "memory does not grow with the stream" {
	! ldd "$(command -v lb-send)" | grep -q libasan ||
		skip "a sanitizer keeps what was freed"
	configure 'chat-interval: 0, all-interval: 0'
	jq -nc 'range(50000) | {kind: "reply", id: "r\(.)", bot: "b",
		session: "b/person_7", launcher_id: "7", chain: []}' > "$BATS_TEST_TMPDIR/in"
	peak() {
		python3 -c 'import resource, subprocess, sys
subprocess.run(["lb-send", "telegram"], check=True, stdin=open(sys.argv[1]),
	stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$1"
	}
	head -n 2000 "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/few"
	few=$(peak "$BATS_TEST_TMPDIR/few")
	many=$(peak "$BATS_TEST_TMPDIR/in")
	echo "$few $many"
	[ "$many" -lt $((few + 1500)) ]
}

@test "4096 records wait at most, and all go on when they can" {
	ended many 0
	cd "$BATS_FILE_TMPDIR/many"
	cat out
	# and what a pipe and a read hold
	[ "$(cat out)" -ge 4096 ] && [ "$(cat out)" -lt 7000 ]
	jq -r .id answers | cmp - <(jq -r .id in)
	same 20000 "$(grep -c '"kind":"receipt"' answers)"
}

@test "where nobody listens it is tried again, then an error that may pass" {
	ended refused 0
	cd "$BATS_FILE_TMPDIR/refused"
	output=$(cat out)
	is 'map([.kind, .code, .retryable]) == [["error", "network", true]]'
	run ! grep -F TEST-token out err
}

@test "what came over a network is not printed for want of a bot" {
	run --separate-stderr -69 lb-send < <(reply a 7 x '{"bot": "gone"}')
	is '[.[0].kind, .[0].code] == ["error", "config"]'
	[ "$(wc -l <<< "$output")" -eq 1 ]
	[[ $stderr != *x$'\n'* ]]
}

@test "a failure that the user reads in other words is told to who runs it" {
	run --separate-stderr -0 lb-send telegram < <(reply a 7 "Request failed." \
		'{"failed": {"code": "auth", "message": "HTTP 401"}}')
	same 'lb-send: b/person_7: no answer: auth: HTTP 401' "$stderr"
	same '"receipt"' "$(jq -c .kind <<< "$output")"
}
