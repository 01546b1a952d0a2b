#!/usr/bin/env bats
# lb-send telegram against a double of the Bot API: answers that are shown
# while they are made.

load helper
load doubles
load telegram

setup_file() {
	aside typing 'bot_and_chats; type_for_long'
	double_for_all
}

teardown_file() {
	no_double_for_all
}

setup() {
	bot_and_chats
}

# type_for_long - an answer that is made until the chat saw it twice.
type_for_long() {
	local pid line
	coproc lb-send telegram
	pid=$COPROC_PID # bash forgets it when that ends
	chunk a 7 '' 0 >&"${COPROC[1]}"
	bot_api_wait 'map(select(.method == "sendChatAction")) | length == 2' 20
	reply a 7 done >&"${COPROC[1]}"
	read -r -t 10 line <&"${COPROC[0]}"
	echo '{"kind":"status"}' >&"${COPROC[1]}"
	read -r -t 10 line <&"${COPROC[0]}"
	eval "exec ${COPROC[1]}>&-"
	wait "$pid" || return
	cp "$BOT_API_LOG" log
}

@test "an answer that streams is a message that is edited, then exact" {
	chunks=$BATS_TEST_TMPDIR/chunks
	chunk a 7 '' 0 | jq -c 'range(1; 31) as $n | .seq = $n | .text = "\($n) "' > "$chunks"
	run -0 lb-send telegram < <(chunk a 7 '' 0
		while read -r line; do
			echo "$line"
			sleep 0.05
		done < "$chunks"
		reply a 7 "$(seq -s ' ' 30) end")
	is 'length == 1 and .[0].kind == "receipt" and .[0].message_ids == ["7:1"]'
	same "7 $(seq -s ' ' 30) end" "$(texts)"
	n=$(calls editMessageText)
	[ "$n" -ge 2 ] && [ "$n" -le 5 ]
	same 1 "$(calls sendMessage)"
	bot_api_log 'select(.method == "editMessageText").time' |
		jq -se '[.[1:], .[:-1]] | transpose | all(.[0] - .[1] >= 0.9)'
	same 1 "$(calls sendChatAction)"
}

@test "who asked is named and quoted from the first piece on" {
	head='[{"type":"Quote","id":"7:5","origin":[]},{"type":"At","target":"9","display":"Ann"}]'
	coproc lb-send telegram
	pid=$COPROC_PID # bash forgets it when that ends
	chunk a 7 '' 0 "{\"head\":$head}" >&"${COPROC[1]}"
	chunk a 7 'Yes' 1 >&"${COPROC[1]}"
	shown 7 1
	reply a 7 'Yes.' "{\"chain\":${head%]},{\"type\":\"Plain\",\"text\":\"Yes.\"}]}" >&"${COPROC[1]}"
	read -r -t 10 line <&"${COPROC[0]}"
	same '["7:1"]' "$(jq -c .message_ids <<< "$line")"
	same '5 <a href="tg://user?id=9">Ann</a> Yes' "$(bot_api_log '
		select(.method == "sendMessage") | .params |
		"\(.reply_parameters | fromjson? // . | .message_id) \(.text)"' | jq -r .)"
	eval "exec ${COPROC[1]}>&-"
	wait "$pid"
	same '7 Ann Yes.' "$(texts)"
}

@test "what is to be seen later is not shown before" {
	now=$(date +%s%3N)
	run -0 lb-send telegram < <(chunk a 7 '' 0
		chunk a 7 'Yes' 1 "{\"not_before\":$((now + 1500))}"
		reply a 7 'Yes.' "{\"not_before\":$((now + 1500))}")
	is 'length == 1 and .[0].kind == "receipt"'
	same '7 Yes.' "$(texts)"
	bot_api_log 'select(.method == "sendMessage").time' |
		jq -se "all(. * 1000 >= $now + 1400)"
}

@test "a 429 stops the edits, and the final text comes all the same" {
	configure 'chat-interval: 1ms, edit-interval: 200ms'
	bot_api_op '{"op":"fail","how":"429","method":"editMessageText","skip":1,"retry_after":1}'
	run -0 lb-send telegram < <(for n in {1..15}; do
			chunk a 7 "$n " "$n"
			sleep 0.05
		done
		chunk b 8 other 1
		reply b 8 other
		reply a 7 "$(seq -s ' ' 15) end")
	is 'map(.id) == ["b", "a"] and all(.kind == "receipt")'
	same "7 $(seq -s ' ' 15) end" "$(texts | grep '^7')"
	bot_api_log 'select(.params.chat_id == 7) | [.status, .time]' | jq -se '
		(map(.[0]) | index(429)) as $i | .[$i + 1][1] - .[$i][1] >= 0.99'
}

@test "the typing signal is seen while an answer is made, and not after" {
	ended typing 0
	BOT_API_LOG=$BATS_FILE_TMPDIR/typing/log
	bot_api_log '[.params.chat_id, .params.action]' | head -n 1 |
		jq -e '. == [7, "typing"]'
	bot_api_log .time | jq -se '.[1] - .[0] >= 4.9'
	same 2 "$(calls sendChatAction)"
	same sendMessage "$(bot_api_log .method | tail -n 1 | jq -r .)"
}

@test "a stream longer than a message goes on in the next one" {
	configure 'chat-interval: 1ms, all-interval: 1ms, edit-interval: 100ms'
	run -0 lb-send telegram < <(
		for n in {1..9}; do
			chunk a 7 "$(printf "$n%.0s" {1..1000}) " "$n"
			sleep 0.2
		done
		reply a 7 "$(for n in {1..9}; do printf "$n%.0s" {1..1000}; printf ' '; done)")
	is '(.[0].message_ids | length) == 3'
	same "$(for n in {1..9}; do printf "$n%.0s" {1..1000}; done)" \
		"$(bot_api_sent .text | jq -rj . | tr -d ' ')"
	bot_api_sent '.text | length' | jq -se 'max <= 4096'
}

@test "parts become the messages that showed them" {
	run -0 lb-send telegram < <(chunk a 7 'one two' 1; shown 7 1
		reply a 7 'one' '{"part":1,"final":false}'
		reply a 7 'two' '{"part":2,"final":true}')
	same $'7 one\n7 two' "$(texts)"
	is 'map(.message_ids[0]) == ["7:1", "7:2"]'
}

@test "what shows an answer and is gone is sent anew" {
	configure 'chat-interval: 1ms, edit-interval: 200ms'
	bot_api_op '{"op":"fail","how":"body","status":400,"method":"editMessageText","body":"{\"ok\":false,\"error_code\":400,\"description\":\"Bad Request: message to edit not found\"}"}'
	run -0 lb-send telegram < <(chunk a 7 'one ' 1; shown 7 1
		reply a 7 'one two')
	is 'map(.kind) == ["receipt"] and .[0].message_ids == ["7:2"]'
	# also while it is made
	bot_api_op '{"op":"fail","how":"body","status":400,"method":"editMessageText","body":"{\"ok\":false,\"error_code\":400,\"description\":\"Bad Request: message to edit not found\"}"}'
	run -0 lb-send telegram < <(chunk b 8 'one ' 1
		shown 8 1
		chunk b 8 'two ' 2
		shown 8 2
		reply b 8 'one two three')
	same $'8 one two\n8 one two three' "$(texts | grep ^8)"
}

@test "a later attempt goes on in the same message" {
	configure 'chat-interval: 1ms, edit-interval: 200ms'
	run -0 lb-send telegram < <(chunk a 7 'one ' 1; shown 7 1
		chunk a 7 'uno ' 1 '{"attempt":2}'
		bot_api_wait 'any(.method == "editMessageText")'
		reply a 7 'uno dos')
	same '7 uno dos' "$(texts)"
	same 1 "$(calls sendMessage)"
	same uno "$(bot_api_log 'select(.method == "editMessageText").params.text' |
		head -n 1 | jq -r .)"
}

@test "an answer that failed keeps what it showed, with its words" {
	run -0 lb-send telegram < <(chunk a 7 'So far' 1; shown 7 1
		reply a 7 $'So far\n\nTry later.' '{"failed":{"code":"timeout"}}')
	same 1 "$(calls sendMessage)"
	bot_api_sent .text | grep -q 'Try later'
}

# noted - of how many answers the messages that show them are remembered.
noted() {
	python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(
	"SELECT count(*) FROM ledger WHERE part = 0").fetchone()[0])' \
		"$LB_STATE/queue.db" 2> /dev/null
}

@test "after kill -9 of lb-send the answer becomes the message that showed it" {
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	lb-send telegram < "$BATS_TEST_TMPDIR/pipe" > /dev/null 3>&- & pid=$!
	exec 9> "$BATS_TEST_TMPDIR/pipe"
	chunk a 7 'one two' 1 >&9
	chunk b 8 'other' 1 >&9
	for ((i = 0; i < 200; i++)); do
		[ "$(noted)" = 2 ] && break
		sleep 0.05
	done
	kill -9 "$pid"
	wait "$pid" || true
	exec 9>&-
	# answered from the store: without chunks
	run -0 lb-send telegram < <(reply a 7 'one two three')
	is 'map(.message_ids[0]) == ["7:1"]'
	# or made once more
	run -0 lb-send telegram < <(chunk b 8 'an' 1; chunk b 8 'other way' 2
		sleep 1; reply b 8 'another way')
	is 'map(.message_ids[0]) == ["8:1"]'
	same $'7 one two three\n8 another way' "$(texts | sort)"
	same 2 "$(calls sendMessage)"
}
