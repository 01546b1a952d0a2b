#!/usr/bin/env bats

# Commands as lb-pipeline sees them, and what a model is told of a message.

load helper

setup() {
	exec < /dev/null
	cat > "$LB_CONFIG" <<-'END'
		admins: ["tg:person_1", "j:person_1"]
		bots:
		  tg: {adapter: telegram, token: "1:x", base-url: "http://127.0.0.1:9"}
		  j: {adapter: jsonl}
	END
}

# message TEXT [JSON] - person 7 says it to the bot tg.
message() {
	jq -nc --arg t "$1" --argjson with "${2:-{\}}" '{kind: "message",
		id: "01890a5d-ac96-774b-bcce-b302099a8057", time: 1767225600123,
		bot: "tg", platform: "telegram", launcher_type: "person",
		launcher_id: "7", sender_id: "7", mentioned_me: true,
		chain: [{type: "Plain", text: $t}]} + $with'
}

# group TEXT [JSON] - the same in a group.
group() {
	message "$1" "$(jq -c '{launcher_type: "group", launcher_id: "9",
		sender_name: "Ann"} + .' <<< "${2:-{\}}")"
}

# admin TEXT [JSON] - an admin says it.
admin() {
	message "$1" "$(jq -c '{sender_id: "1", launcher_id: "1"} + .' <<< "${2:-{\}}")"
}

# said - the text of the one reply that comes of the input.
said() {
	lb-pipeline | jq -r 'if .kind == "reply" then .text else "no reply: \(.)" end'
}

# order - the command that comes of the input, or what else does.
order() {
	lb-pipeline | jq -c 'if .kind == "query" and .command then
		[.command.name] + .command.args else .kind end'
}

# asked - what the model is told the user says, as one text.
asked() {
	lb-pipeline | jq -j '[.user.content[] | .text // "<\(.type)>"] | add'
}

# config - more lines of it.
config() {
	cat >> "$LB_CONFIG"
}

@test "help, version: answered at once, in a final reply with the message's keys" {
	run -0 lb-pipeline < <(message '!help' '{"reply_to":{"k":"v"},"x":0.10}')
	[[ $output == '{"kind":"reply",'*'"x":0.1'* ]]
	same '1 true {"k":"v"} tg/person_7' "$(jq -r '[.part, .final, .reply_to, .session] | map(tostring) | join(" ")' <<< "$output")"
	[[ $(jq -r .text <<< "$output") == *'!list [PAGE]: '* ]]
	same 'lb 0' "$(message '!version' | said | sed 's/\..*//')"
	same '!undo: forget the last question and its answer' "$(message '!help undo' | said)"
	same '!undo: forget the last question and its answer' "$(message '!help !undo' | said)"
	same 'There is no command fly.' "$(message '!help fly' | said)"
}

@test "commands about a conversation become queries that lb-agent runs" {
	for name in reset new last next undo prompt model usage tools skills list del; do
		same "[\"$name\"]" "$(message "!$name" | order)"
	done
	same '["switch","2"]' "$(message '!switch 2' | order)"
	same '["list","3"]' "$(message '!list 3' | order)"
	run -0 lb-pipeline < <(message '!list 3')
	same '{"name":"list","args":["3"]}' "$(jq -c .command <<< "$output")"
	same 'query true' "$(jq -r '.kind + " " + (.user.content | type == "array" | tostring)' <<< "$output")"
}

@test "prefixes longer than one character, in any script, and the longest wins" {
	config <<< 'command: {prefix: ["/", "//bot ", "命令：", "！", "🤖"]}'
	for text in /reset '命令：reset' '！reset' 🤖reset '//bot reset'; do
		same '["reset"]' "$(message "$text" | order)"
	done
	same '["list","2"]' "$(message '命令：list　2' | order)"
	for text in '!reset' '//reset' 'reset' '命令reset' '命令： reset'; do
		same '"query"' "$(message "$text" | order)"
	done
}

@test "a message that merely begins with the prefix is a message" {
	for text in '!' '!!' '! help' '!important: read this' '!helpme' \
		'!reset everything please' '!help me with my homework' '!nicht'; do
		same '"query"' "$(message "$text" | order)"
		same "$text" "$(message "$text" | asked)"
	done
}

@test "a command is one in any case, with @bot behind it, with blanks around it" {
	for text in '!Reset' '!RESET' '!reset@MyBot' '  !reset  ' $'\n!reset\n'; do
		same '["reset"]' "$(message "$text" | order)"
	done
}

@test "a quote or a mention in front does not hide a command" {
	chain='[{"type":"Source","id":"1"},
		{"type":"Quote","origin":[{"type":"Plain","text":"old words"}]},
		{"type":"At","target":"99","display":"helper"},
		{"type":"Plain","text":" "},{"type":"Plain","text":"!switch 2"}]'
	same '["switch","2"]' "$(message x "{\"chain\":$chain}" | order)"
	same '["switch","2"]' "$(group x "{\"chain\":$chain}" | order)"
	# what is quoted is nobody's order
	chain='[{"type":"Quote","origin":[{"type":"Plain","text":"!reset"}]},
		{"type":"Plain","text":"why?"}]'
	same '"query"' "$(message x "{\"chain\":$chain}" | order)"
}

@test "command.enable: false makes every text a message" {
	config <<< 'command: {enable: false}'
	same '"query"' "$(message '!help' | order)"
}

@test "what only admins may do is refused to others, wherever they say it" {
	for name in stop start reload; do
		same "You may not use !$name." "$(message "!$name" | said)"
		same "You may not use !$name." "$(group "!$name" | said)"
	done
	same 'You may not use !model.' "$(message '!model x/y' | said)"
	same '["model","x/y"]' "$(admin '!model x/y' | order)"
	# an admin is one in groups, too, and not where anybody could say so
	same '["model","x/y"]' "$(group '!model x/y' '{"sender_id":"1"}' | order)"
	same 'You may not use !model.' "$(admin '!model x/y' '{"bot":"j","platform":"jsonl"}' | said)"
	# help lists what one may use
	[[ $(message '!help' | said) != *'!stop'* ]]
	[[ $(admin '!help' | said) == *'!stop'* ]]
}

@test "who is at this machine is its admin, with USER and without" {
	for as in 'env USER=ann' 'env -u USER' "env USER=$(printf '\377')"; do
		run -0 bash -c "echo '!stop' | $as lb-ingest text | $as lb-pipeline"
		same '- is silent until !start.' "$(jq -r .text <<< "$output")"
		rm -r "$LB_STATE"
	done
	run -0 bash -c "echo '!stop' | lb-ingest --person=nobody-at-all text | env -u USER lb-pipeline"
	same 'You may not use !stop.' "$(jq -r .text <<< "$output")"
}

@test "command.privilege opens and closes commands, for all, admins, or people" {
	config <<-'END'
		command:
		  privilege: {stop: everyone, reset: 2, undo: ["tg:person_7", "j:person_7"], del: admins, model: 1}
	END
	[[ $(message '!stop' | said) == 'tg is silent'* ]]
	admin '!start' | said
	same 'You may not use !reset.' "$(message '!reset' | said)"
	same '["reset"]' "$(admin '!reset' | order)"
	same '["undo"]' "$(message '!undo' | order)"
	same '["undo"]' "$(admin '!undo' | order)"
	same 'You may not use !undo.' "$(message '!undo' '{"sender_id":"8"}' | said)"
	same 'You may not use !undo.' "$(message '!undo' '{"bot":"j"}' | said)"
	same '["model","x/y"]' "$(message '!model x/y' | order)"
}

@test "a mistake in the commands of the configuration is told at start" {
	try() {
		cat > "$LB_CONFIG" <<< "$1"
		run --separate-stderr -78 lb-pipeline < /dev/null
		[[ $stderr == *"$2"* ]] || { echo "$stderr"; return 1; }
	}
	try 'command: {privilege: {fly: 1}}' 'config.yaml:1: command.privilege.fly: there is no such command'
	try 'command: {privilege: {help: 3}}' 'config.yaml:1: command.privilege.help: '
	try 'command: {hooks: {help: "cmd:true"}}' 'config.yaml:1: command.hooks.help: that command is built in'
	try 'command: {hooks: {a: "true"}}' 'command.hooks.a: is not cmd:PROGRAM'
	try 'command: {hooks: {A: "cmd:true"}}' 'command.hooks.A: a command has a name'
	try 'command: {hook-timeout: 1h}' 'command.hook-timeout'
	try 'command: {prefix: 7}' 'config.yaml:1: command.prefix'
	try 'system: {timezone: Mars/Base}' "no time zone 'Mars/Base'"
}

@test "stop: the bot is silent, over restarts, until an admin says start" {
	same 'tg is silent until !start.' "$(admin '!stop' | said)"
	run -0 lb-pipeline < <(message hi)
	same 'drop stopped the bot is stopped' "$(jq -r '.kind + " " + .stage + " " + .reason' <<< "$output")"
	for text in '!help' '!start' '!reset'; do
		same drop "$(message "$text" | lb-pipeline | jq -r .kind)"
	done
	# other bots are not concerned, and what is no message passes
	same query "$(message hi '{"bot":"j"}' | lb-pipeline | jq -r .kind)"
	same '{"kind":"edit"}' "$(lb-pipeline <<< '{"kind":"edit"}')"
	same 'tg answers again.' "$(admin '!start' | said)"
	same query "$(message hi | lb-pipeline | jq -r .kind)"
}

@test "stop concerns the next line already" {
	run -0 lb-pipeline < <(message a; admin '!stop'; message b; admin '!start'; message c)
	same 'query reply drop reply query' "$(jq -sr 'map(.kind) | join(" ")' <<< "$output")"
}

@test "stop is seen by a program that runs already" {
	mkfifo "$BATS_TEST_TMPDIR/in"
	lb-pipeline < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	exec 4> "$BATS_TEST_TMPDIR/in"
	message hi >&4
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do read -r -t 0.02 < /dev/zero || true; done
	admin '!stop' | said
	for _ in {1..200}; do
		message hi >&4
		! grep -q '"kind":"drop"' "$BATS_TEST_TMPDIR/out" || break
		read -r -t 0.02 < /dev/zero || true
	done
	exec 4>&-
	wait
	grep -q '"kind":"drop"' "$BATS_TEST_TMPDIR/out"
}

@test "where nothing was ever stopped, no database is made" {
	message hi | lb-pipeline > /dev/null
	[ ! -e "$LB_STATE/lb.db" ]
}

@test "a store that cannot be read keeps the bot silent, and says why" {
	mkdir "$LB_STATE"
	echo junk > "$LB_STATE/lb.db"
	run -0 lb-pipeline < <(message hi)
	same 'error stopped' "$(jq -r '.kind + " " + .stage' <<< "$output")"
	[[ $output == *"lb.db"* ]]
}

@test "reload: a mistake is told, a good configuration reaches lb-run" {
	[[ $(admin '!reload' | said) == 'The configuration is good. No lb-run runs here'* ]]
	(
		exec 3>&-
		exec lb-run -c "$LB_CONFIG" > "$BATS_TEST_TMPDIR/run" 2>&1 < /dev/null
	) &
	pid=$!
	until [ -s "$LB_STATE/run/lb-run-worker.lock" ]; do
		kill -0 "$pid"
		read -r -t 0.02 < /dev/zero || true
	done
	same 'The configuration is read anew.' "$(admin '!reload' | said)"
	until grep -q 'reading the configuration anew' "$BATS_TEST_TMPDIR/run"; do
		kill -0 "$pid"
		read -r -t 0.02 < /dev/zero || true
	done
	kill "$pid"
	wait "$pid" || true
	# the one that is read is the one that was read at start
	cp "$LB_CONFIG" "$BATS_TEST_TMPDIR/good.yaml"
	mkfifo "$BATS_TEST_TMPDIR/in"
	lb-pipeline < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	exec 4> "$BATS_TEST_TMPDIR/in"
	admin '!version' >&4
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do read -r -t 0.02 < /dev/zero || true; done
	config <<< 'nonsense: 1'
	admin '!reload' >&4
	exec 4>&-
	wait
	[[ $(tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -r .text) == *'has a mistake'*'nonsense'* ]]
}

# hook NAME SCRIPT - a command of that name runs this shell script.
hook() {
	printf '#!/bin/sh\n%s\n' "$2" > "$BATS_TEST_TMPDIR/$1"
	chmod +x "$BATS_TEST_TMPDIR/$1"
	config <<< "command: {hooks: {$1: \"cmd:$BATS_TEST_TMPDIR/$1 one\"}, hook-timeout: ${3-5s}}"
}

@test "a hook is a program; the user's words are its arguments and no more" {
	# shellcheck disable=SC2016 # it is another shell's
	hook say 'for a; do printf "<%s>" "$a"; done; pwd > /dev/null; cat'
	# shellcheck disable=SC2016
	same '<one><$(id)><;><`id`><"a><b"><*><-x>' "$(message '!say $(id) ; `id` "a b" * -x' | said)"
	same '<one>' "$(message '!SAY' | said)"
	[[ $(message '!help' | said) == *'!say' ]]
	config <<< 'notices: {en_US: {help-say: "{prefix}say WORD...: say it"}}'
	[[ $(message '!help say' | said) == '!say WORD...: say it' ]]
}

@test "a hook sees nothing of ours but what was asked, and by whom" {
	hook show 'env | cut -d= -f1 | sort | tr "\n" " "; ls /proc/self/fd | tr "\n" " "'
	SECRET=1 LB_STATE=$LB_STATE run -0 said < <(message '!show')
	for name in SECRET LB_STATE LB_CONFIG HOME; do
		[[ " $output" != *" $name "* ]]
	done
	[[ $output == *'LB_BOT LB_COMMAND LB_LAUNCHER_ID'*'LB_SENDER_ID'*' 0 1 2 3' ]]
	# shellcheck disable=SC2016
	hook who 'echo "$LB_BOT $LB_SESSION $LB_SENDER_ID"'
	sed -i '/hooks: {show/d' "$LB_CONFIG"
	same 'tg tg/person_7 7' "$(message '!who' | said)"
}

@test "a hook that fails, hangs, or does not stop talking is ended and told of" {
	for script in 'exit 3' 'kill -9 $$' 'sleep 60' 'yes' 'exec /nowhere/at/all'; do
		sed -i '/hooks/d' "$LB_CONFIG"
		hook bad "$script" 1s
		SECONDS=0
		run --separate-stderr -0 lb-pipeline < <(message '!bad'; message hi)
		same 'bad failed.' "$(head -n 1 <<< "$output" | jq -r .text)"
		same query "$(tail -n 1 <<< "$output" | jq -r .kind)"
		[[ $stderr == *"command 'bad': "* ]]
		# the usual five seconds would be too many
		[ "$SECONDS" -lt 5 ]
	done
	sed -i '/hooks/d' "$LB_CONFIG"
	config <<< 'command: {hooks: {bad: "cmd:/nowhere/at/all"}}'
	same 'bad failed.' "$(message '!bad' | said 2> /dev/null)"
}

# flow - lb-pipeline in the background: lines to >&4, its output in `out`.
flow() {
	mkfifo "$BATS_TEST_TMPDIR/in" "$BATS_TEST_TMPDIR/go"
	lb-pipeline < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pipeline=$!
	exec 4> "$BATS_TEST_TMPDIR/in"
}

# outcome - what came out so far, a word a record.
outcome() {
	jq -r '.text // .user.content[0].text // .mark // .code' \
		"$BATS_TEST_TMPDIR/out" | paste -sd' '
}

comes() {
	for _ in $(seq 500); do
		[ "$(outcome)" != "$1" ] || return 0
		sleep 0.01
	done
	same "$1" "$(outcome)"
}

@test "a hook that takes its time holds up its own session, and no other" {
	hook wait "read line < '$BATS_TEST_TMPDIR/go'; echo \$line" 30s
	flow
	other='{"launcher_id":"8"}'
	{
		message '!wait'
		message behind
		echo '{"kind":"edit","mark":"edit","session":"tg/person_7"}'
		message beside "$other"
		echo '{"kind":"edit","mark":"free"}'
	} >&4
	comes 'beside free'
	echo gone > "$BATS_TEST_TMPDIR/go"
	comes 'beside free gone behind edit'
	# the end of the input is no end of what is in hand
	{
		message '!wait'
		message last
	} >&4
	exec 4>&-
	echo late > "$BATS_TEST_TMPDIR/go"
	wait "$pipeline"
	same 'beside free gone behind edit late last' "$(outcome)"
}

@test "a hook whose process is killed ends its message as an error" {
	hook wait "read line < '$BATS_TEST_TMPDIR/go'" 30s
	flow
	message '!wait' >&4
	message behind >&4
	until child=$(pgrep -P "$pipeline"); do sleep 0.01; done
	kill -9 "$child"
	exec 4>&-
	wait "$pipeline"
	same 'internal behind' "$(outcome)"
	same '["error",false,"lb-pipeline","message"]' "$(head -n 1 "$BATS_TEST_TMPDIR/out" |
		jq -c '[.kind, .retryable, .stage, .record.kind]')"
	echo > "$BATS_TEST_TMPDIR/go" # the hook itself
}

@test "many hooks at once, with all that waits behind them: each has its one end" {
	# shellcheck disable=SC2016
	hook say 'echo "$LB_SESSION"'
	for i in $(seq 100); do
		message '!say' "{\"launcher_id\":\"$((i % 50))\",\"id\":\"$i\"}"
		message hi "{\"launcher_id\":\"$((i % 50))\",\"id\":\"$((1000 + i))\"}"
	done > "$BATS_TEST_TMPDIR/lines"
	run -0 lb-pipeline < "$BATS_TEST_TMPDIR/lines"
	same 200 "${#lines[@]}"
	# in each session as they came, and each answer is its own
	same '[true]' "$(jq -sc 'map(. + {n: (.id | tonumber % 1000)}) |
		group_by(.session) | map(map([.n, .kind]) == (map([.n, .kind]) |
			sort_by(.[0], (.[1] == "query")))) | unique' <<< "$output")"
	same '[true]' "$(jq -sc 'map(select(.kind == "reply") | .text == .session) | unique' <<< "$output")"
}

@test "what a hook prints is text: bad bytes and escapes do not come out" {
	hook odd 'printf "a\033[31mb\377c\n\n"'
	same $'ab\xef\xbf\xbdc' "$(message '!odd' | said)"
	sed -i '/hooks/d' "$LB_CONFIG"
	hook mute true
	same Done. "$(message '!mute' | said)"
}

@test "the prompt's variables stand for their values, once and verbatim" {
	config <<-'END'
		pipelines:
		  default:
		    ai:
		      local-agent:
		        date-line: false
		        prompt: "{sender_name} in {group_name} by {bot}/{pipeline}: {unknown} {\"a\":{sender_id}} {today} {"
	END
	run -0 lb-pipeline < <(message hi '{"sender_name":"{bot} \"x\" \\ {today}\nBob","group_name":"{sender_name}"}')
	same '{bot} "x" \ {today}
Bob in {sender_name} by tg/default: {unknown} {"a":7} Thursday, January 1, 2026 {' \
		"$(jq -r '.prompt[0].content' <<< "$output")"
}

@test "the date is told once, in the zone of the configuration" {
	config <<-'END'
		system: {timezone: Pacific/Kiritimati}
		pipelines: {default: {ai: {local-agent: {prompt: "Be polite."}}}}
	END
	run -0 lb-pipeline < <(message a; message b '{"time":1767222000000}')
	same 2 "${#lines[@]}"
	for line in "${lines[@]}"; do
		same 1 "$(jq -r '.prompt[0].content' <<< "$line" | grep -c 'Today is')"
	done
	[[ ${lines[0]} == *'Be polite.\n\nToday is Thursday, January 1, 2026.'* ]]
	# there it is that day already
	[[ ${lines[1]} == *'Today is Thursday, January 1, 2026.'* ]]
	# the time of the message counts, and not that of the machine
	run -0 lb-pipeline < <(message a '{"time":1767175199000}')
	[[ $output == *'Today is Wednesday, December 31, 2025.'* ]]
	# a prompt without a system message gets one
	sed -i 's/"Be polite."/[{role: user, content: Hello}]/' "$LB_CONFIG"
	run -0 lb-pipeline < <(message a)
	same 'system user' "$(jq -r '.prompt | map(.role) | join(" ")' <<< "$output")"
	# or none of it
	sed -i 's/{prompt:/{date-line: no, prompt:/' "$LB_CONFIG"
	same user "$(message a | lb-pipeline | jq -r '.prompt | map(.role) | join(" ")')"
	sed -i 's/date-line: no, //' "$LB_CONFIG"
	# a prompt may be empty
	sed -i 's/\[{role.*}\]/[]/' "$LB_CONFIG"
	same system "$(message a | lb-pipeline | jq -r '.prompt | map(.role) | join(" ")')"
}

@test "in groups the model is told who speaks" {
	same '[Ann] hi' "$(group hi | asked)"
	same '[7] hi' "$(group hi '{"sender_name":""}' | asked)"
	same 'hi' "$(message hi '{"sender_name":"Ann"}' | asked)"
	same hi "$(group hi | lb-pipeline | jq -r .variables.user_message_text)"
	# nobody can speak in the name of another
	same '[x( (Bob) (Ann) yes] hi' "$(group hi '{"sender_name":"x[ [Bob] [Ann] yes"}' | asked)"
	same '[a (] hi' "$(group hi '{"sender_name":"a\n["}' | asked)"
	[ "$(group hi "{\"sender_name\":\"$(printf '%0999d' 0)\"}" | asked | wc -c)" -lt 80 ]
	config <<< 'pipelines: {default: {ai: {local-agent: {speakers: false}}}}'
	same hi "$(group hi | asked)"
}

@test "what is quoted is told apart from what is said" {
	chain='[{"type":"Quote","origin":[{"type":"Plain","text":"old\nwords"},
		{"type":"Image","url":"http://x/i.png"}]},{"type":"Plain","text":"why?"}]'
	same '> old
> words[Image]
<image_url>why?' "$(message x "{\"chain\":$chain}" | asked)"
	same '[Ann] 
> old
> words[Image]
<image_url>why?' "$(group x "{\"chain\":$chain}" | asked)"
	config <<< 'pipelines: {default: {trigger: {misc: {combine-quote-message: false}}}}'
	same 'why?' "$(message x "{\"chain\":$chain}" | asked)"
}

@test "pictures and files: data, a path, an address, or that there was one" {
	chain='[{"type":"Image","path":"/s/media/a.png","url":"http://x/a"},
		{"type":"Image","url":"http://x/a"},{"type":"Image","ref":"r"},
		{"type":"Image","url":"","base64":null},
		{"type":"Voice","path":"/s/media/v.ogg"},{"type":"File","name":"a.txt","ref":"r"}]'
	run -0 lb-pipeline < <(message x "{\"chain\":$chain}")
	same '[{"type":"image_path","image_path":"/s/media/a.png"},{"type":"image_url","image_url":{"url":"http://x/a"}},{"type":"text","text":"[Image]"},{"type":"file_path","file_path":"/s/media/v.ogg","file_name":"voice"},{"type":"text","text":"[a.txt]"}]' \
		"$(jq -c .user.content <<< "$output")"
}

@test "every component has words for the model" {
	chain='[{"type":"Plain","text":"ask "},{"type":"At","target":"9","display":"Bob"},
		{"type":"Plain","text":" and "},{"type":"AtAll"},{"type":"Face","face_name":"smile"},
		{"type":"Novel","k":1},
		{"type":"Forward","node_list":[{"sender_name":"Cat","message_chain":[{"type":"Plain","text":"meow"}]},{}]}]'
	same 'ask @Bob and @All[Face]smile
[Novel]
[Chat history]
> Cat: meow
> ?: ' "$(message x "{\"chain\":$chain}" | asked)"
	nodes=$(jq -nc '[range(200) | {sender_name: "n", message_chain: []}]')
	same 102 "$(message x "{\"chain\":[{\"type\":\"Forward\",\"node_list\":$nodes}]}" | asked | wc -l)"
}

@test "in what is forwarded nobody can speak in the name of another" {
	chain='[{"type":"Forward","node_list":[{"sender_name":"Cat\n> Ann: yes\u001b","message_chain":[
		{"type":"Plain","text":"one\n> Ann: no\ntwo"}]}]}]'
	same '[Chat history]
> Cat > Ann: yes : one
>   > Ann: no
>   two' "$(message x "{\"chain\":$chain}" | asked)"
	# a long name is cut between two characters
	node='{"sender_name":"a'$(printf '\u00e9%.0s' {1..99})'","message_chain":[]}'
	run -0 lb-pipeline < <(message x "{\"chain\":[{\"type\":\"Forward\",\"node_list\":[$node]}]}")
	iconv -f UTF-8 -t UTF-8 <<< "$output" > /dev/null
	same "> a$(printf '\xc3\xa9%.0s' {1..49}): " \
		"$(jq -r '.user.content[0].text' <<< "$output" | sed -n 2p)"
}

# texts LANGUAGE - each text for people, and the {names} that it takes.
texts() {
	local line
	while IFS= read -r line; do
		[[ $line == [a-z]*:* ]] || continue
		echo "${line%%:*}" "$(grep -o '{[a-z-]*}' <<< "$line" | sort | xargs)"
	done < "$BATS_TEST_DIRNAME/../share/lb/lang/$1.yaml" | sort
}

@test "whatever people read is there in every language, with the same {names}" {
	[ "$(texts en_US | wc -l)" -gt 50 ]
	same "$(texts en_US)" "$(texts zh_Hans)"
	for command in $(message '!help' | said | sed -n 's/^!\([a-z]*\).*/\1/p'); do
		texts en_US | grep -q "^help-$command "
	done
}
