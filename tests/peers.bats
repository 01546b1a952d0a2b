#!/usr/bin/env bats
# The real client of the chat completions service against our double of it:
# a double counts only if that client takes it for the real one. npm installs
# what tests/peers/package-lock.json pins, node included, into the build.

# npm may need what the helper takes away.
outside=$(declare -px HOME http_proxy HTTP_PROXY https_proxy HTTPS_PROXY \
	no_proxy NO_PROXY "${!npm_config_@}" "${!NPM_CONFIG_@}" 2> /dev/null || true)

load helper
load server

peers=$LB_TEST_BUILD/tests/peers

install_peers() {
	local from=$BATS_TEST_DIRNAME/peers
	cmp -s "$from/package-lock.json" "$peers/node_modules/.installed" &&
		return
	mkdir -p "$peers"
	[ "$from" -ef "$peers" ] ||
		cp "$from"/package.json "$from"/package-lock.json "$from"/.npmrc \
			"$peers"
	(eval "$outside"; cd "$peers" && npm ci --loglevel=error) || return
	cp "$from/package-lock.json" "$peers/node_modules/.installed"
}

setup() {
	need npm
	install_peers || {
		[[ ,${LB_REQUIRE-}, != *,npm,* ]] || return 1
		skip 'npm cannot install what tests/peers pins'
	}
	# An import looks for its package beside the script.
	cp "$BATS_TEST_DIRNAME/peers/openai-client.js" "$peers/client.mjs"
	serve <<-'END'
		on POST /once/chat/completions
		reply 429
		header Retry-After: 0
		header Content-Type: application/json
		send {"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}
		on POST /once/chat/completions
		uses any
		openai strict k
		answer You said: {last}
		on POST /busy/chat/completions
		uses any
		reply 429
		header Content-Type: application/json
		send {"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}
		on POST /v1/chat/completions
		uses any
		openai strict k
		answer You said: {last}
	END
}

teardown() {
	stop_servers
}

# peer MODE [PATH [KEY [TEXT]]] - what the openai package gets.
peer() {
	timeout 60 "$peers/node_modules/.bin/node" "$peers/client.mjs" "$1" \
		"$SERVER_URL/${2-v1}" "${3-k}" "${@:4}"
}

# ours [PATH [KEY]] ARGUMENT... - what lb-llm gets.
ours() {
	OPENAI_BASE_URL=$SERVER_URL/$1 OPENAI_API_KEY=$2 LB_MODEL=openai/m \
		timeout 60 lb-llm chat "${@:3}"
}

# refused STATUS CODE NAME - of the last run.
refused() {
	same "$1 $2 $3" "$(jq -r '"\(.status) \(.code) \(.name)"' <<< "$output")"
}

@test "both get the same answer, whole" {
	local text=$'a "b"\n\u4f60\u597d \U1F600'
	run -0 peer whole v1 k "$text"
	same "You said: $text" "$(jq -r .text <<< "$output")"
	jq -e '.finish == "stop" and .usage' <<< "$output"
	run -0 --separate-stderr ours v1 k --no-stream "$text"
	same "You said: $text" "$output"
}

@test "both get the same answer, streamed" {
	local text=$'a "b"\n\u4f60\u597d \U1F600'
	run -0 peer streamed v1 k "$text"
	same "You said: $text" "$(jq -r .text <<< "$output")"
	jq -e '.finish == "stop" and .usage and .pieces > 2' <<< "$output"
	run -0 --separate-stderr ours v1 k --json "$text"
	same "You said: $text" "$(jq -r .text <<< "$output")"
	same 'true true' "$(requests '.body | fromjson | .stream' | xargs)"
}

@test "both are refused with a wrong key" {
	run -0 peer whole v1 wrong
	refused 401 invalid_api_key AuthenticationError
	run -0 peer streamed v1 wrong
	refused 401 invalid_api_key AuthenticationError
	run -69 ours v1 wrong x
	[[ $output == *'HTTP 401'* ]]
}

@test "both are told of a bad request" {
	for mode in hot empty role; do
		run -0 peer "$mode"
		refused 400 invalid_request_error BadRequestError
	done
	run -69 ours v1 k -o temperature=3 x
	[[ $output == *'HTTP 400'* ]]
}

@test "both are told of too many requests" {
	run -0 peer whole busy
	refused 429 rate_limit_exceeded RateLimitError
	run -75 ours busy k x
	[[ $output == *'HTTP 429'* ]]
}

@test "the package tries again after a 429, and is answered" {
	run -0 peer retry once
	same 'You said: a b' "$(jq -r .text <<< "$output")"
	same '2' "$(requests .n | tail -n 1)"
}
