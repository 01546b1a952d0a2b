#!/usr/bin/env bats
# What lb-agent does with tools: who gets which, how they are called, what their
# results become, and what ends an answer that would not end.

load helper
load server

setup() {
	exec < /dev/null
	export LB_MODEL=offline:tools
	# What is said here is said of the providers of the configuration.
	export LB__BOX__ENABLED=false
	ECHO=$LB_TEST_BUILD/tests/unit/echo-provider
	SHELF=$BATS_TEST_DIRNAME/../share/lb/examples
}

teardown() {
	stop_servers
}

# config AGENT [MORE] - the provider `e`, and a pipeline with these keys of
# ai.local-agent; MORE is further YAML.
config() {
	cat > "$LB_CONFIG" <<-END
		tools: {providers: {e: {command: ["$ECHO"]}}}
		pipelines: {default: {ai: {local-agent: {$1}}${2:+, $2}}}
	END
}

# provider NAME - the script at the input becomes a provider, in the
# configuration all tools are granted. `reply ID` in it answers with a JSON
# text behind.
provider() {
	cat > "$BATS_TEST_TMPDIR/$1.sh"
	cat > "$LB_CONFIG" <<-END
		tools: {providers: {$1: {command: [sh, "$BATS_TEST_TMPDIR/$1.sh"]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
	END
}

# lists NAME... - a script of a provider that has these tools and says its own
# name and the tool's when one is called.
lists() {
	local tools
	tools=$(printf '{"name":"%s"}\n' "$@" | jq -sc .)
	cat <<-END
		id() { id=\${l#*'"id":"'}; id=\${id%%'"'*}; }
		while read -r l; do
			case \$l in
			*'"op":"hello"'*) echo '{"version":1,"name":"x"}' ;;
			*'"op":"list"'*) id; echo '{"id":"'\$id'","ok":true,"tools":$tools}' ;;
			*'"op":"call"'*) id; echo '{"id":"'\$id'","ok":true,"content":"done"}' ;;
			esac
		done
	END
}

# query SESSION SCRIPT [JSON] - a query as lb-pipeline makes it.
query() {
	jq -cn --arg s "$1" --arg t "$2" --arg n "$RANDOM$RANDOM" --argjson more "${3:-{\}}" '{kind: "query",
		id: ("id-" + $n), bot: "-", platform: "text", session: ("-/" + $s),
		launcher_type: "person", launcher_id: $s, sender_id: $s,
		pipeline: "default", runner: "local-agent", prompt: [],
		user: {role: "user", content: [{type: "text", text: $t}]}} + $more'
}

# answer SESSION SCRIPT [JSON] - the text it ends in; all records in $out.
answer() {
	query "$@" | timeout 60 lb-agent > "$BATS_TEST_TMPDIR/out" || return
	jq -r 'select(.kind == "reply") | .text' "$BATS_TEST_TMPDIR/out"
}

# reply JQ - of the reply of the last answer.
reply() {
	jq -c "select(.kind == \"reply\") | $1" "$BATS_TEST_TMPDIR/out"
}

# within COMMAND... - wait until it succeeds, at most 20 s.
within() {
	local i
	for i in {1..400}; do
		! "$@" || return 0
		sleep 0.05
	done
	echo "in vain: $*"
	return 1
}

# is_gone PID - it has ended, whether somebody waited for it or not.
is_gone() {
	[[ $(cat "/proc/$1/stat" 2> /dev/null) != *") "[!Z]* ]]
}

# history SESSION - the messages of its turns.
history() {
	lb-session show --json "$1" | jq -c '.messages[]'
}

@test "with no key no tool is offered, and none is run" {
	printf 'tools: {providers: {e: {command: ["%s"]}}}\n' "$ECHO" > "$LB_CONFIG"
	same "error: there is no tool 'e__echo'; there are none" \
		"$(answer a 'call e__echo {"text":"x"}')"
	serve <<-'END'
		on POST /v1/chat/completions
		openai strict kkkk
		answer ok
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	answer a hi
	same null "$(requests '.body|fromjson|.tools')"
}

@test "enable-all-tools offers what the providers list, as PROVIDER__NAME" {
	config 'enable-all-tools: true'
	serve <<-'END'
		on POST /v1/chat/completions
		openai strict kkkk
		answer ok
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1
	LB_MODEL=openai/m answer a hi
	same '["e__big","e__die","e__echo","e__fail","e__later","e__picture","e__who"]' \
		"$(requests '.body|fromjson|[.tools[].function.name]|sort')"
	same '{"type":"function","function":{"name":"e__echo","description":"Say it again","parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}}' \
		"$(requests '.body|fromjson|.tools[]|select(.function.name=="e__echo")')"
}

@test "a tool is granted by the name it is offered as, or by its own" {
	config 'tools: [e__echo, who]'
	same x "$(answer a 'call e__echo {"text":"x"}')"
	same -/b "$(answer b 'call e__who')"
	same "error: there is no tool 'e__fail'; there are: e__echo, e__who" \
		"$(answer a 'call e__fail {"text":"x"}')"
}

@test "allow and deny: what is denied is not there, whatever else is said" {
	config 'enable-all-tools: true, tools: [e__echo]' \
		'tools: {allow: ["e__*"], deny: [echo, "*fa*"]}'
	[[ $(answer a 'call e__echo {"text":"x"}') == "error: there is no tool"* ]]
	[[ $(answer a 'call e__fail {"text":"x"}') == "error: there is no tool"* ]]
	same -/a "$(answer a 'call e__who')"
	config 'enable-all-tools: true' 'tools: {allow: [who]}'
	same "error: there is no tool 'e__echo'; there are: e__who" \
		"$(answer a 'call e__echo {"text":"x"}')"
	lists x > "$BATS_TEST_TMPDIR/x.sh"
	config 'enable-all-tools: true' 'tools: {providers: [other]}'
	sed -i "s|^tools: {providers: {|&other: {command: [sh, '$BATS_TEST_TMPDIR/x.sh']}, |" "$LB_CONFIG"
	same "error: there is no tool 'e__who'; there are: other__x" "$(answer a 'call e__who')"
}

@test "what changes something is there for admins, the listed or everyone" {
	lists exec read > "$BATS_TEST_TMPDIR/native.sh"
	sandbox() {
		cat > "$LB_CONFIG" <<-END
			admins: ["shop:person_boss"]
			bots: {shop: {adapter: jsonl, trust-sender: true}}
			tools: {providers: {native: {command: [sh, "$BATS_TEST_TMPDIR/native.sh"]}}}
			pipelines: {default: {ai: {local-agent: {enable-all-tools: true, tools: [exec]}}, sandbox: {$1}}}
		END
	}
	as() {
		answer "$1$2" "call $2" "{\"bot\":\"shop\",\"sender_id\":\"$1\"}"
	}
	sandbox ''
	same done "$(as boss exec)"
	same "error: there is no tool 'exec'; there are: read" "$(as ann exec)"
	same done "$(as ann read)"
	same "error: there is no tool 'exec'; there are: read" \
		"$(answer nobody 'call exec' '{"bot":"shop","sender_id":null}')"
	sandbox 'open-to: listed, listed: ["shop:person_ann"]'
	same done "$(as ann exec)"
	same done "$(as boss exec)"
	same "error: there is no tool 'exec'; there are: read" "$(as joe exec)"
	sandbox 'open-to: everyone'
	same done "$(as joe exec)"
	# What a list calls exec is guarded, whoever has it; a full name is meant.
	cat > "$LB_CONFIG" <<-END
		bots: {shop: {adapter: jsonl, trust-sender: true}}
		tools: {providers: {x: {command: [sh, "$BATS_TEST_TMPDIR/native.sh"]}}}
		pipelines: {default: {ai: {local-agent: {tools: [exec]}}},
		  full: {ai: {local-agent: {tools: [x__exec]}}}}
	END
	same "error: there is no tool 'x__exec'; there are none" "$(as joe x__exec)"
	same done "$(answer joe2 'call x__exec' '{"pipeline":"full","bot":"shop","sender_id":"joe"}')"
}

@test "a provider is told all that rights and names depend on" {
	lists peep > "$BATS_TEST_TMPDIR/body"
	{
		echo "told() { echo \"\$l\" >> '$BATS_TEST_TMPDIR/told'; }"
		sed 's/^while read -r l; do/&\ntold/' "$BATS_TEST_TMPDIR/body"
	} | provider x
	same done "$(answer ann 'call x__peep' '{"id":"id-1","conversation_id":"9"}')"
	same '{"bot":"-","conversation_id":"9","id":"id-1","launcher_id":"ann","launcher_type":"person","pipeline":"default","platform":"text","sender_id":"ann","session":"-/ann"}' \
		"$(jq -cS 'select(.op == "call").context | del(.deadline_ms)' "$BATS_TEST_TMPDIR/told")"
}

@test "two tools of one name are an error that the operator sees, and neither" {
	lists search > "$BATS_TEST_TMPDIR/x.sh"
	cat > "$LB_CONFIG" <<-END
		tools:
		  providers:
		    a b: {command: [sh, "$BATS_TEST_TMPDIR/x.sh"]}
		    a_b: {command: [sh, "$BATS_TEST_TMPDIR/x.sh"]}
		    c: {command: [sh, "$BATS_TEST_TMPDIR/x.sh"]}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}},
		  own: {ai: {local-agent: {tools: [search]}}},
		  full: {ai: {local-agent: {tools: [c__search]}}}}
	END
	run --separate-stderr -0 answer a 'call a_b__search'
	same "error: there is no tool 'a_b__search'; there are: c__search" "$output"
	same "lb-agent: tool 'a_b__search' is there twice, so it is left out" "$stderr"
	same done "$(answer b 'call c__search' '{"pipeline":"full"}')"
	run --separate-stderr -0 answer c 'call c__search' '{"pipeline":"own"}'
	same "error: there is no tool 'c__search'; there are none" "$output"
	[[ $stderr == *"tool 'search' is granted by a name that several providers have"* ]]
}

@test "a question that needs two calls is answered, streamed, in a pipe" {
	need jq
	cat > "$LB_CONFIG" <<-END
		tools: {providers: {calc: {command: ["$SHELF/calc.sh"]}}}
		pipelines: {default: {ai: {local-agent: {tools: [add, multiply]}}}}
	END
	jq -cn '{text: "say I add.\ncall calc__add {\"a\":2,\"b\":3}\nsay I multiply.\ncall calc__multiply {\"a\":{result},\"b\":10}\nsay It is {result}.", sender: "ann"}' |
		lb-ingest --bot shop jsonl | lb-pipeline | lb-agent --stream |
		tee "$BATS_TEST_TMPDIR/out" | lb-wrap | lb-send null > "$BATS_TEST_TMPDIR/sent"
	same '"I add.\n\nI multiply.\n\nIt is 50."' "$(reply .text)"
	same "$(reply .text)" "$(jq -sc '[.[]|select(.kind=="chunk").text]|add' "$BATS_TEST_TMPDIR/out")"
	same '["calc__add"],["calc__multiply"]' "$(jq -c 'select(.calls).calls' "$BATS_TEST_TMPDIR/out" | paste -sd,)"
	same '[3,2,0,{"calc":2},["calc__add","calc__multiply"]]' \
		"$(reply '[.rounds,.tools.n,.tools.errors,.tools.calls,[.tools.list[].name]]')"
	same receipt "$(jq -r .kind "$BATS_TEST_TMPDIR/sent")"
	"$LB_TEST_BUILD/tests/unit/validate-record" "$BATS_TEST_DIRNAME/../share/lb/schema" < "$BATS_TEST_TMPDIR/out"
}

@test "which tools are called is said, streamed or not, where the pipeline wants it" {
	config 'enable-all-tools: true' 'output: {misc: {track-function-calls: true}}'
	script=$'say I look.\ncall e__who\nand e__echo {"text":"x"}\nsay Found.'
	query a "$script" | lb-agent | lb-wrap > "$BATS_TEST_TMPDIR/out"
	same '"Call e__who.e__echo...\n\nI look.\n\nFound."' "$(reply .text)"
	query b "$script" | lb-agent --stream | lb-wrap > "$BATS_TEST_TMPDIR/out"
	same '"I look.\n\nCall e__who.e__echo...\n\nFound."' "$(reply .text)"
	same "$(reply .text)" "$(jq -sc '[.[]|select(.kind=="chunk").text]|add' "$BATS_TEST_TMPDIR/out")"
}

@test "streamed or not, the history is the same" {
	config 'enable-all-tools: true'
	script=$'say one\ncall e__echo {"text":"x"}\nand e__fail {"text":"no"}\nsay two'
	query a "$script" | lb-agent > "$BATS_TEST_TMPDIR/a"
	query b "$script" | lb-agent --stream > "$BATS_TEST_TMPDIR/b"
	same "$(history a)" "$(history b)"
	same '["user","assistant","tool","tool","assistant"]' "$(history a | jq -sc 'map(.role)')"
	same '["x","error: denied: no"]' "$(history a | jq -sc '[.[]|select(.role=="tool").content]')"
	same '[null,true]' "$(history a | jq -sc '[.[]|select(.role=="tool").is_error]')"
	same "$(jq -r 'select(.kind=="reply").text' "$BATS_TEST_TMPDIR/a")" \
		"$(jq -r 'select(.kind=="reply").text' "$BATS_TEST_TMPDIR/b")"
}

@test "the next question finds calls and results in the conversation" {
	config 'enable-all-tools: true'
	answer a 'call e__echo {"text":"x"}' > /dev/null
	serve <<-'END'
		on POST /v1/chat/completions
		openai strict kkkk
		answer ok
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1
	LB_MODEL=openai/m answer a hi
	same '["user","assistant","tool","assistant","user"]' "$(requests '.body|fromjson|[.messages[].role]')"
	same '{"name":"e__echo","arguments":"{\"text\":\"x\"}"}' \
		"$(requests '.body|fromjson|.messages[1].tool_calls[0].function')"
}

@test "the reply counts calls by their source, what the sandbox ran, and skills" {
	lists exec | sed 's/"ok":true,"content":"done"/"ok":false,"error":{"code":"tool","message":"no"}/' \
		> "$BATS_TEST_TMPDIR/native.sh"
	lists activate register_skill > "$BATS_TEST_TMPDIR/skill.sh"
	cat > "$LB_CONFIG" <<-END
		tools: {providers: {native: {command: [sh, "$BATS_TEST_TMPDIR/native.sh"]},
		  skill: {command: [sh, "$BATS_TEST_TMPDIR/skill.sh"]}, e: {command: ["$ECHO"]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true, tools: [exec]}},
		  sandbox: {open-to: everyone}}}
	END
	answer a $'call exec\nand activate {"skill_name":"pdf"}\nand e__later {"text":"x","ms":30}\ncall nobody' > /dev/null
	same '{"n":4,"errors":2,"calls":{"native":1,"skill":1,"e":1,"none":1},"execs":1,"exec_errors":1,"skills":["pdf"]}' \
		"$(reply '.tools | {n, errors, calls, execs, exec_errors, skills}')"
	same '[["exec","native",true],["activate","skill",null],["e__later","e",null],["nobody","none",true]]' \
		"$(reply '[.tools.list[] | [.name, .source, .error]]')"
	same true "$(reply '.tools.ms >= 30 and (.tools.list[2].ms >= 30)')"
}

@test "lb-session show shows calls and results to people" {
	need script
	config 'enable-all-tools: true'
	answer a $'say look\ncall e__echo {"text":"x"}\nsay done' > /dev/null
	run -0 script -qec 'lb-session show a' /dev/null
	[[ $output == *"assistant: look"*'calls e__echo: {"text":"x"}'*"tool e__echo: x"*"assistant: done"* ]]
}

@test "calls of a round run at once, and their results stand in their order" {
	config 'enable-all-tools: true'
	began=$(date +%s%N)
	same "slow quick" "$(answer a $'call e__later {"text":"slow","ms":900}\nand e__later {"text":"quick","ms":700}')"
	[ $(($(date +%s%N) - began)) -lt 1550000000 ]
	same '["slow","quick"]' "$(history a | jq -sc '[.[]|select(.role=="tool").content]')"
}

@test "no arguments are {}, also in the history" {
	config 'enable-all-tools: true'
	same "-/a -/a" "$(answer a $'call e__who\nand e__who null')"
	same '["{}","{}"]' "$(history a | jq -sc '[.[].tool_calls//empty|.[].function.arguments]')"
}

@test "arguments that do not fit are told to the model, and nothing is run" {
	config 'enable-all-tools: true'
	same "error: the arguments do not fit: at '.': missing text; the tool was not run" \
		"$(answer a 'call e__echo {}')"
	same "error: the arguments do not fit: at 'text': expected \"string\", got integer; the tool was not run" \
		"$(answer a 'call e__echo {"text":7}')"
	same "error: the arguments are not a JSON object; the tool was not run." \
		"$(answer a 'call e__echo [1]')"
	provider s <<-END
		$(lists x | sed 's/"name":"x"}/"name":"x","parameters":{"properties":{"how":{"enum":["up","down"]}}}}/')
	END
	same "error: the arguments do not fit: at 'how': none of the values allowed: [\"up\",\"down\"]; the tool was not run" \
		"$(answer a 'call s__x {"how":"left"}')"
	same done "$(answer a 'call s__x {"how":"up"}')"
}

@test "arguments that are cut off are not guessed: the model is told once" {
	config 'enable-all-tools: true'
	run --separate-stderr -0 answer a $'call e__echo {"text":"cat > a <<X\ncall e__echo {"text":"whole"}'
	same "whole" "${output##* }"
	[[ $output == "error: the arguments are not valid JSON ("*", line 1, column "*"); the tool was not run."* ]]
	[[ $stderr == *"call 'call_"*"' of tool 'e__echo' is not run"* ]]
	same '{"truncated":true,"text":"{\"text\":\"cat > a <<X"}' \
		"$(history a | jq -r '.tool_calls//empty|.[0].function.arguments' | head -n 1)"
	answer b $'call e__echo {"a\ncall e__echo {"b\ncall e__echo {"c'
	same '"malformed"' "$(reply .failed.code)"
	same 2 "$(reply .tools.n)"
}

@test "a tool of a name that is none spoils no later request" {
	config 'enable-all-tools: true'
	same "error: there is no tool 'functions_e__echo_'; there are" \
		"$(answer a $'call functions.e__echo: {}' | cut -d: -f1-2)"
	same functions_e__echo_ "$(history a | jq -r '.tool_calls//empty|.[].function.name')"
}

@test "the same call with the same result: told at the third, stopped at the fourth" {
	config 'enable-all-tools: true'
	answer a 'loop e__echo {"text":"x"}'
	same '["repeat",4,4,2]' "$(reply '[.ended,.rounds,.tools.n,.tools.errors]')"
	same '"I stop here: I was doing the same thing over and over."' "$(reply .text)"
	same x,x,error "$(history a | jq -r 'select(.role=="tool").content' | cut -d: -f1 | head -n 3 | paste -sd,)"
	config 'enable-all-tools: true, repeat-limit: 0, limits: {rounds: 6}'
	answer b 'loop e__echo {"text":"x"}'
	same '["rounds",6]' "$(reply '[.ended,.rounds]')"
}

@test "the same call with other results is no repetition" {
	provider n <<-'END'
		n=0
		id() { id=${l#*'"id":"'}; id=${id%%'"'*}; }
		while read -r l; do
			id
			case $l in
			*'"op":"hello"'*) echo '{"version":1,"name":"n"}' ;;
			*'"op":"list"'*) echo '{"id":"'$id'","ok":true,"tools":[{"name":"next"}]}' ;;
			*'"op":"call"'*) n=$((n + 1)); echo '{"id":"'$id'","ok":true,"content":"'$n'"}' ;;
			esac
		done
	END
	same "1 2 3 4 5" "$(answer a $'call n__next {}\ncall n__next {}\ncall n__next {}\ncall n__next {}\ncall n__next {}')"
}

@test "limits of rounds, calls, tokens, cost and time end an answer, and say so" {
	limited() {
		config "enable-all-tools: true, repeat-limit: 0, limits: {$1}"
		answer "$1" "${2:-loop e__echo {\"text\":\"x\"\}}"
	}
	same "I stop here: I may ask and look only so often for one answer (3)." "$(limited 'rounds: 3')"
	same '["rounds",3,3]' "$(reply '[.ended,.rounds,.tools.n]')"
	same "I stop here: I may use tools only so often for one answer (2)." "$(limited 'calls: 2')"
	same '["calls",2]' "$(reply '[.ended,.tools.n]')"
	same "I stop here: what one answer may use is used up." "$(limited 'tokens: 10')"
	same '"tokens"' "$(reply .ended)"
	same $'so far\n\nI stop here: the time for one answer is over.' \
		"$(limited 'time: 1s' $'say so far\ncall e__later {"text":"x","ms":30000}')"
	same '["time",1,1]' "$(reply '[.ended,.tools.n,.tools.errors]')"
	echo 'llm: {prices: [{model: "offline*", input: "1000", output: "1000"}]}' > "$BATS_TEST_TMPDIR/price"
	config 'enable-all-tools: true, repeat-limit: 0, limits: {cost: 0.01}'
	cat "$BATS_TEST_TMPDIR/price" >> "$LB_CONFIG"
	same "I stop here: what one answer may cost is spent." "$(answer cost 'loop e__echo {"text":"x"}')"
	same '["cost",true]' "$(reply '[.ended,.usage.cost >= 0.01]')"
}

@test "a limit in a streamed answer: chunks and reply say the same" {
	config 'enable-all-tools: true, limits: {rounds: 1}'
	query a $'say one\ncall e__who' | lb-agent --stream > "$BATS_TEST_TMPDIR/out"
	same '"one\n\nI stop here: I may ask and look only so often for one answer (1)."' "$(reply .text)"
	same "$(reply .text)" "$(jq -sc '[.[]|select(.kind=="chunk").text]|add' "$BATS_TEST_TMPDIR/out")"
	same '["user","assistant","tool","assistant"]' "$(history a | jq -sc 'map(.role)')"
}

@test "a call that is cancelled ends at its provider" {
	config 'enable-all-tools: true, limits: {time: 500ms}'
	run --separate-stderr -0 answer a 'call e__later {"text":"x","ms":30000}'
	[[ $stderr == *"e: echo-provider: cancelled"* ]]
}

@test "a call that takes too long is a result, and the model goes on" {
	config 'enable-all-tools: true'
	sed -i 's/^tools: {/tools: {call-timeout: 300ms, /' "$LB_CONFIG"
	same "error: timeout: there was no answer in time b" \
		"$(answer a $'call e__later {"text":"x","ms":30000}\ncall e__later {"text":"b","ms":1}')"
}

@test "an answer cut at its greatest length says so" {
	same $'half of\n\n(The answer is cut off: it reached its greatest length.)' \
		"$(answer a $'say half of\nfinish length')"
	same '"length"' "$(reply .ended)"
	same '"half of"' "$(history a | jq -c 'select(.role=="assistant").content')"
}

@test "an answer that a filter refused says so" {
	serve <<-'END'
		on POST /v1/chat/completions
		reply 200
		send {"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	same "The provider's filter does not let this be answered." \
		"$(query a hi | lb-agent | lb-wrap | jq -r 'select(.kind=="reply").text')"
}

@test "of a long result the model sees both ends, and can read the rest" {
	config 'enable-all-tools: true'
	sed -i 's/^tools: {/tools: {max-result: 1k, /' "$LB_CONFIG"
	text=$(answer a 'call e__big {"bytes":5000}')
	[ "${#text}" -lt 1300 ]
	[[ $text == 000000000*"bytes 768 to 4744 of 5000 are left out; read_result reads them: file "*".txt ...]"*000004990 ]]
	file=$(sed -n 's/.*file \([^ ]*\) .*/\1/p' <<< "$text")
	same 5000 "$(stat -c %s "$LB_STATE/media/results/$file")"
	same 000002000 "$(answer a "call read_result {\"file\":\"$file\",\"offset\":2000,\"limit\":9}")"
	same '{"lb":1}' "$(reply .tools.calls)"
	cp "$LB_CONFIG" "$BATS_TEST_TMPDIR/config"
	sed -i 's/^pipelines: {default: {/&tools: {deny: [read_result]}, /' "$LB_CONFIG"
	[[ $(answer a "call read_result {\"file\":\"$file\"}") == "error: there is no tool 'read_result'"* ]]
	cp "$BATS_TEST_TMPDIR/config" "$LB_CONFIG"
	# Not another's, and nothing else.
	[[ $(answer b "call read_result {\"file\":\"$file\"}") == "error: there is no tool 'read_result'"* ]]
	same "error: no result of this conversation names that file" \
		"$(answer a 'call read_result {"file":"../../lb.db"}')"
}

@test "an image is shown once, and is a note in the history" {
	config 'enable-all-tools: true'
	serve <<-'END'
		on POST /v1/chat/completions
		reply 200
		send {"choices":[{"message":{"content":null,"tool_calls":[{"id":"p","type":"function","function":{"name":"e__picture","arguments":""}}]},"finish_reason":"tool_calls"}]}
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer ok
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1
	LB_MODEL=openai/m answer a hi
	[[ $(requests '.body' | tail -n 1) == *"data:image/png;base64,iVBORw0KGgo="* ]]
	LB_MODEL=openai/m answer a again
	[[ $(requests '.body' | tail -n 1) != *iVBORw0KGgo* ]]
	same '[{"type":"text","text":"look\n[file: a.pdf]"},{"type":"text","text":"[Image]"}]' \
		"$(history a | jq -c 'select(.role=="tool").content')"
}

@test "a provider that dies in a call: an error for the model, a line in the log" {
	provider d <<-END
		$(lists x | sed "s/\*'\"op\":\"call\"'\*) .*/*'\"op\":\"call\"'*) exit 3 ;;/")
	END
	run --separate-stderr -0 answer a $'call d__x {}\nsay {result} - so be it'
	same "error: tool: provider 'd': it exited 3 - so be it" "$output"
	same "lb-agent: provider 'd': it exited 3; it starts again in 1 s" "$stderr"
}

@test "a provider that is not there: the answer is made without its tools" {
	cat > "$LB_CONFIG" <<-'END'
		tools: {providers: {no: {command: [./no-such-program]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
	END
	run --separate-stderr -0 answer a 'say fine'
	same fine "$output"
	[[ $stderr == *"provider 'no': cannot start '$BATS_TEST_TMPDIR/./no-such-program': No such file or directory"* ]]
}

@test "a provider without a command is told once" {
	config 'enable-all-tools: true'
	sed -i 's/^tools: {providers: {/&none: {bare-names: true}, /' "$LB_CONFIG"
	run --separate-stderr -0 lb-agent < <(query a 'call e__who'; query b 'call e__who')
	same "lb-agent: provider 'none' cannot be started" "$stderr"
}

@test "a provider whose lines are not as they have to be: the operator reads why" {
	provider slow <<-'END'
		read -r l; echo '{"version":1,"name":"x"}'; cat > /dev/null
	END
	export LB__TOOLS__LIST_TIMEOUT=100ms
	run --separate-stderr -0 answer a 'say fine'
	same fine "$output"
	same "lb-agent: provider 'slow' does not list its tools in time" "$stderr"
	unset LB__TOOLS__LIST_TIMEOUT
	provider odd <<-'END'
		read -r l; echo '{"version":1,"name":"x"}'
		read -r l; echo '{"id":"1","ok":true,"tools":[{"name":"x"},{"name":"y","parameters":{"type":"array"}}]}'
		read -r l; echo '{"id":"2","ok":true,"content":7}'; cat > /dev/null
	END
	run --separate-stderr -0 answer a 'call odd__x {}'
	same "error: malformed: 'content' is neither a text nor an array" "$output"
	same "lb-agent: provider 'odd': tool 'y' is left out: its parameters are not of type object
lb-agent: provider 'odd': left out: 'content' is neither a text nor an array" "$stderr"
}

@test "a tool that is granted and nowhere is told, once" {
	config 'tools: [e__echo, e__ehco, who, read_result]'
	run --separate-stderr -0 lb-agent < <(query a 'call e__who'; query b 'call e__who')
	same "lb-agent: tool 'e__ehco' is granted by pipeline 'default', and no provider has it" "$stderr"
	# one that cannot say what it has may have it
	sed -i 's/^tools: {providers: {/&no: {command: [.\/none]}, /' "$LB_CONFIG"
	run --separate-stderr -0 answer a 'say fine'
	[[ $stderr == *"cannot start"* && $stderr != *granted* ]]
	# and with no provider at all nobody has it
	echo 'pipelines: {default: {ai: {local-agent: {tools: [exec]}}}}' > "$LB_CONFIG"
	run --separate-stderr -0 answer a 'say fine'
	same "lb-agent: pipeline 'default' grants tools of the sandbox, which is switched off (box.enabled: false)" "$stderr"
}

@test "a limit of cost that cannot hold is told" {
	config 'limits: {cost: 0.01}'
	run --separate-stderr -0 lb-agent < <(query a 'say x'; query b 'say x')
	same "lb-agent: the price of model 'offline:tools' is not known, so no limit of cost holds for it: set llm.prices" "$stderr"
	config '' 'safety: {rate-limit: {windows: [{per: session, window: 1h, limit: 1, count: cost}]}}'
	run --separate-stderr -0 lb-agent < <(query a 'say x')
	[[ $stderr == *"the price of model"* ]]
	echo 'llm: {prices: [{model: "offline*", input: "1", output: "1"}]}' >> "$LB_CONFIG"
	run --separate-stderr -0 lb-agent < <(query a 'say x')
	same "" "$stderr"
	config 'limits: {tokens: 100}'
	run --separate-stderr -0 lb-agent < <(query a 'say x')
	same "" "$stderr"
}

@test "a provider gets a clean environment, and its words go to the log" {
	provider env <<-END
		echo "words \$OPENAI_API_KEY\$SECRET\$WANTED\$LB_STATE" >&2
		$(lists x)
	END
	sed -i 's/command:/env: [WANTED], command:/' "$LB_CONFIG"
	export OPENAI_API_KEY=kkkk SECRET=s WANTED=w
	run --separate-stderr -0 answer a 'call env__x'
	same done "$output"
	same "lb-agent: env: words w$LB_STATE" "$stderr"
}

@test "tools: what the model may use here, for whoever asks" {
	lists exec read > "$BATS_TEST_TMPDIR/native.sh"
	cat > "$LB_CONFIG" <<-END
		tools: {providers: {e: {command: ["$ECHO"]}, native: {command: [sh, "$BATS_TEST_TMPDIR/native.sh"]}}}
		pipelines: {default: {ai: {local-agent: {tools: [exec, read, echo]}}}}
	END
	same $'The model may use these tools here:\ne__echo: Say it again\nread' \
		"$(answer a tools '{"command":{"name":"tools","args":[]}}')"
	same $'The model may use these tools here:\ne__echo: Say it again\nexec\nread' \
		"$(USER=boss answer boss tools '{"command":{"name":"tools","args":[]}}')"
	same 'The model may use no tools here.' \
		"$(answer b tools '{"pipeline":"none","command":{"name":"tools","args":[]}}')"
}

@test "a hundred conversations at once: every result is its own" {
	config 'enable-all-tools: true'
	for i in {1..100}; do
		query "s$i" 'call e__who'
	done | timeout 60 lb-agent -j 100 > "$BATS_TEST_TMPDIR/out"
	same 100 "$(jq -r 'select(.kind == "reply" and .text == .session).session' "$BATS_TEST_TMPDIR/out" | sort -u | wc -l)"
	same 100 "$(grep -c '"kind":"reply"' "$BATS_TEST_TMPDIR/out")"
}

@test "killed in the middle of a call: nothing is left, and the question can come again" {
	config 'enable-all-tools: true'
	provider k <<-END
		sleep 1000 &
		echo "\$! \$\$" > "$BATS_TEST_TMPDIR/pids"
		$(lists x | sed "s/\*'\"op\":\"call\"'\*) /&echo called >> '${BATS_TEST_TMPDIR//\//\\/}\/calls'; [ -e '${BATS_TEST_TMPDIR//\//\\/}\/go' ] || continue; /")
	END
	query a 'call k__x' > "$BATS_TEST_TMPDIR/in"
	lb-agent < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/first" 3>&- &
	pid=$!
	within [ -s "$BATS_TEST_TMPDIR/calls" ]
	kill -9 "$pid"
	wait "$pid" || [ $? -eq 137 ]
	for p in $(cat "$BATS_TEST_TMPDIR/pids"); do
		within is_gone "$p"
	done
	run -1 grep '"kind":"reply"' "$BATS_TEST_TMPDIR/first"
	: > "$BATS_TEST_TMPDIR/go"
	run -0 lb-agent < "$BATS_TEST_TMPDIR/in"
	same done "$(jq -r 'select(.kind=="reply").text' <<< "$output")"
	same '["user","assistant","tool","assistant"]' "$(history a | jq -sc 'map(.role)')"
	same 2 "$(wc -l < "$BATS_TEST_TMPDIR/calls")"
	# And once more: from the store, no tool is called.
	run -0 lb-agent < "$BATS_TEST_TMPDIR/in"
	same '[true,"done"]' "$(jq -c '[.replayed,.text]' <<< "$output")"
	same 2 "$(wc -l < "$BATS_TEST_TMPDIR/calls")"
}

@test "a signal: calls under way are cancelled, the provider ends" {
	config 'enable-all-tools: true'
	query a 'call e__later {"text":"x","ms":60000}' > "$BATS_TEST_TMPDIR/in"
	(exec lb-agent --grace=300ms -v < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err") 3>&- &
	pid=$!
	within grep -qs "calls 'e__later'" "$BATS_TEST_TMPDIR/err"
	kill -TERM "$pid"
	wait "$pid" && false || same 143 $?
	grep -q 'cancelled' "$BATS_TEST_TMPDIR/err"
}
