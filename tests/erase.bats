#!/usr/bin/env bats

# lb-session erase: a person, or a session, goes from everywhere.

load helper

setup() {
	exec < /dev/null
	export LB_MODEL=offline:text=fine
	need python3
	cat > "$LB_CONFIG" <<-'END'
		bots:
		  tg: {adapter: jsonl, self: me}
		  other: {adapter: jsonl}
		pipelines:
		  default:
		    safety: {rate-limit: {windows: [{per: sender, window: 60s, limit: 100}, {per: session, window: 60s, limit: 100}]}}
	END
}

# message ID SENDER [GROUP] [JSON] - what somebody says to the bot tg.
message() {
	jq -nc --arg id "$1" --arg who "$2" --arg group "${3-}" \
		--arg text "words of $2 $1" --argjson with "${4:-{\}}" '
		{kind: "message", id: $id, time: 1767225600123, bot: "tg",
		platform: "jsonl", sender_id: $who, mentioned_me: true,
		launcher_type: (if $group == "" then "person" else "group" end),
		launcher_id: (if $group == "" then $who else $group end),
		chain: [{type: "Plain", text: $text}]} + $with |
		.session = "\(.bot)/\(.launcher_type)_\(.launcher_id)"'
}

# picture NAME - a file of that name in the media folder; prints its path.
picture() {
	mkdir -p "$LB_STATE/media/aa"
	echo "picture of ann" > "$LB_STATE/media/aa/$1"
	echo "$LB_STATE/media/aa/$1"
}

# fill - ann and bob talk to the bot, alone and in a group; some of it is in
# queues, done, dead or waiting.
fill() {
	{
		message a1 ann
		message a2 ann "" "{\"chain\":[{\"type\":\"Image\",\"path\":\"$(picture ann1.png)\"}]}"
		message g1 ann 5
		message g2 bob 5
		message g3 ann 5
		message b1 bob "" "{\"chain\":[{\"type\":\"Image\",\"path\":\"$(picture bob1.png)\"}]}"
		message o1 ann "" '{"bot":"other"}'
	} > "$BATS_TEST_TMPDIR/in"
	lb-queue put in < "$BATS_TEST_TMPDIR/in" > /dev/null
	timeout 20 lb-queue work in --once -- sh -c 'lb-pipeline | lb-agent | lb-wrap | lb-send jsonl' > /dev/null
	{
		message a3 ann "" "{\"chain\":[{\"type\":\"Quote\",\"origin\":[{\"type\":\"File\",\"path\":\"$(picture ann2.png)\"}]}]}"
		message a4 ann
		message w1 bob 5
		message w2 ann 5
		message w3 bob 5
		message w4 ann 5
		message w5 bob 5
	} | lb-queue put in > /dev/null
	message q1 ann | lb-queue put "out.tg" > /dev/null
	python3 - "$LB_STATE/queue.db" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		for id in ("a1", "g1", "g2", "b1", "w2"):
		    c.execute("INSERT INTO ledger VALUES('tg', ?, 1, 2, 1, 5, '[\"9\"]')", (id,))
		c.execute("INSERT INTO ledger VALUES('other', 'a1', 1, 2, 1, 5, '[]')")
		c.commit()
	END
}

# went - "what removed" lines of the output that are not nothing.
went() {
	jq -r 'select(.removed > 0) | "\(.what) \(.removed)"' | sort
}

# traces TEXT - files below the state that hold it.
traces() {
	grep -rlaF -e "$1" "$LB_STATE" | sort || true
}

everything='answers 4
conversations 1
ledger 3
limits 3
media 2
queue in 8
queue out.tg 1
turns 4'

@test "a person goes from history, answers, queues, ledger, limits and media" {
	fill
	[ -n "$(traces 'words of ann')" ]
	run -0 lb-session erase tg:person_ann
	same "$everything" "$(went <<< "$output")"
	# what was said to another bot is another person's, and bob's is his
	same 'other/person_ann
tg/group_5
tg/person_bob' "$(lb-session list --all | jq -r .session | sort)"
	same 'words of bob g2' "$(lb-session export tg/group_5 | jq -r '.messages[0].content[-1].text')"
	[ ! -e "$LB_STATE/media/aa/ann1.png" ]
	[ ! -e "$LB_STATE/media/aa/ann2.png" ]
	[ -e "$LB_STATE/media/aa/bob1.png" ]
	same 'b1 g2 o1 w1 w3 w5' "$({ lb-queue peek in --limit 100; lb-queue peek in --done --limit 100; } |
		jq -r '.record.id // .id' | sort | xargs)"
	# twice is no failure
	run --separate-stderr -0 lb-session erase tg:person_ann
	same '' "$(went <<< "$output")"
	[[ $stderr == *"nothing is kept of 'tg:person_ann'"* ]]
}

@test "not a word is left in any file" {
	fill
	lb-session erase tg:person_ann > /dev/null
	lb-session erase other:person_ann > /dev/null
	same '' "$(traces 'words of ann')"
	same '' "$(traces 'person_ann')"
	[ -n "$(traces 'words of bob')" ]
}

@test "--dry-run says the same and keeps it all" {
	fill
	before=$(lb-session export | md5sum; lb-queue stats in | jq -c '[.depth, .put, .done]')
	run -0 lb-session erase --dry-run tg:person_ann
	same "$everything" "$(went <<< "$output")"
	same true "$(jq -s 'all(.dry)' <<< "$output")"
	same "$before" "$(lb-session export | md5sum; lb-queue stats in | jq -c '[.depth, .put, .done]')"
	[ -e "$LB_STATE/media/aa/ann1.png" ]
	run -0 lb-session erase tg:person_ann
	same "$everything" "$(went <<< "$output")"
}

@test "--session forgets a session and nothing else" {
	fill
	run -0 lb-session erase --session tg/group_5
	same 'answers 3
conversations 1
ledger 3
limits 2
queue in 8
turns 3' "$(went <<< "$output")"
	same 'other/person_ann
tg/person_ann
tg/person_bob' "$(lb-session list --all | jq -r .session | sort)"
}

@test "what is left in the queue still runs, in its order" {
	fill
	lb-session erase tg:person_ann > /dev/null
	run -0 timeout 20 lb-queue work in --once -- sh -c 'lb-pipeline | lb-agent | lb-wrap | lb-send jsonl'
	same 'w1 w3 w5' "$(jq -r 'select(.kind == "receipt" and .final).id' <<< "$output" | xargs)"
	same '0 0' "$(lb-queue stats in | jq -r '"\(.depth) \(.held)"')"
	message a9 ann | lb-queue put in > /dev/null
	same 1 "$(lb-queue stats in | jq .depth)"
	run -0 timeout 20 lb-queue work in --once -- sh -c 'lb-pipeline | lb-agent | lb-wrap | lb-send jsonl'
	[[ $output == *'"id":"a9"'* ]]
}

@test "a record in somebody's hand stays, and that is said" {
	message a1 ann | lb-queue put in > /dev/null
	message a2 ann | lb-queue put in > /dev/null
	lb-queue take in > "$BATS_TEST_TMPDIR/taken"
	run --separate-stderr -75 lb-session erase tg:person_ann
	[[ $stderr == *"in the hand of a program"* ]]
	same 1 "$(lb-queue stats in | jq .held)"
}

@test "no path of a record leads out of the media folder" {
	echo keep > "$BATS_TEST_TMPDIR/file"
	mkdir -p "$LB_STATE/media"
	ln -s "$BATS_TEST_TMPDIR" "$LB_STATE/media/out"
	for path in "$BATS_TEST_TMPDIR/file" "$LB_STATE/media/out/file" \
		"$LB_STATE/media/../../file" "$LB_STATE/media/out" /etc/passwd; do
		message "m$RANDOM" ann "" "{\"chain\":[{\"type\":\"Image\",\"path\":\"$path\"}]}" |
			lb-queue put in > /dev/null
	done
	lb-session erase tg:person_ann > /dev/null
	[ -e "$BATS_TEST_TMPDIR/file" ]
	[ -L "$LB_STATE/media/out" ]
}

@test "where nothing was ever kept, nothing is made" {
	run --separate-stderr -0 lb-session erase tg:person_ann
	same 'media 0' "$(jq -r '"\(.what) \(.removed)"' <<< "$output")"
	[ ! -e "$LB_STATE" ]
	run -0 lb-session erase -:person_ann
	run -0 lb-session erase person_ann
	run -0 lb-session erase --session person_ann
}

@test "what is no person is refused" {
	for wrong in tg ann tg:group_5 tg/person_ann :person_ann tg:person_ ''; do
		run --separate-stderr -64 lb-session erase "$wrong"
		[[ $stderr == *"'$wrong' is not a person: BOT:person_ID; a session is --session="* ]]
	done
	run -64 lb-session erase
	run -64 lb-session erase tg:person_ann --session tg/group_5
}
