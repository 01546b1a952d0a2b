# tests/telegram.bash - replies for lb-send telegram, for .bats files that load
# doubles, and what the double of the Bot API saw of them.

# bot_and_chats - the double (anew, where setup_file has started one), and a bot
# `b` that may write to 7, 8, 9 and -100.
bot_and_chats() {
	local n orders='{"op":"begin"}'
	[ -n "${BOT_API-}" ] || bot_api
	configure
	for n in 7 8 9; do
		orders+=",{\"op\":\"chat\",\"chat\":{\"id\":$n,\"type\":\"private\"}}"
	done
	bot_api_op "[$orders,{\"op\":\"chat\",\"chat\":{\"id\":-100,\"type\":\"supergroup\",\"is_forum\":true}}]"
}

# configure [MEMBERS] - a bot `b`, with no pace that a test would wait for.
configure() {
	cat > "$LB_CONFIG" <<-END
		bots:
		  b:
		    adapter: telegram
		    token: "$BOT_API_TOKEN"
		    base-url: "${2-$BOT_API}"
		    limits: {${1-chat-interval: 1ms, group-interval: 1ms, all-interval: 1ms}}
	END
}

# in_json TEXT - into IN_JSON, without starting a program: a test may make
# hundreds of records.
in_json() {
	IN_JSON=${1//\\/\\\\}
	IN_JSON=${IN_JSON//\"/\\\"}
	IN_JSON=${IN_JSON//$'\n'/\\n}
	IN_JSON=${IN_JSON//$'\t'/\\t}
}

# with JSON - the record of the input, with the members of an object.
with() {
	if [ "$1" = '{}' ]; then cat; else jq -c --argjson with "$1" '. + $with'; fi
}

# reply ID CHAT TEXT [JSON]
reply() {
	local IN_JSON place=person
	[[ $2 != -* ]] || place=group
	in_json "$3"
	printf '{"kind":"reply","id":"%s","bot":"b","platform":"telegram","launcher_id":"%s","session":"b/%s_%s","chain":[{"type":"Plain","text":"%s"}],"text":"%s","part":1,"final":true}\n' \
		"$1" "$2" "$place" "$2" "$IN_JSON" "$IN_JSON" |
		with "${4:-{\}}"
}

# chunk ID CHAT TEXT SEQ [JSON]
chunk() {
	local IN_JSON
	in_json "$3"
	printf '{"kind":"chunk","id":"%s","bot":"b","launcher_id":"%s","session":"b/person_%s","seq":%d,"text":"%s"}\n' \
		"$1" "$2" "$2" "$4" "$IN_JSON" |
		with "${5:-{\}}"
}

is() {
	# What is said to people stands between the records.
	grep -v '^lb-send: ' <<< "$output" | jq -se "$1" > /dev/null || {
		echo "not $1:"
		echo "$output"
		echo "${stderr-}"
		return 1
	}
}

# texts - what the chats read, a line each.
texts() {
	bot_api_sent '"\(.chat_id) \(.text)"' | jq -r .
}

calls() {
	bot_api_log "select(.method == \"$1\") | .n" | wc -l
}

# shown CHAT N - wait until so many messages were sent there.
shown() {
	bot_api_wait "map(select(.method == \"sendMessage\" and
		.params.chat_id == $1)) | length == $2"
}

# double_for_all - in setup_file: one double for all tests of the file, which each
# begins anew; no_double_for_all belongs into teardown_file.
double_for_all() {
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR bot_api
	export BOT_API BOT_API_PORT BOT_API_LOG BOT_API_TOKEN
	echo "$BOT_API_PID" > "$BATS_FILE_TMPDIR/pid"
}

no_double_for_all() {
	kill "$(cat "$BATS_FILE_TMPDIR/pid")"
}

# aside NAME COMMANDS - in setup_file, before double_for_all: they go on beside the
# tests, in a folder of that name, which gets the files out, err and status.
aside() {
	mkdir "$BATS_FILE_TMPDIR/$1"
	(
		export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/$1
		export LB_STATE=$BATS_TEST_TMPDIR/state
		export LB_CONFIG=$BATS_TEST_TMPDIR/config BOT_API_TOKEN=4242:TEST-token
		cd "$BATS_TEST_TMPDIR" || exit
		set +e
		eval "$2" > out 2> err
		echo "$?" > status.new
		stop_doubles
		mv status.new status
	) 3>&- &
}

# ended NAME STATUS - wait for what goes on aside.
ended() {
	local i
	for ((i = 0; i < 600; i++)); do
		[ ! -e "$BATS_FILE_TMPDIR/$1/status" ] || break
		sleep 0.05
	done
	same "$2" "$(cat "$BATS_FILE_TMPDIR/$1/status")"
}
