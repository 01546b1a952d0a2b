#!/usr/bin/env bats
# The real clients of services against our doubles of them: a double counts
# only if its client takes it for the real one. npm installs what
# tests/peers/package-lock.json pins, node included, into the build.

# npm may need what the helper takes away.
outside=$(declare -px HOME http_proxy HTTP_PROXY https_proxy HTTPS_PROXY \
	no_proxy NO_PROXY "${!npm_config_@}" "${!NPM_CONFIG_@}" 2> /dev/null || true)

load helper
load server
load doubles

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
	cp "$BATS_TEST_DIRNAME/peers/grammy-client.js" "$peers/bot.mjs"
	cp "$BATS_TEST_DIRNAME/peers/model-clients.js" "$peers/models.mjs"
	cp "$BATS_TEST_DIRNAME/peers/vector-clients.js" "$peers/vectors.mjs"
	MCP_PIDS=()
	case $BATS_TEST_DESCRIPTION in
	*'MCP host'*) return ;;
	*'Bot API'*)
		need python3
		bot_api
		bot_api_say 7 hello
		return
		;;
	esac
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
		on POST /anthropic/v1/messages
		if-body "tools"
		uses any
		anthropic strict k
		call clock
		call dice {"n":6}
		answer done
		on POST /anthropic/v1/messages
		uses any
		anthropic strict k
		answer You said: {last}
		on POST /responses/responses
		if-body "tools"
		uses any
		responses strict k
		call clock
		call dice {"n":6}
		answer done
		on POST /responses/responses
		uses any
		responses strict k
		answer You said: {last}
		on POST /gemini/v1beta/models/gemini-3-tools:*
		uses any
		gemini strict k
		call clock
		call dice {"n":6}
		answer done
		on POST /gemini/v1beta/models/*
		uses any
		gemini strict k
		answer You said: {last}
		on POST /ollama/api/chat
		if-body "tools"
		uses any
		ollama strict
		call clock
		call dice {"n":6}
		answer done
		on POST /ollama/api/chat
		uses any
		ollama strict
		answer You said: {last}
	END
}

teardown() {
	local pid
	for pid in "${MCP_PIDS[@]}"; do
		kill "$pid" || true
		wait "$pid" 2> /dev/null || true
	done
	stop_servers
	stop_doubles
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

# model SERVICE MODE [KEY [TEXT]] - what the service's own package gets.
model() {
	timeout 60 "$peers/node_modules/.bin/node" "$peers/models.mjs" "$1" "$2" \
		"$SERVER_URL/$1" "${3-k}" "${@:4}"
}

services=(anthropic responses gemini ollama)

@test "the packages of the other services are answered, whole and streamed" {
	local text=$'a "b"\n\u4f60\u597d \U1F600'
	for service in "${services[@]}"; do
		run -0 --separate-stderr model "$service" whole k "$text"
		same "You said: $text" "$(jq -r .text <<< "$output")"
		jq -e .usage <<< "$output"
		run -0 --separate-stderr model "$service" streamed k "$text"
		same "You said: $text" "$(jq -r .text <<< "$output")"
		jq -e '.usage and .pieces > 2' <<< "$output"
	done
}

@test "the packages call two tools and answer them" {
	for service in "${services[@]}"; do
		for mode in tools tools-streamed; do
			run -0 --separate-stderr model "$service" "$mode"
			same '["done",[{"name":"clock","arguments":{}},{"name":"dice","arguments":{"n":6}}]]' \
				"$(jq -c '[.text, .calls]' <<< "$output")"
		done
	done
}

@test "the packages are refused a wrong key and a bad request" {
	for service in anthropic responses; do
		run -0 --separate-stderr model "$service" streamed wrong
		same 401 "$(jq -r .status <<< "$output")"
	done
	run -0 --separate-stderr model gemini whole wrong
	same 400 "$(jq -r .status <<< "$output")"
	[[ $output == *'API key not valid'* ]]
	for service in anthropic responses gemini; do
		run -0 --separate-stderr model "$service" bad
		same 400 "$(jq -r .status <<< "$output")"
	done
	run -0 --separate-stderr model ollama bad
	same 404 "$(jq -r .status <<< "$output")"
}

# vectors SERVICE MODE [KEY] - what the service's own package gets.
vectors() {
	timeout 60 "$peers/node_modules/.bin/node" "$peers/vectors.mjs" "$1" \
		"$2" "$VECTORS_URL" "${3-k}"
}

serve_vectors() {
	cd "$BATS_TEST_TMPDIR"
	serve <<-'END'
		on POST /embeddings
		uses any
		embeddings strict k
		on POST /api/embed
		uses any
		ollama-embed strict
		on POST /v1beta/models/m:batchEmbedContents
		uses any
		gemini-embed strict k
		on POST /v2/embed
		uses any
		cohere-embed strict k
		on POST /v2/rerank
		uses any
		cohere-rerank strict k
		on POST /rerank
		uses any
		voyage-rerank strict k
	END
	VECTORS_URL=$SERVER_URL
	cat > "$LB_CONFIG" <<-END
		providers:
		  openai: {base-url: "$SERVER_URL", api-keys: [k]}
		  ollama: {base-url: "$SERVER_URL", protocol: ollama-chat}
		  gemini: {base-url: "$SERVER_URL/v1beta", protocol: gemini, api-keys: [k]}
		  cohere: {preset: cohere, base-url: "$SERVER_URL/v2", api-keys: [k]}
		  voyage: {preset: voyageai, base-url: "$SERVER_URL", api-keys: [k]}
	END
}

@test "the packages embed, and lb-llm gets the same vectors" {
	serve_vectors
	for service in openai ollama gemini cohere; do
		run -0 --separate-stderr vectors "$service" good
		jq -c '.vectors[]' <<< "$output" > theirs
		[ "$(wc -l < theirs)" -eq 2 ] || { echo "$service: $output"; false; }
		lb-llm embed -m "$service/m" one three | jq -c .embedding > ours
		diff theirs ours
	done
}

@test "the packages sort, and lb-llm gets the same order" {
	serve_vectors
	for service in cohere voyage; do
		run -0 --separate-stderr vectors "$service-rerank" good
		same '[1,2]' "$(jq -c .ranks <<< "$output")"
		same '1 2' "$(printf '%s\n' cat 'a pipe' pie |
			lb-llm rerank -m "$service/m" -n 2 pipe | jq .index | xargs)"
	done
}

@test "the packages of embeddings and rerank are refused what is wrong" {
	serve_vectors
	for service in openai ollama gemini cohere cohere-rerank voyage-rerank; do
		run -0 --separate-stderr vectors "$service" bad
		same 400 "$(jq -r .status <<< "$output")"
		case $service in
		ollama) ;;
		gemini) run -0 --separate-stderr vectors gemini good wrong
			[[ $output == *'API key not valid'* ]] ;;
		*) run -0 --separate-stderr vectors "$service" good wrong
			same 401 "$(jq -r .status <<< "$output")" ;;
		esac
	done
}

# grammy MODE [CHAT] - what the grammy package gets of the Bot API.
grammy() {
	timeout 60 "$peers/node_modules/.bin/node" "$peers/bot.mjs" "$1" \
		"$BOT_API" "${TOKEN-$BOT_API_TOKEN}" "${@:2}"
}

# denied MODE CODE TEXT [CHAT]
denied() {
	run -0 grammy "$1" "${@:4}"
	same "$2 $3" "$(jq -r '"\(.code) \(.text)"' <<< "$output")"
}

@test "a bot polls the Bot API, answers and moves its offset" {
	bot_api_say 7 two
	bot_api_push '{"callback_query":{"id":"q1","from":{"id":7,"is_bot":false,"first_name":"A"},"chat_instance":"1","data":"d"}}' \
		'{"edited_message":{"message_id":1,"date":1,"edit_date":2,"chat":{"id":7,"type":"private","first_name":"A"},"from":{"id":7,"is_bot":false,"first_name":"A"},"text":"HELLO"}}'
	bot_api_say 7 stop
	run -0 grammy poll
	same '[[1000,"hello"],[1001,"two"],[1003,"edit HELLO"],[1004,"stop"]]' \
		"$(jq -c .got <<< "$output")"
	same '"echo hello" 1
"echo two" 2' "$(bot_api_sent '"\(.text|tojson) \(.reply_to)"' | jq -r .)"
	bot_api_http GET /_state | jq -e '.pending == 0 and .queries.q1'
}

@test "the Bot API takes uploads and gives them back" {
	run -0 grammy media
	same '{"same":true,"caption":"c","again":1,"group":2}' "$output"
	same '70000' "$(bot_api_sent '.media.size' | sort -u)"
}

@test "the Bot API edits messages" {
	run -0 grammy edit
	jq -e '.text == "two \ud83d\ude00" and .date and
		.entities == [{type: "italic", offset: 0, length: 3}]' <<< "$output"
}

@test "the Bot API refuses what the service refuses" {
	local bad='Bad Request:'
	denied markup 400 "$bad can't parse entities: Can't find end tag corresponding to start tag \"b\""
	denied long 400 "$bad message is too long"
	denied caption 400 "$bad message caption is too long"
	denied empty 400 "$bad message text is empty"
	denied nobody 400 "$bad chat_id is empty"
	denied wrong 400 "$bad chat_id is invalid"
	denied list 400 "$bad field \"text\" must be a String"
	denied send 400 "$bad chat not found" 8
	denied thread 400 "$bad message thread not found"
	denied reply 400 "$bad message to be replied not found"
	denied gone 400 "$bad message to edit not found"
	run -0 grammy same
	[[ $output == *'message is not modified'* ]]
	run -0 grammy fits
	jq -e .message_id <<< "$output"
	TOKEN=1:x denied me 401 Unauthorized
	TOKEN=x denied me 404 'Not Found'
	bot_api_op '{"op":"block","chat":7}'
	denied send 403 'Forbidden: bot was blocked by the user'
}

@test "the Bot API lets one poll, and none beside a webhook" {
	run -0 grammy hooked
	[[ $output == *"can't use getUpdates method while webhook is active"* ]]
	bot_api # one for which nothing waits
	denied two 409 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running'
}

@test "the Bot API slows a bot down, and breaks, as it is told" {
	bot_api_op '{"op":"fail","how":"429","retry_after":2,"method":"sendMessage"}'
	run -0 grammy send
	same '{"code":429,"text":"Too Many Requests: retry after 2","parameters":{"retry_after":2}}' "$output"
	run -0 grammy send
	jq -e .message_id <<< "$output"
	for how in cut cut-after truncated garbage 502; do
		bot_api_op '{"op":"fail","how":"'$how'"}'
		run -0 grammy send
		jq -e 'has("message_id") | not' <<< "$output"
	done
	bot_api_op '{"op":"fail","how":"bytes"}'
	run -0 grammy send
	jq -e .message_id <<< "$output"
	# one after the 429, those cut short of their answers, the last
	same 5 "$(bot_api_sent .message_id | wc -l)"
}

@test "skills-ref agrees with lb-skill validate --strict, but where it is listed" {
	load skill
	cd "$BATS_TEST_TMPDIR"
	python3 "$BATS_TEST_DIRNAME/data/skills.py" "$PWD"
	rm -- *.zip *.gz
	skill ok
	skill case/Upper 'name: Upper' 'description: d'
	skill other 'name: another' 'description: d'
	skill two--hyphens
	skill end-
	skill under_score
	skill none 'description: d'
	skill mute 'name: mute'
	skill blank 'name: blank' 'description: "  "'
	skill long 'name: long' "description: $(printf 'x%.0s' {1..1025})"
	skill full 'name: full' "description: $(printf 'x%.0s' {1..1024})"
	skill compat 'name: compat' 'description: d' "compatibility: $(printf 'x%.0s' {1..501})"
	skill more 'name: more' 'description: d' 'model: m'
	skill broken 'name: broken' 'description: a: b'
	skill "$(printf 'n%.0s' {1..65})"
	skill meta 'name: meta' 'description: d' 'metadata: {a: b}' 'license: MIT' 'allowed-tools: Read'
	mkdir plain && echo '# no frontmatter' > plain/SKILL.md
	mkdir open && printf -- '---\nname: open\n' > open/SKILL.md
	# What it has otherwise, and why we do not:
	skill größe                           # a name is a folder and a mount point
	skill numbers 'name: numbers' 'description: d' 'metadata: {a: [1]}' # no text
	skill void 'name: void' 'description: d' 'compatibility: ""'        # says nothing
	mkdir bom && printf '\357\273\277---\nname: bom\ndescription: d\n---\n' > bom/SKILL.md
	# tiny/skill.md is read by both, and called SKILL.md by the specification.
	differ='./größe 0 1
./numbers 0 1
./void 0 1
./bom 1 0
./tiny 0 1'
	for folder in $(find . -iname skill.md ! -path '*/assets/*' -exec dirname {} + |
		sort); do
		theirs=0 ours=0
		"$peers/node_modules/.bin/node" \
			"$peers/node_modules/skills-ref/dist/cli.js" \
			validate "$folder" > out 2>&1 || theirs=1
		lb-skill validate -s "$folder" > out || ours=1
		[ $theirs = $ours ] || echo "$folder $theirs $ours"
	done > found
	same "$(sort <<< "$differ")" "$(sort found)"
	[ "$(find . -iname skill.md | wc -l)" -ge 30 ]
}

# mcp_serve COMMAND... - what serves MCP; URL is where. It says so by itself.
mcp_serve() {
	local i
	"$@" > said 2>&1 3>&- &
	MCP_PIDS+=($!)
	for ((i = 0; i < 500; i++)); do
		URL=$(grep -o -m 1 'http://[^ ]*' said || true)
		[ -z "$URL" ] || return 0
		sleep 0.02
	done
	cat said
	return 1
}

# conforms SUITE FILE OPTION... - the checks of a suite against $URL, each by its
# id, are as tests/data/mcp/FILE has them. Those that fail have a reason there.
conforms() {
	local suite=$1 file=$BATS_TEST_DIRNAME/data/mcp/$2
	shift 2
	rm -rf checks
	timeout 180 "$peers/node_modules/.bin/node" \
		"$peers/node_modules/$suite/dist/index.js" server --url "$URL" \
		-o checks "$@" > log 2>&1 || true
	same "$(sed '/^#/d; s/: .*//' "$file")" "$(jq -rs 'add |
		map(select(.status == "SUCCESS" or .status == "FAILURE") |
		(if .status == "SUCCESS" then "+ " else "- " end) + .id) |
		unique[]' checks/*/checks.json)"
}

@test "an MCP host that tests: the older era is as it should be" {
	cd "$BATS_TEST_TMPDIR"
	mcp_serve "$LB_TEST_BUILD/tests/server/lb-test-mcp"
	conforms @modelcontextprotocol/conformance conformance-older.txt
	conforms conformance-next conformance-older-next.txt --spec-version 2025-11-25
}

@test "an MCP host that tests: the newer era is as it should be" {
	cd "$BATS_TEST_TMPDIR"
	mcp_serve "$LB_TEST_BUILD/tests/server/lb-test-mcp"
	conforms conformance-next conformance-newer.txt --requirements 2026-07-28
}

@test "an MCP host that tests: so is what lb-mcp itself serves" {
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	mkdir -p "$LB_STATE/skills/one"
	printf -- '---\nname: one\ndescription: d\n---\nbody\n' > "$LB_STATE/skills/one/SKILL.md"
	mcp_serve lb-mcp serve --session=s --skills --http 0 --no-token
	conforms conformance-next conformance-lb-mcp.txt --requirements 2026-07-28
}

# inspect OPTION... - what the inspector gets of a server.
inspect() {
	timeout 60 "$peers/node_modules/.bin/node" \
		"$peers/node_modules/.bin/mcp-inspector" --cli "$@" 2>&1
}

@test "an MCP host for people: tools, skills and errors, by lines and by HTTP" {
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	mkdir -p "$LB_STATE/skills/one"
	printf -- '---\nname: one\ndescription: d\n---\n# How\n' > "$LB_STATE/skills/one/SKILL.md"
	mcp_serve lb-mcp serve --session=s --tools=exec --skills --http 0 --no-token
	local at
	for at in "$(command -v lb-mcp) serve --session=s --tools=exec --skills" \
		"$URL --transport http"; do
		# shellcheck disable=SC2086 # words
		set -- $at -e "LB_STATE=$LB_STATE" -e "LB_CONFIG=$LB_CONFIG"
		[[ $at != http* ]] || set -- $at
		run -0 inspect "$@" --method tools/list
		same 'exec activate' "$(jq -r '.tools[].name' <<< "$output" | paste -sd' ')"
		run -0 inspect "$@" --method tools/call --tool-name exec --tool-arg 'command=echo $((6 * 7))'
		same 42 "$(jq -r '.structuredContent.stdout|rtrimstr("\n")' <<< "$output")"
		run -0 inspect "$@" --method resources/read --uri skill://one/SKILL.md
		[[ $(jq -r '.contents[0].text' <<< "$output") == *'# How'* ]]
		run -0 inspect "$@" --method prompts/get --prompt-name one --prompt-args task=Now
		[[ $(jq -r '.messages[0].content.text' <<< "$output") == *$'\n\nNow' ]]
		run inspect "$@" --method tools/call --tool-name nix
		[[ $output == *"there is no tool 'nix'"* ]]
	done
}

# asks SUITE OPTION... - lb-mcp against the client scenarios of a suite: OAuth,
# which is out, and extensions that we do not have are not among them. Its checks,
# each "+ ID" or "- ID".
asks() {
	local suite=$1 scenario
	rm -rf checks
	for scenario in "${@:2}"; do
		timeout 60 "$peers/node_modules/.bin/node" \
			"$peers/node_modules/$suite/dist/index.js" client \
			--command "sh $BATS_TEST_DIRNAME/peers/mcp-client.sh" \
			--scenario "$scenario" -o checks >> log 2>&1 || true
	done
	jq -rs 'add | map(select(.status != "INFO" and .status != "SKIPPED") |
		(if .status == "SUCCESS" then "+ " else "- " end) + .id) | unique[]' \
		checks/*/checks.json
}

older=(initialize tools_call elicitation-sep1034-client-defaults sse-retry)

@test "an MCP server that tests: our client is as it should be in the older era" {
	cd "$BATS_TEST_TMPDIR"
	same '+ client-elicitation-sep1034-boolean-default
+ client-elicitation-sep1034-enum-default
+ client-elicitation-sep1034-integer-default
+ client-elicitation-sep1034-number-default
+ client-elicitation-sep1034-string-default
+ client-sse-graceful-reconnect
+ client-sse-last-event-id
+ client-sse-retry-timing
+ mcp-client-initialization
+ tool-add-numbers' "$(asks @modelcontextprotocol/conformance "${older[@]}")"
}

@test "an MCP server that tests: our client is as it should be in the newer era" {
	cd "$BATS_TEST_TMPDIR"
	same '+ client-elicitation-sep1034-boolean-default
+ client-elicitation-sep1034-enum-default
+ client-elicitation-sep1034-integer-default
+ client-elicitation-sep1034-number-default
+ client-elicitation-sep1034-string-default
+ client-sse-graceful-reconnect
+ client-sse-last-event-id
+ client-sse-retry-timing
+ json-schema-2020-12-client-$defs-preserved
+ json-schema-2020-12-client-$schema-preserved
+ json-schema-2020-12-client-additionalProperties-preserved
+ json-schema-2020-12-client-echo-completed
+ json-schema-2020-12-client-tool-found
+ mcp-client-initialization
+ sep-2106-client-anchor-keyword-preserved
+ sep-2106-client-composition-keywords-preserved
+ sep-2106-client-conditional-keywords-preserved
+ sep-2106-no-network-ref-deref
+ sep-2243-client-base64-unsafe
+ sep-2243-client-encode-values
+ sep-2243-client-includes-standard-headers
+ sep-2243-client-mirrors-designated-params
+ sep-2243-client-omit-null
+ sep-2243-client-reject-invalid-tool
+ sep-2243-client-supports-custom-headers
+ sep-2243-x-mcp-header-charset
+ sep-2243-x-mcp-header-not-empty
+ sep-2243-x-mcp-header-primitive-only
+ sep-2243-x-mcp-header-unique
+ sep-2322-client-jsonrpc-id-different
+ sep-2322-client-no-state-omitted
+ sep-2322-client-parallel-isolation
+ sep-2322-client-request-state-echoed
+ sep-2322-default-result-type-complete
+ sep-2575-client-declares-elicitation-capability
+ sep-2575-client-populates-meta
+ sep-2575-client-retry-supported-version
+ sep-2575-client-sends-client-info
+ sep-2575-http-client-sends-version-header
+ sep-2575-http-version-header-matches-meta
+ tool-add-numbers
+ wire-schema-valid' "$(asks conformance-next "${older[@]}" request-metadata \
	sep-2322-client-request-state http-standard-headers http-custom-headers \
	http-invalid-tool-headers json-schema-ref-no-deref json-schema-2020-12-preservation)"
}

# real NAME ARGUMENT... - a server of npm as a command for --stdio.
real() {
	printf '%q ' "$peers/node_modules/.bin/node" \
		"$peers/node_modules/@modelcontextprotocol/server-$1/dist/index.js" "${@:2}"
}

@test "servers of npm are listed and called: everything, filesystem, memory" {
	cd "$BATS_TEST_TMPDIR"
	run -0 --separate-stderr lb-mcp tools --host --stdio "$(real everything)"
	[ "${#lines[@]}" -ge 13 ]
	run -0 --separate-stderr lb-mcp call --host --stdio "$(real everything)" echo message=hello
	same 'Echo: hello' "$output"
	run -0 --separate-stderr lb-mcp call --host --stdio "$(real everything)" get-sum a=2 b=40
	[[ $output == *42* ]]
	run -0 --separate-stderr lb-mcp resources --host --stdio "$(real everything)"
	[ "${#lines[@]}" -gt 0 ]
	run -0 --separate-stderr lb-mcp prompts --host --stdio "$(real everything)"
	[ "${#lines[@]}" -gt 0 ]
	mkdir files
	echo inside > files/a
	echo outside > b
	run -0 --separate-stderr lb-mcp call --host --stdio "$(real filesystem "$PWD/files")" read_text_file path="$PWD/files/a"
	same inside "$output"
	run -1 --separate-stderr lb-mcp call --host --stdio "$(real filesystem "$PWD/files")" read_text_file path="$PWD/b"
	run -0 --separate-stderr lb-mcp call --host --env MEMORY_FILE_PATH="$PWD/m.json" --stdio "$(real memory)" \
		create_entities 'entities:=[{"name":"Ann","entityType":"person","observations":["tall"]}]'
	run -0 --separate-stderr lb-mcp call --host --env MEMORY_FILE_PATH="$PWD/m.json" --stdio "$(real memory)" read_graph --json
	jq -e '.structuredContent.entities[0].name == "Ann"' <<< "$output"
}

@test "a filesystem server of npm in its sandbox and a URL are one agent's tools" {
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	MCP_PORT=$((20000 + RANDOM % 20000))
	PORT=$MCP_PORT "$peers/node_modules/.bin/node" \
		"$peers/node_modules/@modelcontextprotocol/server-everything/dist/index.js" streamableHttp > served 2>&1 3>&- &
	MCP_PIDS+=($!)
	for _ in {1..200}; do
		! grep -q "$MCP_PORT" served || break
		sleep 0.05
	done
	cat > "$LB_CONFIG" <<-END
		mcp:
		  servers:
		    files:
		      command: node
		      args: [/mnt/project/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js, /workspace]
		      box: {host_path: "$peers"}
		    far: {url: "http://127.0.0.1:$MCP_PORT/mcp"}
		box: {local: {allowed_mount_roots: ["$peers"]}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
	END
	lb-exec --session mcp/files -- sh -c 'echo from the file > a'
	run -0 --separate-stderr lb-mcp test files
	run -0 --separate-stderr lb-mcp test far
	jq -cn '{kind: "query", id: "q1", bot: "-", platform: "text", session: "-/s",
		launcher_type: "person", launcher_id: "s", sender_id: "s", pipeline: "default",
		runner: "local-agent", prompt: [], user: {role: "user", content: [{type: "text", text:
		"call files__read_text_file {\"path\":\"/workspace/a\"}\nand far__echo {\"message\":\"hi\"}\nsay {results}"}]}}' > query
	run -0 --separate-stderr env LB_MODEL=offline:tools timeout 60 lb-agent < query
	same 'from the file Echo: hi' "$(jq -r 'select(.kind == "reply").text' <<< "$output" | tr -s '\n' ' ' | sed 's/ $//')"
}
