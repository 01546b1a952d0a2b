#!/usr/bin/env bats
# Who shares a conversation in a group: a topic, the group, or each member alone.

load helper

setup() {
	exec < /dev/null
	export LB_MODEL=offline
	cd "$BATS_TEST_TMPDIR"
}

# shared BY - what the pipeline says.
shared() {
	cat > "$LB_CONFIG" <<-END
		bots:
		  tg: {adapter: jsonl, self: me}
		pipelines:
		  default: {ai: {runner: {conversation: $1}}}
	END
}

# say ID SENDER GROUP TEXT - in a group, to the bot.
say() {
	jq -nc --arg id "$1" --arg who "$2" --arg group "$3" --arg text "$4" '
		{kind: "message", id: $id, bot: "tg", platform: "jsonl",
		sender_id: $who, mentioned_me: true, launcher_type: "group",
		launcher_id: $group, chain: [{type: "Plain", text: $text}]}' |
		lb-pipeline | lb-agent | jq -r 'select(.kind == "reply") | .text'
}

# nth - which message of its conversation an answer of the offline model is to.
nth() {
	say "$@" | sed -n 's/.*(message \([0-9]*\)).*/\1/p'
}

names() {
	lb-session list --json | jq -r .session | sort
}

@test "by default a topic is a conversation of its own, and all in it share it" {
	same 1 "$(nth a ann '5#1' hi)"
	same 2 "$(nth b bob '5#1' hi)"
	same 1 "$(nth c ann '5#2' hi)"
	same $'tg/group_5#1\ntg/group_5#2' "$(names)"
}

@test "group: all topics share one" {
	shared group
	same 1 "$(nth a ann '5#1' hi)"
	same 2 "$(nth b bob '5#2' hi)"
	same 3 "$(nth c ann 5 hi)"
	same 1 "$(nth d ann 6 hi)"
	same 1 "$(nth e ann '#irc' hi)"
	same $'tg/group_#irc\ntg/group_5\ntg/group_6' "$(names)"
}

@test "member: each has one, in all topics, and commands touch that alone" {
	shared member
	same 1 "$(nth a ann '5#1' hi)"
	same 1 "$(nth b bob '5#1' hi)"
	same 2 "$(nth c ann '5#2' hi)"
	same 1 "$(nth d ann 6 hi)"
	say e ann 5 '!reset' > reset
	[ -s reset ]
	same 1 "$(nth f ann 5 hi)"
	same 2 "$(nth g bob 5 hi)"
	say h bob 5 '!undo' > undone
	same 2 "$(nth i bob 5 hi)"
	same $'tg/member_5/ann\ntg/member_5/bob\ntg/member_6/ann' \
		"$(names | uniq)"
	run -0 lb-session show tg/member_5/bob
	[[ $output == *hi* ]]
	# what is said in private is as it was
	run -0 lb-pipeline <<< '{"kind":"message","id":"p","bot":"tg","sender_id":"ann","launcher_type":"person","launcher_id":"ann","chain":[{"type":"Plain","text":"x"}]}'
	same null "$(jq -c .conversation <<< "$output")"
}

@test "member: no name is that of another" {
	shared member
	same 1 "$(nth a 'x/y' 5 hi)"
	same 1 "$(nth b y '5/x' hi)"
	same 1 "$(nth c 'x%2Fy' 5 hi)"
	same 2 "$(nth d 'x/y' 5 hi)"
	same $'tg/member_5/x%252Fy\ntg/member_5/x%2Fy\ntg/member_5/x/y' "$(names)"
}

@test "the pipelines of two groups differ in it, and the rest stays theirs" {
	cat > "$LB_CONFIG" <<-'END'
		bots:
		  tg:
		    adapter: jsonl
		    self: me
		    pipeline-routing-rules:
		      - {type: launcher_id, value: "5", pipeline: alone}
		pipelines:
		  default: {}
		  alone: {ai: {runner: {conversation: member}}}
	END
	same 1 "$(nth a ann 5 hi)"
	same 1 "$(nth b bob 5 hi)"
	same 1 "$(nth c ann 6 hi)"
	same 2 "$(nth d bob 6 hi)"
}

@test "a message cannot choose its conversation" {
	shared member
	nth a ann 5 secret
	run -0 lb-pipeline <<< '{"kind":"message","id":"p","bot":"tg","sender_id":"eve","mentioned_me":true,"conversation":"tg/member_5/ann","launcher_type":"group","launcher_id":"6","chain":[{"type":"Plain","text":"x"}]}'
	same '"tg/member_6/eve"' "$(jq -c .conversation <<< "$output")"
	run -0 lb-pipeline <<< '{"kind":"message","id":"q","bot":"tg","sender_id":"eve","conversation":"tg/member_5/ann","launcher_type":"person","launcher_id":"eve","chain":[{"type":"Plain","text":"x"}]}'
	same null "$(jq -c .conversation <<< "$output")"
}

@test "erase: a member goes, or with the group all of its members" {
	shared member
	for who in ann bob; do
		nth "$who-5" $who 5 "hi from $who"
		nth "$who-6" $who 6 "hi from $who"
	done
	lb-session erase tg:person_ann > /dev/null
	same $'tg/member_5/bob\ntg/member_6/bob' "$(names)"
	lb-session erase --session tg/group_5 > /dev/null
	same tg/member_6/bob "$(names)"
	run ! grep -a 'hi from ann' "$LB_STATE/lb.db"
}
