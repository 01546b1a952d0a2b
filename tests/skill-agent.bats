#!/usr/bin/env bats
# Skills in a conversation: lb-agent has lb-skill by itself, and what was
# activated lasts.

load helper
load server
load skill

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:tools LB__BOX__ENABLED=false
}

teardown() {
	stop_servers
}

# config GRANTS [LINE...] - the tools of the pipeline, and lines behind.
config() {
	{
		printf 'pipelines:\n  default:\n    ai: {local-agent: {%s}}\n' "$1"
		shift
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} > "$LB_CONFIG"
}

# say TEXT [JSON] - one message of the person at this machine; the answer. All
# records are in $out, what was said on standard error in $err.
say() {
	jq -cn --arg t "$1" --arg n "$RANDOM$RANDOM" --argjson more "${2:-{\}}" '{kind: "query",
		id: ("id-" + $n), bot: "-", platform: "text", session: "-/person_me",
		launcher_type: "person", launcher_id: "me", sender_id: "me",
		pipeline: "default", runner: "local-agent", prompt: [],
		user: {role: "user", content: [{type: "text", text: $t}]}} + $more' |
		USER=me timeout 60 lb-agent > out 2> err || return
	jq -r 'select(.kind == "reply") | .text' out
}

# model - a server that stands for a model; what it was asked is in requests.
model() {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer ok
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
}

# told - the system messages of the last request, one after the other.
told() {
	requests '.body | fromjson | .messages | map(select(.role == "system").content) | join("\n--\n")' |
		tail -n 1 | jq -r .
}

activate() {
	say "call activate {\"skill_name\":\"$1\"}"
}

@test "skills are there with no key but the right to them" {
	skill a && lb-skill install ./a
	config 'tools: [activate]'
	[[ $(activate a) == *'"activated":true,"skill_name":"a"'* ]]
	same '{"skill":1}' "$(jq -c 'select(.kind == "reply").tools.calls' out)"
	config ''
	same "error: there is no tool 'activate'; there are none" "$(activate a)"
	config 'tools: [activate]' '    tools: {providers: [native]}'
	same "error: there is no tool 'activate'; there are none" "$(activate a)"
	# An operator's own provider of that name comes first.
	config 'tools: [activate]' 'tools: {providers: {skill: {command: ["false"]}}}'
	[[ $(activate a) == "error: there is no tool 'activate'"* ]]
}

@test "the model is told of them in its prompt, where it may have them" {
	skill a 'name: a' 'description: Tidies tables.' && lb-skill install ./a
	config 'tools: [activate]'
	model
	say hi
	[[ $(told) == *$'<skills>\n- a: Tidies tables.\n</skills>' ]]
	same '["activate"]' "$(requests '.body | fromjson | .tools | map(.function.name)' | tail -n 1)"
	# A description of a tool is short: there are APIs that take no other.
	[ "$(requests '.body | fromjson | .tools[0].function.description | length' | tail -n 1)" -lt 1000 ]
	config ''
	say hi
	same '' "$(told)"
	config 'tools: [activate]' '    extensions_preferences: {skills: []}'
	say hi
	same '' "$(told)"
}

@test "an index of 64k reaches the model whole" {
	config 'tools: [activate]' 'skills: {index-size: 64k}'
	for i in $(seq -w 100); do
		skill "src/s$i" "name: s$i" "description: $(printf 'word %.0s' {1..100})"
	done
	lb-skill install --all ./src > list
	model
	say hi
	same 100 "$(told | grep -c '^- s[0-9]*: word')"
}

@test "one that was installed or removed meanwhile is seen at the next query" {
	config 'tools: [activate]'
	skill a && lb-skill install ./a
	mkfifo in
	q() {
		jq -cn --arg t "$1" --arg n "$RANDOM$RANDOM" '{kind: "query", id: ("id-" + $n),
			bot: "-", platform: "text", session: "-/person_me", launcher_type: "person",
			launcher_id: "me", sender_id: "me", pipeline: "default", runner: "local-agent",
			prompt: [], user: {role: "user", content: [{type: "text", text: $t}]}}' >&9
		while read -r -t 30 line <&8; do
			[[ $line != *'"kind":"reply"'* ]] || break
		done
		jq -r .text <<< "$line"
	}
	mkfifo answers
	USER=me lb-agent < in > answers 2> err 3>&- &
	agent=$!
	exec 9> in 8< answers
	[[ $(q 'call activate {"skill_name":"a"}') == *'"activated":true'* ]]
	skill b && lb-skill install ./b
	seen() { [[ $(q 'call activate {"skill_name":"b"}') == *'"activated":true'* ]]; }
	for i in {1..50}; do
		! seen || break
		sleep 0.1
	done
	seen
	lb-skill rm a b
	[[ $(q 'say still here') == 'still here' ]]
	exec 9>&- 8<&-
	wait "$agent"
}

@test "what was activated lasts for the conversation, also beyond the history" {
	config 'tools: [activate], max-round: 1'
	skill a && printf 'Say please.\n' >> a/SKILL.md && lb-skill install ./a
	activate a
	model
	say one
	[[ $(told) != *'Say please.'* ]] # it is in the history that is shown
	[[ $(requests '.body | fromjson | .messages[] | select(.role == "tool").content' | tail -n 1) == *'Say please.'* ]]
	say two
	[[ $(told) == *$'Skill \'a\' is active.\n<skill name="a">'*'Say please.'* ]]
	# As it is now.
	printf 'Say thanks.\n' >> a/SKILL.md && lb-skill install ./a
	say three
	[[ $(told) == *'Say thanks.'* ]]
	# Another conversation begins without.
	lb-session reset -/person_me > list
	say four
	[[ $(told) != *'Say please.'* ]]
}

@test "one that is gone is left out with one warning, and the conversation goes on" {
	config 'tools: [activate], max-round: 1'
	for s in a b; do skill $s && lb-skill install ./$s; done
	say $'call activate {"skill_name":"a"}\nand activate {"skill_name":"b"}'
	lb-skill rm a
	model
	same ok "$(say one)"
	grep -qx "lb-agent: skill 'a' of a conversation is not there any more, so it is left out" err
	same 1 "$(grep -c "skill 'a'" err)"
	same ok "$(say two)"
	same '' "$(cat err)"
	[[ $(told) == *"Skill 'b' is active."* && $(told) != *"Skill 'a' is active."* ]]
}

@test "people ask which there are, and which are active" {
	command() {
		say x '{"command":{"name":"skills","args":[]}}'
	}
	config 'tools: [activate]'
	same 'There are no skills here.' "$(command)"
	skill a 'name: a' "description: $(printf 'Tidies tables. %.0s' {1..20})" && lb-skill install ./a > list
	skill b 'name: b' 'description: Sorts.' && lb-skill install ./b > list
	activate b > answer
	run -0 command
	same 'The model may use these skills here; those with a star are active:' "${lines[0]}"
	[[ ${lines[1]} == 'a: Tidies tables. Tidies'*... ]]
	same '* b: Sorts.' "${lines[2]}"
	same 3 "${#lines[@]}"
	config ''
	same 'There are no skills here.' "$(command)"
}

@test "of more than eight, those that were activated last stay" {
	config 'tools: [activate], max-round: 1'
	for i in {1..9}; do
		skill s$i && lb-skill install ./s$i
		activate s$i > answer
	done
	model
	say one
	say two
	same 's2 s3 s4 s5 s6 s7 s8 s9' "$(told | sed -n "s/^Skill '\(.*\)' is active.*/\1/p" | xargs)"
}

@test "long instructions reach the model whole" {
	config 'tools: [activate]'
	skill a
	for i in $(seq 2000); do echo "Line $i of many."; done >> a/SKILL.md
	lb-skill install ./a
	run -0 activate a
	[[ $output == *'Line 1 of many.'*'Line 1000 of many.'*'Line 2000 of many.'* ]]
}

# limited LIST CALL - what comes of the call while a skill with that list of
# tools is in use.
limited() {
	skill l 'name: l' 'description: d' "allowed-tools: $1"
	lb-skill install --force ./l > list
	say $'call activate {"skill_name":"l"}\ncall '"$2" > answer
	jq -r 'select(.kind == "reply") | .tools.list[1] | "\(.name) \(.error // false)"' out
}

@test "what a skill in use does not allow is refused until the answer is there" {
	provider=$LB_TEST_BUILD/tests/unit/echo-provider
	config 'enable-all-tools: true' "tools: {providers: {e: {command: [\"$provider\"]}}}"
	same 'e__echo true' "$(limited Read 'e__echo {"text":"x"}')"
	grep -q "skill 'l' is in use until this answer is given, and does not allow that call of 'e__echo'; it allows Read" answer
	same 'e__echo true' "$(limited '[]' 'e__echo {"text":"x"}')"
	grep -q 'it allows no tool' answer
	same 'e__echo false' "$(limited 'Read e__echo' 'e__echo {"text":"x"}')"
	same 'e__echo false' "$(limited 'mcp__e__echo' 'e__echo {"text":"x"}')"
	same 'e__echo false' "$(limited 'mcp__e' 'e__echo {"text":"x"}')"
	same 'e__echo true' "$(limited 'mcp__e__ech' 'e__echo {"text":"x"}')"
	# The next message begins anew; the skill is active all the same.
	[[ $(say 'call e__echo {"text":"x"}') == *x* ]]
	# Before it is activated it takes nothing away; a second one gives nothing back.
	skill m && lb-skill install ./m
	say $'call e__echo {"text":"x"}\ncall activate {"skill_name":"l"}\ncall activate {"skill_name":"m"}\ncall e__echo {"text":"x"}' > answer
	same '[null,null,null,true]' "$(jq -c 'select(.kind == "reply") | .tools.list | map(.error)' out)"
}

@test "a list of commands is kept to" {
	unset LB__BOX__ENABLED
	needs_sandbox
	config 'enable-all-tools: true'
	allows() {
		same "exec $3" "$(limited "$1" "exec $(jq -cn --arg c "$2" '{command: $c}')")" ||
			{ echo "$1: $2"; cat answer; return 1; }
	}
	allows 'Bash(echo:*)' 'echo a b' false
	allows 'Bash(echo:*)' 'echo' false
	allows 'Bash(echo:*)' 'echoes' true
	allows 'Bash(echo:*)' 'ls' true
	for more in 'echo a; ls' 'echo a && ls' 'echo `ls`' 'echo $(ls)' 'echo a | sh' \
		$'echo a\nls' 'echo a > f' 'echo a & ls'; do
		allows 'Bash(echo:*)' "$more" true
	done
	allows 'bash' 'ls; ls' false
	allows 'Bash(*)' 'ls; ls' false
	allows 'Bash(echo a *)' 'echo a b' false
	allows 'Bash(echo a *)' 'echo b b' true
	allows 'exec' 'ls' false
	same 'read false' "$(limited 'Bash(echo:*)' 'read {"path":"/workspace/.skills/l/SKILL.md"}')"
	same 'read true' "$(limited 'Bash(echo:*)' 'read {"path":"/workspace/x"}')"
	same 'read true' "$(limited 'Bash(echo:*)' 'read {"path":"/workspace/.skills/l/../../x"}')"
	same 'write false' "$(limited 'Write(out/*)' 'write {"path":"/workspace/out/x","content":"x"}')"
	same 'write true' "$(limited 'Write(out/*)' 'write {"path":"/workspace/x","content":"x"}')"
	same 'write true' "$(limited 'Write(out/*)' 'write {"path":"/workspace/out/../x","content":"x"}')"
}
