#!/usr/bin/env bats
# A conversation goes on with another model: between questions, after a restart,
# when its beginning is cut off, and in the middle of a turn. The endpoints
# refuse what the services refuse; none of it may be what lb sends.

load helper
load server

# Each has a protocol, or a quirk, of its own.
models=(chat/m mistral/mistral-small gpt/gpt-4o kimi/kimi-k2.5 responses/gpt-5
	claude/claude-3-7-sonnet gemini/gemini-3-flash ollama/m)

setup() {
	exec < /dev/null
	# The tools of the sandbox are tested elsewhere.
	export LB__BOX__ENABLED=false
	export LB__LLM__RETRY__BACKOFF=1ms
}

teardown() {
	stop_servers
}

# service MODEL - the path, as a pattern, and the double that it is asked at.
service() {
	case $1 in
	claude/*) echo "/claude/v1/messages anthropic" ;;
	gemini/*) echo "/gemini/models/* gemini" ;;
	ollama/*) echo "/ollama/api/chat ollama" ;;
	responses/*) echo "/responses/responses responses" ;;
	*) echo "/${1%%/*}/chat/completions openai" ;;
	esac
}

# endpoint MODEL [TIMES] - the lines of a script: it calls three tools, and
# then answers.
endpoint() {
	local at
	read -r -a at <<< "$(service "$1")"
	printf '%s\n' "on POST ${at[0]}" "uses ${2-any}" "${at[1]} strict" \
		'call e__echo {"text":"x"}' 'call e__picture' 'call e__who' \
		'answer done: {last}'
}

# configure - all models are at the server; one that thinks does so.
configure() {
	local url=$SERVER_URL
	cat > "$LB_CONFIG" <<-END
		providers:
		  chat: {protocol: openai-chat, base-url: "$url/chat", api-keys: [k]}
		  mistral: {preset: mistral, base-url: "$url/mistral", api-keys: [k]}
		  gpt: {preset: openai, base-url: "$url/gpt", api-keys: [k]}
		  kimi: {preset: moonshot, base-url: "$url/kimi", api-keys: [k]}
		  responses: {protocol: openai-responses, base-url: "$url/responses", api-keys: [k]}
		  claude: {preset: anthropic, base-url: "$url/claude", api-keys: [k]}
		  gemini: {preset: gemini, base-url: "$url/gemini", api-keys: [k]}
		  ollama: {preset: ollama, base-url: "$url/ollama"}
		tools: {providers: {e: {command: ["$LB_TEST_BUILD/tests/unit/echo-provider"]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true, max-round: 2,
		  model: {${1:+$1, }reasoning: {claude/claude-3-7-sonnet: low}}}}}}
	END
	chmod 600 "$LB_CONFIG"
}

png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==

# question SESSION TEXT STREAM - with an image.
question() {
	jq -cn --arg s "$1" --arg t "$2" --argjson stream "$3" --arg png "$png" '
		{kind: "query", id: ($s + $t), bot: "-", platform: "text",
		session: ("-/" + $s), launcher_type: "person", launcher_id: $s,
		sender_id: $s, pipeline: "default", runner: "local-agent",
		stream: $stream, prompt: [{role: "system", content: "p"}],
		user: {role: "user", content: [
			{type: "image_base64", image_base64: $png},
			{type: "text", text: $t}]}}'
}

# ask MODEL TEXT SESSION... - each session asks the model, in one process; all
# are answered by it, after three calls.
ask() {
	local model=$1 text=$2 stream=false s
	shift 2
	[ "$text" != two ] || stream=true
	for s; do question "$s" "$text" "$stream"; done |
		LB_MODEL=$model timeout 60 lb-agent > "$BATS_TEST_TMPDIR/out"
	same "$(for s; do echo "[\"$s\",\"$model\",\"done: $text\",2,3,null,null]"; done | sort)" \
		"$(jq -c 'select(.kind == "reply") | [.launcher_id, .model, .text,
			.rounds, .tools.n, .passed_over, .failed]' \
			"$BATS_TEST_TMPDIR/out" | sort)"
}

@test "each pair of models: restarts, trimming and both switches, and no 400" {
	local a b text sessions
	serve < <(for a in "${models[@]}"; do endpoint "$a"; done)
	configure
	# one asks the first model of its name, two the second, then back
	for text in one two three four; do
		for a in "${models[@]}"; do
			sessions=()
			for b in "${models[@]}"; do
				if [ "$text" = two ]; then
					sessions+=("${b%%/*}-${a%%/*}")
				else
					sessions+=("${a%%/*}-${b%%/*}")
				fi
			done
			ask "$a" "$text" "${sessions[@]}"
		done
	done
	# each question is two requests: nothing was refused and tried again
	same "$((${#models[@]} * ${#models[@]} * 4 * 2))" \
		"$(requests 'select(.method == "POST")' | wc -l)"
	# and a model's own thoughts went back to it
	requests 'select(.path | startswith("/claude")).body' | grep -q EqQBsigned
	requests 'select(.path | startswith("/responses")).body' | grep -q gAAAthought
	requests 'select(.path | startswith("/kimi")).body' | grep -q 'Tools it is'
	# but to no other
	run ! grep -q 'EqQBsigned\|gAAAthought' < <(requests 'select(.path |
		startswith("/claude") or startswith("/responses") | not).body')
	# what went out of the window is gone, its calls and results with it
	same '["two","three","four"]' "$(requests 'select(.path | startswith("/chat")).body |
		fromjson | [.messages[] | select(.role == "user").content |
		if type == "array" then .[] else . end |
		(.text? // .) | strings | select(test("one|two|three|four")) |
		sub("\\[Image\\]\\n?"; "")]' | tail -n 1)"
}

@test "each pair of models: the second goes on in the middle of a turn" {
	local a b at
	for a in "${models[@]}"; do
		for b in "${models[@]}"; do
			[ "$a" != "$b" ] || continue
			echo "# $a $b"
			read -r -a at <<< "$(service "$a")"
			serve < <(
				endpoint "$a" 1
				printf '%s\n' "on POST ${at[0]}" 'uses any' 'reply 503' 'send {}'
				endpoint "$b"
			)
			configure "primary: $a, fallbacks: [$b]"
			question "${a%%/*}-${b%%/*}" go true |
				timeout 60 lb-agent > "$BATS_TEST_TMPDIR/out"
			same "[\"$b\",\"done: go\",2,3,[\"$a\"],null]" "$(jq -c '
				select(.kind == "reply") | [.model, .text, .rounds,
				.tools.n, [.passed_over[].model], .failed]' \
				"$BATS_TEST_TMPDIR/out")"
			stop_servers
			rm -f "$LB_STATE/limits.db"*
		done
	done
}

@test "thoughts that a service does not know any more are not why nothing is answered" {
	serve < <(
		printf '%s\n' 'on POST /responses/responses' 'if-json model gpt-6' \
			'if-body gAAAthought' 'uses any' 'reply 400' \
			'send {"error":{"message":"The encrypted content could not be verified.","type":"invalid_request_error","code":"invalid_encrypted_content"}}'
		endpoint responses/gpt-5
	)
	configure
	ask responses/gpt-5 one a
	# of an earlier turn, and of this one
	ask responses/gpt-6 two a 2> "$BATS_TEST_TMPDIR/log"
	same 1 "$(grep -c 'refused by responses/gpt-6: asked again without' "$BATS_TEST_TMPDIR/log")"
	same 'false true true false false' "$(requests 'select(.path).body |
		contains("gAAAthought")' | paste -sd' ')"
}
