#!/usr/bin/env bats

# box.quota: commands a day, the processors' time a day, and commands at once; of a
# sender, a session, a bot and of all.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	export USER=op
	pids=()
}

teardown() {
	[ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2> /dev/null || true
	wait "${pids[@]}" 2> /dev/null || true
}

# quota YAML - what box.quota is.
quota() {
	printf 'box: {quota: {%s}}\npipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' "$1" > "$LB_CONFIG"
}

# exec_as BOT SENDER SESSION COMMAND - by a record; its answer's kind and text.
exec_as() {
	jq -cn --arg b "$1" --arg s "$2" --arg c "$3" --arg cmd "$4" \
		'{kind: "exec", bot: $b, sender_id: $s, session: $c, cmd: $cmd}' |
		lb-exec --records 2> /dev/null |
		jq -r '.kind + " " + (.message // .killed_by // .stdout)'
}

# call_as SENDER COMMAND - by lb-tool, as lb-agent does; its answer.
call_as() {
	jq -cn --arg s "$1" --arg cmd "$2" '{op: "hello", version: 1},
		{op: "call", id: "1", name: "exec", arguments: {command: $cmd},
		context: {id: "1", bot: "b", pipeline: "default",
		session: "b/person_\($s)", sender_id: $s, launcher_type: "person",
		deadline_ms: 60000}}' | lb-tool serve | tail -n 1 | jq -r '.content | fromjson |
			"\(.ok) \(.error // .killed_by // .stdout)"'
}

# stays OPTION... - a command of the person at this machine that runs on.
stays() {
	lb-exec --session w "$@" -- sh -c 'echo > up; sleep 60' 3>&- 4>&- &
	pids+=($!)
	until [ -s "$LB_STATE/box/workspaces/w/up" ]; do sleep 0.02; done
}

sql() {
	python3 - "$LB_STATE/limits.db" "$@" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		for line in c.execute(sys.argv[2]):
		    print(*line, sep="|")
		c.commit()
	END
}

@test "with no quota nothing is counted" {
	quota ''
	run -0 lb-exec -- true
	call_as ann true
	[ ! -e "$LB_STATE/limits.db" ]
	[ ! -e "$LB_STATE/limits.owners" ]
}

@test "commands a day: so many, then a line that says which and until when" {
	quota 'sender: {execs_per_day: 2}'
	run -0 lb-exec -- echo one
	same one "$output"
	run -3 lb-exec -- sh -c 'exit 3'
	run --separate-stderr -77 lb-exec -- echo three
	same '' "$output"
	same "lb-exec: quota: the 2 commands a day of one sender are used up (box.quota.sender.execs_per_day); more at $(date -u -d tomorrow +%F)T00:00:00.000Z" \
		"$stderr"
	same denied "$(lb-box audit -n 1 | jq -r .decision)"
	same denied "$(lb-box errors | jq -r .class)"
	# The day is over.
	sql "UPDATE quota_used SET day = day - 1"
	run -0 lb-exec -- true
}

@test "each scope counts for itself" {
	quota 'sender: {execs_per_day: 2}'
	for s in 1 2; do
		same "result $s" "$(exec_as a ann a/person_ann "printf $s")"
	done
	[[ $(exec_as a ann a/group_1 true) == "error quota: "*" of one sender "* ]]
	same "result x" "$(exec_as a bob a/group_1 'printf x')"
	same "result x" "$(exec_as b ann a/group_1 'printf x')"

	quota 'session: {execs_per_day: 1}'
	same "result x" "$(exec_as a ann a/group_1 'printf x')"
	[[ $(exec_as a bob a/group_1 true) == "error quota: "*" of one session "* ]]
	same "result x" "$(exec_as a bob a/group_2 'printf x')"

	quota 'bot: {execs_per_day: 1}'
	same "result x" "$(exec_as a ann a/group_1 'printf x')"
	[[ $(exec_as a bob a/group_2 true) == "error quota: "*" of one bot "* ]]
	same "result x" "$(exec_as b bob a/group_2 'printf x')"

	quota 'namespace: {execs_per_day: 1}, sender: {execs_per_day: 9}'
	same "result x" "$(exec_as a ann a/group_1 'printf x')"
	[[ $(exec_as b bob b/group_2 true) == "error quota: "*" of one namespace "* ]]
}

@test "0 is none at all; what is refused by one counts in no other" {
	quota 'session: {execs_per_day: 0}, sender: {execs_per_day: 1}'
	[[ $(exec_as a ann a/1 true) == "error quota: the 0 commands a day of one session "* ]]
	quota 'sender: {execs_per_day: 1}'
	same "result x" "$(exec_as a ann a/1 'printf x')"
}

@test "a command that did not begin counts for nothing" {
	quota 'sender: {execs_per_day: 1}'
	local how=(unshare -m)
	[ "$(id -u)" -eq 0 ] || how=(unshare -Um --map-current-user --keep-caps)
	run -69 "${how[@]}" sh -c 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"' sh \
		lb-exec -- true
	run -0 lb-exec -- true
	run -77 lb-exec -- true
}

@test "tools of an agent are held to the same" {
	quota 'sender: {execs_per_day: 2}'
	same "true one" "$(call_as ann 'printf one')"
	same "result two" "$(exec_as b ann b/person_ann 'printf two')"
	[[ $(call_as ann true) == "false quota: the 2 commands a day of one sender are used up "* ]]
	same "true x" "$(call_as bob 'printf x')"
	# By hand it is the person at this machine.
	lb-tool call --session s exec '{"command": "true"}'
	run -0 lb-exec -- true
	run -1 lb-tool call --session s exec '{"command": "true"}'
	[[ $output == *"quota: the 2 commands"* ]]
}

@test "at once: so many, and one more when one has ended" {
	quota 'sender: {concurrent_execs: 1}'
	stays
	run --separate-stderr -77 lb-exec -- true
	same "lb-exec: quota: one sender may run 1 at once, and no more (box.quota.sender.concurrent_execs); try again when one has ended" \
		"$stderr"
	same "result x" "$(exec_as a ann a/1 'printf x')"
	kill "${pids[0]}"
	wait "${pids[0]}" || true
	run -0 lb-exec -- true
	run -0 lb-exec -- true
}

@test "what somebody reserved who was killed is free again" {
	quota 'sender: {concurrent_execs: 1}'
	stays
	run -77 lb-exec -- true
	kill -9 "${pids[0]}"
	wait "${pids[0]}" || true
	# Its meter ends with it, a moment later.
	for _ in {1..100}; do
		lb-exec -- true 2> /dev/null && break
		sleep 0.05
	done
	run -0 lb-exec -- true
	same 0 "$(sql 'SELECT count(*) FROM quota_held')"
}

@test "an agent's tools that were killed hold nothing" {
	quota 'sender: {concurrent_execs: 1}'
	serve() {
		{ jq -cn '{op: "hello", version: 1},
			{op: "call", id: "1", name: "exec",
			arguments: {command: "echo > up; sleep 60"},
			context: {id: "1", bot: "b", pipeline: "default",
			session: "b/person_ann", sender_id: "ann",
			launcher_type: "person", deadline_ms: 60000}}'; sleep 60; } |
			exec lb-tool serve > /dev/null
	}
	serve 3>&- 4>&- &
	pids+=($!)
	until [ -e "$LB_STATE/limits.db" ] &&
		[ "$(sql 'SELECT count(*) FROM quota_held')" = 1 ]; do sleep 0.02; done
	[[ $(call_as ann true) == "false quota: one sender may run 1 at once"* ]]
	pkill -9 -P "${pids[0]}" -f 'lb-tool serve'
	for _ in {1..100}; do
		[ "$(call_as ann 'printf x')" != "true x" ] || break
		sleep 0.05
	done
	same "true x" "$(call_as ann 'printf x')"
}

@test "processor time: what is left is what a command gets, then none" {
	quota 'sender: {cpu_seconds_per_day: 1}'
	# Waiting costs nothing, where it can be counted.
	run -0 lb-exec --json -- sleep 0.3
	if [ "$(jq -r .limits_backend <<< "$output")" = cgroup ]; then
		[ "$(sql 'SELECT max(cpu_ms) FROM quota_used')" -lt 250 ]
	fi
	run --separate-stderr -137 lb-exec -t 60 -- sh -c 'while :; do :; done'
	same "lb-exec: it was killed: the processor time that box.quota leaves for today is used up" \
		"$stderr"
	same cpu "$(lb-box audit -n 1 | jq -r .killed_by)"
	same cpu "$(lb-box errors | jq -r .class)"
	used=$(sql 'SELECT max(cpu_ms) FROM quota_used')
	[ "$used" -ge 990 ]
	[ "$used" -lt 1500 ]
	run --separate-stderr -77 lb-exec -- true
	[[ $stderr == "lb-exec: quota: the 1 seconds of processor time a day of one sender are used up (box.quota.sender.cpu_seconds_per_day); more at "*"T00:00:00.000Z" ]]
}

@test "what is started beside, and left behind, is counted too" {
	need root
	run -0 lb-exec --json -- true
	[ "$(jq -r .limits_backend <<< "$output")" = cgroup ] || skip "needs control groups"
	quota 'sender: {cpu_seconds_per_day: 60}'
	lb-exec -- sh -c '(while :; do :; done) & exec sleep 0.7'
	[ "$(sql 'SELECT max(cpu_ms) FROM quota_used')" -ge 200 ]
}

@test "processor time that runs is held: two at once never have it twice" {
	quota 'sender: {cpu_seconds_per_day: 5}'
	stays -t 60
	run --separate-stderr -77 lb-exec -- true
	[[ $stderr == "lb-exec: quota: the 5 seconds of processor time a day of one sender are held by commands that run (box.quota.sender.cpu_seconds_per_day); more when one has ended, or at "* ]]
	kill "${pids[0]}"
	wait "${pids[0]}" || true
	run -0 lb-exec -- true
}

@test "without control groups its own time counts" {
	quota 'sender: {cpu_seconds_per_day: 1}'
	printf 'box: {cgroup: "/no/such/../group", quota: {sender: {cpu_seconds_per_day: 1}}}\n' > "$LB_CONFIG"
	run lb-exec --json -- true
	[ "$(jq -r .limits_backend <<< "$output")" = rlimit ] || skip "cannot be without them here"
	run -137 lb-exec -t 60 -- sleep 5
	[ "$(sql 'SELECT max(cpu_ms) FROM quota_used')" -ge 990 ]
	run -77 lb-exec -- true
}

@test "many at once are never more than there are" {
	quota 'namespace: {execs_per_day: 7}'
	for i in {1..20}; do
		echo "{\"kind\":\"exec\",\"cmd\":\"true\",\"n\":$i}"
	done > in
	for i in 1 2 3; do
		lb-exec --records -j 5 < in > "out$i" 2> /dev/null 3>&- &
		pids+=($!)
	done
	wait "${pids[@]}" || true
	pids=()
	same 7 "$(cat out? | jq -c 'select(.kind == "result")' | wc -l)"
	same 53 "$(cat out? | jq -c 'select(.code == "denied" and .retryable == false)' | wc -l)"
}

@test "where it cannot be counted nothing runs" {
	quota 'sender: {execs_per_day: 9}'
	mkdir -p "$LB_STATE/limits.db"
	run --separate-stderr -75 lb-exec -- echo x
	same '' "$output"
	[[ $stderr == "lb-exec: quotas cannot be counted, so nothing runs: "* ]]
	# Why not is for the operator, to whom it is told.
	same "false the sandbox cannot be used at this moment, for a reason that its operator can see; try again later" \
		"$(call_as ann 'echo x' 2> told)"
	[[ $(cat told) == "lb-tool: quotas cannot be counted, so nothing runs: "* ]]
}

@test "limits.db may be deleted at any time" {
	quota 'sender: {execs_per_day: 1}'
	run -0 lb-exec -- true
	run -77 lb-exec -- true
	rm "$LB_STATE"/limits.db*
	run -0 lb-exec -- true
}

@test "who is erased has no counts" {
	quota 'sender: {execs_per_day: 5}, session: {execs_per_day: 5}'
	exec_as b ann b/person_ann true
	exec_as b bob b/person_bob true
	lb-session erase b:person_ann > /dev/null
	same 'bob bob' "$(sql 'SELECT key FROM quota_used' | grep -o 'ann\|bob' | xargs)"
}

@test "names that are long, or hold what parts a key, are told apart" {
	quota 'sender: {execs_per_day: 1}'
	long=$(printf '%0600d' 7)
	same "result x" "$(exec_as a "${long}1" s 'printf x')"
	same "result x" "$(exec_as a "${long}2" s 'printf x')"
	[[ $(exec_as a "${long}2" s 'printf x') == "error quota: "* ]]
	same "result x" "$(exec_as a $'x\x1fy' s 'printf x')"
	same "result x" "$(exec_as a 'y' s 'printf x')"
}

@test "meter answers each line, and forgets what it reserved at its end" {
	quota 'sender: {concurrent_execs: 1}'
	run -0 lb-box meter <<-'END'
		{"op":"take","bot":"b","sender_id":"a","timeout_ms":1000,"cpus":1}
		{"op":"take","bot":"b","sender_id":"a","timeout_ms":1000,"cpus":1}
		{"op":"settle","ticket":0,"cpu_ms":5}
		{"op":"take","bot":"b","sender_id":"a","timeout_ms":1000,"cpus":1}
		{"op":"settle","ticket":99999}
		{"op":"take"}
		{"op":"other"}
		no json
	END
	same 'true false true true false false false false' "$(jq -r .ok <<< "$output" | xargs)"
	same 'denied data data data data' "$(jq -r '.code // empty' <<< "$output" | xargs)"
	run -0 lb-box meter <<< '{"op":"take","bot":"b","sender_id":"a","timeout_ms":1000,"cpus":1}'
	same true "$(jq .ok <<< "$output")"
}
