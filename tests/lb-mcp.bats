#!/usr/bin/env bats
# lb-mcp and servers that are programs: the protocol, its faults, what is
# printed, exit statuses.

load helper
load mcp

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
}

# stdio OPTION... -- VERB ... - the double at its standard input, on this
# machine.
stdio() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$(printf %q "$1")")
		shift
	done
	shift
	: > "$MCP_LOG"
	mcp "$@" --host --stdio "$DOUBLE --log $MCP_LOG ${options[*]}"
}

names() {
	jq -r .name | paste -sd' '
}

@test "tools, resources and prompts are listed, one a line" {
	run -0 --separate-stderr stdio -- tools
	same '22 echo' "${#lines[@]} $(jq -r .name <<< "${lines[0]}")"
	jq -e '.inputSchema.properties.n.type == "integer"' <<< "${lines[0]}"
	run -0 stdio -- resources
	same 'test://a test://bin' "$(jq -r .uri <<< "$output" | paste -sd' ')"
	run -0 stdio -- resources --templates
	same 'test://x/{y}' "$(jq -r .uriTemplate <<< "$output")"
	run -0 stdio -- prompts
	same hi "$(names <<< "$output")"
}

@test "a server that is asked is told what it has to know, and is let go" {
	run -0 stdio -- tools
	same '"server/discover" "initialize" "notifications/initialized" "tools/list"' \
		"$(jq -c .method "$MCP_LOG" | paste -sd' ')"
	jq -se '.[1].params | .protocolVersion == "2025-11-25" and
		.clientInfo.name == "lb-mcp" and (.capabilities | length) == 0' "$MCP_LOG"
	jq -se '.[0].params._meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"' "$MCP_LOG"
}

@test "all pages of a list are got, and no list goes round for ever" {
	run -0 stdio --pages 7 -- tools
	same 22 "${#lines[@]}"
	same 7 "$(jq -r .method "$MCP_LOG" | grep -c tools/list)"
	same 'k1' "$(jq -r '.params.cursor // empty' "$MCP_LOG" | head -n 1)"
	run -0 stdio --pages 2 -- resources
	same 2 "${#lines[@]}"
	run -76 stdio --circle -- tools
	[[ $output == *'tools/list: its pages go round in a circle' ]]
}

@test "arguments are texts, JSON, an object, or what the schema says" {
	run -0 --separate-stderr stdio -- call echo text=7 n=7 yes=true 'list=[1]' of=null 'other:={"a":[1]}' plain=x
	same '{"text": "7", "n": 7, "yes": true, "list": [1], "of": null, "other": {"a": [1]}, "plain": "x"}' \
		"$(jq -c . <<< "$output" | sed 's/":/": /g; s/,"/, "/g')" ||
		same '' "$output"
	run -0 --separate-stderr stdio -- call echo '{"a":{"b":null}}'
	same '{"a": {"b": null}}' "$output"
	run -0 --separate-stderr stdio -- call echo - <<< '{"a":1}'
	same '{"a": 1}' "$output"
	run -64 stdio -- call echo n=x
	[[ $output == *"n: 'x' is no integer" ]]
	run -64 stdio -- call echo n:=x
	[[ $output == *"n: 'x' is no JSON" ]]
	run -64 stdio -- call echo word
	[[ $output == *"'word' is neither NAME=TEXT nor NAME:=JSON" ]]
	run -65 stdio -- call echo '{"a":1'
	[[ $output == *'the arguments are no JSON object: '* ]]
}

@test "each end of a call has its status" {
	run -0 stdio -- call nothing
	same '' "$output"
	run -1 --separate-stderr stdio -- call fail
	same 'no such row' "$output"
	run -65 --separate-stderr stdio -- call refuse
	same '|lb-mcp: the command: unknown tool (-32602)' "$output|$stderr"
	run -75 stdio -- call die
	[[ $output == *'it exited 3' ]]
	run -64 mcp call
	run -64 mcp tools
	run -64 mcp tools x --url http://127.0.0.1:1/
	run -69 mcp tools nobody
	[[ $output == *"there is no server 'nobody'"* ]]
	run -69 mcp tools --url http://127.0.0.1:1/
	run -75 stdio --mute -- tools -t 1s --era legacy
	run -75 stdio -- call slow ms=60000 -t 3s
	[[ $output == *'no answer within 3 s' ]]
	same '"notifications/cancelled"' "$(jq -c .method "$MCP_LOG" | tail -n 1)"
}

@test "--json is the result as it came, and a failure a line of JSON" {
	run -0 --separate-stderr stdio -- call both --json
	same '{"content": [{"type": "text", "text": "forty-two"}], "structuredContent": {"answer": 0.142857}}' "$output"
	run -0 stdio -- call both
	same forty-two "$output"
	run -0 stdio -- call structured
	same '{"answer":42}' "$output"
	run -65 --separate-stderr stdio -- call refuse --json
	same '{"kind":"error","exit":65,"message":"unknown tool (-32602)","code":-32602}' "$stderr"
	run -75 --separate-stderr stdio --exit 4 -- tools --json
	jq -e '.exit == 75 and .error_phase == "mcp_init"' <<< "${stderr##*$'\n'}"
}

@test "pictures, links, sounds and resources are told of" {
	run -0 stdio -- call picture
	same 'look:
[image, image/png, 72 bytes]' "$output"
	run -0 stdio -- call more
	same '[resource link test://a]
[audio, audio/wav, 3 bytes]
[resource test://b, text/plain]
bee
[resource test://c, x/y, 3 bytes]
[content of type, smell]
[content of type, nothing]' "$output"
}

@test "resources are read, and prompts printed" {
	run -0 stdio -- read test://a
	same 'the text of a' "$output"
	stdio -- read test://bin > bytes
	same '00 01 02' "$(od -An -tx1 bytes | xargs)"
	run -65 stdio -- read test://none
	[[ $output == *'Resource not found (-32002)' ]]
	run -0 stdio -- prompt hi who=Ann
	same 'user: Hi Ann' "$output"
}

@test "what is no message is left out with one warning; --strict ends it" {
	run -0 --separate-stderr stdio --noise -- call echo text=x
	same '{"text": "x"}' "$output"
	same 1 "$(grep -c 'no message' <<< "$stderr")"
	[[ $stderr == *'which is left out: Starting server v1'* ]]
	run -0 --separate-stderr stdio --strays -- call echo text=x
	same '{"text": "x"}' "$output"
	run -76 --separate-stderr stdio --noise -- tools --strict
	# also where the answer came at the same time
	printf '%s\n' '#!/bin/sh' 'read -r _; printf '"'%s\\n' noise '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}'" 'cat > rest' > server
	run -76 --separate-stderr mcp tools --strict --era legacy --host --stdio 'sh server'
	[ ! -s rest ]
	[[ $stderr == *'it wrote what is no message'* ]]
}

@test "what a server says to standard error is shown, without what a terminal obeys" {
	run -0 --separate-stderr stdio -- call words
	same 'said|lb-mcp: the command: something?[31m odd' "$output|$stderr"
	run -0 --separate-stderr stdio -- -q call words
	same '' "$stderr"
}

@test "on a terminal a call that goes on shows how far it is, and nothing of that stays" {
	run -0 script -qec "lb-mcp call slow ms=2400 steps=6 --host --stdio '$DOUBLE'" /dev/null
	[[ $output == *$'\r\e[K 83% step 5\r\e[K100% step 6\r\e[Kdone'* ]]
	run -0 --separate-stderr stdio -- call slow ms=1500 steps=3
	same 'done|' "$output|$stderr"
}

@test "what a server notes is for who wants to know more" {
	run -0 --separate-stderr stdio -- call -v say
	same 'said|lb-mcp: info: the command: l: {"a":1}' "$output|$stderr"
	same info "$(heard 'select(.method == "logging/setLevel").params.level')"
	run -0 --separate-stderr stdio -- call say
	same 'said|' "$output|$stderr"
}

@test "an error to the probe keeps the process; silence and an end start another" {
	for probe in unknown params odd; do
		run -0 --separate-stderr stdio --probe $probe -- tools
		same 'server/discover initialize' "$(jq -r .method "$MCP_LOG" | head -n 2 | paste -sd' ')"
		rm -rf "$LB_STATE"
	done
	for probe in silent exit; do
		SECONDS=0
		run -0 --separate-stderr stdio --probe $probe -- tools
		same 22 "${#lines[@]}"
		[ "$SECONDS" -lt 10 ]
		jq -r .method "$MCP_LOG" | grep -qx initialize
		rm -rf "$LB_STATE"
	done
}

@test "the era is remembered by the command, found out anew when it is wrong, and forced" {
	run -0 stdio --probe silent -- tools
	run -0 stdio --probe silent -- tools
	same 'initialize notifications/initialized tools/list' "$(jq -r .method "$MCP_LOG" | paste -sd' ')"
	# the same key for another server
	printf '%s\n' '#!/bin/sh' "exec $DOUBLE --log $MCP_LOG --era \$(cat era)" > server
	chmod +x server
	for era in legacy modern legacy modern; do
		echo $era > era
		run -0 --separate-stderr mcp tools --host --stdio ./server
		same 22 "${#lines[@]}"
	done
	run -0 stdio --era both -- tools --era legacy
	same 'initialize' "$(jq -r .method "$MCP_LOG" | head -n 1)"
	run -0 stdio --era both -- tools --era modern
	same 'server/discover tools/list' "$(jq -r .method "$MCP_LOG" | paste -sd' ')"
	run -65 stdio -- tools --era modern
	[[ $output == *'it is not of the newer era'* ]]
	run -65 stdio --era modern -- tools --era legacy
	run -64 stdio -- tools --era stone
}

@test "one that takes longer to start than it is probed for is reached, in either era" {
	for era in legacy modern; do
		rm -rf "$LB_STATE"
		run -0 --separate-stderr stdio --era $era --start 2.3 -- tools
		same 22 "${#lines[@]}"
	done
	# and remembered: it is not told initialize again
	run -0 --separate-stderr stdio --era modern --start 2.3 -- tools
	same 'server/discover tools/list' "$(heard .method | paste -sd' ')"
	# one that refuses both says why
	rm -rf "$LB_STATE"
	run -65 --separate-stderr stdio --probe silent --refuse 1999-01-01 -- tools -t 9s
	[[ $stderr == *'it refused to be initialized: Unsupported protocol version' ]] ||
		same '' "$stderr"
}

@test "revisions: any that is known, the one a server names, and none that is not" {
	for revision in 2024-11-05 2025-03-26 2025-06-18 2025-11-25; do
		run -0 --separate-stderr stdio --revision $revision -- tools
	done
	run -0 --separate-stderr stdio --refuse 2025-03-26 -- tools
	same '2025-11-25 2025-03-26' "$(jq -r '.params.protocolVersion // empty' "$MCP_LOG" | paste -sd' ')"
	run -76 stdio --revision 1999-01-01 -- tools
	[[ $output == *'it speaks a revision that is unknown here: 1999-01-01' ]]
}

@test "a server's questions: ping, roots, elicitation by its defaults, no sampling" {
	run -0 stdio -- call ping
	same '{}' "$output"
	run -0 stdio -- call ask
	same '{"action": "decline"}' "$output"
	run -0 stdio -- call ask --elicit
	same '{"action": "accept", "content": {"name": "nobody", "old": true}}' "$output"
	run -0 stdio -- call sample
	same '{"code": -1, "message": "sampling is declined"}' "$output"
	run -0 stdio -- call roots
	same '{"code": -32601, "message": "there is no method '"'roots/list'"'"}' "$output"
	cat > "$LB_CONFIG" <<-END
		mcp: {servers: {d: {command: sh, args: [-c, "$DOUBLE"], host: true,
		  roots: ["file:///srv"]}}}
	END
	run -0 mcp call d roots
	same '{"roots": [{"uri": "file:///srv"}]}' "$output"
}

@test "in the newer era questions come with the result, and the answers with the request" {
	run -0 stdio --era modern -- call ask --elicit
	same '[{"action": "accept", "content": {"name": "nobody", "old": true}}, "s"]' "$output"
	run -0 stdio --era modern -- call ask
	same '[{"action": "decline"}, "s"]' "$output"
	run -77 stdio --era modern -- call sample
	[[ $output == *'it wants something first: sampling is declined' ]]
}

@test "progress keeps a call alive, and answers may be large" {
	run -0 --separate-stderr stdio -- call slow ms=6000 steps=6 -t 3s
	same 'done' "$output"
	stdio -- call big n=15000000 > big
	same 15000001 "$(stat -c %s big)"
	LB_MAX_LINE=1M run -75 stdio -- call big n=2000000 -t 2s
}

@test "a server that goes on, and what it left, are ended" {
	run -0 stdio --linger -- tools
	gone "mcp-server.py --log $MCP_LOG --linger"
	run -0 stdio --child -- tools
	gone 'sleep 600'
}

@test "an interrupted call is cancelled, and so are we" {
	: > "$MCP_LOG"
	lb-mcp call slow ms=60000 --host --stdio "$DOUBLE --log $MCP_LOG" 3>&- &
	local pid=$!
	for _ in {1..400}; do
		! grep -q '"tools/call"' "$MCP_LOG" || break
		sleep 0.05
	done
	kill -INT $pid 2> /dev/null || true
	kill -TERM $pid 2> /dev/null || true
	run wait $pid
	[ "$status" -gt 128 ]
	gone "mcp-server.py --log $MCP_LOG"
}

@test "an mcpServers file of others works as it is" {
	cat > their.json <<-END
		{"mcpServers": {
		  "one": {"command": "python3", "args": ["$BATS_TEST_DIRNAME/doubles/mcp-server.py", "--text", "\${GREETING:-hi}"],
		    "env": {"KEY": "\${SECRET}", "N": "7"}, "disabled": false},
		  "two": {"type": "streamable-http", "url": "http://127.0.0.1:1/"},
		  "off": {"command": "nope", "disabled": true}
		}, "other": 1}
	END
	run -0 mcp list --from their.json
	same 'one stdio unknown
two http unknown
off stdio disabled' "$(jq -r '"\(.name) \(.mode) \(.status)"' <<< "$output")"
	run -78 mcp tools one --from their.json --host
	[[ $output == *'the variable SECRET is not set' ]]
	export SECRET=env:HOME
	run -0 mcp call one text --from their.json --host
	same hi "$output"
	run -0 mcp call one env name=KEY --from their.json --host
	same env:HOME "$output"
	# other programs have other names for a URL
	echo '{"servers": {"a": {"serverUrl": "http://127.0.0.1:1/a"}, "b": {"httpUrl": "http://127.0.0.1:1/b"}}}' > urls.json
	for name in a b; do
		run -69 mcp tools $name --from urls.json
		[[ $output == *"cannot connect to '127.0.0.1:1'"* ]]
		run -0 mcp add $name --from urls.json
		same "http://127.0.0.1:1/$name" "$(lb-config get mcp.servers.$name.url)"
	done
	rm -r conf.d
	run -66 mcp list --from none.json
	echo '{"a":1}' > bad.json
	run -65 mcp list --from bad.json
	[[ $output == *"it has no object 'mcpServers'" ]]
}

@test "a file of others does not say what is the operator's to say" {
	mkdir shown
	cat > their.json <<-END
		{"mcpServers": {
		  "out": {"command": "touch", "args": ["$PWD/ran"], "host": true, "roots": ["file:///"]},
		  "far": {"command": "true", "box": {"network": "on", "host_path": "$PWD", "cpus": 1}},
		  "runs": {"command": "true", "env": {"K": "cmd:touch $PWD/ran"}},
		  "key": {"url": "http://127.0.0.1:1/", "headers": {"K": "env:HOME"}}
		}}
	END
	run -0 mcp list --from their.json
	same false "$(jq -r 'select(.name == "out").host' <<< "$output")"
	run mcp tools out --from their.json
	[[ $output == *'out: what the file says of host, roots does not count'* ]]
	[ "$status" -ne 0 ]
	[ ! -e ran ]
	run -0 mcp add out --from their.json
	[[ $output == *'out: what the file says of host, roots does not count'* ]]
	run -0 mcp add far --from their.json
	[[ $output == *'of box.host_path, box.network does not count'* ]]
	same '{"cpus":1}' "$(lb-config get mcp.servers.far.box | jq -c)"
	run -77 mcp add runs --from their.json
	[[ $output == *'env.K of the file would be looked up on this machine'* ]]
	run -77 mcp add key --from their.json
	[[ $output == *'headers.K of the file would be looked up'* ]]
	[ ! -e conf.d/mcp-runs.yaml ]
	# it is the operator who may
	run -0 mcp add out --replace --from their.json --host
	same true "$(lb-config get mcp.servers.out.host)"
	run -0 mcp add far --replace --from their.json --network on --project shown
	same "{\"cpus\":1,\"network\":\"on\",\"host_path\":\"$PWD/shown\",\"host_path_mode\":\"ro\"}" \
		"$(lb-config get mcp.servers.far.box | jq -c)"
	run -0 mcp add runs --from their.json --env K=mine
	run -0 mcp add key --from their.json --header 'K: mine'
}

@test "a project is written down as what it is from anywhere" {
	mkdir -p proj/srv
	(cd proj && mcp add one --project srv:rw -- true)
	same "$PWD/proj/srv rw" "$(lb-config get mcp.servers.one.box |
		jq -r '"\(.host_path) \(.host_path_mode)"')"
	run -66 mcp add two --project nothing -- true
	[[ $output == "lb-mcp: cannot open 'nothing': No such file or directory" ]]
	: > file
	run -64 mcp add two --project file -- true
	[ ! -e conf.d/mcp-two.yaml ]
}

@test "servers are added, switched off and on, and removed, each in a file of its own" {
	run -0 mcp add one --host --env 'KEY=env:HOME' -- python3 "$BATS_TEST_DIRNAME/doubles/mcp-server.py"
	[ -e conf.d/mcp-one.yaml ]
	same 600 "$(stat -c %a conf.d/mcp-one.yaml)"
	run -0 mcp call one env name=KEY
	same "$HOME" "$output"
	run -77 mcp add one -- true
	[[ $output == *"there is a server 'one' already (--replace)" ]]
	run -0 mcp add two --url http://127.0.0.1:1/ --header 'Authorization: env:TOKEN'
	run -0 mcp list
	same 'one two' "$(names <<< "$output")"
	run -0 mcp disable one
	run -0 lb-config check
	same disabled "$(mcp list | jq -r 'select(.name == "one").status')"
	run -0 mcp enable one
	same true "$(mcp list | jq -r 'select(.name == "one").enable')"
	run -0 mcp add one --replace -- true
	run -0 mcp rm one two
	run -0 mcp list
	same '' "$output"
	run -66 mcp rm one
	run -64 mcp add 'a/b' -- true
	run -64 mcp add a
	run -78 mcp add a --url nonsense
	echo 'mcp: {servers: {mine: {command: x}}}' > "$LB_CONFIG"
	run -77 mcp add mine -- true
	run -77 mcp rm mine
	[[ $output == *'remove it there' ]]
	run -0 mcp disable mine
	grep -q 'enable: false' "$LB_CONFIG"
}

@test "test says how a server is, and list what is known of it" {
	run -0 mcp add d --host -- python3 "$BATS_TEST_DIRNAME/doubles/mcp-server.py"
	run -0 mcp test d
	same 'd: connected to double, 2025-11-25 by stdio; 22 tools, 2 resources, 1 prompts' "$output"
	run -0 mcp test d --json
	jq -e '.status == "connected" and .retry_count == 0 and .tool_count == 22 and
		.tools[0].name == "echo" and (.tools[0].parameters | type) == "object" and
		.error_phase == null and .resource_count == 2' <<< "$output"
	same connected "$(mcp list | jq -r .status)"
	run -0 mcp call d words
	run -0 mcp logs d
	[[ $output == *Z' something'*'odd' ]]
	# the same words again are words
	mcp -q call d words
	same 2 "$(mcp logs d | grep -c something)"
	run -0 mcp logs d --json
	jq -e '.level == "info"' <<< "$output"
	run -0 mcp logs d --level error
	same '' "$output"
	run -66 mcp logs none
	same "lb-mcp: there is no server 'none'; 'lb-mcp list' names them" "$output"
	run -0 mcp add mute --host -- true
	run -0 mcp logs mute
	same "lb-mcp: server 'mute' has said nothing so far" "$output"
}

@test "what is not there is 69, whatever it is" {
	run -69 mcp tools elsewhere
	run -0 mcp add one --host -- true
	run -69 mcp tools elsewhere
	same "lb-mcp: there is no server 'elsewhere'; 'lb-mcp list' names them" "$output"
	run -69 mcp tools --host --stdio no-such-program
	[[ $output == *'it exited 127: there is no such program' ]]
	run -75 mcp tools --host --stdio 'exit 3'
}

@test "each way to fail has its phase" {
	phase() {
		run -1 --separate-stderr mcp test "$@" --json
		jq -r .error_phase <<< "$output"
	}
	same process_start "$(phase --host --stdio 'nope --x')"
	same mcp_init "$(phase --host --stdio "$DOUBLE --exit 3")"
	same mcp_init "$(phase --host --stdio "$DOUBLE --mute" --era legacy -t 1s)"
	same relay_connect "$(phase --url http://127.0.0.1:1/)"
	cat > "$LB_CONFIG" <<-END
		mcp: {servers: {d: {command: nope, host: true}}}
	END
	same process_start "$(phase d)"
}

@test "a program that is not there is told with where it was looked for" {
	echo 'mcp: {servers: {d: {command: nope, host: true}}}' > "$LB_CONFIG"
	run -69 --separate-stderr mcp tools d
	[[ $stderr == "lb-mcp: d: cannot start 'nope': No such file or directory (PATH: ${PATH:0:40}"* ]]
	run -69 mcp tools dd
	[[ $output == *"did you mean 'd'?" ]]
}

@test "doctor looks at each thing that a server needs, and says what is wrong" {
	cat > "$LB_CONFIG" <<-END
		mcp: {servers: {
		  good: {command: python3, args: ["${DOUBLE#python3 }"], host: true},
		  away: {command: nope, host: true, env: {KEY: "env:NOT_SET"}},
		  off: {command: nope, enable: false},
		  bad: {url: "ftp://x"}, far: {url: "http://127.0.0.1:1/"}}}
	END
	run -1 mcp doctor
	same 'good entity true
good program true
good connection true
away entity true
away env false
away program false
away connection false
off entity true
off enabled false
bad entity false
far entity true
far connection false' "$(jq -r '"\(.server) \(.check) \(.ok)"' <<< "$output")"
	[[ $(jq -r 'select(.check == "env").found' <<< "$output") == *NOT_SET* ]]
	[[ $(jq -r 'select(.server == "far" and .check == "connection").found' <<< "$output") == *'(relay_connect)' ]]
	run -0 mcp doctor good
	same 3 "${#lines[@]}"
	run -1 mcp doctor none
	[[ $output == *'there is no such server'* ]]
}

@test "programs are refused where the operator does not want them" {
	echo 'mcp: {stdio: {enabled: false}, servers: {d: {command: x}}}' > "$LB_CONFIG"
	run -77 mcp tools d
	[[ $output == *'mcp.stdio.enabled'* ]]
	run -77 stdio -- tools
}

@test "an output that is full is told, and the page has each option" {
	run -74 stdio_full
	for verb in add call disable enable install list logs prompt prompts provide read resources rm test tools; do
		documented lb-mcp.1 lb-mcp $verb
	done
}

stdio_full() {
	mcp tools --host --stdio "$DOUBLE" > /dev/full
}
