#!/usr/bin/env bats
# Models, endpoints and tools that lie, and what they must not do.

load helper
load server

setup() {
	exec < /dev/null
	# The tools of the sandbox are tested elsewhere.
	export LB__BOX__ENABLED=false
	export LB__LLM__RETRY__BACKOFF=1ms
	ECHO=$LB_TEST_BUILD/tests/unit/echo-provider
}

teardown() {
	stop_servers
}

# providers - a server of standard input's script, as two providers.
providers() {
	cat > "$BATS_TEST_TMPDIR/script"
	serve "$BATS_TEST_TMPDIR/script"
	cat > "$LB_CONFIG" <<-END
		providers:
		  a: {base-url: "$SERVER_URL/v1", api-keys: [sk-one]}
		  keys: {base-url: "$SERVER_URL/v1", api-keys: [sk-bad, sk-fine]}
		tools: {providers: {e: {command: ["$ECHO"]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true, model: a/m}}}}
	END
}

# query SESSION TEXT [JSON] - a query as lb-pipeline makes it.
query() {
	jq -cn --arg s "$1" --arg t "$2" --argjson more "${3:-{\}}" '{kind: "query",
		id: ("id-" + $s + $t), bot: "-", session: ("-/person_" + $s), launcher_type: "person",
		launcher_id: $s, sender_id: $s, pipeline: "default", runner: "local-agent",
		prompt: [], user: {role: "user", content: [{type: "text", text: $t}]}} + $more'
}

# calls ID NAME ARGUMENTS [ID NAME ARGUMENTS]... - an answer with these calls.
calls() {
	local list=()
	while [ $# -gt 0 ]; do
		list+=("$(jq -cn --arg i "$1" --arg n "$2" --arg a "$3" \
			'{id: $i, type: "function", function: {name: $n, arguments: $a}}')")
		shift 3
	done
	printf '%s\n' "${list[@]}" | jq -sc '{choices: [{message: {content: null, tool_calls: .}, finish_reason: "tool_calls"}]}'
}

# answers NAME - what a server is to send, from standard input.
answers() {
	cat > "$BATS_TEST_TMPDIR/$1"
	printf 'reply 200\nheader Content-Type: application/json\nfile %s\n' "$BATS_TEST_TMPDIR/$1"
}

@test "a key that is refused to many at once is one key that is refused" {
	providers <<-'END'
		on POST /v1/chat/completions
		if-header Authorization: Bearer sk-bad
		uses any
		reply 401
		pause 300
		send {"error":{"message":"no","code":"invalid_api_key"}}
		on POST /v1/chat/completions
		if-header Authorization: Bearer sk-fine
		uses any
		openai strict
		answer ok
	END
	sed -i 's|model: a/m|model: keys/m|' "$LB_CONFIG"
	run --separate-stderr -0 lb-agent -j 8 < <(for i in {1..8}; do query "$i" hi; done)
	same 8 "$(jq -s 'map(select(.kind == "reply" and .text == "ok")) | length' <<< "$output")"
}


# then_done - what answers from then on.
then_done() {
	printf 'on POST /v1/chat/completions\nuses any\nopenai strict\nanswer done\n'
}

first() {
	echo 'on POST /v1/chat/completions'
}

# history - the messages of the one session.
history() {
	lb-session show --json -/person_1 | jq -c '.messages[]'
}

@test "two calls of one id are two calls" {
	providers < <(
		first
		calls same e__echo '{"text":"one"}' same e__echo '{"text":"two"}' | answers two
		then_done)
	run --separate-stderr -0 lb-agent < <(query 1 hi)
	same done "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
	same "one two" "$(history | jq -r 'select(.role == "tool").content' | paste -sd' ')"
	same 2 "$(history | jq -r 'select(.role == "tool").tool_call_id' | sort -u | wc -l)"
}

@test "an id of a megabyte, or of what no header of a page would hold, is replaced" {
	providers < <(
		first
		calls "$(head -c 100000 /dev/zero | tr '\0' i)" e__echo '{"text":"one"}' \
			$'a\x1b[2J b' e__echo '{"text":"two"}' '' e__echo '{"text":"three"}' | answers ids
		then_done)
	run --separate-stderr -0 lb-agent < <(query 1 hi)
	same done "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
	same "one two three" "$(history | jq -r 'select(.role == "tool").content' | paste -sd' ')"
	[[ $(history | jq -r 'select(.role == "tool").tool_call_id' | paste -sd' ') =~ \
		^[a-z0-9]{9}\ [a-z0-9]{9}\ [a-z0-9]{9}$ ]]
}

@test "arguments of millions of values, or nested without end, are not read" {
	local deep
	deep=$(printf '[%.0s' {1..1000})$(printf ']%.0s' {1..1000})
	providers < <(
		first
		{
			printf '{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"e__echo","arguments":"{\\"x\\":['
			head -c 700000 /dev/zero | sed 's/\x00/[],/g'
			printf '0]}"}}]},"finish_reason":"tool_calls"}]}'
		} | answers bomb
		first
		calls b e__echo "{\"text\":\"x\",\"y\":$deep}" c e__echo '{"text":"fine"}' | answers deep
		then_done)
	sed -i 's|enable-all|limits: {rounds: 9}, enable-all|' "$LB_CONFIG"
	run --separate-stderr lb-agent < <(query 1 hi '{"stream":true}')
	[[ $stderr == *"'a' of tool 'e__echo' is not run: "*"too many values"* ]]
	[[ $stderr == *"'b' of tool 'e__echo' is not run: "*"nested too deep"* ]]
	# neither goes on to the next request as it was
	[ "$(requests 'select(.path).body | length' | sort -n | tail -n 1)" -lt 20000 ]
}

@test "more tokens than there are is none, and no sum of them overflows" {
	local most=9223372036854775807 n
	providers < <(
		for n in "$most" "\"$most\"" 9e18 -5; do
			first
			calls x e__echo "{\"text\":\"$RANDOM\"}" |
				sed "s/}\$/,\"usage\":{\"prompt_tokens\":$n,\"completion_tokens\":$n}}/" |
				answers "usage$n"
		done
		then_done)
	sed -i 's|enable-all|limits: {tokens: 1000000}, enable-all|' "$LB_CONFIG"
	run --separate-stderr -0 lb-agent < <(query 1 hi)
	[[ $stderr != *overflow* ]]
	same '["done",5,{"input":5,"output":4}]' \
		"$(jq -c 'select(.kind == "reply") | [.text, .rounds, .usage]' <<< "$output" |
			sed 's/"input":[0-9]*/"input":5/')"
}

@test "what an answer wants back does not make its conversation unreadable" {
	local deep
	deep=$(printf '[%.0s' {1..2030})$(printf ']%.0s' {1..2030})
	providers < <(
		echo 'on POST /v1/responses'
		printf '{"id":"r","status":"completed","output":[{"type":"reasoning","id":"rs","encrypted_content":"x","summary":%s},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}]}' "$deep" | answers one
		printf 'on POST /v1/responses\nresponses strict\nanswer {last}\n')
	sed -i 's|  a: {|  a: {protocol: openai-responses, |' "$LB_CONFIG"
	run --separate-stderr -0 lb-agent < <(query 1 hi; query 1 more)
	same 'hello more' "$(jq -r 'select(.kind == "reply").text' <<< "$output" | paste -sd' ')"
	same 'user assistant user assistant' "$(history | jq -r .role | paste -sd' ')"
	[[ $stderr == *"wants back is too much"* ]]
}

# note WHAT MODEL TEXT - as another process could have left it.
note() {
	python3 - "$LB_STATE/limits.db" "llm $1"$'\x1f'"$SERVER_URL/v1"$'\x1f'"$2" "$3" <<-'END'
		import os, sqlite3, sys, time
		db = sqlite3.connect(sys.argv[1])
		db.execute("REPLACE INTO notes VALUES(?, ?, CAST(? AS TEXT))",
		           (sys.argv[2], int(time.time() * 1000) + 10**7, os.fsencode(sys.argv[3])))
		db.commit()
	END
}

@test "notes that nobody of us wrote do no harm" {
	local change
	need python3
	providers < <(then_done)
	# one that failed makes the file
	sed -i 's|  keys: {base-url: "[^"]*|  keys: {base-url: "http://127.0.0.1:1/v1|' "$LB_CONFIG"
	run -0 lb-llm -m keys/x --fallback a/y hi
	note model x $'\xff\xfe"bad'
	run --separate-stderr -0 lb-llm --json -m a/x --fallback a/y hi
	same '["a/y","internal"]' "$(jq -c '[.model, .passed_over[0].code]' <<< "$output")"
	for change in '{"messages":null}' '{"model":"zzz"}' '{"max_tokens":"messages"}' \
		'{"temperature":"x"}' '[1]' '"x"' '{' "$(printf '[%.0s' {1..3000})"; do
		note changes y "$change"
		run -0 lb-llm -m a/y -o max_tokens=5 -o temperature=0.5 hi
		same '["y",5,0.5,1]' "$(requests 'select(.path).body | fromjson |
			[.model, .max_tokens, .temperature, (.messages | length)]' | tail -n 1)"
	done
	note changes y '{"max_tokens":"max_completion_tokens","temperature":null}'
	run -0 lb-llm -m a/y -o max_tokens=5 -o temperature=0.5 hi
	same '[null,5,null]' "$(requests 'select(.path).body | fromjson |
		[.max_tokens, .max_completion_tokens, .temperature]' | tail -n 1)"
}

@test "a schema that nests without end is no tool's" {
	local deep
	deep=$(printf '{"properties":{"a":%.0s' {1..100})null$(printf '}}%.0s' {1..100})
	providers < <(then_done)
	cat > "$BATS_TEST_TMPDIR/p.sh" <<-END
		id() { id=\${l#*'"id":"'}; id=\${id%%'"'*}; }
		while read -r l; do
			case \$l in
			*'"op":"hello"'*) echo '{"version":1,"name":"x"}' ;;
			*'"op":"list"'*) id; echo '{"id":"'\$id'","ok":true,"tools":[{"name":"deep","parameters":$deep},{"name":"self","parameters":{"\$ref":"#"}},{}]}' ;;
			esac
		done
	END
	sed -i "s|command: .*|command: [sh, $BATS_TEST_TMPDIR/p.sh]}}}|" "$LB_CONFIG"
	run --separate-stderr -0 lb-agent < <(query 1 hi)
	same e__self "$(requests 'select(.path).body | fromjson | .tools[].function.name' | tr -d '"')"
	[[ $stderr == *"'deep' is left out: its parameters are nested too deep; tool '' is left out"* ]]
}

@test "no key is shown, wherever it stands and whoever says it again" {
	export LB_LOG=debug LB_LOG_BODIES=1 LB__LLM__RETRY__TRIES=1
	providers < <(
		printf 'on * /*\nuses any\nreply 401\nheader X-Echo: MARK-one\nsend %s\n' \
			'{"error":{"message":"what is Bearer MARK-one MARK-two?","code":"invalid_api_key","param":"MARK-one"}}')
	cat > "$LB_CONFIG" <<-END
		providers:
		  a: {base-url: "$SERVER_URL/v1", api-keys: [MARK-one, "cmd:echo MARK-two"]}
		  b: {protocol: anthropic-messages, base-url: "$SERVER_URL/v1", api-keys: [MARK-one]}
		  g: {protocol: gemini, base-url: "$SERVER_URL/v1", api-keys: [MARK-one]}
		  u: {base-url: "http://MARK-user:MARK-pass@${SERVER_URL#http://}/v1", api-keys: [MARK-one]}
		  q: {base-url: "$SERVER_URL/v1?a=1&api_key=MARK-url&b=2", api-keys: [MARK-one]}
		pipelines: {default: {ai: {local-agent: {model: {primary: a/m, fallbacks: [b/m, g/m, u/m]}}}}}
	END
	# All are refused (401): what counts is what they say.
	for m in a b g u q; do
		lb-llm -vv -m $m/m --dry-run hi || true
		lb-llm embed -vv -m $m/m --dry-run hi || true
		lb-llm -vv -m $m/m -o extra_headers='{"X-Api-Key":"MARK-head"}' hi || true
		lb-llm -vv -m $m/m -o extra_headers='{"X-Api-Key":"MARK-head"}' --dry-run hi || true
		lb-llm embed -vv -m $m/m hi || true
		lb-llm rerank -vv -m $m/m q d || true
		lb-llm models -vv $m || true
		lb-llm test -vv $m/m || true
	done > "$BATS_TEST_TMPDIR/all" 2>&1
	lb-llm models >> "$BATS_TEST_TMPDIR/all" 2>&1
	query 1 hi | lb-agent -vv >> "$BATS_TEST_TMPDIR/all" 2>&1
	lb-session show --json -/person_1 >> "$BATS_TEST_TMPDIR/all" 2>&1 || true
	[ "$(requests .path | wc -l)" -gt 20 ]
	grep -q '"Authorization":"Bearer \*\*\*"' "$BATS_TEST_TMPDIR/all"
	grep -q '?a=1&api_key=\*\*\*&b=2' "$BATS_TEST_TMPDIR/all"
	grep -qaF 'what is Bearer *** ***?' "$BATS_TEST_TMPDIR/all"
	run -1 grep -rqa MARK "$BATS_TEST_TMPDIR/all" "$LB_STATE"
}

# lists AFTER - a provider with one tool that does AFTER when it is asked for $said.
lists() {
	cat > "$BATS_TEST_TMPDIR/p.sh" <<-END
		id() { id=\${l#*'"id":"'}; id=\${id%%'"'*}; }
		while read -r l; do
			case \$l in
			*'"op":"hello"'*) echo '{"version":1,"name":"x"}' ;;
			*'"op":"list"'*) id
				said='{"id":"'\$id'","ok":true,"tools":[{"name":"one"}]}'
				$1 ;;
			*'"op":"call"'*) id; echo '{"id":"'\$id'","ok":true,"content":"done"}' ;;
			esac
		done
	END
	cat > "$LB_CONFIG" <<-END
		tools: {list-timeout: 1s, providers: {e: {command: [sh, $BATS_TEST_TMPDIR/p.sh]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
	END
}

@test "a list that changes while it is told is asked for again, but not for ever" {
	export LB_MODEL=offline:tools
	lists 'n=$((n + 1)); printf "{\"event\":\"changed\"}\n%s\n" "$said"; echo "$n" > "'"$BATS_TEST_TMPDIR"'/asked"'
	run --separate-stderr -0 lb-agent < <(query 1 'call e__one')
	[[ $stderr == *"provider 'e' changes its tools too often"* ]]
	same 3 "$(cat "$BATS_TEST_TMPDIR/asked")"
	# once is what a server of tools does that has just started
	lists 'n=$((n + 1)); [ $n -gt 1 ] && echo "$said" || printf "{\"event\":\"changed\"}\n%s\n" "$said"'
	run --separate-stderr -0 lb-agent < <(query 2 'call e__one')
	same done "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
	[ -z "$stderr" ]
	# and one that does not answer is told of
	lists ':'
	run --separate-stderr -0 lb-agent < <(query 3 'call e__one')
	[[ $stderr == *"provider 'e' does not list its tools in time"* ]]
}

@test "ids that begin anew in each answer, or are long, can go to any other model" {
	local long second n
	long=$(printf 'x%.0s' {1..45})
	for second in 'openai-chat openai' 'anthropic-messages anthropic' \
		'openai-responses responses' 'gemini gemini' 'ollama-chat ollama'; do
		providers < <(
			for n in 1 2; do
				first
				calls call_0 e__echo "{\"text\":\"$n\"}" call_1 e__picture '{}' \
					"$long" e__echo "{\"text\":\"long $n\"}" | answers "round$n"
			done
			printf 'on POST /v1/chat/completions\nuses any\nreply 503\nsend busy\n'
			printf 'on POST *\nuses any\n%s strict\nanswer done\n' "${second#* }")
		rm -rf "$LB_STATE"
		cat > "$LB_CONFIG" <<-END
			llm: {retry: {tries: 1}}
			providers:
			  a: {base-url: "$SERVER_URL/v1", api-keys: [k]}
			  b: {protocol: ${second% *}, base-url: "$SERVER_URL/two", api-keys: [k], call-id-max: 40}
			tools: {providers: {e: {command: ["$ECHO"]}}}
			pipelines: {default: {ai: {local-agent: {enable-all-tools: true, model: {primary: a/m, fallbacks: [b/gpt-9]}}}}}
		END
		run --separate-stderr -0 lb-agent < <(query 1 hi; query 1 more)
		same '["done","b/gpt-9",6] ["done","b/gpt-9",null]' "$(jq -c 'select(.kind == "reply") |
			[.text, .model, .tools.n]' <<< "$output" | paste -sd' ')"
		stop_servers
	done
}

@test "no cool-down, no pause and no end of patience are times like others" {
	providers < <(
		printf 'on POST /v1/chat/completions\nif-json model bad\nuses any\nreply 503\nsend busy\n'
		then_done)
	export LB__LLM__RETRY__COOL_DOWN=none LB__LLM__RETRY__BACKOFF=none LB__LLM__RETRY__BUDGET=none
	for _ in 1 2; do
		run --separate-stderr -0 lb-llm -m a/bad --fallback a/good hi
		same done "$output"
		[[ $stderr != *overflow* ]]
	done
	same 'bad good bad good' "$(requests 'select(.path).body | fromjson | .model' | tr -d '"' | paste -sd' ')"
	run --separate-stderr -75 timeout 20 lb-llm -m a/bad --tries=20 hi
	[[ $stderr == *'(asked 20 times)' && $stderr != *overflow* ]]
}
