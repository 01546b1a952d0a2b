# tests/doubles.bash - doubles of the platforms, for .bats files.
#
#     bot_api [OPTION...]        starts a Telegram Bot API of our own and sets
#                                BOT_API (its URL), BOT_API_TOKEN, BOT_API_LOG
#                                and BOT_API_PID; options are those of
#                                tests/doubles/bot-api.py, which says all
#     bot_api_say CHAT TEXT      somebody writes to the bot
#     bot_api_push UPDATE...     updates, as JSON
#     bot_api_op JSON            anything else its /_control takes
#     bot_api_sent [JQ-FILTER]   the messages it accepted
#     bot_api_log [JQ-FILTER]    its log
#     bot_api_wait JQ-FILTER [SECONDS]
#                                until the filter is true of the whole log
#
# stop_doubles belongs into teardown().

DOUBLE_PIDS=()
DOUBLE_MESSAGE=0

bot_api() {
	local dir port
	dir=$(mktemp -d "$BATS_TEST_TMPDIR/bot-api.XXXXXX")
	BOT_API_TOKEN=4242:TEST-token_of-the-double
	BOT_API_LOG=$dir/log
	: > "$BOT_API_LOG"
	mkfifo "$dir/port"
	python3 "$BATS_TEST_DIRNAME/doubles/bot-api.py" --log "$BOT_API_LOG" \
		"$@" > "$dir/port" 3>&- &
	BOT_API_PID=$!
	DOUBLE_PIDS+=("$BOT_API_PID")
	read -r -t 30 port < "$dir/port" || return 1
	BOT_API_PORT=$port
	BOT_API=http://127.0.0.1:$port
}

stop_doubles() {
	local pid
	for pid in "${DOUBLE_PIDS[@]}"; do
		kill "$pid" 2> /dev/null || true
		wait "$pid" 2> /dev/null || true
	done
	DOUBLE_PIDS=()
}

# bot_api_http VERB PATH [BODY] - the body of the answer; fails unless 200.
bot_api_http() {
	local fd line status body=${3-} LC_ALL=C
	exec {fd}<> "/dev/tcp/127.0.0.1/$BOT_API_PORT"
	printf '%s %s HTTP/1.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s' \
		"$1" "$2" "${#body}" "$body" >&"$fd"
	read -r _ status _ <&"$fd"
	while read -r line <&"$fd" && [ "$line" != $'\r' ]; do :; done
	cat <&"$fd"
	exec {fd}>&-
	[ "$status" = 200 ]
}

bot_api_op() {
	bot_api_http POST /_control "$1"
}

bot_api_push() {
	bot_api_op "$(printf '%s\n' "$@" | jq -cs '{op: "push", updates: .}')"
}

# A chat above 0 is a person, below -100 a supergroup, else a group.
bot_api_say() {
	DOUBLE_MESSAGE=$((DOUBLE_MESSAGE + 1))
	bot_api_push "$(jq -cn --argjson chat "$1" --arg text "$2" \
		--argjson n "$DOUBLE_MESSAGE" '{message: {
			message_id: $n, date: (1700000000 + $n), text: $text,
			chat: (if $chat > 0 then
				{id: $chat, type: "private", first_name: "Ann"}
			else {id: $chat, title: "Group",
				type: (if $chat < -100 then "supergroup"
					else "group" end)} end),
			from: {id: (if $chat > 0 then $chat else 7 end),
				is_bot: false, first_name: "Ann"}}}')"
}

bot_api_sent() {
	bot_api_http GET /_sent | jq -c "${1-.}"
}

bot_api_log() {
	jq -c "${1-.}" "$BOT_API_LOG"
}

bot_api_wait() {
	local end=$((SECONDS + ${2-30}))
	until jq -se "$1" "$BOT_API_LOG" > /dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || {
			echo "not within ${2-30} s: $1"
			tail -n 5 "$BOT_API_LOG"
			return 1
		}
		command sleep 0.05
	done
}
