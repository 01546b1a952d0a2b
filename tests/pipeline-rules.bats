#!/usr/bin/env bats
# Who is answered: routing, group rules, access, ignore rules, words.

load helper
load pipeline

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "in a group the bot answers who mentions it, and nobody else" {
	config <<-'END'
		bots: {b: {self: 9001}}
	END
	decide '{"mentioned_me":true}' query
	decide '{"mentioned_me":false}' drop
	decide '{"chain":[{"type":"At","target":"9001"},{"type":"Plain","text":" hello"}]}' query
	decide '{"chain":[{"type":"At","target":9001}, {"type":"Plain","text":"x"}]}' query
	decide '{"chain":[{"type":"At","target":"9002"},{"type":"Plain","text":"x"}]}' drop
	# a name is no id, and everybody is not the bot
	decide '{"chain":[{"type":"At","target":"ou_1","display":"9001"},{"type":"Plain","text":"x"}]}' drop
	decide '{"chain":[{"type":"AtAll"},{"type":"Plain","text":"x"}]}' drop
	is '.stage == "respond" and .reason == "said in a group, and not to the bot"'
	# nobody has to mention it in private
	decide '{"launcher_type":"person"}' query
}

@test "two people who chat in a group are left alone by default" {
	decide '{"chain":[{"type":"Plain","text":"ai is nice"}]}' drop
	is '.reason | contains("see the key self")'
	decide '{"chain":[{"type":"Plain","text":"aircraft"}]}' drop
	for id in $(seq 100); do
		message '{"bot":"b","launcher_type":"group","mentioned_me":false,"id":"'"$id"'"}'
	done > many
	run -0 lb-pipeline < many
	same 'drop' "$(jq -r .kind <<< "$output" | sort -u)"
}

@test "who types at this machine always means the bot" {
	run -0 lb-pipeline < <(echo hi | lb-ingest text --group 5)
	is '.kind == "query"'
}

@test "at: false answers no mention, and other rules all the same" {
	config <<-'END'
		bots: {b: {self: "9001"}}
		pipelines:
		  default: {trigger: {group-respond-rules: {at: false, prefix: [ai]}}}
	END
	decide '{"mentioned_me":true}' drop
	is '.reason == "said in a group, where mentions are not answered"'
	decide '{"chain":[{"type":"At","target":"9001"},{"type":"Plain","text":"ai x"}]}' query
	is '.variables.user_message_text == " x"'
}

@test "at most two mentions of the bot are taken out, others stay" {
	config <<-'END'
		bots: {b: {self: "9"}}
		pipelines:
		  default: {trigger: {ignore-rules: {regexp: ['^@9.@9$']}}}
	END
	at='{"type":"At","target":"9"}'
	decide '{"chain":['$at','$at',{"type":"Plain","text":"-"}]}' query
	# of four, two are left, which the rule below then sees
	decide '{"chain":['$at','$at','$at',{"type":"Plain","text":"-"},'$at']}' drop
	is '.stage == "filter" and (.chain | length) == 5'
}

@test "every component goes through as it came, known or not" {
	chain='[{"type":"Source","id":18446744073709551617,"timestamp":1767225600},{"type":"Quote","id":1,"group_id":null,"sender_id":"5","origin":[{"type":"Source","id":2,"timestamp":1},{"type":"Image","url":""}]},{"type":"At","target":9,"display":null},{"type":"AtAll"},{"type":"Plain","text":"h\u00e9\/"},{"type":"Image","image_id":"i","url":"http://x/i"},{"type":"Voice","voice_id":"v","length":3},{"type":"File","id":"f","name":"a","size":1e2},{"type":"Forward","display":{"title":"t","preview":["p"]},"node_list":[{"sender_id":1,"sender_name":"n","message_chain":[{"type":"Source","id":3,"timestamp":1.50},{"type":"Face","face_id":1}],"message_id":0}]},{"type":"Face","face_type":"dice","face_id":6},{"type":"Unknown","text":"u"},{"type":"WeChatMiniPrograms","mini_app_id":"m","user_name":"u"},{"type":"WeChatEmoji","emoji_md5":"e","emoji_size":1},{"type":"WeChatLink","link_title":"l"},{"type":"WeChatForwardLink","xml_data":"<x/>"},{"type":"WeChatAppMsg","app_msg":"a"},{"type":"WeChatFile","file_id":"f","file_name":"n","file_base64":""},{"type":"Hologram","depth":[1.0,{"x":null}], "n" : -0}]'
	config <<< 'pipelines: {default: {trigger: {group-respond-rules: {regexp: ["@9@All"]}}}}'
	run -0 lb-pipeline < <(message '{"bot":"b","launcher_type":"group"}' | sed "s|\"chain\":.*|\"chain\":$(sed 's|[\&]|\\&|g' <<< "$chain")}|")
	is '.kind == "query"'
	[[ $output == *"\"chain\":$chain"* ]]
}

@test "a prefix is a word of its own, and only the leading text is cut" {
	config <<-'END'
		pipelines:
		  default: {trigger: {group-respond-rules: {prefix: [ai, 小助手, "/", "Bot:"]}}}
	END
	said() { # TEXT LEFT - it is answered, and this is what is left
		decide "$(jq -nc --arg t "$1" '{chain: [{type: "Plain", text: $t}]}')" query
		same "$2" "$(jq -r '.variables.user_message_text' <<< "$output")"
	}
	said 'ai hello' ' hello'
	said 'ai,hello' ',hello'
	said 'ai你好' '你好'
	said '小助手你好' '你好'
	said '/weather' 'weather'
	said 'Bot:x' 'x'
	for text in aircraft aid ai2 aïe AI ' ai x' 'xai'; do
		decide "$(jq -nc --arg t "$text" '{chain: [{type: "Plain", text: $t}]}')" drop
	done
	# the second text begins with the prefix, too, and keeps it
	decide '{"chain":[{"type":"Source","id":"m1","timestamp":1},
		{"type":"Plain","text":"ai look"},{"type":"Image","url":"http://x/i.png"},
		{"type":"Plain","text":"ai this"}]}' query
	is '[.user.content[1:][] | .text] == [" look", null, "ai this"]'
	# a name that was the prefix is no text to cut
	config <<-'END'
		pipelines: {default: {trigger: {group-respond-rules: {prefix: ["@Bob"]}}}}
	END
	decide '{"chain":[{"type":"At","target":"5","display":"Bob"},{"type":"Plain","text":" hello"}]}' query
	is '.variables.user_message_text == " hello"'
}

@test "the record's own chain stays as it came, whatever is cut" {
	config <<-'END'
		pipelines: {default: {trigger: {group-respond-rules: {prefix: [ai]}}}}
	END
	decide '{"chain":[{"type":"Source","id":"m1","timestamp":1},
		{"type":"Plain","text":"ai look"}]}' query
	is '.chain[1].text == "ai look" and .chain[0].id == "m1"'
}

@test "an answer to a quoted message triggers like any other" {
	config <<-'END'
		bots: {b: {self: "9"}}
		pipelines:
		  default: {trigger: {group-respond-rules: {prefix: [ai], regexp: ['what\b']}}}
	END
	quote='{"type":"Quote","id":"1","sender_id":"5","origin":[{"type":"Plain","text":"ai what said before"}]}'
	decide '{"chain":['"$quote"',{"type":"Plain","text":"ai go on"}]}' query
	is '.user.content | map(.text) | .[1:] == ["\n> ai what said before\n", " go on"]'
	decide '{"chain":['"$quote"',{"type":"Plain","text":"what now"}]}' query
	# and what was quoted triggers nothing
	decide '{"chain":['"$quote"',{"type":"Plain","text":"never mind"}]}' drop
}

@test "a respond regexp matches from the start on; a mention keeps the prefix" {
	config <<-'END'
		pipelines:
		  default: {trigger: {group-respond-rules: {prefix: [ai], regexp: ['wh(at|o)', '\d+']}}}
	END
	decide '{"chain":[{"type":"Plain","text":"who is it"}]}' query
	decide '{"chain":[{"type":"Plain","text":"42 apples"}]}' query
	decide '{"chain":[{"type":"Plain","text":"so what"}]}' drop
	decide '{"mentioned_me":true,"chain":[{"type":"Plain","text":"ai hello"}]}' query
	is '.variables.user_message_text == "ai hello"'
}

@test "random answers that share, and the same messages when it is run again" {
	config <<-'END'
		pipelines: {default: {trigger: {group-respond-rules: {random: 0.3}},
		    safety: {rate-limit: {limitation: 100000}}}}
	END
	for id in $(seq 1000); do
		message '{"bot":"b","launcher_type":"group","id":"'"$id"'"}'
	done > many
	lb-pipeline < many | jq -r 'select(.kind == "query").id' > once
	lb-pipeline < many | jq -r 'select(.kind == "query").id' > again
	diff once again
	n=$(wc -l < once)
	[ "$n" -gt 240 ] && [ "$n" -lt 360 ]
}

@test "what the bot itself said is no message for it" {
	config <<-'END'
		bots: {b: {self: 9001}}
	END
	decide '{"sender_id":"9001","mentioned_me":true}' drop
	is '.reason == "the bot said it itself"'
	decide '{"launcher_type":"person","launcher_id":"9001","sender_id":"9001"}' drop
}

routes() {
	config <<-END
		bots:
		  b:
		    pipeline: usual
		    pipeline-routing-rules:
		      - $1
		pipelines: {usual: {}, other: {}}
	END
}

@test "every routing rule: what it looks at and how" {
	while IFS='|' read -r rule with want; do
		routes "{$rule, pipeline: other}"
		run -0 lb-pipeline < <(message '{"bot":"b"} + '"$with")
		is ".pipeline == \"$want\"" || { echo "$rule: $with"; return 1; }
	done <<-'END'
		type: launcher_type, value: person|{}|other
		type: launcher_type, value: group|{}|usual
		type: launcher_type, operator: neq, value: group|{}|other
		type: launcher_id, value: 7|{}|other
		type: launcher_id, value: "7"|{}|other
		type: launcher_id, value: 77|{}|usual
		type: launcher_id, operator: starts_with, value: 7|{"launcher_id":"77"}|other
		type: launcher_id, value: "-100"|{"launcher_type":"group","launcher_id":"-100#42"}|other
		type: launcher_id, value: "-100#42"|{"launcher_type":"group","launcher_id":"-100#42"}|other
		type: launcher_id, value: "-100#4"|{"launcher_type":"group","launcher_id":"-100#42","mentioned_me":true}|usual
		type: launcher_id, value: "-10"|{"launcher_type":"group","launcher_id":"-100#42","mentioned_me":true}|usual
		type: launcher_id, operator: neq, value: "-100"|{"launcher_type":"group","launcher_id":"-100#42","mentioned_me":true}|usual
		type: launcher_id, operator: neq, value: "-10"|{"launcher_type":"group","launcher_id":"-100#42"}|other
		type: launcher_id, value: ""|{"launcher_type":"group","launcher_id":"#room","mentioned_me":true}|usual
		type: message_content, operator: eq, value: hi|{}|other
		type: message_content, operator: neq, value: hi|{}|usual
		type: message_content, operator: contains, value: i|{}|other
		type: message_content, operator: contains, value: I|{}|usual
		type: message_content, operator: not_contains, value: x|{}|other
		type: message_content, operator: not_contains, value: h|{}|usual
		type: message_content, operator: starts_with, value: h|{}|other
		type: message_content, operator: starts_with, value: i|{}|usual
		type: message_content, operator: regex, value: 'i$'|{}|other
		type: message_content, operator: regex, value: '^i'|{}|usual
		type: message_content, value: '[Image]@Bob'|{"chain":[{"type":"Image","url":"u"},{"type":"At","target":"5","display":"Bob"}]}|other
		type: message_has_element, value: Image|{"chain":[{"type":"Image","url":"http://u"}]}|other
		type: message_has_element, value: Image|{}|usual
		type: message_has_element, operator: neq, value: Image|{}|other
		type: message_has_element, value: image|{"chain":[{"type":"Image","url":"http://u"}]}|usual
	END
}

@test "the first routing rule that matches wins, and --explain names it" {
	config <<-'END'
		bots:
		  b:
		    pipeline-routing-rules:
		      - {type: message_content, operator: contains, value: x, pipeline: x}
		      - {type: launcher_type, value: person, pipeline_uuid: p}
		      - {type: launcher_type, value: person, pipeline: x}
		pipelines: {x: {}, p: {}}
	END
	run --separate-stderr -0 lb-pipeline --explain < <(message '{"bot":"b"}')
	is '.pipeline == "p"'
	[[ $stderr == *"query: route: pipeline 'p': rule 2 of bot 'b'"* ]]
	# what the adapter itself names wins over all
	run -0 lb-pipeline < <(message '{"bot":"b","pipeline":"default"}')
	is '.pipeline == "default"'
}

@test "__discard__ is a drop that names the rule" {
	routes '{type: message_content, operator: regex, value: spam, pipeline: __discard__}'
	run -0 lb-pipeline < <(message '{"bot":"b","chain":[{"type":"Plain","text":"buy spam"}]}'
		message '{"bot":"b"}')
	same '["drop","route","rule 1 of bot '"'b'"' discards it"]' \
		"$(jq -c 'select(.kind == "drop") | [.kind,.stage,.reason]' <<< "$output")"
	same 2 "$(wc -l <<< "$output")"
}

@test "what a rule routed is not asked for a mention in its group" {
	config <<-'END'
		bots: {b: {pipeline-routing-rules: [{type: launcher_type, value: group, pipeline: g}]}}
		pipelines: {g: {}}
	END
	decide '{"mentioned_me":false}' query
	is '.pipeline == "g"'
	# a pipeline that the message names is no rule of the bot
	decide '{"mentioned_me":false,"pipeline":"g"}' drop
}

@test "a group's own rules win over those of the others, by its id as text or number" {
	config <<-'END'
		bots:
		  b:
		    self: "9"
		    pipeline-routing-rules:
		      - {type: launcher_id, value: 1019, pipeline: own, respond: rules}
		      - {type: launcher_id, value: 1020, pipeline: own, respond: always}
		pipelines:
		  default: {trigger: {group-respond-rules: {prefix: [ai]}}}
		  own: {trigger: {group-respond-rules: {at: false, prefix: [ask]}}}
	END
	said() { # GROUP TEXT KIND
		run -0 --separate-stderr lb-pipeline < <(lb-ingest jsonl --bot b \
			<<< '{"text":"'"$2"'","group":'"$1"',"sender":7}')
		is ".kind == \"$3\"" || { echo "said: $*"; return 1; }
	}
	said 1019 'ask me' query
	is '.pipeline == "own" and .variables.user_message_text == " me"'
	said '"1019"' 'ask me' query
	said 1019 'ai look' drop
	is '.stage == "respond"'
	decide '{"launcher_id":"1019","mentioned_me":true}' drop
	is '.reason == "said in a group, where mentions are not answered"'
	# the others keep theirs, and a rule that says so answers all
	said 1021 'ask me' drop
	said 1021 'ai look' query
	said 1020 'chatter' query
	is '.pipeline == "own"'
	# also when it was lb-aggregate that found the pipeline
	sed -i 's/own: {trigger: {/&message-aggregation: {enabled: yes}, /' "$LB_CONFIG"
	for text in 'ask me' chatter 'and this'; do
		jq -nc --arg t "$text" '{text: $t, group: 1019, sender: $t[:1]}'
	done | lb-ingest jsonl --bot b | lb-aggregate | grep -v '"drop"' > bursts
	same '["own",null]' "$(jq -sc 'map(.pipeline)' bursts)"
	same '["query","drop"]' "$(lb-pipeline < bursts | jq -sc 'map(.kind)')"
}

@test "routing looks at what is said, not at what is quoted with it" {
	quote='{"type":"Quote","id":"1","sender_id":"5","origin":[{"type":"Plain","text":"ask before"}]}'
	for rule in 'operator: starts_with, value: ask' \
		"operator: regex, value: '^ask'" 'operator: eq, value: ask me'; do
		routes "{type: message_content, $rule, pipeline: other}"
		decide '{"chain":['"$quote"',{"type":"Plain","text":"ask me"}]}' query
		is '.pipeline == "other"'
		decide '{"launcher_type":"person","chain":['"$quote"',{"type":"Plain","text":"me"}]}' query
		is '.pipeline == "usual"'
	done
}

# refused CONFIG WHY - it does not start, and says where and why.
refused() {
	echo "$1" | config
	run --separate-stderr -78 lb-pipeline < /dev/null
	[[ $stderr == *"config.yaml:"*"$2"* ]] || { echo "$1: $stderr"; return 1; }
	[ -z "$output" ]
}

@test "a rule that cannot work is a config error with its line, not a mute bot" {
	rules='bots: {b: {pipeline-routing-rules: ['
	refused "$rules{type: launcher_id, value: 1, pipeline: nowhere}]}}" \
		"1: bots.b.pipeline-routing-rules: rule 1: there is no pipeline 'nowhere'"
	refused "$rules{type: launcher_id, value: 1}]}}" 'names no pipeline'
	refused "$rules{type: colour, pipeline: default}]}}" "type 'colour' is not"
	refused "$rules{pipeline: default}]}}" "type '' is not"
	refused "$rules{type: launcher_id, operator: like, pipeline: default}]}}" \
		"operator 'like' is not"
	refused "$rules{type: message_has_element, operator: contains, pipeline: default}]}}" \
		'does not fit message_has_element'
	refused "$rules{type: message_content, operator: regex, value: '(', pipeline: default}]}}" \
		"'(' is not a pattern"
	refused "$rules{type: launcher_id, values: 1, pipeline: default}]}}" \
		"unknown key 'values'"
	refused "$rules{type: launcher_id, respond: maybe, pipeline: default}]}}" \
		"respond 'maybe' is not always or rules"
	refused "$rules 5]}}" 'is not a list of mappings'
	for key in trigger.group-respond-rules.regexp trigger.ignore-rules.regexp \
		safety.content-filter.words; do
		section=${key%%.*} rest=${key#*.}
		refused "pipelines: {default: {$section: {${rest%.*}: {${key##*.}: [a, 'b(']}}}}" \
			"pipelines.default.$key: 'b(' is not a pattern"
	done
	refused 'pipelines: {default: {trigger: {access-control: {mode: greylist}}}}' \
		"'greylist' is not blacklist or whitelist"
	refused 'pipelines: {default: {trigger: {group-respond-rules: {random: 2}}}}' \
		'is not a number from 0 to 1'
	refused 'pipelines: {default: {safety: {content-filter: {scope: none}}}}' \
		"'none' is not all, income-msg or output-msg"
	refused 'pipelines: {default: {safety: {content-filter: {words-file: gone.txt}}}}' \
		"safety.content-filter.words-file: cannot open"
}

@test "an empty text in a list of rules is a config error, not a mute bot" {
	for key in trigger.group-respond-rules.prefix \
		trigger.group-respond-rules.regexp trigger.ignore-rules.prefix \
		trigger.ignore-rules.regexp trigger.access-control.blacklist \
		safety.content-filter.words; do
		section=${key%%.*} rest=${key#*.}
		refused "pipelines: {default: {$section: {${rest%.*}: {${key##*.}: [a, '']}}}}" \
			"1: pipelines.default.$key: has an empty text in it"
	done
	# a command may do without a mark in front
	echo "command: {prefix: ['']}" | config
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"version"}]}')
	is '.kind == "reply"'
}

@test "lb-config check finds the same mistakes" {
	echo "pipelines: {default: {trigger: {ignore-rules: {regexp: ['(']}}}}" | config
	run -1 lb-config check
	[[ $output == *"config.yaml:1"*"pipelines.default.trigger.ignore-rules.regexp"*"'(' is not a pattern"* ]]
}

access() { # MODE ENTRIES
	config <<-END
		pipelines: {default: {trigger: {access-control: {mode: $1, $1: [$2]}}}}
	END
}

@test "every form of an access entry, on both lists" {
	while read -r entry with want; do
		access blacklist "'$entry'"
		expect=query
		[ "$want" = no ] || expect=drop
		decide '{"mentioned_me":true}+'"$with" $expect || { echo "$entry"; return 1; }
		access whitelist "'$entry'"
		expect=drop
		[ "$want" = no ] || expect=query
		decide '{"mentioned_me":true}+'"$with" $expect || { echo "$entry"; return 1; }
	done <<-'END'
		group_* {} yes
		person_* {} no
		person_* {"launcher_type":"person"} yes
		group_7 {} yes
		group_77 {} no
		person_7 {} no
		*_7 {} yes
		*_5 {"sender_id":"5"} yes
		*_5 {"sender_id":"55"} no
		*_7 {"launcher_type":"person"} yes
		5 {"sender_id":"5"} yes
		7 {} yes
		6 {} no
		* {} yes
		*_* {} yes
		group_-100* {"launcher_id":"-100123"} yes
		group_-100* {"launcher_id":"100"} no
		group_45 {"launcher_id":"45#9"} yes
		group_45#9 {"launcher_id":"45#9"} yes
		group_45#8 {"launcher_id":"45#9"} no
		b/group_7 {} yes
		c/group_7 {} no
		b/*_5 {"sender_id":"5"} yes
	END
}

@test "a private chat on the blacklist is no person in a group, which --explain says" {
	access blacklist person_7
	run --separate-stderr -0 lb-pipeline --explain < <(message '{"launcher_type":"group","launcher_id":"1","mentioned_me":true}')
	is '.kind == "query"'
	[[ $stderr == *"access: blacklist: 'person_7' is a private chat alone, '7' would be that one anywhere"* ]]
	access blacklist b/person_7
	run --separate-stderr -0 lb-pipeline --explain < <(message '{"launcher_type":"group","launcher_id":"1","mentioned_me":true}')
	[[ $stderr != *"private chat alone"* ]]
	access blacklist 7
	run -0 lb-pipeline < <(message '{"launcher_type":"group","launcher_id":"1","mentioned_me":true}')
	is '.kind == "drop"'
}

@test "a numeric id is an id" {
	run -0 lb-ingest jsonl --bot b < <(echo '{"text":"hi","sender":1610521604143693812}')
	access blacklist '"*_1610521604143693812"'
	run -0 lb-pipeline <<< "$output"
	is '.kind == "drop" and .stage == "access" and
		.reason == "blacklist: '"'*_1610521604143693812'"'"'
}

@test "an empty whitelist refuses everybody; deny beats allow" {
	access whitelist ''
	decide '{"launcher_type":"person"}' drop
	is '.reason == "not on the whitelist" and .stage == "access"'
	config <<-'END'
		pipelines: {default: {trigger: {access-control: {
		    mode: whitelist, whitelist: [group_45], blacklist: ['*_9']}}}}
	END
	decide '{"launcher_id":"45","mentioned_me":true,"sender_id":"7"}' query
	decide '{"launcher_id":"45","mentioned_me":true,"sender_id":"9"}' drop
	run --separate-stderr -0 lb-pipeline --explain \
		< <(message '{"bot":"b","launcher_type":"group","launcher_id":"45","mentioned_me":true,"sender_id":"9"}')
	[[ $stderr == *"drop by access: blacklist: '*_9' (route: "*"; respond: the bot is mentioned)"* ]]
	decide '{"launcher_id":"46","mentioned_me":true,"sender_id":"7"}' drop
}

@test "refused by access is silent: a drop, and no reply" {
	access blacklist '"person_*"'
	run -0 lb-pipeline < <(message '{}')
	is '.kind == "drop"'
}

ignore() {
	config <<-'END'
		pipelines: {default: {trigger: {ignore-rules: {prefix: ["/", 'Skip'],
		    regexp: ['\bthanks\b']}},
		  safety: {content-filter: {scope: output-msg, words: [bad]}}}}
	END
}

@test "ignore rules leave messages alone, with pictures too and whatever the scope" {
	ignore
	for text in '/help' 'Skip this' 'Skipped' 'many thanks to all' '  /x'; do
		run -0 lb-pipeline < <(message "$(jq -nc --arg t "$text" \
			'{chain: [{type: "Plain", text: $t}]}')")
		is '.kind == "drop" and .stage == "filter" and
			(.reason | startswith("ignore rule: "))'
	done
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Source","id":"1","timestamp":1},
		{"type":"Plain","text":"/x"},{"type":"Image","url":"http://x/y"}]}')
	is '.kind == "drop" and .stage == "filter"'
	for text in 'thank you' 'skip' 'a/b'; do
		run -0 lb-pipeline < <(message "$(jq -nc --arg t "$text" \
			'{chain: [{type: "Plain", text: $t}]}')")
		is '.kind == "query"'
	done
}

words() {
	config <<-END
		pipelines: {default: {safety: {content-filter: {$1}}}}
	END
}

@test "a message with an unwanted word is not answered, and its sender is told" {
	words 'words: [badword, "b.d"]'
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"such a BADword"}]}')
	is '.kind == "reply" and .final == true and .part == 1 and
		(.text | startswith("This message has words in it")) and
		.session == "-/person_7" and .pipeline == "default"'
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"a bad one"}]}')
	is '.kind == "reply"'
	# beside a picture, a mention or a quote as well
	for beside in '{"type":"Image","url":"http://x/y"}' \
		'{"type":"At","target":"5","display":"Bob"}' \
		'{"type":"Quote","origin":[{"type":"Plain","text":"good"}]}'; do
		run -0 lb-pipeline < <(message '{"chain":['"$beside"',
			{"type":"Plain","text":"badword"}]}')
		is '.kind == "reply"'
	done
	# a message that passes keeps its chain: Source, texts and all
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Source","id":"m1","timestamp":1},
		{"type":"Plain","text":"good "},{"type":"Plain","text":"words"}]}')
	is '.kind == "query" and (.chain | length) == 3 and .chain[0].id == "m1"'
}

@test "a quote or a forward carries no unwanted word to the model" {
	words 'words: [badword, "b.d one"]'
	for text in badword 'a bad one'; do
		quote='{"type":"Quote","origin":[{"type":"Plain","text":"'"$text"'"}]}'
		forward='{"type":"Forward","node_list":[{"sender_name":"n","message_chain":[]},
			{"sender_name":"n","message_chain":[{"type":"Plain","text":"'"$text"'"}]}]}'
		for part in "$quote" "$forward"; do
			run -0 lb-pipeline < <(message '{"chain":['"$part"',
				{"type":"Plain","text":"what is that?"}]}')
			is '.kind == "reply"'
		done
	done
	run -0 lb-pipeline < <(message "{\"chain\":[${forward//bad one/good one}]}")
	is '.kind == "query"'
	# a quote that no model reads harms nobody
	words 'words: [badword]}}, trigger: {misc: {combine-quote-message: false'
	run -0 lb-pipeline < <(message "{\"chain\":[${quote//a bad one/badword},"'
		{"type":"Plain","text":"what is that?"}]}')
	is '.kind == "query" and (.user.content | tostring | contains("badword") | not)'
}

@test "however much is quoted, the time that patterns may take is that of one text" {
	words 'words: ["(a+)+[0-3]$", "(a+)+[1-3]$", "(a+)+[2-3]$", "(a+)+[3-4]$",
		"(a+)+[4-5]$", "(a+)+[5-6]$", "(a+)+[6-7]$", "(a+)+[7-8]$"]'
	jq -nc --arg a "$(printf 'a%.0s' {1..400})" '{kind: "message", id: "x",
		bot: "-", launcher_type: "person", launcher_id: "7",
		chain: [range(1000) | {type: "Quote", origin: [{type: "Plain", text: $a}]}]}' \
		> "$BATS_TEST_TMPDIR/quotes"
	run --separate-stderr -0 lb-pipeline < "$BATS_TEST_TMPDIR/quotes"
	[[ $stderr == *'the patterns of the content filter take too long on some text'* ]]
	[[ $output == '{"kind":"query"'* ]]
}

@test "ignore rules come before the words: what is left alone is told nothing" {
	config <<-'END'
		pipelines: {default: {trigger: {ignore-rules: {prefix: ["/"]}},
		  safety: {content-filter: {words: [bad]}}}}
	END
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"/bad"}]}')
	is '.kind == "drop" and .reason == "ignore rule: prefix '"'/'"'"'
}

@test "what is not for the bot leaves nothing behind: no state, no counter" {
	decide '{"mentioned_me":false}' drop
	[ ! -e "$LB_STATE" ] || { find "$LB_STATE"; return 1; }
}

@test "scope and check-sensitive-words say whether what comes in is looked at" {
	for off in 'scope: output-msg' 'check-sensitive-words: false'; do
		words "words: [bad], $off"
		run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"bad"}]}')
		is '.kind == "query"'
	done
	words 'words: [bad], scope: income-msg'
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"bad"}]}')
	is '.kind == "reply"'
}

@test "a words-file beside the configuration, as LangBot has it" {
	echo '{"mask":"*","mask_word":"","words":["bad","wor+se"]}' \
		> "$BATS_TEST_TMPDIR/sensitive-words.json"
	words 'words-file: sensitive-words.json'
	cd /
	for text in 'so bad' 'worrrse'; do
		run -0 lb-pipeline < <(message "$(jq -nc --arg t "$text" \
			'{chain: [{type: "Plain", text: $t}]}')")
		is '.kind == "reply"'
	done
}

@test "a notice that is empty is none: then it is a drop" {
	config <<-'END'
		notices: {en_US: {content-filtered: ""}}
		pipelines: {default: {safety: {content-filter: {words: [bad]}}}}
	END
	run -0 lb-pipeline < <(message '{"chain":[{"type":"Plain","text":"bad"}]}')
	is '.kind == "drop" and .stage == "filter" and
		.reason == "the content filter has a word of it"'
}

@test "a pattern that would never end counts as no match, with one warning" {
	config <<-'END'
		bots: {b: {pipeline-routing-rules: [
		  {type: message_content, operator: regex, value: '^(a+)+$', pipeline: other}]}}
		pipelines:
		  default: {trigger: {ignore-rules: {regexp: ['^(.*a){30}$', 'stop']}}}
		  other: {}
	END
	evil=$(printf 'a%.0s' $(seq 5000))!
	for i in 1 2 3; do
		message '{"bot":"b","chain":[{"type":"Plain","text":"'"$evil"'"}]}'
	done > three
	message '{"bot":"b","chain":[{"type":"Plain","text":"'"$evil"' stop"}]}' >> three
	run --separate-stderr -0 timeout 20 lb-pipeline < three
	same '["query","query","query","drop"]' "$(jq -sc 'map(.kind)' <<< "$output")"
	same 1 "$(grep -c 'counts as no match' <<< "$stderr" | sed 's/2/1/')"
	[ "$(grep -cF "'^(a+)+\$'" <<< "$stderr")" -le 1 ]
}
