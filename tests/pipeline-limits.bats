#!/usr/bin/env bats
# How much may be asked: windows, waiting, notices; --test, whose clock is the
# table's own; --explain.

load helper
load pipeline

setup() {
	cd "$BATS_TEST_TMPDIR"
}

limits() { # MEMBERS of safety.rate-limit
	config <<-END
		pipelines: {default: {safety: {rate-limit: {$1}}}}
	END
}

# cases - the table on standard input comes out as expected.
cases() {
	run -0 lb-pipeline --test - || { echo "$output"; return 1; }
}

# send N [JQ] - N messages, their kinds counted.
send() {
	for ((i = 0; i < $1; i++)); do
		message "{id: \"m$i\"} + ${2:-{\}}"
	done > sent
	run -0 lb-pipeline < sent
	kinds=$(jq -r .kind <<< "$output" | sort | uniq -c | xargs)
}

@test "sixty a minute and chat, one notice, the rest silent" {
	send 65 '{time: 1}'
	# the clock is the machine's: a minute may end meanwhile
	[ "$kinds" = "4 drop 60 query 1 reply" ] || {
		send 65
		same "4 drop 60 query 1 reply" "$kinds"
	}
	jq -se 'map(select(.kind == "reply"))[0] | .final and
		(.text | startswith("Too many messages"))' <<< "$output"
	jq -se 'map(select(.kind == "drop"))[0] | .stage == "limit" and
		.reason == "rate limit: 60 messages a 60 s and session"' <<< "$output"
}

@test "one member cannot use up a group's share; each is told once" {
	limits 'limitation: 100, windows: [{per: sender-in-group, window: 60s, limit: 5}]'
	{
		for i in $(seq 15); do
			echo "- {bot: b, group: 1, mentioned: true, sender: A, kind: $(
				[ "$i" -le 5 ] && echo query || { [ "$i" -eq 6 ] &&
				echo reply || echo drop; })}"
		done
		echo '- {bot: b, group: 1, mentioned: true, sender: B, kind: query}'
		# elsewhere they are as free as before
		echo '- {bot: b, group: 2, mentioned: true, sender: A, kind: query}'
		echo '- {bot: b, person: A, kind: query}'
	} | cases
}

@test "per sender counts over all chats, per session over all senders" {
	limits 'windows: [{per: sender, window: 1h, limit: 2}]'
	cases <<-'END'
		- {bot: b, group: 1, mentioned: true, sender: A, kind: query}
		- {bot: b, person: A, kind: query}
		- {bot: b, group: 2, mentioned: true, sender: A, kind: reply, reason: "2 messages a 3600 s and sender"}
		- {bot: c, group: 2, mentioned: true, sender: A, kind: query}
		- {bot: b, group: 2, mentioned: true, sender: B, kind: query}
	END
	limits 'limitation: 2'
	cases <<-'END'
		- {bot: b, group: 1, mentioned: true, sender: A, kind: query}
		- {bot: b, group: 1, mentioned: true, sender: B, kind: query}
		- {bot: b, group: 1, mentioned: true, sender: C, kind: reply}
		- {bot: b, group: 2, mentioned: true, sender: C, kind: query}
	END
	limits 'windows: [{per: pipeline, window: 10s, limit: 2}]'
	cases <<-'END'
		- {bot: b, person: A, kind: query}
		- {bot: b, person: B, kind: query}
		- {bot: b, person: C, kind: reply}
	END
}

@test "who is refused reads it in the language of the system" {
	for language in en_US zh_Hans xx_XX; do
		rm -rf "$LB_STATE"
		config <<-END
			system: {language: $language}
			pipelines: {default: {safety: {rate-limit: {limitation: 1, window-length: 31536000},
			    content-filter: {words: [bad]}}}}
		END
		run --separate-stderr -0 lb-pipeline < <(
			message '{chain: [{type: "Plain", text: "bad"}]}'; message)
		jq -r .text <<< "$output" > "$language"
		same 2 "$(wc -l < "$language")"
	done
	run ! grep -P '[^\x00-\x7f]' en_US
	same 2 "$(grep -cP '^[^a-z]*$' zh_Hans)"
	diff en_US xx_XX
}

@test "a window ends: fixed ones on the clock, sliding ones with what is in them" {
	limits 'limitation: 2, window-length: 60'
	cases <<-'END'
		- {at: 55s, kind: query}
		- {kind: query}
		- {kind: reply}
		- {at: 60s, kind: query}
		- {kind: query}
		- {kind: reply, stage: limit}
		- {at: 119s, kind: drop}
		- {at: 120s, kind: query}
	END
	limits 'limitation: 2, window-length: 60, algorithm: sliding'
	cases <<-'END'
		- {at: 55s, kind: query}
		- {kind: query}
		- {at: 60s, kind: reply}
		- {at: 100s, kind: drop}
		- {at: 120s, kind: query}
	END
}

@test "window-length says how long a window is" {
	limits 'limitation: 1, window-length: 7'
	cases <<-'END'
		- {at: 70s, kind: query}
		- {at: 76s, kind: reply, reason: 1 messages a 7 s}
		- {at: 77s, kind: query}
	END
	limits 'limitation: 1, window-length: 200, algorithm: sliding'
	cases <<-'END'
		- {at: 100s, kind: query}
		- {at: 250s, kind: reply}
		- {at: 320s, kind: query}
	END
}

@test "several windows at once: the narrowest decides" {
	limits 'windows: [{window: 10s, limit: 2}, {window: 1m, limit: 3, algorithm: sliding}]'
	cases <<-'END'
		- {kind: query}
		- {kind: query}
		- {kind: reply, reason: 2 messages a 10 s}
		- {at: 10s, kind: query}
		- {kind: reply, reason: 3 messages a 60 s}
		- {at: 90s, kind: query}
	END
}

@test "strategy wait: it is answered later, in order, at most 5 minutes ahead" {
	limits 'limitation: 1, window-length: 60, strategy: wait'
	cases <<-'END'
		- {at: 30s, kind: query, waits: 0s}
		- {kind: query, waits: 30s, reason: it waits 30000 ms}
		- {at: 31s, kind: query, waits: 89s}
		- {kind: query, waits: 149s}
		- {kind: query, waits: 209s}
		- {kind: query, waits: 269s}
		- {kind: reply, reason: rate limit}
		- {kind: drop}
		- {at: 91s, kind: query, waits: 269s}
	END
	# and it never sleeps: not_before says when
	send 3
	jq -se 'map(.not_before // 0 | . > 0) == [false, true, true]' <<< "$output" ||
		{ send 3; jq -se 'all(.not_before > 0)' <<< "$output"; }
}

@test "a limit of 0 refuses all, whatever the strategy" {
	for strategy in drop wait; do
		limits "limitation: 0, strategy: $strategy"
		cases <<< '- {kind: reply, stage: limit}'
	done
}

@test "admins are not limited, unless the pipeline says so" {
	config <<-'END'
		admins: ["b:person_7"]
		bots: {b: {trust-sender: true}, c: {}}
		pipelines: {default: {safety: {rate-limit: {limitation: 1}}}}
	END
	cases <<-'END'
		- {bot: b, person: 7, kind: query, reason: an admin is not limited}
		- {bot: b, person: 7, kind: query}
		- {bot: b, group: 1, mentioned: true, sender: 7, kind: query}
		- {bot: b, group: 1, mentioned: true, sender: 8, kind: query}
		- {bot: b, group: 1, mentioned: true, sender: 8, kind: reply}
		- {bot: c, person: 7, kind: query}
		- {bot: c, person: 7, kind: reply}
	END
	sed -i 's/limitation: 1/&, exempt-admins: false/' "$LB_CONFIG"
	cases <<-'END'
		- {bot: b, person: 7, kind: query}
		- {bot: b, person: 7, kind: reply}
	END
}

@test "limits come before commands: a hook is not run for what is too much" {
	printf '#!/bin/sh\necho x >> "%s/ran"\n' "$PWD" > hook
	chmod +x hook
	config <<-END
		command: {hooks: {mine: "cmd:$PWD/hook"}}
		pipelines: {default: {safety: {rate-limit: {limitation: 2, window-length: 31536000}}}}
	END
	send 5 '{bot: "b", chain: [{type: "Plain", text: "!mine"}]}'
	same '2 drop 3 reply' "$kinds"
	same 2 "$(wc -l < ran)"
}

@test "limits come before the filter: a flood of unwanted words is told once" {
	config <<-'END'
		pipelines: {default: {safety: {content-filter: {words: [bad]},
		    rate-limit: {limitation: 2}}}}
	END
	cases <<-'END'
		- {text: bad, kind: reply, stage: filter}
		- {text: bad, kind: reply, stage: filter}
		- {text: bad, kind: reply, stage: limit}
		- {text: bad, kind: drop, stage: limit}
	END
}

@test "what is not for the bot counts in no window" {
	limits 'limitation: 1'
	cases <<-'END'
		- {bot: b, group: 1, text: chatter, kind: drop, stage: respond}
		- {bot: b, group: 1, mentioned: true, kind: query}
	END
}

@test "runs one after the other, as from cron, count together" {
	limits 'limitation: 3, window-length: 31536000'
	for i in 1 2 3; do
		run -0 lb-pipeline < <(message '{}')
		is '.kind == "query"'
	done
	run -0 lb-pipeline < <(message '{}')
	is '.kind == "reply"'
	same 600 "$(stat -c %a "$LB_STATE/limits.db")"
	# deleted at any time, also while one runs
	rm "$LB_STATE"/limits.db*
	run -0 lb-pipeline < <(message '{}')
	is '.kind == "query"'
}

@test "processes side by side let no more pass than one would" {
	limits 'limitation: 50, window-length: 31536000, algorithm: fixed'
	for ((i = 0; i < 40; i++)); do message "{id: \"m$i\"}"; done > forty
	for p in 1 2 3 4; do
		lb-pipeline < forty > "out$p" 3>&- &
	done
	wait
	same 50 "$(cat out? | jq -r 'select(.kind == "query").id' | wc -l)"
	same 1 "$(cat out? | jq -r 'select(.kind == "reply").id' | wc -l)"
	same 160 "$(cat out? | wc -l)"
}

@test "a counter that cannot be kept is said once, and counted in memory" {
	mkdir -p "$LB_STATE"
	echo rubbish > "$LB_STATE/limits.db"
	limits 'limitation: 2, window-length: 31536000'
	for ((i = 0; i < 5; i++)); do message "{id: \"m$i\"}"; done > five
	run --separate-stderr -0 lb-pipeline < five
	same '["query","query","reply","drop","drop"]' "$(jq -sc 'map(.kind)' <<< "$output")"
	same 1 "$(grep -c 'rate limits are kept in memory alone' <<< "$stderr")"
}

@test "what no counting can have written down counts as nothing" {
	limits 'limitation: 2, window-length: 31536000'
	for ((i = 0; i < 5; i++)); do message "{id: \"m$i\"}"; done > five
	for row in at=9223372036854775807 at=-1 slot=9223372036854775807 slot=-1 \
		slot=-9223372036854775808 at=4611686018427387000,slot=146235604338; do
		rm -rf "$LB_STATE"
		lb-pipeline < five > /dev/null
		python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE counters SET " + sys.argv[2])
db.commit()' "$LB_STATE/limits.db" "$row"
		run --separate-stderr -0 timeout 20 lb-pipeline < five
		same '["query","query","reply","drop","drop"]' \
			"$(jq -sc 'map(.kind)' <<< "$output")"
		[ -z "$stderr" ]
	done
}

@test "tokens and cost: what turns used counts, by the hour" {
	cat > "$LB_CONFIG" <<-'END'
		llm: {model: offline, prices: [{model: "off*", input: 1000000, output: 2000000}]}
		pipelines:
		  default: {safety: {rate-limit: {windows: [{per: sender, window: 1d, limit: 1, count: tokens}]}}}
		  dear: {safety: {rate-limit: {windows: [{per: session, window: 1d, limit: 0.5, count: cost, algorithm: sliding}]}}}
	END
	for pipeline in default dear; do
		message '{"pipeline":"'$pipeline'","launcher_id":"'$pipeline'"}' > one
		lb-pipeline < one | lb-agent > answer
		jq -e '.kind == "reply" and .usage.output > 0' < <(grep '"reply"' answer)
		run -0 lb-pipeline < one
		is '.kind == "reply" and .stage == null and
			(.text | startswith("The limit of what may be used"))'
		run -0 lb-pipeline < one
		is '.kind == "drop" and .stage == "limit"'
	done
	is '.reason | startswith("rate limit: 0.5 cost a 86400 s and session")'
	# others may go on
	run -0 lb-pipeline < <(message '{"sender_id":"8","launcher_id":"8"}')
	is '.kind == "query"'
}

@test "where no limit counts tokens nothing is written of them" {
	message '{}' | lb-pipeline > query
	rm -f "$LB_STATE"/limits.db*
	LB_MODEL=offline lb-agent < query > /dev/null
	[ ! -e "$LB_STATE/limits.db" ]
}

# refused CONFIG WHY
refused() {
	limits "$1"
	run --separate-stderr -78 lb-pipeline < /dev/null
	[[ $stderr == *"config.yaml:1: pipelines.default.safety.rate-limit."*"$2"* ]] ||
		{ echo "$1: $stderr"; return 1; }
}

@test "a limit that cannot work is a config error with its line" {
	refused 'strategy: hold' "'hold' is not drop or wait"
	refused 'algorithm: leaky' "'leaky' is not fixed or sliding"
	refused 'window-length: 0' 'is not a whole number from 1'
	refused 'windows: [{limit: 5}]' 'windows: window 1: window is missing'
	refused 'windows: [{window: 5s}]' 'limit is missing'
	refused 'windows: [{window: 5s, limit: 1}, {window: soon, limit: 5}]' \
		"window 2: window: 'soon' is not a duration"
	refused 'windows: [{window: 5s, limit: many}]' "limit 'many' is not a number"
	refused 'windows: [{window: 5s, limit: 1, per: galaxy}]' \
		"per 'galaxy' is not session, sender, sender-in-group or pipeline"
	refused 'windows: [{window: 5s, limit: 1, strategy: hold}]' "strategy 'hold' is not drop or wait"
	refused 'windows: [{window: 5s, limit: 1, count: bytes}]' \
		"count 'bytes' is not messages, tokens or cost"
	refused 'windows: [{window: 90s, limit: 1, count: tokens}]' 'whole hours'
	refused 'windows: [{window: 1h, limit: 1, count: cost, strategy: wait}]' 'does not fit cost'
	refused 'windows: [{window: 5s, limit: 1, scope: all}]' "unknown key 'scope'"
	echo 'llm: {prices: [{model: x, input: cheap}]}' | config
	run --separate-stderr -78 lb-pipeline < /dev/null
	[[ $stderr == *":1: llm.prices: price 1: input 'cheap' is not a price"* ]]
}

@test "--test prints TAP, says what differs, and exits 1 for it" {
	config <<-'END'
		bots: {support: {self: "9"}}
		pipelines: {default: {trigger: {group-respond-rules: {prefix: [ai]}}}}
	END
	run -1 lb-pipeline --test - <<-'END'
		- {name: a prefix, group: 45, text: ai what, kind: query, asked: " what"}
		- {name: chatter, group: 45, text: aircraft, kind: query}
		- {name: 2024, bot: support, group: 4, chain: [{type: At, target: "9"}, {type: Plain, text: x}], kind: query, pipeline: other, reason: mentioned}
	END
	same "ok 1 - a prefix: query by prepare: route: pipeline 'default': bot '-' uses it; respond: prefix 'ai'
not ok 2 - chatter: drop by respond: route: pipeline 'default': bot '-' uses it; said in a group, and not to the bot
# kind: expected 'query', got 'drop'
not ok 3 - 2024: query by prepare: route: pipeline 'default': bot 'support' uses it; respond: the bot is mentioned
# pipeline: expected 'other', got 'default'
1..3" "$output"
	# it leaves nothing behind
	[ ! -e "$LB_STATE" ]
	# what stands in a table cannot look like a line of ours
	run -1 lb-pipeline --test - < <(jq -nc '{name: "a\nok 2 - b\u001b[31m", bot: "c\nd",
		text: "e\nf", kind: "query", asked: "g\nh"}')
	same "not ok 1 - a ok 2 - b: query by prepare: route: pipeline 'default': bot 'c d' is not configured
# asked: expected 'g h', got 'e f'
1..1" "$(grep -v '^lb-pipeline: case' <<< "$output")"
	# a case of no bot comes out as one without rules does, and is told
	run --separate-stderr -0 lb-pipeline --test - <<< '- {bot: suport, group: 4, kind: drop}'
	same "lb-pipeline: case 1: there is no bot 'suport'" "$stderr"
}

@test "--test stops and starts no bot" {
	config <<-'END'
		admins: ["b:person_7"]
		bots: {b: {trust-sender: true}}
	END
	run lb-pipeline --test - <<< '- {bot: b, person: 7, text: "!stop", kind: error}'
	[[ $output == "ok 1 "* ]]
	run -0 lb-pipeline < <(message '{"bot":"b"}')
	is '.kind == "query"'
	# nor does a bot that is stopped keep a table from being tried
	run -0 lb-pipeline < <(message '{"bot":"b","chain":[{"type":"Plain","text":"!stop"}]}')
	run -0 lb-pipeline < <(message '{"bot":"b"}')
	is '.kind == "drop"'
	cases <<< '- {bot: b, person: 7, kind: query}'
}

@test "--test takes JSON lines, and refuses what it does not understand" {
	printf '%s\n' '{"text":"hi","kind":"query"}' '' '{"person":"7","kind":"query"}' > table
	run -0 lb-pipeline --test=table
	same 1..2 "${lines[2]}"
	run --separate-stderr -65 lb-pipeline --test - <<< '- {text: hi, knd: query}'
	[[ $stderr == *"case 1: unknown key 'knd'"* ]]
	run --separate-stderr -65 lb-pipeline --test - <<< '- {text: hi}'
	[[ $stderr == *"'kind' is missing"* ]]
	run --separate-stderr -65 lb-pipeline --test - <<< 'text: hi'
	[[ $stderr == *"is not a list"* ]]
	run --separate-stderr -66 lb-pipeline --test nowhere.yaml
	run --separate-stderr -65 lb-pipeline --test - <<< '{"kind":'
	[ -n "$stderr" ]
}

@test "--explain says in one line what each stage decided" {
	config <<-'END'
		pipelines: {default: {trigger: {group-respond-rules: {prefix: [ai]},
		    access-control: {mode: whitelist, whitelist: [group_7]}},
		    safety: {rate-limit: {limitation: 1, strategy: wait, window-length: 86400}}}}
	END
	ai='"bot":"b","launcher_type":"group","chain":[{"type":"Plain","text":"ai x"}]'
	run --separate-stderr -0 lb-pipeline --explain < <(
		message '{"id":"1",'"$ai"'}'
		message '{"id":"2",'"$ai"',"launcher_id":"8"}'
		message '{"id":"3","bot":"b"}')
	same "lb-pipeline: 1: query: route: pipeline 'default': bot 'b' is not configured; respond: prefix 'ai'; access: whitelist: 'group_7'
lb-pipeline: 2: drop by access: not on the whitelist (route: pipeline 'default': bot 'b' is not configured; respond: prefix 'ai')
lb-pipeline: 3: drop by access: not on the whitelist (route: pipeline 'default': bot 'b' is not configured)" "$stderr"
}
