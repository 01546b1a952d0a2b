#!/usr/bin/env bats
# Keys, retries and fallbacks: who is asked when somebody cannot answer.

load helper
load server

setup() {
	exec < /dev/null
	# The tools of the sandbox are tested elsewhere.
	export LB__BOX__ENABLED=false
	export LB__LLM__RETRY__BACKOFF=1ms
}

teardown() {
	stop_servers
}

# on MODEL LINE... - what a model of the server does.
on() {
	printf 'on POST /v1/chat/completions\nif-json model %s\nuses any\n' "$1"
	shift
	printf '%s\n' "$@"
}

error() {
	printf 'send {"error":{"message":"%s","code":"%s"}}' "$1" "$2"
}

# providers - a server of standard input's script, as three providers.
providers() {
	cat > "$BATS_TEST_TMPDIR/script"
	on good 'openai strict' 'answer You said: {last}' >> "$BATS_TEST_TMPDIR/script"
	serve "$BATS_TEST_TMPDIR/script"
	cat > "$LB_CONFIG" <<-END
		providers:
		  a: {base-url: "$SERVER_URL/v1", api-keys: [sk-one]}
		  b: {base-url: "$SERVER_URL/v1", api-keys: [sk-two]}
		  keys: {base-url: "$SERVER_URL/v1", api-keys: [sk-bad, sk-worse, sk-fine]}
		  dead: {base-url: "http://127.0.0.1:1/v1", api-keys: [x]}
		llm: {retry: {backoff: 1ms}}
	END
}

asked() {
	requests 'select(.path).body | fromjson? | .model' | jq -sr 'join(" ")'
}

@test "op-11: another model is asked when the first cannot answer, and only then" {
	providers < <(
		on m408 'reply 408' "$(error slow timeout)"
		on m429 'reply 429' "$(error slow rate)"
		on m500 'reply 500' 'send oops'
		on m503 'reply 503' "$(error busy overloaded)"
		on empty 'reply 200' 'header Content-Type: text/event-stream' 'send data: [DONE]\n\n'
		on silent hang
		on m400 'reply 400' "$(error 'bad thing' invalid)"
		on m422 'reply 422' "$(error 'bad thing' invalid)"
		on m401 'reply 401' "$(error 'who?' invalid_api_key)"
		on m403 'reply 403' "$(error 'not you' forbidden)"
		on late 'reply 200' 'header Content-Type: text/event-stream' 'chunked' \
			'event {"choices":[{"delta":{"content":"Half"}}]}' \
			'event {"error":{"message":"gone","code":503}}'
	)
	for first in a/m408 a/m429 a/m500 a/m503 a/empty dead/x a/m401 a/m403; do
		rm -rf "$LB_STATE"
		run --separate-stderr -0 lb-llm --json -m "$first" --fallback b/good hi
		same '["You said: hi","b/good",["'"$first"'"]]' \
			"$(jq -c '[.text, .model, [.passed_over[].model]]' <<< "$output")"
		[[ $stderr == *"$first"*'asking b/good' ]]
	done
	rm -rf "$LB_STATE"
	run --separate-stderr -0 lb-llm --json -m a/silent --first-byte-timeout 200ms --fallback b/good hi
	same '["You said: hi","b/good",["a/silent"]]' \
		"$(jq -c '[.text, .model, [.passed_over[].model]]' <<< "$output")"
	# a key that is refused is no better for the same provider's next model
	run -69 lb-llm -m a/m401 --fallback a/good hi
	for first in a/m400 a/m422; do
		rm -rf "$LB_STATE"
		run --separate-stderr -69 lb-llm -m "$first" --fallback b/good hi
		[[ $stderr == *"$first: HTTP 4"*'bad thing' ]]
	done
	# what was said cannot be taken back
	run --separate-stderr lb-llm -m a/late --fallback b/good hi
	[ "$status" -ne 0 ]
	same Half "$output"
}

@test "op-11: who failed is left alone for a while, by other processes too" {
	providers < <(on m503 'reply 503' "$(error busy overloaded)")
	for _ in 1 2 3; do
		run -0 lb-llm --json -m a/m503 --fallback b/good hi
	done
	same 'm503 good good good' "$(asked)"
	same '[{"model":"a/m503","code":"overloaded","message":"left alone after a failure"}]' \
		"$(jq -c .passed_over <<< "$output")"
	# alone it is asked all the same, and so is one of which all are cooling
	run -75 lb-llm -m a/m503 --tries=1 hi
	run -75 lb-llm -m a/m503 --fallback a/m503 --tries=1 hi
	rm "$LB_STATE"/limits.db*
	run -0 lb-llm -m a/m503 --fallback b/good hi
	same 'm503 good good good m503 m503 m503 m503 good' "$(asked)"
	# the time that it is left alone for
	rm "$LB_STATE"/limits.db*
	export LB__LLM__RETRY__COOL_DOWN=1ms
	run -0 lb-llm -m a/m503 --fallback b/good hi
	sleep 0.01
	run -0 lb-llm -m a/m503 --fallback b/good hi
	same 'm503 good m503 good' "$(asked | grep -o 'm503 good m503 good$')"
}

@test "the configuration's fallbacks are for the model that nobody named" {
	providers < <(on m503 'reply 503' "$(error busy overloaded)")
	sed -i 's|^llm: {|llm: {model: a/m503, fallbacks: [dead/x, b/good], |' "$LB_CONFIG"
	run --separate-stderr -0 lb-llm --json hi
	same '["b/good",["overloaded","network"]]' \
		"$(jq -c '[.model, [.passed_over[].code]]' <<< "$output")"
	run -75 lb-llm --tries=1 -m a/m503 hi
	echo '{"kind":"request","id":"1","prompt":"hi"}' > "$BATS_TEST_TMPDIR/requests"
	run -0 lb-llm --records < "$BATS_TEST_TMPDIR/requests"
	same '["response","You said: hi","b/good"]' "$(jq -c '[.kind, .text, .model]' <<< "$output")"
	# one that cannot be had is left out
	run --separate-stderr -0 lb-llm -m a/m503 --fallback nobody/x --fallback b/good hi
	[[ $stderr == *"fallback 'nobody/x' is left out: "* ]]
}

@test "a key that is refused or used up: the provider's next one, in all processes" {
	providers < <(
		printf 'on POST /v1/chat/completions\nif-header Authorization: Bearer sk-bad\nuses any\n'
		printf 'reply 401\n%s\n' "$(error 'Incorrect API key sk-bad' invalid_api_key)"
		printf 'on POST /v1/chat/completions\nif-header Authorization: Bearer sk-worse\nuses any\n'
		printf 'reply 429\nheader Retry-After: 100\n%s\n' "$(error 'used up' insufficient_quota)"
	)
	for _ in 1 2; do
		run --separate-stderr -0 lb-llm -m keys/good hi
		same 'You said: hi' "$output"
		[[ $stderr != *sk-* ]]
	done
	same '["Bearer sk-bad","Bearer sk-worse","Bearer sk-fine","Bearer sk-fine"]' \
		"$(requests '.headers.Authorization // .headers.authorization' | jq -sc .)"
	# nothing on the disk or in the log tells a key
	run -0 lb-llm -vv -m keys/good hi
	run ! grep -ra 'sk-bad\|sk-worse\|sk-fine' "$LB_STATE"
	[[ $output != *sk-* ]]
	# all of them: the last failure is told
	sed -i 's/sk-fine/sk-bad/' "$LB_CONFIG"
	rm "$LB_STATE"/limits.db*
	run --separate-stderr lb-llm -m keys/good --tries=1 hi
	[ "$status" -ne 0 ]
	[[ $stderr != *sk-* ]]
}

@test "a key that is refused is told of, and so is why a provider is passed over" {
	providers < <(
		printf 'on * *\nif-header Authorization: Bearer sk-bad\nuses any\n'
		printf 'reply 401\n%s\n' "$(error 'who are you?' invalid_api_key)"
		printf 'on GET /v1/models\nif-header Authorization: Bearer sk-fine\nreply 200\n'
		printf 'send {"data":[{"id":"m-1"}]}\n'
	)
	sed -i 's/sk-worse/sk-fine/; s/, sk-fine\]/]/' "$LB_CONFIG"
	run --separate-stderr -0 lb-llm -m keys/good hi
	same 'lb-llm: keys/good: HTTP 401: who are you?; asking with key 2 of 2 instead of 1' "$stderr"
	# what it offers is asked with the other key, too
	run --separate-stderr -0 lb-llm models keys
	same m-1 "$(jq -r .id <<< "$output")"
	same 'lb-llm: keys: HTTP 401: who are you?; asking with key 2 of 2' "$stderr"
	# every key refused, and remembered so
	sed -i 's/sk-fine/sk-badder/' "$LB_CONFIG"
	rm "$LB_STATE"/limits.db*
	run -69 lb-llm -m keys/good hi
	run -0 lb-llm -m keys/good --fallback b/good --json hi
	same '[{"model":"keys/good","code":"auth","message":"left alone after a failure"}]' \
		"$(jq -c .passed_over <<< "$output")"
}

@test "the last model is asked again, with a pause, and not for ever" {
	providers < <(
		printf 'on POST /v1/chat/completions\nif-json model flaky\nuses 2\nreply 503\nsend no\n'
		on flaky 'openai strict' 'answer Well.'
		on m503 'reply 503' 'send no'
		on m400 'reply 400' 'send no'
	)
	run --separate-stderr -0 lb-llm -m a/flaky hi
	same Well. "$output"
	run --separate-stderr -75 lb-llm -m a/m503 hi
	[[ $stderr == *'(asked 3 times)' ]]
	run -75 lb-llm -m a/m503 --tries=5 hi
	run -69 lb-llm -m a/m400 hi
	same 'flaky flaky flaky m503 m503 m503 m503 m503 m503 m503 m503 m400' "$(asked)"
	# a pause that would be longer than the time there is
	LB__LLM__RETRY__BACKOFF=10s run --separate-stderr -75 lb-llm -m a/m503 --max-wait=1s hi
	same m503 "$(asked | grep -o '[^ ]*$')"
}

@test "llm-15: Retry-After is obeyed in both forms, and what is none is not" {
	hour=$(LC_ALL=C date -u -d '+1 hour' '+%a, %d %b %Y %H:%M:%S GMT')
	providers < <(
		printf 'on POST /v1/chat/completions\nif-json model one\nuses 1\nreply 429\nheader Retry-After: 1\nsend no\n'
		on one 'openai strict' 'answer Well.'
		printf 'on POST /v1/chat/completions\nif-json model zero\nuses 1\nreply 429\nheader Retry-After: 0\nsend no\n'
		on zero 'openai strict' 'answer Well.'
		on hour 'reply 429' "header Retry-After: $hour" 'send no'
		on day 'reply 429' 'header Retry-After: 99999' 'send no'
		for bad in -5 '²' soon; do
			printf 'on POST /v1/chat/completions\nif-json model odd\nuses 1\nreply 429\nheader Retry-After: %s\nsend no\n' "$bad"
		done
		on odd 'openai strict' 'answer Well.'
	)
	began=$(date +%s%3N)
	run -0 lb-llm -m a/one hi
	[ $(($(date +%s%3N) - began)) -ge 1000 ]
	run -0 lb-llm -m a/zero hi
	run -0 lb-llm -m a/odd --tries=4 hi
	run --separate-stderr -75 lb-llm -m a/hour hi
	[[ $stderr == *'it wants to be asked again in 3'*' s, longer than llm.retry.budget'* ]]
	run -75 lb-llm -m a/day --max-wait=1s hi
	same 'one one zero zero odd odd odd odd hour day day day' "$(asked)"
}

@test "llm-24: a parameter that is refused is left out, at once and from then on" {
	providers < <(
		printf 'on POST /v1/chat/completions\nif-json model picky\nif-body "max_tokens"\nuses any\n'
		printf 'reply 400\nsend {"error":{"code":"unsupported_parameter","param":"max_tokens","message":"use max_completion_tokens"}}\n'
		printf 'on POST /v1/chat/completions\nif-json model picky\nif-body "temperature"\nuses any\n'
		printf 'reply 400\nsend {"error":{"code":"unsupported_value","param":"temperature","message":"Unsupported value"}}\n'
		on picky 'openai strict' 'answer Well.'
	)
	run --separate-stderr -0 lb-llm -m a/picky -o max_tokens=5 -o temperature=0.5 hi
	same Well. "$output"

	[[ $stderr == *"a/picky does not take 'max_tokens': it is sent as max_completion_tokens from now on"* ]]
	[[ $stderr == *"a/picky does not take 'temperature': it is left out from now on"* ]]
	run --separate-stderr -0 lb-llm -m a/picky -o max_tokens=6 -o temperature=0.5 hi
	[ -z "$stderr" ]
	same '[[5,null,0.5],[null,5,0.5],[null,5,null],[null,6,null]]' "$(requests \
		'select(.path).body | fromjson | [.max_tokens, .max_completion_tokens, .temperature]' | jq -sc .)"
	rm "$LB_STATE"/limits.db*
	run -69 lb-llm -m a/picky --strict-params -o max_tokens=5 hi
}

# ---- lb-agent ----

# query TEXT [JSON] - a query as lb-pipeline makes it.
query() {
	jq -cn --arg t "$1" --argjson more "${2:-{\}}" '{kind: "query",
		id: ("id-" + $t), bot: "-", session: "-/person_1", launcher_type: "person",
		launcher_id: "1", pipeline: "default", runner: "local-agent", stream: true,
		sender_id: "1", prompt: [{role: "system", content: "p"}],
		user: {role: "user", content: [{type: "text", text: $t}]}} + $more'
}

# pipeline YAML - the keys of ai.local-agent.
pipeline() {
	echo "pipelines: {default: {ai: {local-agent: {$1}}}}" >> "$LB_CONFIG"
}

replies() {
	jq -c "select(.kind == \"reply\") | $1" <<< "$output"
}

@test "an answer of a fallback says so, and the next one does not ask who failed" {
	providers < <(on m503 'reply 503' "$(error busy overloaded)")
	pipeline 'model: {primary: a/m503, fallbacks: [nobody/x, dead/x, b/good]}'
	run --separate-stderr -0 lb-agent < <(query one; query two)
	same '"b/good" ["a/m503","dead/x"] "You said: one"
"b/good" ["a/m503","dead/x"] "You said: two"' "$(replies '.model, .passed_over, .text' |
		jq -jsr 'def j: tojson; [.[:3], .[3:]] | map(map(if type == "array" then map(.model) else . end | j) | join(" ")) | join("\n")')"
	same 'm503 good good' "$(asked)"
	same 1 "$(grep -c "fallback 'nobody/x' is left out" <<< "$stderr")"
	# the chunks are of the one that answered
	same 'You said: one' "$(jq -rj 'select(.kind == "chunk" and .id == "id-one").text' <<< "$output")"
}

@test "in the middle of a turn with tools another model goes on with its history" {
	shelf=$BATS_TEST_DIRNAME/../share/lb/examples
	providers < <(
		printf 'on POST /v1/chat/completions\nif-json model brief\nuses 1\nreply 200\nsend %s\n' \
			'{"choices":[{"message":{"content":"Let me see.","tool_calls":[{"id":"c1","type":"function","function":{"name":"calc__add","arguments":"{\\"a\\":1,\\"b\\":2}"}}]},"finish_reason":"tool_calls"}]}'
		on brief 'reply 503' "$(error busy overloaded)"
		on other 'if-body "tool_call_id":"c1"' 'openai strict' 'answer Three.'
	)
	sed -i 's/^llm:/tools: {providers: {calc: {command: [sh, "'"${shelf//\//\\/}"'\/calc.sh"]}}}\n&/' "$LB_CONFIG"
	tool=$(sh "$shelf/calc.sh" <<< '{"op":"list","id":"1","context":{}}' |
		jq -r '.tools[0].name')
	sed -i "s/calc__add/calc__$tool/" "$BATS_TEST_TMPDIR/script"
	pipeline 'enable-all-tools: true, model: {primary: a/brief, fallbacks: [b/other]}'
	stop_servers
	serve "$BATS_TEST_TMPDIR/script"
	sed -i "s|http://127.0.0.1:[0-9]*/v1\", api-keys: \\[sk|$SERVER_URL/v1\", api-keys: [sk|" "$LB_CONFIG"
	run --separate-stderr -0 lb-agent < <(query sum '{"stream":false}')
	same '["b/other","Let me see.\n\nThree.",2,["a/brief"]]' \
		"$(replies '[.model, .text, .rounds, [.passed_over[].model]]')"
	same 'brief brief other' "$(asked)"
}

@test "what a model cannot see is not shown to it, and is to the one that can" {
	png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
	providers < <(on m503 'reply 503' "$(error busy overloaded)")
	sed -i 's|  a: {|  a: {vision: false, |' "$LB_CONFIG"
	pipeline 'model: {primary: a/m503, fallbacks: [b/good]}'
	run -0 lb-agent < <(query see "$(jq -nc --arg p "$png" '{user: {role: "user", content: [
		{type: "text", text: "what is it?"}, {type: "image_base64", image_base64: $p}]}}')")
	same '["m503",false] ["good",true]' "$(requests \
		'select(.path).body | fromjson | [.model, (.messages | tojson | contains("base64,"))]' | paste -sd' ')"
}

@test "how much a model thinks is set by its name, fallback or not" {
	providers < <(on o3 'reply 503' "$(error busy overloaded)")
	pipeline 'model: {primary: a/o3, fallbacks: [b/good], reasoning: {a/o3: low, b/good: provider_default}}'
	run -0 lb-agent < <(query think)
	same '["o3","low"] ["good",null]' "$(requests \
		'select(.path).body | fromjson | [.model, .reasoning_effort]' | paste -sd' ')"
	sed -i 's/a.o3: low/a\/o3: deep/' "$LB_CONFIG"
	run -78 lb-agent < <(query think)
}
