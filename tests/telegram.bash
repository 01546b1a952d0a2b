# tests/telegram.bash - replies for lb-send telegram, for .bats files that load
# doubles, and what the double of the Bot API saw of them.

# bot_and_chats - the double, and a bot `b` that may write to 7, 8, 9 and -100.
bot_and_chats() {
	local chat
	bot_api
	configure
	for chat in 7 8 9; do
		bot_api_op "{\"op\":\"chat\",\"chat\":{\"id\":$chat,\"type\":\"private\"}}"
	done
	bot_api_op '{"op":"chat","chat":{"id":-100,"type":"supergroup","is_forum":true}}'
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

# reply ID CHAT TEXT [JSON]
reply() {
	jq -nc --arg id "$1" --arg chat "$2" --arg text "$3" \
		--argjson with "${4:-{\}}" '{kind: "reply", id: $id, bot: "b",
		platform: "telegram", launcher_id: $chat,
		session: ("b/" + (if $chat[:1] == "-" then "group_"
			else "person_" end) + $chat),
		chain: [{type: "Plain", text: $text}], text: $text,
		part: 1, final: true} + $with'
}

# chunk ID CHAT TEXT SEQ [JSON]
chunk() {
	jq -nc --arg id "$1" --arg chat "$2" --arg text "$3" \
		--argjson seq "$4" --argjson with "${5:-{\}}" '{kind: "chunk",
		id: $id, bot: "b", launcher_id: $chat,
		session: ("b/person_" + $chat), seq: $seq, text: $text} + $with'
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
