#!/usr/bin/env bats

# box.backend: e2b, machines of a service that is asked by HTTP: against a double
# that refuses what the service refuses (doubles/e2b.py).

load helper

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	E2B=$BATS_TEST_TMPDIR/e2b
	mkdir "$E2B"
	mkfifo port
	python3 "$BATS_TEST_DIRNAME/doubles/e2b.py" "$E2B" > port 3>&- &
	E2B_PID=$!
	read -r -t 30 E2B_PORT < port
	export E2B_API_KEY=e2b_key-of-the-double
	printf 'box: {backend: e2b, e2b: {api_url: "http://127.0.0.1:%s/"}}\n' \
		"$E2B_PORT" > "$LB_CONFIG"
}

teardown() {
	kill "$E2B_PID"
	wait "$E2B_PID" || :
}

# machines - how many there are.
machines() {
	jq length "$E2B/state"
}

# no_machine - none, soon.
no_machine() {
	[ "$(machines)" -eq 0 ]
}

# fault MATCH DO [JSON] - it fails that way.
fault() {
	jq -n --arg match "$1" --arg do "$2" --argjson more "${3-"{}"}" \
		'[{match: $match, do: $do} + $more]' > "$E2B/faults"
}

# refuses STATUS WORDS [COMMAND...] - nothing runs, and that line says why.
refuses() {
	local status_of=$1 words=$2
	shift 2
	run --separate-stderr "-$status_of" "${@-lb-exec}" -- echo ran
	same "" "$output"
	same "lb-exec: $words" "$stderr"
}

sleeps() {
	pgrep -fx "[s]leep $1" > /dev/null
}

@test "output, errors, input and status are the command's own; its machine goes" {
	run --separate-stderr -7 lb-exec -- sh -c 'echo out; echo err >&2; exit 7'
	same out "$output"
	same err "$stderr"
	same piped "$(echo piped | lb-exec -- cat)"
	same 300000 "$(head -c 300000 /dev/zero | lb-exec -- wc -c)"
	run --separate-stderr -0 lb-exec --json -- printf '\377\0x'
	same '["e2b","/wB4","base64",true,"none","none"]' "$(jq -c '[.backend, .stdout,
		.stdout_encoding, .isolated, .limits_backend, .quota]' <<< "$output")"
	same 0 "$(machines)"
	# nothing of it is on this machine
	[ ! -e "$LB_STATE/box/workspaces" ]
	run -137 lb-exec -- sh -c 'kill -9 $$'
}

@test "a session has one machine, and finds its files again" {
	lb-exec --session s --env "V=it's <x>" -- sh -c 'echo "$V" > f; pwd > "a b"'
	same "it's <x>" "$(lb-exec --session s -- cat f)"
	same 1 "$(machines)"
	local id
	id=$(jq -r 'keys[0]' "$E2B/state")
	same "$E2B/$id/workspace" "$(cat "$E2B/$id/workspace/a b")"
	same "$E2B/$id/workspace/x y" "$(lb-exec --session s --workdir 'x y' -- pwd)"
	# it went to sleep, and wakes up
	python3 -c 'import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1],
		method="POST", data=b"", headers={"X-API-Key": sys.argv[2]}))' \
		"http://127.0.0.1:$E2B_PORT/sandboxes/$id/pause" "$E2B_API_KEY"
	same '"paused"' "$(jq '.[]' "$E2B/state")"
	same "it's <x>" "$(lb-exec --session s -- cat f)"
	# another one has another
	run -1 lb-exec --session t -- cat f
	same 2 "$(machines)"
	same '["base",360,true,false]' "$(head -n 1 "$E2B/asked" |
		jq -c '[.templateID, .timeout, .autoPause, .allow_internet_access]')"
}

@test "two that begin at once make one machine" {
	local pids=() i
	for i in 1 2 3; do
		lb-exec --session s -- sh -c "echo $i > $i" 3>&- &
		pids+=($!)
	done
	wait "${pids[@]}"
	same $'1\n2\n3' "$(lb-exec --session s -- cat 1 2 3)"
	same 1 "$(machines)"
}

@test "lb-box delete ends the machine, and says when it cannot" {
	lb-exec --session s -- touch f
	fault 'DELETE /sandboxes' status '{"status": 500, "message": "no luck"}'
	run -75 lb-box delete s
	same "lb-box: its machine goes on: e2b failed (status 500): no luck" "$output"
	same 1 "$(machines)"
	rm "$E2B/faults"
	lb-box delete s
	same 0 "$(machines)"
	[ -z "$(ls "$LB_STATE/box/sessions")" ]
	run -66 lb-box delete s
	# one that is gone already is as good
	lb-exec --session s -- touch f
	fault 'DELETE /sandboxes' status '{"status": 404}'
	lb-box delete s
}

@test "gc ends the machines of sessions that nobody used for long, reap does not" {
	lb-exec --session old -- touch f
	lb-exec --session new -- touch f
	touch -d '3 days ago' "$LB_STATE/box/sessions/old/use"
	lb-box reap
	same 2 "$(machines)"
	LB__BOX__WORKSPACE_RETENTION_DAYS=1 lb-box gc
	same 1 "$(machines)"
	same new "$(ls "$LB_STATE/box/sessions")"
	same f "$(lb-exec --session new -- ls)"
}

@test "a machine that is gone is replaced, and whoever asked is told" {
	lb-exec --session s -- touch f
	jq '.id = "i0"' "$LB_STATE/box/sessions/s/e2b" > new
	mv new "$LB_STATE/box/sessions/s/e2b"
	run --separate-stderr -0 lb-exec --json --session s -- ls
	same '["",["the machine of this session was gone, with its files; this is a new one"]]' \
		"$(jq -c '[.stdout, .notes]' <<< "$output")"
	run --separate-stderr -0 lb-exec --json --session s -- ls
	same null "$(jq .notes <<< "$output")"
}

@test "when its time is over all of it ends, and the session stays" {
	lb-exec --session s -- touch f
	run --separate-stderr -124 lb-exec --session s -t 1 -- \
		sh -c 'setsid sleep 4751 & trap "" TERM; echo begun; sleep 4752'
	same begun "$output"
	same "lb-exec: it was killed: its 1 s are over" "$stderr"
	gone 'sleep 4751'
	gone 'sleep 4752'
	same f "$(lb-exec --session s -- ls)"
	# as does what is left when it ended by itself
	lb-exec --session s -- sh -c 'setsid sleep 4753 > /dev/null 2>&1 &'
	gone 'sleep 4753'
	run -124 lb-exec -t 1 -- sleep 4754
	same 1 "$(machines)"
}

@test "the time to bring up a machine is not the command's" {
	fault 'GET /health' status '{"status": 502, "times": 20}'
	run --separate-stderr -0 lb-exec --json -t 1 -- true
	[ "$(jq .duration_ms <<< "$output")" -lt 2000 ]
	fault 'GET /health' status '{"status": 404, "message": "not here"}'
	refuses 69 "e2b made a machine and has no way to it (status 404): not here"
	same 0 "$(machines)"
}

@test "a machine is asked for with little time, and kept while something runs" {
	export LB__BOX__SESSION_TTL=1s
	lb-exec --session s -- sh -c 'sleep 2.5'
	same 62 "$(jq .timeout "$E2B/asked")"
	run grep -c '^POST /sandboxes/.*/connect$' "$E2B/log"
	same 2 "$output"
	# and however long it may go on, nothing that the service would refuse
	LB__BOX__SESSION_TTL=9h lb-exec --session t -- true
	same 660 "$(tail -n 1 "$E2B/asked" | jq .timeout)"
}

@test "whoever is stopped or killed leaves nothing running" {
	local pid signal
	for signal in TERM KILL; do
		lb-exec --session s -t 100 -- sleep 4761 > out 2>&1 3>&- &
		pid=$!
		until_true sleeps 4761
		kill -s "$signal" "$pid"
		wait "$pid" || :
		gone 'sleep 4761'
		lb-exec -t 100 -- sleep 4762 > out 2>&1 3>&- &
		pid=$!
		until_true sleeps 4762
		kill -s "$signal" "$pid"
		wait "$pid" || :
		gone 'sleep 4762'
		lb-box delete s || until_true lb-box delete s
		until_true no_machine
	done
	# nor a machine that is being made meanwhile
	for what in 'POST /sandboxes' 'in GET /health'; do
		: > "$E2B/log"
		fault "${what#in }" late
		lb-exec -- true > out 2>&1 3>&- &
		pid=$!
		until_true grep -q "^$what" "$E2B/log"
		kill "$pid"
		wait "$pid" || :
		until_true grep -q '^DELETE /sandboxes' "$E2B/log"
		until_true no_machine
	done
}

@test "a reader that left ends it; a slow one is waited for" {
	run -0 bash -c 'lb-exec -- yes | head -n 1'
	same y "$output"
	until_true no_machine
	same 300000 "$(lb-exec -t 20 -- head -c 300000 /dev/zero |
		(sleep 1; wc -c))"
}

@test "output has an end" {
	fault 'POST /process.Process/Start' huge
	run --separate-stderr -137 lb-exec --json -t 60 -- true
	same '["output",true]' "$(jq -c '[.killed_by, .stdout_truncated]' <<< "$output")"
	[ "${#output}" -lt 40000 ]
	until_true no_machine
}

@test "a stream that is none, or breaks off, is told as what it is" {
	local hex why
	fault 'POST /process.Process/Start' drop
	run --separate-stderr -125 lb-exec --json -- true
	same '"begun\n"' "$(jq .stdout <<< "$output")"
	[[ $(jq -r '.notes[0]' <<< "$output") == "e2b does not answer: "* ]]
	while IFS='|' read -r hex why; do
		fault 'POST /process.Process/Start' raw "{\"hex\": \"$hex\"}"
		run --separate-stderr -125 lb-exec --json -- true
		same "$why" "$(jq -r '.notes[0]' <<< "$output")"
		until_true no_machine
	done <<-'END'
		00ffffffff41|a message of the stream exceeds 4194304 bytes
		0100000000|a message of the stream is compressed
		000000000141|a message of e2b is no JSON object
		|e2b does not say how the command ended
		02000000027b7d|e2b does not say how the command ended: no reason: no words
	END
}

@test "what the service refuses is one line, and nothing runs" {
	E2B_API_KEY=e2b_wrong refuses 69 "e2b does not take the key of box.e2b.api_key (status 401): Invalid API key"
	LB__BOX__E2B__TEMPLATE=nosuch refuses 69 "template 'nosuch': e2b does not have that (status 404): template 'nosuch' not found"
	fault 'POST /sandboxes' status '{"status": 400, "message": "not this"}'
	refuses 69 "e2b does not take what it is asked (status 400): not this"
	fault 'POST /sandboxes' status '{"status": 429, "message": "too many", "retry_after": 60}'
	refuses 75 "e2b has had too many requests, or has too many machines of ours (status 429): too many"
	LB__BOX__E2B__API_URL=http://127.0.0.1:1 refuses 75 \
		"e2b does not answer: cannot connect to '127.0.0.1:1': Connection refused"
	fault 'POST /process.Process/Start' status '{"status": 401, "message": "not you"}'
	refuses 69 "e2b does not start a command (status 401): not you"
	printf '#!/bin/sh\nexit 1\n' > "$E2B/bin/chown"
	rm "$E2B/faults"
	refuses 69 "template 'base' has no user 'user' or lets nobody make /workspace"
	same 0 "$(machines)"
	unset E2B_API_KEY
	refuses 78 "box.e2b.api_key: environment variable 'E2B_API_KEY' is not set"
}

@test "what passes is tried again, but no machine is made twice" {
	fault 'POST /sandboxes' status '{"status": 429, "retry_after": 1, "times": 1}'
	lb-exec -- true
	fault 'POST /sandboxes' close
	run -75 lb-exec -- true
	same 3 "$(grep -c '^POST /sandboxes$' "$E2B/log")"
	fault 'DELETE /sandboxes' status '{"status": 404}'
	lb-exec --session s -- touch f
	fault 'POST /sandboxes/' close '{"times": 1}'
	same f "$(lb-exec --session s -- ls)"
}

@test "input that cannot be ended is told, not waited for" {
	fault 'POST /process.Process/CloseStdin' no-close
	run --separate-stderr -125 lb-exec --json -t 20 -- cat < "$LB_CONFIG"
	same "the template's envd is too old: it cannot be told that the input of a command ended (status 501)" \
		"$(jq -r '.notes[0]' <<< "$output")"
	until_true no_machine
}

@test "a command that is longer than an argument may be is a file there" {
	head -c 300000 /dev/zero | tr '\0' '#' > long
	jq -nc --rawfile long long '{kind: "exec", id: "a",
		cmd: "echo begun\n\($long)\necho done"}' > records
	run --separate-stderr -0 lb-exec --records < records
	same '[0,"begun\ndone\n"]' "$(jq -c '[.exit_code, .stdout]' <<< "$output")"
	run --separate-stderr -64 lb-exec --env V="$(head -c 130000 long)" -- true
	[[ $stderr == "lb-exec: its arguments and variables are longer than "* ]]
	same 0 "$(machines)"
}

@test "a network is all of it or nothing, and none where none was asked for" {
	run --separate-stderr -77 lb-exec --network pypi.org -- true
	same "lb-exec: a machine of e2b reaches all of the network or nothing, not some hosts" "$stderr"
	lb-exec --session n --network on -- true
	same true "$(tail -n 1 "$E2B/asked" | jq .allow_internet_access)"
	run --separate-stderr -77 lb-exec --session n -- true
	[[ $stderr == "lb-exec: session 'n' has a machine with a network, and this is to have none; "* ]]
	lb-exec --session o -- true
	run --separate-stderr -0 lb-exec --json --session o --network on -- true
	same "this session's machine was made without a network; do not retry" \
		"$(jq -r '.notes[0]' <<< "$output")"
}

@test "the template is one that an operator named" {
	local record='{"kind":"exec","id":"a","cmd":"true","image":"numbers"}'
	run --separate-stderr lb-exec --records <<< "$record"
	same "denied image 'numbers' is neither box.e2b.template nor one of box.allowed_images" \
		"$(jq -r '"\(.code) \(.message)"' <<< "$output")"
	LB__BOX__ALLOWED_IMAGES=numbers lb-exec --records <<< "$record"
	same '"numbers"' "$(tail -n 1 "$E2B/asked" | jq .templateID)"
}

@test "nothing of this machine is mounted there, and groups are not believed in" {
	mkdir d
	[ "$(id -u)" -ne 0 ] || chown 65534 d
	run --separate-stderr -77 lb-exec -w "$PWD/d" -- true
	[[ $stderr == *"nothing can be mounted there" ]]
	run --separate-stderr -77 lb-exec --skill "x=$PWD/d" -- true
	run --separate-stderr -69 lb-exec --require cgroup -- true
	[[ $stderr == "lb-exec: control groups are needed, and e2b does not say "* ]]
	same 0 "$(machines)"
}

@test "the key is in no argument, no log, no machine and no message" {
	printf '%s\n' "$E2B_API_KEY" > key
	unset E2B_API_KEY
	export LB__BOX__E2B__API_KEY=file:$PWD/key LB_LOG=debug
	lb-exec --session s --json -t 30 -- sh -c 'env; sleep 4771' > out 2> err 3>&- &
	local pid=$!
	until_true sleeps 4771
	run ! grep -aq e2b_key /proc/[0-9]*/cmdline
	kill "$pid"
	wait "$pid" || :
	E2B_API_KEY=x lb-exec -- env > env
	run ! grep -q -e E2B -e LB__ env
	fault 'POST /sandboxes' status '{"status": 400, "message": "not with e2b_key-of-the-double"}'
	run lb-exec -- true
	[[ $output == *"not with "* ]]
	echo "$output" > message
	run ! grep -rq e2b_key out err message "$LB_STATE"
}

@test "a model is offered exec, and no tool for files that are not here" {
	export USER=somebody
	jq -n --arg port "$E2B_PORT" '{box: {backend: "e2b",
		e2b: {api_url: "http://127.0.0.1:\($port)"}}, pipelines:
		{default: {ai: {"local-agent": {tools: ["exec", "read", "write"]}}}}}' \
		> "$LB_CONFIG"
	call='{"op":"hello","version":1}
{"op":"list","id":"1","context":{"bot":"-","pipeline":"default","session":"-/person_'$USER'","sender_id":"'$USER'"}}'
	run -0 --separate-stderr lb-tool serve <<< "$call"
	same '["exec"]' "$(jq -c 'select(.tools) | [.tools[].name]' <<< "$output")"
	# to see that costs no machine
	run ! grep -q 'POST /sandboxes' "$E2B/log"
	run --separate-stderr -69 lb-tool call read '{"path":"/workspace/f"}' --session s
	[[ $stderr == *"are on the machine that runs the commands (box.backend); use exec" ]]
	run -0 --separate-stderr lb-tool call exec '{"command":"echo hi"}' --session s
	same hi "$(jq -r .stdout <<< "$output")"
	E2B_API_KEY=wrong run -0 --separate-stderr lb-tool serve <<< "$call"
	same '[]' "$(jq -c 'select(.tools) | [.tools[].name]' <<< "$output")"
}

@test "lb-box doctor asks it only where commands go there" {
	doctor() {
		lb-box doctor --json | jq -c 'select(.check == "e2b") | [.state, .text]'
	}
	same "[\"ok\",\"http://127.0.0.1:$E2B_PORT answers; template 'base'\"]" "$(doctor)"
	same '["missing","e2b does not take the key of box.e2b.api_key (status 401): Invalid API key"]' \
		"$(E2B_API_KEY=x doctor)"
	fault 'GET /v2/sandboxes' status '{"status": 503, "message": "later"}'
	same '["missing","e2b failed (status 503): later"]' "$(doctor)"
	: > "$E2B/log"
	export LB__BOX__BACKEND=host LB__BOX__ALLOW_HOST=true
	same '["ok","has a key; used where box.backend names it"]' "$(doctor)"
	unset E2B_API_KEY
	same '["ok","no key, and not needed"]' "$(doctor)"
	same "" "$(cat "$E2B/log")"
}

@test "a program that goes on there is written to, and ends when it is stopped" {
	lb-box start --session s talk -- \
		sh -c 'while read -r line; do echo "got $line"; done; sleep 4781'
	same $'got a\ngot b' "$(printf 'a\nb\n' | lb-box attach -n 2 talk)"
	lb-box start --session s long -- sleep 4782
	until_true sleeps 4782
	lb-box stop --grace 100ms talk long
	gone 'sleep 4782'
	same 1 "$(machines)"
}
