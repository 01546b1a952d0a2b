#!/usr/bin/env bats
# lb-ingest telegram against a double of the Bot API.

load helper
load doubles

setup() {
	need python3
	cd "$BATS_TEST_TMPDIR"
	bot_api
	bot
	INGEST=
}

teardown() {
	[ -z "${INGEST-}" ] || kill -9 "$INGEST" 2> /dev/null || true
	stop_doubles
}

# bot [YAML...] - one bot, with more keys.
bot() {
	local line
	export T=$BOT_API_TOKEN
	{
		printf '%s\n' bots: '  tg:' '    adapter: telegram' \
			'    token: env:T' "    base-url: $BOT_API" \
			'    poll-timeout: 1s' '    album-wait: 300ms'
		for line; do echo "    $line"; done
	} > "$LB_CONFIG"
}

# once [OPTION...] - all that waits, as records.
once() {
	timeout 30 lb-ingest telegram --once "$@"
}

# listen [OPTION...] - begin to, into the files out and err.
listen() {
	lb-ingest telegram "$@" > out 2> err < /dev/null 3>&- &
	INGEST=$!
}

# await FILE TEXT [SECONDS] - until the file has it.
await() {
	local end=$((SECONDS + ${3-20}))
	until grep -q -e "$2" "$1" 2> /dev/null; do
		[ "$SECONDS" -lt "$end" ] || {
			echo "no '$2' in $1:"
			cat "$1" err
			return 1
		}
		command sleep 0.02
	done
}

# ended [STATUS] - wait for lb-ingest in the background.
ended() {
	local status=0
	wait "$INGEST" || status=$?
	INGEST=
	[ -z "${1-}" ] || same "$1" "$status"
}

# end SIGNAL [STATUS] - have it end.
end() {
	kill -"$1" "$INGEST"
	ended "${2-}"
}

# messages [FILE] - their texts.
messages() {
	jq -r 'select(.kind == "message") |
		[.chain[] | select(.type == "Plain") | .text] | join("|")' "$@"
}

# states [FILE] - what was told, a word each, without the hint.
states() {
	jq -r 'select(.kind == "status" and .state != "hint") | .state' "$@" | xargs
}

# offset - what is stored: the update that is next.
offset() {
	python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT value FROM offsets"):
    print(row[0])' "$LB_STATE/queue.db"
}

# lock_store - hold the database until unlock_store.
lock_store() {
	coproc LOCK { exec python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()' "$LB_STATE/queue.db" 3>&-; }
	read -r -t 20 _ <&"${LOCK[0]}"
	LOCK_IN=${LOCK[1]}
}

unlock_store() {
	local pid=$LOCK_PID
	exec {LOCK_IN}>&-
	wait "$pid"
}

# message CHAT JQ - an update with a message that JQ makes more of.
message() {
	jq -cn --argjson chat "$1" --argjson n "$((MESSAGE = ${MESSAGE-100} + 1))" \
		'{message: ({message_id: $n, date: 1700000000,
		chat: (if $chat > 0 then {id: $chat, type: "private"}
			else {id: $chat, type: "supergroup", title: "G"} end),
		from: {id: 7, is_bot: false, first_name: "Ann"}} | '"$2"')}'
}

# button ID DATA - an update that says somebody pressed it.
button() {
	jq -cn --arg id "$1" --arg data "$2" '{callback_query: {
		id: $id, data: $data, chat_instance: "1",
		from: {id: 7, is_bot: false, first_name: "Ann"},
		message: {message_id: 3, date: 1700000000, text: "pick",
			chat: {id: 7, type: "private"},
			from: {id: 4242, is_bot: true, first_name: "B"}}}}'
}

@test "a private text becomes a record, and is confirmed" {
	bot_api_say 7 'hello there'
	once > out
	jq -se 'map(select(.kind == "message")) | length == 1 and (.[0] |
		.bot == "tg" and .platform == "telegram" and
		.launcher_type == "person" and .launcher_id == "7" and
		.sender_id == "7" and .sender_name == "Ann" and
		.message_id == "7:1" and .session == "tg/person_7" and
		.time == 1700000001000 and .mentioned_me == true)' out
	same 'hello there' "$(messages out)"
	same 'connected stopped' "$(states out)"
	same 1001 "$(offset)"
	bot_api_http GET /_state | jq -e '.pending == 0'
	same 'connected stopped' "$(once | states)"
}

@test "every record is one of lb-records(7)" {
	bot_api_say 7 a
	bot_api_push "$(message -100 '.text = "b"')" \
		"$(button q d)"
	once > out
	"$LB_TEST_BUILD/tests/unit/validate-record" \
		"$BATS_TEST_DIRNAME/../share/lb/schema" < out
}

@test "in a group the bot is meant by its name, wherever that stands" {
	bot_api_push "$(message -100 '.text = "not you"')" \
		"$(message -100 '.text = "\u4f60\ud83d\ude00 @demo_bot hi" |
			.entities = [{type: "mention", offset: 4, length: 9}]')" \
		"$(message -100 '.caption = "\ud83d\ude00 @demo_bot look" |
			.photo = [{file_id: "P", file_size: 3}] |
			.caption_entities = [{type: "mention", offset: 3, length: 9}]')" \
		"$(message -100 '.text = "x" |
			.entities = [{type: "mention", offset: 90, length: 9000}]')"
	bot_api_op '{"op":"file","file_id":"P","text":"abc"}'
	once > out
	same 'false true true false' \
		"$(jq -r 'select(.kind == "message").mentioned_me' out | xargs)"
	[[ $(messages out) != *@demo_bot* ]]
	same '1 1' "$(jq -c 'select(.kind == "message") | .mentions // empty | length' out | xargs)"
}

@test "the bot's own messages and those of others are left out" {
	bot_api_push "$(message 7 '.text = "other" | .from.is_bot = true | .from.id = 8')" \
		"$(message 7 '.text = "own" | .from.is_bot = true | .from.id = 4242')" \
		"$(message 7 '.text = "mine"')"
	same mine "$(once | messages)"
	same 1003 "$(offset)"
	bot 'other-bots: true'
	bot_api_push "$(message 7 '.text = "other" | .from.is_bot = true | .from.id = 8')" \
		"$(message 7 '.text = "own" | .from.is_bot = true | .from.id = 4242')"
	same other "$(once | messages)"
}

@test "an update that comes twice, again or out of order is one record" {
	bot_api_say 7 a
	bot_api_say 7 b
	bot_api_op '[{"op":"twice"},{"op":"backwards"}]'
	same $'a\nb' "$(once | messages)"
	bot_api_say 7 c
	bot_api_op '[{"op":"again"},{"op":"twice"}]'
	same c "$(once | messages)"
}

@test "a reply quotes what it replies to" {
	bot_api_push "$(message -100 '.text = "why?" |
		.reply_to_message = {message_id: 9, date: 1, text: "so",
			chat: .chat, from: {id: 4242, is_bot: true,
			first_name: "B", username: "demo_bot"}}')"
	once > out
	jq -se 'map(select(.kind == "message"))[0] | .mentioned_me and
		(.chain | map(.type) | index("Quote") != null)' out
}

@test "a topic is a session of its own; General and reply threads are not" {
	bot_api_push "$(message -100 '.text = "t" | .is_topic_message = true |
			.message_thread_id = 42 | .chat.is_forum = true')" \
		"$(message -100 '.text = "g" | .is_topic_message = true |
			.message_thread_id = 1 | .chat.is_forum = true')" \
		"$(message -100 '.text = "r" | .message_thread_id = 9')"
	once > out
	same 'tg/group_-100#42 tg/group_-100 tg/group_-100' \
		"$(jq -r 'select(.kind == "message").session' out | xargs)"
	jq -se 'map(select(.kind == "message"))[0].reply_to.thread == "42"' out
}

@test "an edit, a button and a group that moved are not messages" {
	bot_api_push "$(message 7 '.text = "new" | .edit_date = 1700000009' |
			jq -c '{edited_message: .message}')" \
		"$(button q7 yes)" \
		"$(message -5 '.migrate_to_chat_id = -1005')"
	once > out
	same '' "$(messages out)"
	jq -se 'map(select(.kind == "edit"))[0].edit_of | startswith("7:")' out
	jq -se 'map(select(.kind == "callback"))[0].data == "yes"' out
	jq -se 'any(.kind == "status" and .state == "migrated")' out
	bot_api_http GET /_state | jq -e .queries.q7
}

@test "a wrong token is told at once, and never shown" {
	for token in 1:wrong nonsense; do
		T=$token run --separate-stderr -69 once
		[[ $stderr == "lb-ingest: the token of bot 'tg' is not one that the platform knows: getMe: 40"* ]]
		same auth_failed "$(states <<< "$output")"
		[[ $output$stderr != *"$token"* ]]
	done
}

@test "a token that is revoked meanwhile ends it; so does a wrong base-url" {
	bot_api_op '{"op":"fail","method":"getUpdates","how":"401"}'
	run --separate-stderr -69 once
	same 'connected auth_failed' "$(states <<< "$output")"
	sed -i "s|base-url: .*|base-url: $BOT_API/elsewhere|" "$LB_CONFIG"
	run --separate-stderr -69 once
	[[ $stderr == "lb-ingest: bot 'tg': there is no Bot API at its base-url: getMe: 404"* ||
		$stderr == *'not one that the platform knows: getMe: 404'* ]]
}

@test "another token under the same name is another bot, with its own offset" {
	bot_api_say 7 one
	once > /dev/null
	same 1001 "$(offset)"
	stop_doubles
	bot_api --id 77
	bot
	bot_api_push '{"update_id":5,"message":{"message_id":1,"date":1700000000,"chat":{"id":7,"type":"private"},"from":{"id":7,"is_bot":false,"first_name":"A"},"text":"to the other"}}'
	same 'to the other' "$(once | messages)"
}

@test "a bot without a token, with two, or none at all is told so" {
	unset T
	run --separate-stderr -78 once
	[[ $stderr == *"the token of bot 'tg'"*"'T' is not set"* ]]
	export T=x:y
	run --separate-stderr -78 once --bot other
	[[ $stderr == "lb-ingest: no bot 'other' is configured"* ]]
	echo 'bots: {a: {adapter: telegram}, b: {adapter: telegram}, c: {}}' > "$LB_CONFIG"
	run --separate-stderr -64 once
	[[ $stderr == *'there are 2 bots of adapter telegram (a, b): name one with --bot'* ]]
	run --separate-stderr -78 once --bot c
	[[ $stderr == "lb-ingest: bot 'c' is not one of adapter telegram" ]]
	: > "$LB_CONFIG"
	run --separate-stderr -78 once
	[[ $stderr == *'no bot of adapter telegram is configured'* ]]
}

@test "a token in the environment is enough" {
	: > "$LB_CONFIG"
	bot_api_say 7 hi
	TELEGRAM_BOT_TOKEN=$BOT_API_TOKEN LB__BOTS__TELEGRAM__BASE_URL=$BOT_API \
		once > out
	same telegram "$(jq -r 'select(.kind == "message").bot' out)"
}

@test "the token is nowhere: no record, no log, no argument" {
	bot "base-url: http://127.0.0.1:9/x" || true
	sed -i '/base-url: http:\/\/127.0.0.1:[0-9]*$/d' "$LB_CONFIG"
	LB_LOG=debug listen -vv
	await out '"lost"'
	tr '\0' ' ' < "/proc/$INGEST/cmdline" > cmdline
	end TERM 143
	bot
	bot_api_op '[{"op":"fail","how":"502","n":1},{"op":"fail","how":"cut","method":"getUpdates"}]'
	bot_api_say 7 hi
	LB_LOG=debug once -vv >> out 2>> err
	run grep -l -e "${BOT_API_TOKEN#*:}" out err cmdline
	same '' "$output"
	same hi "$(messages out)"
}

@test "a second reader of a bot names the first" {
	listen
	await out connected
	run --separate-stderr -75 once
	same "lb-ingest: bot 'tg' is read by process $INGEST already" "$stderr"
	end TERM 143
}

@test "another poller elsewhere: said plainly, and given up after three tries" {
	listen
	bot_api_wait 'map(select(.method == "getUpdates")) | length > 0'
	local i
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		kill -0 "$INGEST" 2> /dev/null || break
		bot_api_http GET "/bot$BOT_API_TOKEN/getUpdates?timeout=0" > /dev/null
		command sleep 0.4
	done
	ended 75
	grep "another program asks for its messages, too (HTTP 409)" err
	jq -se 'map(select(.state == "lost").message) | length == 3 and
		all(startswith("Conflict: terminated by other getUpdates"))' out
}

@test "a webhook is taken away, also one that is set meanwhile" {
	bot_api_http GET "/bot$BOT_API_TOKEN/setWebhook?url=https://x.invalid/" > /dev/null
	listen
	bot_api_say 7 one
	await out one
	bot_api_http GET "/bot$BOT_API_TOKEN/setWebhook?url=https://x.invalid/" > /dev/null
	await out lost
	bot_api_say 7 two
	await out two
	end TERM 143
	same 'connected lost connected stopped' "$(states out)"
}

@test "too many requests: the pause is the one that is asked for" {
	bot_api_op '{"op":"fail","how":"429","method":"getUpdates","retry_after":2}'
	bot_api_say 7 hi
	once > out
	same 'connected throttled connected stopped' "$(states out)"
	same 2000 "$(jq 'select(.state == "throttled").retry_in_ms' out)"
	bot_api_log 'select(.method == "getUpdates").time' | jq -se '.[1] - .[0] >= 1.9'
}

@test "what breaks is asked for again, and nothing is lost" {
	local how n
	for how in 502 cut cut-after truncated garbage; do
		n=1
		[[ $how != cut* ]] || n=2
		# a kept connection that ends is tried at once on a new one
		bot_api_op '{"op":"fail","method":"getUpdates","how":"'$how'","n":'$n'}'
		bot_api_say 7 "$how"
		once > "$how"
		same "$how" "$(messages "$how")"
		same 'connected lost connected stopped' "$(states "$how")"
		jq -se 'any(.state == "lost" and .retry_in_ms >= 800 and .retry_in_ms <= 1200)' "$how"
	done
	bot_api_op '{"op":"fail","method":"getUpdates","how":"bytes"}'
	bot_api_say 7 bytes
	same bytes "$(once | messages)"
}

@test "answers that are none are told, whatever they say" {
	local body
	for body in '[]' '{"ok":true}' '{"ok":true,"result":{}}' 'null' \
		'{"ok":true,"result":[{}]}' '{"ok":true,"result":[7]}' \
		'{"ok":true,"result":[{"update_id":-1}]}' \
		'{"ok":true,"result":[{"update_id":1.5}]}' '{"ok":false}'; do
		jq -cn --arg body "$body" '{op: "fail", method: "getUpdates",
			how: "body", n: 1, $body}' | {
			read -r order
			bot_api_op "$order"
		}
		bot_api_say 7 a
		once > out
		same 'connected lost connected stopped' "$(states out)"
		same a "$(messages out)"
	done
	bot_api_op '{"op":"fail","method":"getMe","how":"body","body":"{\"ok\":true,\"result\":{}}"}'
	same 'lost connected stopped' "$(once | states)"
}

@test "a body of 2 MiB is read, one of 32 MiB is not" {
	bot_api_op '[{"op":"fail","method":"getUpdates","how":"huge","mib":2},
		{"op":"fail","method":"getUpdates","how":"huge","mib":32}]'
	bot_api_say 7 hi
	run --separate-stderr -0 once
	same 'connected lost connected stopped' "$(states <<< "$output")" ||
		same 'connected lost lost connected stopped' "$(states <<< "$output")"
	same hi "$(messages <<< "$output")"
	# less at once, in case that was it; then as before
	bot_api_log 'select(.method == "getUpdates").params.limit' | jq -se 'index(50) != null and .[-1] == 100'
}

@test "updates that are none are passed over, one line each" {
	bot_api_push '{"message":"x"}' '{"message":{"chat":{}}}' '{"poll":{}}' \
		"$(message 7 '.text = "good"')"
	run --separate-stderr -0 once
	same good "$(messages <<< "$output")"
	same 1004 "$(offset)"
}

@test "half a surrogate, a NUL or bad UTF-8 in one message stops no other" {
	local body='{"ok":true,"result":[{"update_id":1,"message":{"message_id":1,"date":1700000000,"chat":{"id":7,"type":"private"},"from":{"id":7,"is_bot":false,"first_name":"A\ud800"},"text":"x\udc00y\u0000z"}}]}'
	bot_api_op "$(jq -cn --arg body "$body" \
		'{op: "fail", method: "getUpdates", how: "body", $body}')"
	bot_api_say 7 good
	run --separate-stderr -0 once
	same 'connected stopped' "$(states <<< "$output")"
	same $'x\xef\xbf\xbdy\xef\xbf\xbdz\ngood' "$(messages <<< "$output")"
}

@test "a connection that hangs half-open is given up, and nothing is lost" {
	bot_api_op '{"op":"fail","how":"hang-after","method":"getUpdates"}'
	bot_api_say 7 hi
	listen
	await out '"hi"' 30
	end TERM 143
	same 'connected lost connected stopped' "$(states out)"
}

@test "--once ends where there is no network, and says so" {
	bot_api_op '{"op":"fail","how":"502","n":99}'
	run --separate-stderr -75 once
	[[ $stderr == "lb-ingest: bot 'tg': getMe: 502"* ]]
	same 'lost lost lost' "$(states <<< "$output")"
}

@test "SIGTERM ends a poll at once" {
	bot 'poll-timeout: 50s'
	sed -i '/poll-timeout: 1s/d' "$LB_CONFIG"
	listen
	bot_api_wait 'any(.method == "getUpdates")'
	local before=$SECONDS
	end TERM 143
	[ $((SECONDS - before)) -le 2 ]
	same 'connected stopped' "$(states out)"
}

@test "a reader that left ends it, and what it did not take comes again" {
	lb-ingest telegram 2> err 3>&- < /dev/null > >(head -n 2 > first
		until [ -e leave ]; do command sleep 0.02; done) &
	INGEST=$!
	bot_api_wait 'any(.method == "getUpdates")'
	touch leave
	ended 141 # nothing is to be written, and yet it ends
	bot_api_say 7 hi
	same hi "$(once | messages)"
}

@test "nothing is asked for while nobody reads" {
	mkfifo pipe
	local n big
	big=$(printf '%04000d' 0)
	for n in {1..40}; do bot_api_say 7 "$n $big"; done
	lb-ingest telegram > pipe 2> err 3>&- < /dev/null &
	INGEST=$!
	exec {READ}< pipe
	bot_api_wait 'any(.method == "getUpdates")'
	bot_api_say 7 last
	command sleep 1.5 # more than the poll's second
	same 1 "$(bot_api_log 'select(.method == "getUpdates")' | wc -l)"
	same '' "$(offset)"
	cat <&"$READ" > all &
	local reader=$!
	await all last
	end TERM 143
	exec {READ}<&-
	wait "$reader"
	same 41 "$(messages all | wc -l)"
	same 1041 "$(offset)"
}

@test "a stop does not wait for a reader for ever, and nothing is confirmed" {
	mkfifo pipe
	local n big
	big=$(printf '%04000d' 0)
	for n in {1..40}; do bot_api_say 7 "$n $big"; done
	lb-ingest telegram > pipe 2> err 3>&- < /dev/null &
	INGEST=$!
	exec {READ}< pipe
	bot_api_wait 'any(.method == "getUpdates")'
	command sleep 0.3 # the pipe is full
	local before=$SECONDS
	end TERM 75
	[ $((SECONDS - before)) -le 8 ]
	exec {READ}<&-
	grep 'nobody took what had arrived' err
	same 40 "$(once | messages | wc -l)"
}

@test "killed between the line and the offset: the ids of both runs are equal" {
	once > /dev/null
	bot_api_say 7 one
	bot_api_say 7 two
	lock_store
	listen
	await out two
	end KILL 137
	unlock_store
	once > again
	same $'one\ntwo' "$(messages out)"
	same "$(jq -c 'select(.kind == "message")' out)" \
		"$(jq -c 'select(.kind == "message")' again)"
}

@test "killed with a queue: each message is there once" {
	once > /dev/null
	local n
	for n in {1..30}; do
		bot_api_say 7 "m$n"
		if [ $((n % 6)) = 0 ]; then
			listen --queue q
			command sleep "0.0$((n / 6))"
			end KILL
		fi
	done
	bot_api_op '{"op":"again"}'
	once --queue q > out
	same 'connected stopped' "$(states out)"
	same "$(printf 'm%d\n' {1..30})" "$(lb-queue peek -n 99 q | jq -c .record | messages)"
}

@test "with a queue the statuses alone are written" {
	bot_api_say 7 hi
	once --queue q > out
	same status "$(jq -r .kind out | sort -u)"
	same hi "$(lb-queue peek q | jq -c .record | messages)"
	same 1001 "$(offset)"
	bot_api_push "$(message -5 '.migrate_to_chat_id = -1005')"
	same 'connected migrated stopped' "$(once --queue q | states)"
	same 1 "$(lb-queue peek q | wc -l)"
}

@test "a store that is in use, or a queue that is full, is waited for" {
	once --queue q > /dev/null
	lock_store
	bot_api_say 7 one
	listen --queue q
	bot_api_wait 'map(select(.method == "getUpdates")) | length >= 2'
	command sleep 0.5 # long enough to have kept it
	same 1 "$(bot_api_http GET /_state | jq .pending)"
	unlock_store
	bot_api_wait 'any(.params.offset == 1001)'
	end TERM 143
	same 'connected stopped' "$(states out)"
	bot_api_say 7 two
	listen --queue q --max 1
	await out "queue 'q' is full: 1 records"
	same 1 "$(bot_api_http GET /_state | jq .pending)"
	lb-queue take q --for 1m > /dev/null 2>&1 || true
	lb-queue purge q --waiting --force > /dev/null 2>&1 ||
		lb-queue work q --once -- sed -u 's/"kind":"message"/"kind":"drop"/' > /dev/null
	bot_api_wait 'any(.params.offset == 1002)'
	end TERM 143
	same 'connected lost connected stopped' "$(states out)"
}

@test "a damaged store ends it, and nothing is confirmed" {
	once > /dev/null
	bot_api_say 7 one
	head -c 8192 /dev/zero | tr '\0' x > "$LB_STATE/queue.db"
	rm -f "$LB_STATE"/queue.db-*
	run --separate-stderr -65 once
	[[ $stderr == *"queue.db"* ]]
	same 1 "$(bot_api_http GET /_state | jq .pending)"
}

@test "an album is one message; what was said after it stays behind it" {
	sed -i 's/300ms/10s/' "$LB_CONFIG" # however slow this machine is
	bot_api_op '{"op":"file","file_id":"A","text":"aaa"}'
	bot_api_op '{"op":"file","file_id":"B","text":"bbb"}'
	local part='.media_group_id = "g" | .photo = [{file_id: $f, file_size: 3}]'
	bot_api_push "$(message 7 "\"A\" as \$f | $part | .caption = \"look\"")" \
		"$(message 8 '.text = "elsewhere" | .from.id = 8')"
	listen
	bot_api_wait 'any(.method == "getUpdates")'
	bot_api_push "$(message 7 "\"B\" as \$f | $part")" \
		"$(message 7 '.text = "after"')"
	await out after
	await out elsewhere
	bot_api_wait 'map(select(.method == "file")) | length == 2'
	end TERM 143
	same 'look elsewhere after' "$(messages out | xargs)"
	jq -se 'map(select(.kind == "message"))[0] |
		.message_id == "7:101" and
		(.chain | map(select(.type == "Image").ref)) == ["A", "B"]' out
}

@test "the offset does not pass an album that may lack parts" {
	bot 'album-wait: 10s'
	sed -i '/album-wait: 300ms/d' "$LB_CONFIG"
	local part='.media_group_id = "g" | .photo = [{file_id: "A", file_size: 3}]'
	bot_api_op '{"op":"file","file_id":"A","text":"aaa"}'
	bot_api_push "$(message 7 '.text = "before"')" "$(message 7 "$part")"
	listen
	await out before
	bot_api_wait 'any(.params.offset == 1001)'
	same 1001 "$(offset)"
	end KILL 137
	MESSAGE=200
	bot_api_push "$(message 7 "$part | .caption = \"second\"")"
	listen
	bot_api_wait 'map(select(.params.offset == 1001)) | length >= 2'
	# what is held is flushed where it ends
	end TERM 143
	same second "$(messages out)"
	same '["A","A"]' "$(jq -c 'select(.kind == "message").chain | map(select(.type == "Image").ref)' out)"
	same 1003 "$(offset)"
}

@test "an album is whole as soon as something else is said there" {
	bot 'album-wait: 10s'
	sed -i '/album-wait: 300ms/d' "$LB_CONFIG"
	bot_api_push "$(message 7 '.media_group_id = "g" | .caption = "a" | .photo = [{file_id: "A"}]')" \
		"$(message 7 '.media_group_id = "g" | .photo = [{file_id: "A"}]')" \
		"$(message 7 '.text = "b"')"
	local before=$SECONDS
	same $'a\nb' "$(once 2> /dev/null | messages)"
	[ $((SECONDS - before)) -le 5 ]
	# ten are all there can be
	local n parts=()
	for n in {1..10}; do
		parts+=("$(MESSAGE=$((300 + n)); message 7 '.media_group_id = "h" | .photo = [{file_id: "A"}]')")
	done
	bot_api_push "${parts[@]}"
	before=$SECONDS
	once > out 2> /dev/null
	[ $((SECONDS - before)) -le 5 ]
	same 10 "$(jq 'select(.kind == "message").chain | map(select(.type == "Image")) | length' out)"
}

@test "album-wait none makes each part a message" {
	bot 'album-wait: none'
	sed -i '/album-wait: 300ms/d' "$LB_CONFIG"
	bot_api_push "$(message 7 '.media_group_id = "g" | .caption = "a" | .photo = [{file_id: "A"}]')" \
		"$(message 7 '.media_group_id = "g" | .caption = "b" | .photo = [{file_id: "A"}]')"
	same $'a\nb' "$(once 2> /dev/null | messages)"
}

@test "a picture is downloaded, byte for byte, and its URL is nowhere" {
	head -c 300000 /dev/urandom > picture
	python3 -c 'import base64, json, sys
print(json.dumps({"op": "file", "file_id": "P", "path": "photos/p.jpg",
    "base64": base64.b64encode(sys.stdin.buffer.read()).decode()}))' \
		< picture > order
	bot_api_op "$(cat order)"
	bot_api_push "$(message 7 '.caption = "x" | .photo = [{file_id: "small", file_size: 1}, {file_id: "P", file_size: 300000}]')"
	once > out 2> err
	local path
	path=$(jq -r 'select(.kind == "message").chain[] | select(.type == "Image").path' out)
	[[ $path == "$LB_STATE/media/"* ]]
	cmp picture "$path"
	same 600 "$(stat -c %a "$path")"
	same 700 "$(stat -c %a "${path%/*}")"
	run grep -e '/file/bot' -e "${BOT_API_TOKEN#*:}" out err
	same '' "$output"
	same 1 "$(find "$LB_STATE/media" -type f | wc -l)"
	# it is there: nothing is asked for
	same "$path" "$(lb-ingest telegram --fetch P)"
	same 1 "$(bot_api_log 'select(.method == "file")' | wc -l)"
}

@test "the same picture three times is one download" {
	bot_api_op '{"op":"file","file_id":"P","bytes":200000}'
	local n parts=()
	for n in 1 2 3; do
		parts+=("$(message 7 '.photo = [{file_id: "P", file_size: 200000}]')")
	done
	bot_api_push "${parts[@]}"
	once > out 2> err
	same '' "$(cat err)"
	same 1 "$(bot_api_log 'select(.method == "file")' | wc -l)"
	same 1 "$(find "$LB_STATE/media" -type f | wc -l)"
	same 200000 "$(cat "$LB_STATE"/media/*/* | wc -c)"
}

@test "--fetch gets a file, and says why where it cannot" {
	bot_api_op '[{"op":"file","file_id":"F","text":"abc","path":"documents/a.pdf"},
		{"op":"file","file_id":"L","bytes":11000000},
		{"op":"file","file_id":"M","text":"x","size":11000000},
		{"op":"file","file_id":"D","text":"x","path":"../../etc/passwd"}]'
	run -0 lb-ingest telegram --fetch F
	same abc "$(cat "$output")"
	[[ $output == *.pdf ]]
	for ref in L M D none; do
		run --separate-stderr -69 lb-ingest telegram --fetch $ref
		same '' "$output"
	done
	same 1 "$(find "$LB_STATE/media" -type f | wc -l)"
}

@test "a download that breaks is tried once more, and leaves nothing half" {
	bot_api_op '[{"op":"file","file_id":"P","bytes":200000},
		{"op":"fail","method":"file","how":"file-rest"}]'
	bot_api_push "$(message 7 '.photo = [{file_id: "P", file_size: 200000}]')"
	once > out 2> err
	same '' "$(cat err)"
	same 200000 "$(cat "$LB_STATE"/media/*/* | wc -c)"
	rm -r "$LB_STATE/media"
	bot_api_op '{"op":"fail","method":"file","how":"file-rest","n":2}'
	bot_api_push "$(message 7 '.photo = [{file_id: "P", file_size: 200000}]')"
	once > out 2> err
	grep "a file of bot 'tg' stays where it is" err
	same 0 "$(find "$LB_STATE/media" -type f | wc -l)"
}

@test "files are limited as they stream: 10 MiB each, 20 MiB a record" {
	local photo
	bot_api_op '[{"op":"file","file_id":"a","bytes":9000000},{"op":"file","file_id":"b","bytes":9000000},
		{"op":"file","file_id":"c","bytes":9000000},{"op":"file","file_id":"z","bytes":10500000}]'
	for photo in a b c; do
		message 7 '.media_group_id = "g" | .photo = [{file_id: "'$photo'"}]'
	done > updates
	message 7 '.photo = [{file_id: "z"}]' >> updates
	mapfile -t updates < updates
	bot_api_push "${updates[@]}"
	once > out 2> err
	same 2 "$(grep -c 'stays where it is' err)"
	same 2 "$(find "$LB_STATE/media" -type f | wc -l)"
}

@test "an offset of another week is not sent" {
	once > /dev/null
	bot_api_say 7 one
	once > /dev/null
	python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE offsets SET time = time - 7 * 86400000, value = 999999")
db.commit()' "$LB_STATE/queue.db"
	bot_api_push '{"update_id":5,"message":{"message_id":50,"date":1700000000,"chat":{"id":7,"type":"private"},"from":{"id":7,"is_bot":false,"first_name":"A"},"text":"new week"}}'
	same 'new week' "$(once | messages)"
	same 6 "$(offset)"
}

@test "drop-pending leaves out what came before the first start, and no more" {
	bot 'drop-pending: true'
	bot_api_say 7 old
	same '' "$(once | messages)"
	bot_api_say 7 new
	same new "$(once | messages)"
}

@test "--check says who the bot is, what it hears, and what is wrong" {
	run -0 lb-ingest telegram --check
	jq -e '.ok and .id == "4242" and .name == "demo_bot" and .groups and
		.reads == "commands, mentions, replies" and .webhook == false and
		.waiting == 0' <<< "$output"
	stop_doubles
	bot_api --reads-all
	bot
	bot_api_http GET "/bot$BOT_API_TOKEN/setWebhook?url=https://x.invalid/" > /dev/null
	bot_api_say 7 a
	run -0 lb-ingest telegram --check --json
	jq -e '.reads == "all" and .webhook and .waiting == 1' <<< "$output"
	T=1:wrong run -1 lb-ingest telegram --check
	jq -e '.ok == false and (.message | test("401"))' <<< "$output"
	stop_doubles
	run -1 lb-ingest telegram --check
	jq -e '.ok == false' <<< "$output"
	same '' "$(find "$LB_STATE" -name queue.db 2> /dev/null)"
}

@test "options that are not of an adapter are refused" {
	run -64 lb-ingest text --once
	run -64 lb-ingest telegram --person x
	run -64 lb-ingest telegram --check --fetch F
	run -64 lb-ingest telegram --max 3
	run --separate-stderr -64 lb-ingest telegram --queue 'a b'
	[[ $stderr == *"'a b' is not the name of a queue"* ]]
}

@test "a bare command in a group: meant, where a bot hears little else" {
	local update='{"message":{"message_id":1,"date":1700000000,"text":"/ask me","entities":[{"type":"bot_command","offset":0,"length":4}],"chat":{"id":-5,"type":"group","title":"G"},"from":{"id":7,"is_bot":false,"first_name":"Ann"}}}'
	bot_api_push "$update"
	same true "$(once | jq 'select(.kind == "message").mentioned_me')"
	stop_doubles
	rm -r "$LB_STATE" # another service, whose updates are counted anew
	bot_api --reads-all
	bot
	bot_api_push "$update"
	same false "$(once | jq 'select(.kind == "message").mentioned_me')"
}
