#!/usr/bin/env bats
# lb-mcp serve: our tools and skills for MCP hosts, by lines.

load helper
load skill
load mcp-serve

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir w
	export USER=me
}

teardown() {
	[ -n "${HOST_PID-}" ] || return 0
	kill -9 "$HOST_PID" 2> /dev/null || true
	wait "$HOST_PID" 2> /dev/null || true
}

# host OPTION... - start it; say LINE... to it; hear [JQ] waits for a line of it.
host() {
	coproc HOST { exec lb-mcp serve "$@" 2> err 3>&-; }
	# shellcheck disable=SC2153 # of the coprocess
	exec 8<&"${HOST[0]}" 9>&"${HOST[1]}"
	eval "exec ${HOST[0]}<&- ${HOST[1]}>&-"
}

say() {
	printf '%s\n' "$@" >&9
}

hear() {
	local line
	while read -r -t 20 -u 8 line; do
		if jq -e "${1-.}" <<< "$line" > /dev/null; then
			echo "$line"
			return
		fi
	done
	echo 'nothing of that was heard'
	return 1
}

@test "initialize settles the version: the one asked for, else the newest of its era" {
	local version
	for version in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
		run -0 lb-mcp serve < <(init $version)
		same "$version" "$(of 0 .result.protocolVersion)"
	done
	for version in 2026-07-28 1999-01-01; do
		run -0 lb-mcp serve < <(init $version)
		same 2025-11-25 "$(of 0 .result.protocolVersion)"
	done
	same '{"listChanged":true} lb-mcp null' "$(of 0 \
		'.result|"\(.capabilities.tools) \(.serverInfo.name) \(.capabilities.resources)"')"
	run -0 lb-mcp serve --skills < <(init)
	same '["logging","prompts","resources","tools"]' "$(of 0 '.result.capabilities|keys')"
}

@test "what comes too early, twice, or is no request is refused, and nothing more" {
	run -65 --separate-stderr lb-mcp serve < <(
		rq 1 tools/list
		rq 2 ping
		echo 'no JSON'
		init
		rq 0 initialize '{"protocolVersion":"2025-06-18"}'
		rq 3 nonsense
		rq 4 completion/complete '{}'
		rq 5 prompts/list
		echo '{"id":6,"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":null,"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":7,"result":{}}'
		echo '[{"jsonrpc":"2.0","id":8,"method":"ping"}]'
		echo 42
		rq 9 tools/list '[]'
		rq '"ten"' ping
	)
	same '-32600' "$(of 1 .error.code)"
	same '{}' "$(of 2 .result)"
	same '-32700 -32600 -32600 -32600' "$(of null .error.code | paste -sd' ')"
	same $'2025-11-25\n-32600' "$(of 0 '.result.protocolVersion // .error.code')"
	same '-32601 -32601 -32601' "$(of '(3,4,5)' .error.code | paste -sd' ')"
	same '-32600' "$(of 6 .error.code)"
	same '' "$(of '(7,8)' .)"
	same '-32602' "$(of 9 .error.code)"
	same '{}' "$(of '"ten"' .result)"
	[[ $stderr == "lb-mcp: line 3 is no message: "* ]]
}

@test "several messages at once are taken where the version has that" {
	local batch='[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"nix"},7]'
	run -0 lb-mcp serve < <(init 2025-03-26; echo "$batch"; echo '[]')
	same '{}' "$(of 1 .result)"
	same -32601 "$(of 2 .error.code)"
	same '-32600 -32600' "$(of null .error.code | paste -sd' ')"
	run -0 lb-mcp serve < <(init 2025-06-18; echo "$batch")
	same -32600 "$(of null .error.code)"
	same '' "$(of '(1,2)' .)"
	run -0 lb-mcp serve < <(init 2025-03-26; printf '[%s{"jsonrpc":"2.0","method":"x"}]\n' \
		"$(printf '{"jsonrpc":"2.0","method":"x"},%.0s' $(seq 100))")
	same -32600 "$(of null .error.code)"
}

@test "the newer era: each request says what it is, and so does each result" {
	run -0 lb-mcp serve < <(
		rq 1 server/discover "{$META}"
		rq 2 tools/list "{$META}"
		rq 3 server/discover '{}'
		rq 4 server/discover "${META/2026-07-28/2025-11-25}" | sed 's/"params":\(.*\)}/"params":{\1}}/'
		rq 5 tools/list "{${META/2026-07-28/2099-01-01}}"
		rq 6 tools/list '{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}'
		rq 7 ping "{$META}"
		rq 8 initialize "{\"protocolVersion\":\"2025-11-25\",$META}"
		rq 9 tools/call "{\"name\":\"nix\",$META}"
	)
	same '["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]' "$(of 1 .result.supportedVersions)"
	same 'complete private lb-mcp lb-mcp' "$(of 1 '.result|"\(.resultType) \(.cacheScope) \(.serverInfo.name) \(._meta["io.modelcontextprotocol/serverInfo"].name)"')"
	same 'complete true' "$(of 2 '.result|"\(.resultType) \(.ttlMs >= 0)"')"
	same '-32602' "$(of 3 .error.code)"
	same '-32022 2025-11-25' "$(of 4 '.error|"\(.code) \(.data.requested)"')"
	same '-32022 2099-01-01 2026-07-28' "$(of 5 '.error|"\(.code) \(.data.requested) \(.data.supported[0])"')"
	same '-32602' "$(of 6 .error.code)"
	same '-32601 -32601' "$(of '(7,8)' .error.code | paste -sd' ')"
	same '-32602' "$(of 9 .error.code)"
}

@test "both eras may be spoken to one process" {
	run -0 lb-mcp serve < <(rq 1 server/discover "{$META}"; init; rq 2 ping; rq 3 tools/list "{$META}")
	same '{}' "$(of 2 .result)"
	same complete "$(of 3 .result.resultType)"
}

@test "what changes nothing is offered; the rest by its name alone" {
	needs_sandbox
	run -0 lb-mcp serve < <(init; rq 1 tools/list; rq 2 tools/call "$(exec_of true)"
		rq 3 tools/call '{"name":"write","arguments":{"path":"a","content":"b"}}'
		rq 4 tools/call '{"name":"activate"}')
	same '["read","glob","grep"]' "$(of 1 '[.result.tools[].name]')"
	same "-32602 there is no tool 'exec'" "$(of 2 '.error|"\(.code) \(.message)"')"
	same '-32602 -32602' "$(of '(3,4)' .error.code | paste -sd' ')"
	run -0 lb-mcp serve --tools=write,exec < <(init; rq 1 tools/list)
	same '[["exec",false,true],["write",false,true]]' "$(of 1 \
		'[.result.tools[]|[.name,.annotations.readOnlyHint,.annotations.destructiveHint]]')"
	same '["object","command"]' "$(of 1 '.result.tools[0].inputSchema|[.type,.required[0]]')"
	run -0 lb-mcp serve --tools=none < <(init; rq 1 tools/list)
	same '{"logging":{}} -32601' "$(of '(0,1)' '.result.capabilities // .error.code' | paste -sd' ')"
	run -64 --separate-stderr lb-mcp serve --tools=read,nix < /dev/null
	same "lb-mcp: there is no tool 'nix'; there are: exec, read, write, edit, glob, grep, or none" "$stderr"
	run -64 lb-mcp serve --tools= < /dev/null
	run -64 lb-mcp serve -w w --session=x < /dev/null
	run -78 lb-mcp serve --pipeline=nix < /dev/null
}

@test "a call works in the person's own sandbox, a session's or a folder" {
	needs_sandbox
	run -0 lb-mcp serve --tools=exec < <(init; rq 1 tools/call "$(exec_of 'echo a > f; pwd')")
	same '[false,"/workspace\n",0]' "$(of 1 '.result|[.isError,.structuredContent.stdout,.structuredContent.exit_code]')"
	same "$(of 1 .result.structuredContent)" "$(of 1 '.result.content[0].text|fromjson')"
	same a "$(lb-tool call --session=-/person_me read '{"path":"f"}' | jq -r .content)"
	run -0 lb-mcp serve --session=other < <(init; rq 1 tools/call '{"name":"read","arguments":{"path":"f"}}')
	same true "$(of 1 .result.isError)"
	echo b > w/g
	run -0 lb-mcp serve -w w < <(init; rq 1 tools/call '{"name":"read","arguments":{"path":"/workspace/g"}}')
	same 'false b' "$(of 1 '.result|"\(.isError) \(.structuredContent.content)"')"
	same '["read","me","-"]' "$(lb-box audit --json | jq -c '[.tool,.sender,.bot]|select(.[0] == "read")' | tail -n 1)"
}

@test "what a tool says no to is an error for the model, with its words" {
	needs_sandbox
	run -0 lb-mcp serve --tools=exec,read < <(init
		rq 1 tools/call "$(exec_of 'exit 3')"
		rq 2 tools/call '{"name":"read","arguments":{"path":"/etc/passwd"}}'
		rq 3 tools/call '{"name":"read","arguments":{"path":"a","x":1}}'
		rq 4 tools/call '{"name":"read"}'
		rq 5 tools/call '{"name":"read","arguments":[1]}'
		rq 6 tools/call '{"arguments":{}}')
	same '[true,3]' "$(of 1 '.result|[.isError,.structuredContent.exit_code]')"
	same true "$(of 2 .result.isError)"
	[[ $(of 3 .result.content[0].text) == *"there is no parameter 'x'"* ]]
	[[ $(of 4 .result.content[0].text) == *"'path' is missing"* ]]
	same '-32602 -32602' "$(of '(5,6)' .error.code | paste -sd' ')"
}

@test "where there is no sandbox, nothing is listed, and a call says why" {
	printf 'box: {enabled: false}\n' > "$LB_CONFIG"
	run -0 lb-mcp serve --tools=exec,read -w w < <(init; rq 1 tools/list
		rq 2 tools/call '{"name":"read","arguments":{"path":"f"}}'
		rq 3 tools/call "$(exec_of true)")
	same '[]' "$(of 1 .result.tools)"
	same 'true true' "$(of '(2,3)' .result.isError | paste -sd' ')"
	[[ $(of 2 .result.content[0].text) == *'the sandbox is switched off (box.enabled: false)'* ]]
}

@test "a request that is taken back ends what it began, and gets no answer" {
	needs_sandbox
	host --tools=exec
	say "$(init)" "$(rq 1 tools/call "$(exec_of ': serve-cancelled; sleep 600')")"
	hear '.id == 0'
	local i
	for ((i = 0; i < 500; i++)); do
		pgrep -f '[s]erve-cancelled' > /dev/null && break
		sleep 0.02
	done
	say "$(note notifications/cancelled '{"requestId":2}')" \
		"$(note notifications/cancelled '{"requestId":1,"reason":"no"}')"
	gone serve-cancelled
	say "$(rq 2 tools/call "$(exec_of 'echo on')")"
	run -0 hear '.id'
	same 'on' "$(of 2 '.result.structuredContent.stdout|rtrimstr("\n")')"
}

@test "a call that takes long says so, to who asked for that" {
	needs_sandbox
	run -0 lb-mcp serve --tools=exec < <(init
		rq 1 tools/call '{"name":"exec","arguments":{"command":"sleep 2.5"},"_meta":{"progressToken":"p"}}'
		rq 2 tools/call '{"name":"exec","arguments":{"command":"sleep 1.2"}}')
	same '["p",1,"exec has been running for 1 s"]' "$(jq -c \
		'select(.method == "notifications/progress").params|[.progressToken,.progress,.message]' <<< "$output" | head -n 1)"
	same '["p"]' "$(jq -sc '[.[]|select(.method == "notifications/progress").params.progressToken]|unique' <<< "$output")"
	# It grows, and comes before the answer.
	same true "$(jq -sc '[.[]|select(.method == "notifications/progress").params.progress]|. == (unique)' <<< "$output")"
	same true "$(jq -sc 'map(.method // .id) | index("notifications/progress") < index(1)' <<< "$output")"
}

@test "how calls went is told to who wants to read that" {
	local call='{"name":"read","arguments":{"path":"none"}'
	run -0 lb-mcp serve -w w < <(init; rq 1 tools/call "$call}")
	same '' "$(jq -c 'select(.method)' <<< "$output")"
	host -w w
	say "$(init)" "$(rq 1 logging/setLevel '{"level":"loud"}')" "$(rq 2 logging/setLevel '{"level":"info"}')" \
		"$(rq 3 tools/call "$call}")"
	run -0 hear '.id == 1'
	same -32602 "$(of 1 .error.code)"
	run -0 hear '.method'
	same '["info","read",false]' "$(jq -c '.params|[.level,.data.tool,.data.ok]' <<< "$output")"
	hear '.id == 3'
	# In the newer era each request says.
	say "$(rq 4 tools/call "$call,$META}")" "$(rq 5 tools/call "$call,${META/\}\}/\},\"io.modelcontextprotocol\/logLevel\":\"debug\"\}}}")"
	run -0 hear '.method or .id == 5'
	same notifications/message "$(jq -r .method <<< "$output")"
	hear '.id == 5'
}

@test "lists come in pages, and a cursor that is none is refused" {
	needs_sandbox
	run -0 lb-mcp serve --tools=exec,read,write,edit,glob --page=2 < <(init; rq 1 tools/list
		rq 2 tools/list '{"cursor":"from-2"}'; rq 3 tools/list '{"cursor":"from-4"}'
		rq 4 tools/list '{"cursor":"from-99"}'; rq 5 tools/list '{"cursor":"x"}'
		rq 6 tools/list '{"cursor":"from--1"}'; rq 7 tools/list '{"cursor":2}')
	same '[1,2,"from-2"] [2,2,"from-4"] [3,1,null] [4,0,null]' "$(of '(1,2,3,4)' \
		'[.id,(.result.tools|length),.result.nextCursor]' | sort | paste -sd' ')"
	same '["exec","read","write","edit","glob"]' "$(jq -sc '[sort_by(.id)[]|select(.id > 0 and .result).result.tools[].name]' <<< "$output")"
	same '-32602 -32602 -32602' "$(of '(5,6,7)' .error.code | paste -sd' ')"
}

@test "ids that are under way, and more requests than are taken, are refused" {
	needs_sandbox
	host --tools=exec
	say "$(init)" "$(rq 1 tools/call "$(exec_of 'sleep 60')")" "$(rq 1 tools/list)"
	run -0 hear '.id == 1'
	same -32600 "$(of 1 .error.code)"
	local i
	for i in $(seq 2 64); do
		say "$(rq "$i" tools/call "$(exec_of 'sleep 60')")"
	done
	say "$(rq 65 tools/list)"
	run -0 hear '.id == 65'
	same "-32603 too many requests are under way" "$(of 65 '.error|"\(.code) \(.message)"')"
}

@test "skills are resources: their files, and no other" {
	skill "$LB_STATE/skills/one" 'name: one' 'description: Does <one> thing.'
	mkdir -p "$LB_STATE/skills/one/a b"
	printf 'x\n' > "$LB_STATE/skills/one/a b/c%.py"
	printf '\0\377' > "$LB_STATE/skills/one/raw"
	ln -s /etc/passwd "$LB_STATE/skills/one/link"
	: > "$LB_STATE/skills/secret"
	run -0 lb-mcp serve --skills < <(init; rq 1 resources/list; rq 2 resources/templates/list
		rq 3 resources/read '{"uri":"skill://one/SKILL.md"}'
		rq 4 resources/read '{"uri":"skill://one/a%20b/c%25.py"}'
		rq 5 resources/read '{"uri":"skill://one/raw"}'
		rq 6 resources/read '{"uri":"skill://one/link"}'
		rq 7 resources/read '{"uri":"skill://one/../secret"}'
		rq 8 resources/read '{"uri":"skill://../secret"}'
		rq 9 resources/read '{"uri":"file:///etc/passwd"}'
		rq 10 resources/read '{"uri":"skill://one/"}'
		rq 11 resources/read '{"uri":"skill://one/a%00b"}'
		rq 12 resources/read "{\"uri\":\"skill://one/nix\",$META}"
		rq 13 resources/read "{\"uri\":\"skill://one/SKILL.md\",$META}"
		rq 14 resources/subscribe '{"uri":"skill://one/SKILL.md"}')
	same '["skill://one/SKILL.md","one","Does ‹one› thing.","text/markdown"]' "$(of 1 \
		'.result.resources[0]|[.uri,.name,.description,.mimeType]')"
	same '["skill://one/SKILL.md","skill://one/a%20b/c%25.py","skill://one/raw"]' "$(of 1 '[.result.resources[].uri]')"
	same 'skill://{skill}/{+path}' "$(of 2 '.result.resourceTemplates[0].uriTemplate')"
	same "$(cat "$LB_STATE/skills/one/SKILL.md")" "$(of 3 '.result.contents[0].text')"
	same '["text/x-python","x\n"]' "$(of 4 '.result.contents[0]|[.mimeType,.text]')"
	same '["application/octet-stream","AP8=",null]' "$(of 5 '.result.contents[0]|[.mimeType,.blob,.text]')"
	same '-32002 -32002 -32002 -32002 -32002 -32002' "$(of '(6,7,8,9,10,11)' .error.code | paste -sd' ')"
	same '-32602 skill://one/nix' "$(of 12 '.error|"\(.code) \(.data.uri)"')"
	same '[0,"private"]' "$(of 13 '.result|[.ttlMs,.cacheScope]')"
	same -32601 "$(of 14 .error.code)"
}

@test "skills are prompts, and a tool" {
	needs_sandbox
	skill "$LB_STATE/skills/one" 'name: one' 'description: Does one thing.'
	run -0 lb-mcp serve --skills --tools=none < <(init; rq 1 prompts/list
		rq 2 prompts/get '{"name":"one","arguments":{"task":"Now do it."}}'
		rq 3 prompts/get '{"name":"two"}'; rq 4 prompts/get '{"name":"one","arguments":{"task":1}}'
		rq 5 tools/list; rq 6 tools/call '{"name":"activate","arguments":{"skill_name":"one"}}'
		rq 7 tools/call '{"name":"activate","arguments":{"skill_name":"two"}}'
		rq 8 tools/call '{"name":"activate"}')
	same '["one","Does one thing.","task",false]' "$(of 1 \
		'.result.prompts[0]|[.name,.description,.arguments[0].name,.arguments[0].required]')"
	same 'user true true' "$(of 2 '.result.messages[0]|"\(.role) \(.content.text|contains("# How")) \(.content.text|endswith("\n\nNow do it."))"')"
	same '-32602 -32602' "$(of '(3,4)' .error.code | paste -sd' ')"
	same '["activate"]' "$(of 5 '[.result.tools[].name]')"
	[[ $(of 6 '.result.structuredContent.content') == *'Its files are the resources below skill://one/'* ]]
	[[ $(of 5 .result.tools[0].description) == *"- one: Does one thing."* ]]
	same '[false,"one"]' "$(of 6 '.result|[.isError,.structuredContent.skill_name]')"
	same 'true true' "$(of '(7,8)' .result.isError | paste -sd' ')"
	[[ $(of 7 .result.content[0].text) == *"there is no skill 'two'"* ]]
	# In the sandbox there are those of a pipeline that grants them.
	printf 'pipelines: {default: {ai: {local-agent: {tools: [activate]}}}}\n' > "$LB_CONFIG"
	run -0 lb-mcp serve --skills < <(init; rq 1 tools/call '{"name":"activate","arguments":{"skill_name":"one"}}'
		rq 2 tools/call '{"name":"read","arguments":{"path":"/workspace/.skills/one/SKILL.md"}}')
	[[ $(of 1 .result.structuredContent.content) == *'Its files are in /workspace/.skills/one'* ]]
	[[ $(of 2 .result.structuredContent.content) == *'# How'* ]]
	# Of the pipeline, and no other.
	printf 'pipelines: {p: {extensions_preferences: {enable_all_skills: false, skills: []}}}\n' > "$LB_CONFIG"
	run -0 lb-mcp serve --skills --pipeline=p < <(init; rq 1 prompts/list; rq 2 resources/read '{"uri":"skill://one/SKILL.md"}')
	same '[] -32002' "$(of '(1,2)' '.result.prompts // .error.code' | paste -sd' ')"
}

@test "who wants to know hears that a skill came" {
	host --skills --tools=none
	say "$(init)" \
		"$(rq 1 subscriptions/listen "{\"notifications\":{\"promptsListChanged\":true,\"resourceSubscriptions\":[\"x\"]},$META}")" \
		"$(rq 2 subscriptions/listen "{$META}")"
	run -0 hear '.method == "notifications/subscriptions/acknowledged"'
	same '{"promptsListChanged":true} 1' "$(jq -rc '.params|"\(.notifications) \(._meta["io.modelcontextprotocol/subscriptionId"])"' <<< "$output")"
	run -0 hear '.id == 2'
	same -32602 "$(of 2 .error.code)"
	skill "$LB_STATE/skills/one"
	local all=
	while [[ $all != *resources* || $all != *tools* || $all != *subscriptionId* ]]; do
		all+=$(hear .method)$'\n'
	done
	same '["notifications/prompts/list_changed"]' "$(jq -sc '[.[]|select(.params._meta)|.method]' <<< "$all")"
	same '["notifications/prompts/list_changed","notifications/resources/list_changed","notifications/tools/list_changed"]' \
		"$(jq -sc '[.[]|select(.params|not)|.method]|sort' <<< "$all")"
	# Its end is told; when it is taken back, it is not.
	say "$(rq 3 subscriptions/listen "{\"notifications\":{},$META}")" "$(note notifications/cancelled '{"requestId":1}')"
	hear '.method == "notifications/subscriptions/acknowledged"'
	exec 9>&-
	run -0 hear .id
	same '3 complete 3' "$(jq -r '"\(.id) \(.result.resultType) \(.result._meta["io.modelcontextprotocol/subscriptionId"])"' <<< "$output")"
}

@test "lb-mcp itself asks it, in both eras, by lines and by HTTP" {
	needs_sandbox
	echo a > w/f
	lb-mcp serve -w w --http 0 --no-token 2> err 3>&- &
	local web=$! url='' era at
	until url=$(sed -n 's/^lb-mcp: listening at //p' err); [ -n "$url" ]; do sleep 0.02; done
	for era in legacy modern; do
		for at in "--url $url" "--host --stdio"; do
			# shellcheck disable=SC2086 # words
			set -- --era=$era $at
			[[ $at == --url* ]] || set -- "$@" "lb-mcp serve -w $PWD/w"
			same 'read glob grep' "$(lb-mcp tools "$@" | jq -r .name | paste -sd' ')"
			run -0 lb-mcp call "$@" read path=f --json
			same a "$(jq -r .structuredContent.content <<< "$output")"
			run -1 lb-mcp call "$@" read path=none
			run -65 lb-mcp call "$@" exec command=true
		done
	done
	kill "$web"
	wait "$web" || true
}

@test "a line that is too long is left out, and told" {
	LB_MAX_LINE=4096 run -65 --separate-stderr lb-mcp serve < <(init
		rq 1 ping "{\"x\":\"$(printf 'x%.0s' $(seq 5000))\"}"; rq 2 ping)
	same '-32700' "$(of null .error.code)"
	same '{}' "$(of 2 .result)"
	same '' "$(of 1 .)"
}

@test "it ends with its input, its reader, a signal, and takes all with it" {
	needs_sandbox
	run -0 lb-mcp serve --tools=exec < <(init; rq 1 tools/call "$(exec_of 'sleep 0.5; echo end')")
	same 'end' "$(of 1 '.result.structuredContent.stdout|rtrimstr("\n")')"
	run -74 sh -c 'printf "%s\n" "$0" | lb-mcp serve > /dev/full' "$(rq 1 ping)"
	local end
	for end in TERM KILL; do
		host --tools=exec
		say "$(init)" "$(rq 1 tools/call "$(exec_of ": serve-$end; sleep 600")")"
		hear '.id == 0'
		until pgrep -f "[s]erve-$end" > /dev/null; do sleep 0.02; done
		kill -$end "$HOST_PID"
		gone "serve-$end"
		exec 8<&- 9>&-
		run wait "$HOST_PID"
	done
	host --tools=exec
	say "$(init)" "$(rq 1 tools/call "$(exec_of ': serve-left; sleep 600')")"
	hear '.id == 0'
	until pgrep -f '[s]erve-left' > /dev/null; do sleep 0.02; done
	exec 8<&-
	# It may know already that nobody reads.
	say "$(rq 2 ping)" "$(rq 3 ping)" 2> /dev/null || true
	gone serve-left
}
