#!/usr/bin/env bats
# Which messages become one, and when, is a table: tests/unit/test-aggregate.c.

load helper
load filter

setup() {
	cd "$BATS_TEST_TMPDIR"
	# shellcheck disable=SC2016
	echo 'pipelines: {default: {trigger: {message-aggregation:
		{enabled: yes, delay: 1}}}}' > "$LB_CONFIG"
}

# message ID TEXT [JSON] - of sender 7 in group g of bot tg.
message() {
	jq -nc --arg id "$1" --arg t "$2" --argjson with "${3:-{\}}" '{
		kind: "message", id: $id, time: 5, bot: "tg",
		platform: "telegram", launcher_type: "group", launcher_id: "g",
		sender_id: "7", session: "tg/group_g",
		chain: [{type: "Plain", text: $t}]} + $with'
}

is() {
	jq -se "$1" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

@test "messages of one sender are one message; the others end in a drop into it" {
	run --separate-stderr -0 lb-aggregate < <(message a one; message b two
		message c three '{"sender_id": "8"}')
	is 'map([.kind, .id]) == [["drop", "b"], ["message", "a"], ["message", "c"]]'
	is '.[1].chain == [{type: "Plain", text: "one"}, {type: "Plain", text: "\n"},
		{type: "Plain", text: "two"}] and .[1].time == 5'
	is '.[0] | .into == "a" and .stage == "lb-aggregate" and .reason and
		.chain == [{type: "Plain", text: "two"}]'
	[ -z "$stderr" ]
}

@test "pictures are kept, with the bytes that they had" {
	image='{"type":"Image", "size":1e2,"url":"\u00e9"}'
	line=$(message b x)
	run -0 lb-aggregate < <(message a look; echo "${line%%\[*}[ $image ]}")
	[[ ${lines[1]} == *',{"type":"Plain","text":"\n"},'"$image"' ],"pipeline":"default"}' ]]
}

@test "one of them for the bot makes them all so, and what named the pipeline stays" {
	run -0 lb-aggregate < <(message a one '{"mentioned_me": false, "mentions": ["5"]}'
		message b two '{"mentioned_me": true, "mentions": ["6"], "pipeline": "default", "routed_by_rule": true}')
	is '.[1] | .mentioned_me and .mentions == ["5", "6"] and .routed_by_rule and .id == "a"'
	run -0 lb-aggregate < <(message a one '{"mentioned_me": false}'; message b two)
	is '.[1].mentioned_me == false and (.[1] | has("routed_by_rule") | not)'
}

@test "what a rule of the bot routed stays so, and what it discards passes" {
	cat > "$LB_CONFIG" <<-'END'
		bots:
		  tg:
		    pipeline-routing-rules:
		      - {type: message_content, operator: starts_with, value: ask, pipeline: two}
		      - {type: message_content, value: spam, pipeline: __discard__}
		pipelines:
		  default: {trigger: {message-aggregation: {enabled: yes}}}
		  two: {trigger: {message-aggregation: {enabled: yes}}}
	END
	run -0 lb-aggregate < <(message a 'ask me'; message c 'ask him'
		message b 'and me'; message d spam)
	is 'map([.kind, .id, .pipeline, .routed_by_rule, .into]) == [
		["drop", "c", null, null, "a"], ["message", "a", "two", true, null],
		["message", "b", null, null, null], ["message", "d", null, null, null]]'
	run -0 lb-pipeline < <(jq -c 'select(.id == "a") | .mentioned_me = false' <<< "$output")
	is '.[0].kind == "query" and .[0].pipeline == "two"'
	echo 'bots: {tg: {pipeline-routing-rules: [{type: x}]}}' >> "$LB_CONFIG"
	sed -i 1,5d "$LB_CONFIG"
	run -78 lb-aggregate < /dev/null
}

@test "a message that stays alone passes byte for byte" {
	odd=$(message a one | sed 's/"time":5/"time" : 5, "n":[0.10,1e2]/')
	run -0 lb-aggregate <<< "$odd"
	same "$odd" "$output"
}

@test "a person's messages are one after the delay, while the input stays open" {
	coproc lb-aggregate
	message a one >&"${COPROC[1]}"
	message b two >&"${COPROC[1]}"
	read -r -t 10 output <&"${COPROC[0]}"
	is '.[0].into == "a"'
	read -r -t 10 output <&"${COPROC[0]}"
	is '.[0].chain | length == 3'
	kill "$COPROC_PID"
	wait "$COPROC_PID" 2> /dev/null || true
}

@test "a signal brings out what waits: nothing is lost" {
	mkfifo "$BATS_TEST_TMPDIR/in"
	echo 'pipelines: {default: {trigger: {message-aggregation:
		{enabled: yes, delay: 10}}}}' > "$LB_CONFIG"
	for signal in TERM INT; do
		lb-aggregate < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
		pid=$!
		exec 9> "$BATS_TEST_TMPDIR/in"
		message a one >&9
		# What another session says goes out once the first was read.
		echo '{"kind":"status"}' >&9
		for _ in $(seq 500); do
			[ ! -s "$BATS_TEST_TMPDIR/out" ] || break
			sleep 0.02
		done
		kill -$signal $pid
		wait $pid && false
		exec 9>&-
		same '["status","message"]' "$(jq -sc 'map(.kind)' < "$BATS_TEST_TMPDIR/out")"
		rm "$BATS_TEST_TMPDIR/out"
	done
}

@test "what lb-pipeline will refuse passes, and so do pipelines without the key" {
	cat > "$LB_CONFIG" <<-'END'
		bots: {tg: {pipeline: slow}, other: {pipeline: quick}}
		pipelines:
		  quick: {}
		  slow: {trigger: {message-aggregation: {enabled: yes}}}
	END
	message a one '{"bot": "other"}' > in
	message b two '{"bot": "other"}' >> in
	message c three '{"chain": []}' >> in
	message d four '{"chain": [{}]}' >> in
	message e five | jq -c 'del(.launcher_id)' >> in
	message f six | jq -c 'del(.id)' >> in
	message g seven | jq -c 'del(.sender_id)' >> in
	message h seven | jq -c 'del(.sender_id)' >> in
	message i eight '{"pipeline": "nowhere"}' >> in
	run -0 lb-aggregate < in
	same "$(cat in)" "$output"
}

@test "what the pipeline must not read or leaves alone is no part of a burst" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines:
		  default:
		    trigger:
		      message-aggregation: {enabled: yes, by: session}
		      access-control: {blacklist: ['*_99']}
		      ignore-rules: {prefix: ['//'], regexp: ['^spam']}
		    safety: {content-filter: {words: [secret]}}
	END
	message a one > in
	message b two '{"sender_id": "99"}' >> in
	message c '// three' >> in
	message d 'spam four' >> in
	message e 'five secret' >> in
	run -0 lb-aggregate < in
	same "$(cat in)" "$output"
}

@test "within a session nothing overtakes: neither what is malformed nor a later part" {
	cat > "$LB_CONFIG" <<-'END'
		bots: {tg: {pipeline: slow}}
		pipelines:
		  slow: {trigger: {message-aggregation: {enabled: yes}}}
		  other: {trigger: {message-aggregation: {enabled: yes}}}
	END
	message a one > in
	message b two | jq -c 'del(.bot)' >> in
	run -0 lb-aggregate < in
	same "$(cat in)" "$output"
	# c may not join a: b, of the same person, is between them
	message a one > in
	message b two '{"pipeline": "other"}' >> in
	message c three >> in
	run -0 lb-aggregate < in
	is 'map([.kind, .id]) == [["message", "a"], ["message", "b"], ["message", "c"]]'
}

@test "the answer to a burst is one, and each message has its end" {
	export LB_MODEL=offline
	cat > "$LB_CONFIG" <<-'END'
		pipelines:
		  default:
		    trigger: {message-aggregation: {enabled: yes}}
	END
	run --separate-stderr -0 lb-run flow < <(
		message a one '{"bot": "-", "launcher_type": "person"}'
		message b two '{"bot": "-", "launcher_type": "person"}')
	is 'map(select(.kind == "receipt" or .kind == "drop") | [.kind, .id, .into]) | sort ==
		[["drop", "b", "a"], ["receipt", "a", null]]'
	run -0 lb-run flow --print
	[[ $output == 'lb-aggregate | lb-pipeline | '* ]]
	lb-run flow --tee=between < /dev/null
	[ -e between/1-lb-ingest.jsonl ]
	[ -e between/2-lb-aggregate.jsonl ]
	[ -e between/6-lb-send.jsonl ]
}

@test "in a queue a burst is done when its one answer is" {
	export LB_MODEL=offline
	cat > "$LB_CONFIG" <<-'END'
		pipelines:
		  default:
		    trigger: {message-aggregation: {enabled: yes}}
	END
	{
		message 01890a5d-ac96-774b-bcce-b302099a8057 one '{"bot": "-", "session": "-/group_g"}'
		message 01890a5d-ac96-774b-bcce-b302099a8058 two '{"bot": "-", "session": "-/group_g"}'
	} | lb-queue put in > /dev/null
	run --separate-stderr -0 timeout 60 lb-queue work in --once -- lb-run flow
	run -0 lb-queue peek in --done --json
	same 2 "$(wc -l <<< "$output")"
}

@test "with aggregation off everything passes, and nothing is parsed" {
	: > "$LB_CONFIG"
	odd='{"kind":"message", nonsense'
	run -0 lb-aggregate <<< "$odd"
	same "$odd" "$output"
	copies_foreign lb-aggregate
}

@test "a delay of no sense is refused, with its place" {
	for delay in 0.5 11 soon; do
		echo "pipelines: {default: {trigger: {message-aggregation: {delay: $delay}}}}" > "$LB_CONFIG"
		run --separate-stderr -78 lb-aggregate < /dev/null
		[[ $stderr == *"config.yaml:1: "*"delay"* ]]
	done
}

@test "lines of other kinds pass byte for byte" {
	copies_foreign lb-aggregate
}

@test "a malformed line is an error record, and the others go on: exit 65" {
	refuses message lb-aggregate
}

@test "--strict stops at the first malformed line" {
	strict_stops message lb-aggregate
}

@test "no line is longer than the limit" {
	line_limit message lb-aggregate
}

@test "a lone message comes out without more input, after the delay" {
	at_once "$(message a one)" lb-aggregate
}

@test "a non-blocking input is waited for" {
	nonblocking "$(message a one)" lb-aggregate
}

@test "a reader that goes away ends it by SIGPIPE" {
	reader_leaves '{"kind":"status"}' lb-aggregate
	reader_leaves "$(message a one)" lb-aggregate
}

@test "a full disk is exit 74" {
	full_disk "$(message a one)" lb-aggregate
	no_output "$(message a one)" lb-aggregate
}

@test "usage mistakes are exit 64" {
	usage_mistakes lb-aggregate --nonsense operand --max-line=x
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-aggregate
}
