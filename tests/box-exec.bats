#!/usr/bin/env bats

# box.backend: exec:CMD, another lb-exec that runs the commands: here as one on
# this machine with a state of its own, and as programs that answer otherwise.

load helper

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	export FAR=$BATS_TEST_TMPDIR/far
	backend sh "$BATS_TEST_TMPDIR/lb-far" --records
	printf 'unset LB__BOX__BACKEND\nLB_STATE=%s LB_CONFIG=/dev/null exec lb-exec "$@"\n' \
		"$FAR" > lb-far
}

# backend WORD... - runs the commands.
backend() {
	export LB__BOX__BACKEND="exec:$*"
}

# answers TEXT... - a backend that reads a record and answers these lines; ID in
# them is the record's.
answers() {
	printf '%s\n' "$@" > lines
	cat > answerer <<-'END'
		IFS= read -r record
		printf '%s\n' "$record" > asked
		id=$(jq -r .id asked)
		sed "s/ID/$id/" lines
	END
	backend sh "$BATS_TEST_TMPDIR/answerer"
}

@test "output, errors and status are those of the other side" {
	needs_sandbox
	run --separate-stderr -7 lb-exec -- sh -c 'echo out; echo err >&2; exit 7'
	same out "$output"
	same err "$stderr"
	run --separate-stderr -0 lb-exec --json --session s -- printf '\377\0x'
	same '["exec","/wB4","base64",true,"s"]' "$(jq -c '[.backend, .stdout,
		.stdout_encoding, .isolated, .session_id]' <<< "$output")"
	[ -d "$FAR/box/workspaces/s" ]
	[ ! -e "$LB_STATE/box/workspaces" ]
}

@test "a session, its folder, variables and arguments are handed on as they are" {
	needs_sandbox
	lb-exec --session s -- sh -c 'echo "it'\''s" > f'
	same "it's" "$(lb-exec --session s -- cat f)"
	same "/workspace/a b <x y> <>" "$(lb-exec --session s --workdir '/workspace/a b' \
		--env "V=<x y>" -- sh -c 'echo "$PWD $V <$1>"' - '')"
	run --separate-stderr -124 lb-exec -t 1 -- sleep 20
	same "lb-exec: it was killed: its 1 s are over" "$stderr"
	run --separate-stderr lb-exec --json --memory 64M -- python3 -c 'x = bytearray(5 << 30)'
	[ "$status" -ne 0 ]
	run --separate-stderr -0 lb-exec --records < <(jq -cn '{kind: "exec",
		id: "a", cmd: "cat f", session_id: "s"}, {kind: "exec", id: "b",
		cmd: "exit 3", session_id: "s"}')
	same '["a",0,"it'\''s\n"]["b",3,""]' "$(jq -c '[.id, .exit_code, .stdout]' \
		<<< "$output" | tr -d '\n')"
}

@test "what is asked there is what was asked here" {
	answers '{"kind":"result","id":"ID","status":"completed","exit_code":0,"stdout":"","stderr":"","isolated":true}'
	lb-exec --session s -t 5 --memory 100M --pids 9 --cpus 0.5 --quota 7M \
		--env A=b -- echo hi
	same '{"cmd":"exec '\''echo'\'' '\''hi'\''","cpus":0.5,"env":{"A":"b"},"kind":"exec","memory_mb":100,"network":"off","pids_limit":9,"read_only_rootfs":true,"session_id":"s","timeout_sec":5,"workdir":"/workspace","workspace_quota_mb":7}' \
		"$(jq -cS 'del(.id)' asked)"
	"$LB_TEST_BUILD/tests/unit/validate-record" \
		"$BATS_TEST_DIRNAME/../share/lb/schema" < asked
}

@test "what it says of how it ended is told" {
	answers 'a banner' '{"kind":"result","id":"other","exit_code":9}' \
		'{"kind":"result","id":"ID","status":"completed","exit_code":137,"stdout":"o","stderr":"e","isolated":true,"limits_backend":"rlimit","killed_by":"memory","notes":["so it was"]}'
	run --separate-stderr -137 lb-exec --json -- true
	same '["completed",137,"memory","rlimit",["so it was"],"o","e",true]' "$(jq -c \
		'[.status, .exit_code, .killed_by, .limits_backend, .notes, .stdout, .stderr, .isolated]' <<< "$output")"
	answers '{"kind":"result","id":"ID","status":"completed","exit_code":0,"stdout":"","stderr":""}'
	run --separate-stderr -0 lb-exec --json -- true
	same '[false,"none"]' "$(jq -c '[.isolated, .limits_backend]' <<< "$output")"
}

@test "a status that is none is no success" {
	local code
	for code in 99999999999 -1 256 '"0"' null 0.5; do
		answers '{"kind":"result","id":"ID","status":"completed","exit_code":'"$code"',"stdout":"","stderr":""}'
		run --separate-stderr -255 lb-exec -- true
	done
}

@test "a refusal of the other side is a failure here, with its reason" {
	local code status
	while read -r code status; do
		answers "{\"kind\":\"error\",\"id\":\"ID\",\"code\":\"$code\",\"message\":\"not now\"}"
		run --separate-stderr "-$status" lb-exec -- true
		same "lb-exec: the other side: not now" "$stderr"
	done <<-'END'
		denied 77
		config 69
		data 64
	END
}

@test "no answer, another one's, too much, or none in time is a failure" {
	local why
	while IFS='|' read -r command why; do
		backend "$command"
		run --separate-stderr -69 lb-exec -- true
		same "lb-exec: there is no sandbox: $why" "$stderr"
	done <<-END
		/nonexistent/ssh box|cannot start '/nonexistent/ssh': No such file or directory
		cat|'cat' of box.backend gave no result: it said nothing
		yes|'yes' of box.backend gave no result: it said nothing
		cat /dev/zero|'cat' of box.backend gave no result: it said nothing
		cat /nonexistent|'cat' of box.backend gave no result: cat: /nonexistent: No such file or directory
	END
	answers '{"kind":"result","id":"not-ID-x","exit_code":0}' '[' '{"kind":"result"}'
	run --separate-stderr -69 lb-exec -- true
	backend sleep 4720
	lb-exec -- true > out 2>&1 3>&- &
	local pid=$!
	local i
	for ((i = 0; i < 100; i++)); do
		! pgrep -fx '[s]leep 4720' > /dev/null || break
		sleep 0.05
	done
	kill "$pid"
	wait "$pid" || :
	! pgrep -fx '[s]leep 4720'
}

@test "nothing of this machine is mounted there, and it has no terminal" {
	mkdir d
	[ "$(id -u)" -ne 0 ] || chown 65534 d
	run --separate-stderr -77 lb-exec -w "$PWD/d" -- true
	[[ $stderr == "lb-exec: '$PWD/d' is on this machine, and the sandbox is on another one: "* ]]
	run --separate-stderr -77 lb-exec --skill "x=$PWD/d" -- true
	[[ $stderr == *"nothing can be mounted there" ]]
}

@test "a model is offered what works there, and nothing else" {
	needs_sandbox
	export USER=somebody
	echo 'pipelines: {default: {ai: {local-agent: {tools: [exec, read, write]}}}}' > "$LB_CONFIG"
	call='{"op":"hello","version":1}
{"op":"list","id":"1","context":{"bot":"-","pipeline":"default","session":"-/person_'$USER'","sender_id":"'$USER'"}}'
	run -0 --separate-stderr lb-tool serve <<< "$call"
	same '["exec"]' "$(jq -c 'select(.tools) | [.tools[].name]' <<< "$output")"
	run --separate-stderr -69 lb-tool call read '{"path":"/workspace/f"}' --session s
	[[ $stderr == *"are on the machine that runs the commands"* ]]
	run -0 --separate-stderr lb-tool call exec '{"command":"echo hi"}' --session s
	same hi "$(jq -r .stdout <<< "$output")"
}

@test "box.backend says what it knows" {
	unset LB__BOX__BACKEND
	local value
	for value in 'exec:' 'exec:  ' Podman nsjal; do
		echo "box: {backend: '$value'}" > "$LB_CONFIG"
		run lb-config check
		[[ $output == *"box.backend: '$value' is none of "*" exec:COMMAND" ]]
	done
	echo "box: {backend: host}" > "$LB_CONFIG"
	run -78 --separate-stderr lb-exec -- true
	[[ $stderr == *"host is no sandbox: it needs box.allow_host: true" ]]
	echo "box: {backend: host, allow_host: true}" > "$LB_CONFIG"
	run -0 --separate-stderr lb-exec --json -- true
	same false "$(jq .isolated <<< "$output")"
	same "lb-exec: running WITHOUT a sandbox, as box.backend has it" "$stderr"
}
