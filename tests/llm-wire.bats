#!/usr/bin/env bats
# Each wire protocol against a double of its service, which refuses what the
# service refuses: what gets an answer here was put right.

load helper
load server

setup() {
	exec < /dev/null
	# The tools of the sandbox are tested elsewhere.
	export LB__BOX__ENABLED=false
	serve <<-'END'
		on POST /openai-chat/chat/completions
		if-json model agent
		uses any
		openai strict k-secret
		call e__echo {"text":"x"}
		call e__who
		answer done: {last}
		on POST /openai-responses/responses
		if-json model agent
		uses any
		responses strict k-secret
		call e__echo {"text":"x"}
		call e__who
		answer done: {last}
		on POST /anthropic-messages/v1/messages
		if-json model agent
		uses any
		anthropic strict k-secret
		call e__echo {"text":"x"}
		call e__who
		answer done: {last}
		on POST /ollama-chat/api/chat
		if-json model agent
		uses any
		ollama strict
		call e__echo {"text":"x"}
		call e__who
		answer done: {last}
		on POST /gemini/models/gemini-3-agent:*
		uses any
		gemini strict k-secret
		call e__echo {"text":"x"}
		call e__who
		answer done: {last}
		on POST /openai-chat/chat/completions
		if-json model tools
		uses any
		openai strict k-secret
		call clock
		call dice {"n":6}
		answer done
		on POST /openai-chat/chat/completions
		uses any
		openai strict k-secret
		answer You said: {last}
		on GET /openai-chat/models
		uses any
		reply 200
		send {"object":"list","data":[{"id":"m-1","object":"model"}]}
		on POST /openai-responses/responses
		if-json model tools
		uses any
		responses strict k-secret
		call clock
		call dice {"n":6}
		answer done
		on POST /openai-responses/responses
		uses any
		responses strict k-secret
		answer You said: {last}
		on GET /openai-responses/models
		uses any
		reply 200
		send {"object":"list","data":[{"id":"m-1","object":"model"}]}
		on POST /anthropic-messages/v1/messages
		if-json model tools
		uses any
		anthropic strict k-secret
		call clock
		call dice {"n":6}
		answer done
		on POST /anthropic-messages/v1/messages
		uses any
		anthropic strict k-secret
		answer You said: {last}
		on GET /anthropic-messages/v1/models?limit=1000
		if-header x-api-key: k-secret
		if-header anthropic-version
		uses any
		reply 200
		send {"data":[{"type":"model","id":"m-1","display_name":"M"}],"has_more":false}
		on POST /gemini/models/gemini-3-tools:*
		uses any
		gemini strict k-secret
		call clock
		call dice {"n":6}
		answer done
		on POST /gemini/models/*
		uses any
		gemini strict k-secret
		answer You said: {last}
		on GET /gemini/models?pageSize=1000
		if-header x-goog-api-key: k-secret
		uses any
		reply 200
		send {"models":[{"name":"models/m-1","displayName":"M"}]}
		on POST /ollama-chat/api/chat
		if-json model tools
		uses any
		ollama strict
		call clock
		call dice {"n":6}
		answer done
		on POST /ollama-chat/api/chat
		uses any
		ollama strict
		answer You said: {last}
		on GET /ollama-chat/api/tags
		uses any
		reply 200
		send {"models":[{"name":"m-1","model":"m-1","size":1}]}
	END
	export LB_CONFIG=$BATS_TEST_TMPDIR/config.yaml
	{
		echo providers:
		for p in "${protocols[@]}"; do
			printf '  %s:\n    protocol: %s\n' "$p" "$p"
			printf '    base-url: %s/%s\n' "$SERVER_URL" "$p"
			printf '    api-keys: [k-secret]\n'
		done
	} > "$LB_CONFIG"
	chmod 600 "$LB_CONFIG"
	# 1 by 1, as a PNG.
	base64 -d > "$BATS_TEST_TMPDIR/dot.jpg" <<-'END'
		iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAA
		AABJRU5ErkJggg==
	END
}

teardown() {
	stop_servers
}

protocols=(openai-chat openai-responses anthropic-messages gemini ollama-chat)

# each COMMAND [PROTOCOL...] - run it with P set to each, or to all.
each() {
	local of=("${@:2}")
	[ $# -gt 1 ] || of=("${protocols[@]}")
	for P in "${of[@]}"; do
		echo "# $P"
		"$1" || return
	done
}

@test "a question is answered, streamed and whole, and so is the next one" {
	one() {
		run -0 --separate-stderr lb-llm -m "$P/m" -s 'be brief' 'a  b'
		same 'You said: a  b' "$output"
		run -0 --separate-stderr lb-llm -m "$P/m" --no-stream -c c
		same 'You said: c' "$output"
		run -0 --separate-stderr lb-llm -m "$P/m" -c $'\u4f60\u597d'
		same $'You said: \u4f60\u597d' "$output"
	}
	each one
}

@test "options go where the protocol has them" {
	one() {
		run -0 --separate-stderr lb-llm -m "$P/m" -o temperature=0.5 \
			-o max_tokens=99 -o stop=END -o top_p=0.9 hi
		requests 'select(.body) | .body' | tail -1 | grep -q 0.5
	}
	each one
}

@test "img-21: an image is sent as what its bytes say, not its name" {
	one() {
		run -0 --separate-stderr lb-llm -m "$P/m" \
			-a "$BATS_TEST_TMPDIR/dot.jpg" 'what is it?'
		same 'You said: what is it?' "$output"
		requests .body | tail -1 | grep -q iVBORw0KGgo
	}
	each one
}

# ask MODEL STREAM MESSAGES - the response to a request with two tools.
ask() {
	jq -nc --arg m "$1" --argjson s "$2" --argjson h "$3" '{kind: "request",
		id: "1", model: $m, stream: $s, messages: $h, tools: [
		{type: "function", function: {name: "clock",
			description: "The time."}},
		{type: "function", function: {name: "dice", parameters: {
			type: "object", additionalProperties: false,
			properties: {n: {type: ["integer", "null"]}},
			required: ["n"]}}}]}' | lb-llm --records
}

@test "two tools are called at once, answered out of order, and the turn ends" {
	one() {
		local stream answer history
		for stream in true false; do
			model=$P/tools
			[ "$P" != gemini ] || model=gemini/gemini-3-tools
			history='[{"role":"user","content":"go"}]'
			answer=$(ask "$model" "$stream" "$history")
			same '["clock","{}","dice","{\"n\":6}","tool_calls"]' \
				"$(jq -c '[(.tool_calls[] | .name, .arguments),
					.finish]' <<< "$answer")"
			# the second answer first, and it failed
			history=$(jq -c --argjson a "$answer" '. + [
				{role: "assistant", content: $a.text, keep: $a.keep,
				tool_calls: [$a.tool_calls[] | {id, type: "function",
				function: {name, arguments}}]},
				{role: "tool", content: "no dice", is_error: true,
				tool_call_id: $a.tool_calls[1].id},
				{role: "tool", content: "12:00",
				tool_call_id: $a.tool_calls[0].id}]' <<< "$history")
			answer=$(ask "$model" "$stream" "$history")
			same '["done",null]' \
				"$(jq -c '[.text, .tool_calls]' <<< "$answer")"
		done
	}
	each one
}

@test "the ids of calls are other ones in each round" {
	one() {
		for round in 1 2; do
			model=$P/tools
			[ "$P" != gemini ] || model=gemini/gemini-3-tools
			ask "$model" true '[{"role":"user","content":"go"}]' |
				jq -r '.tool_calls[].id'
		done > "$BATS_TEST_TMPDIR/ids"
		same 4 "$(sort -u "$BATS_TEST_TMPDIR/ids" | wc -l)"
	}
	# where the service gives none
	each one gemini ollama-chat
}

@test "a conversation goes on with any other protocol" {
	run -0 lb-llm -m openai-chat/m one
	one() {
		run -0 --separate-stderr lb-llm -m "$P/m" -c again
		same 'You said: again' "$output"
	}
	each one
}

@test "what it cost is told" {
	one() {
		run -0 --separate-stderr lb-llm -m "$P/m" --json hi
		jq -e '.usage.input > 0 and .usage.output > 0' <<< "$output"
	}
	each one
}

@test "a wrong key is refused as one, and shown to nobody" {
	sed -i 's/k-secret/k-wrong99/' "$LB_CONFIG"
	one() {
		run -69 --separate-stderr lb-llm -m "$P/m" hi
		[[ $stderr == *"auth: $P/m: HTTP 4"* ]]
		[[ $stderr != *k-wrong99* ]]
	}
	each one openai-chat openai-responses anthropic-messages gemini
}

@test "--dry-run hides the key, whatever header it is in" {
	one() {
		run -0 --separate-stderr lb-llm -m "$P/m" --dry-run hi
		[[ $output != *k-secret* && $output == *'***"'* ]]
	}
	each one
}

@test "models: what the endpoint offers" {
	one() {
		run -0 --separate-stderr lb-llm models "$P"
		same m-1 "$(jq -r .id <<< "$output")"
	}
	each one
}

@test "what the service refuses is told in its words" {
	run -69 --separate-stderr lb-llm -m anthropic-messages/m -o nonsense=1 hi
	[[ $stderr == *'bad_request: '*'nonsense: Extra inputs are not permitted'* ]]
	run -69 --separate-stderr lb-llm -m gemini/m -o nonsense=1 hi
	[[ $stderr == *'Unknown name "nonsense"'* ]]
	run -69 --separate-stderr lb-llm -m openai-responses/m -o nonsense=1 hi
	[[ $stderr == *"Unknown parameter: 'nonsense'"* ]]
	run -69 --separate-stderr lb-llm -m ollama-chat/missing hi
	[[ $stderr == *"not_found: "*"model 'missing' not found"* ]]
}

@test "--reasoning: each protocol has its own way, and a level that is none" {
	run -0 --separate-stderr lb-llm -m anthropic-messages/claude-opus-4-6 \
		--reasoning=high -o temperature=0.2 hi
	same '{"type":"adaptive"}' \
		"$(requests '.body | fromjson | .thinking' | tail -1)"
	run -0 --separate-stderr lb-llm -m openai-responses/gpt-5 --reasoning=high hi
	same '{"effort":"high"}' \
		"$(requests '.body | fromjson | .reasoning' | tail -1)"
	run -64 --separate-stderr lb-llm -m openai-chat/deepseek-reasoner \
		--reasoning=high hi
	[[ $stderr == *"has no reasoning level 'high'; there are: provider_default"* ]]
}

@test "--reasoning: it goes by the preset, not by what a provider is called" {
	cat >> "$LB_CONFIG" <<-END
		  mine: {preset: bailian, api-keys: [k-secret]}
		  deepseek-mine: {base-url: "$SERVER_URL", api-keys: [k-secret]}
		  other: {base-url: "$SERVER_URL", reasoning-family: kimi}
	END
	body() {
		lb-llm -m "$1" --reasoning=enabled --dry-run hi |
			jq -c '.body | del(.model, .messages, .stream, .stream_options)'
	}
	same '{"enable_thinking":true}' "$(body mine/m)"
	same '{"reasoning_effort":"low"}' "$(body deepseek-mine/m)"
	same '{"thinking":{"type":"enabled"}}' "$(body other/m)"
	same '{"thinking":{"type":"enabled"}}' "$(DEEPSEEK_API_KEY=k body deepseek/m)"
}

@test "a header of one's own is sent, in the place of ours, and none that is two" {
	run -0 --separate-stderr lb-llm -m anthropic-messages/m \
		-o extra_headers='{"anthropic-beta":"x-1","Anthropic-Version":"2"}' hi
	same '["x-1","2"]' "$(requests '.headers |
		[.["anthropic-beta"], .["anthropic-version"]]' | tail -1)"
	run -78 --separate-stderr lb-llm -m anthropic-messages/m \
		-o extra_headers='{"x":"1\r\nEvil: 1"}' hi
}

@test "an agent with tools answers, streamed or not, turn after turn" {
	cat >> "$LB_CONFIG" <<-END
		tools: {providers: {e: {command:
		  ["$LB_TEST_BUILD/tests/unit/echo-provider"]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
	END
	one() {
		local stream
		LB_MODEL=$P/agent
		[ "$P" != gemini ] || LB_MODEL=gemini/gemini-3-agent
		export LB_MODEL
		for stream in false true; do
			for turn in one two; do
				jq -cn --arg p "$P$stream" --arg t "$turn" --argjson s "$stream" \
					'{kind: "query", id: ("id" + $p + $t), bot: "-",
					platform: "text", session: ("-/" + $p), stream: $s,
					launcher_type: "person", launcher_id: $p,
					sender_id: $p, pipeline: "default",
					runner: "local-agent", prompt: [],
					user: {role: "user", content: $t}}' |
					timeout 60 lb-agent > "$BATS_TEST_TMPDIR/out"
				same "[\"done: $turn\",2,2,null]" "$(jq -c 'select(.kind ==
					"reply") | [.text, .rounds, .tools.n, .failed]' \
					"$BATS_TEST_TMPDIR/out")"
				# what Gemini signed went back to it
				[ "$P" != gemini ] ||
					requests .body | tail -1 | grep -q c2lnbmF0dXJl
			done
		done
	}
	each one
}
