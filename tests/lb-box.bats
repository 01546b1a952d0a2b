#!/usr/bin/env bats

# lb-box: what was done with tools, what somebody is to allow, and the doctor.

load helper

setup() {
	exec < /dev/null
}

# row N [JSON] - append a row, as a program does that ran a command.
row() {
	mkdir -p "$LB_STATE/box"
	jq -cn --arg n "$1" --argjson more "${2:-{\}}" '{
		key: "00000000-0000-7000-8000-\("000000000000\($n)"[-12:])",
		time: (($n | tonumber) * 1000), decision: "allowed",
		bot: "b", session: "b/person_ann", sender: "ann", tool: "exec",
		command: "echo \($n)", exit_code: 0, duration_ms: 5} + $more' \
		>> "$LB_STATE/box/audit.jsonl"
}

sql() {
	python3 - "$LB_STATE/lb.db" "$@" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		for line in c.execute(sys.argv[2], sys.argv[3:]):
		    print(*line, sep="|")
		c.commit()
	END
}

# waits ID [TEXT [AGO]] - a request as `elevated: ask` makes it, AGO ms old.
waits() {
	lb-box audit > "$BATS_TEST_TMPDIR/none"
	[ -e "$LB_STATE/lb.db" ] || { row 1 && lb-box audit > "$BATS_TEST_TMPDIR/none"; }
	sql "INSERT INTO approvals(id, hash, session, bot, sender, text, asked, state)
		VALUES(?, ?, 'b/person_ann', 'b', 'ann', ?, ?, 0)" \
		"$1" "hash of $1" "${2-make install}" \
		"$(($(date +%s%3N) - ${3:-0}))"
}

on_terminal() {
	need terminal script
	script -qec "$1" /dev/null < /dev/null | tr -d '\r'
}

@test "nothing was ever done: nothing is listed, and nothing made" {
	run -0 lb-box audit
	same '' "$output"
	run -0 lb-box pending
	same '' "$output"
	[ ! -e "$LB_STATE" ]
}

@test "rows are listed, the oldest first, once" {
	row 2
	row 1 '{"command": "echo first"}'
	same 'echo first
echo 2' "$(lb-box audit | jq -r .command)"
	row 3
	same 'echo first
echo 2
echo 3' "$(lb-box audit | jq -r .command)"
	[ ! -e "$LB_STATE/box/audit.jsonl" ]
	same '{"bot":"b","command":"echo 3","decision":"allowed","duration_ms":5,"exit_code":0,"key":"00000000-0000-7000-8000-000000000003","sender":"ann","session":"b/person_ann","time":"1970-01-01T00:00:03.000Z","tool":"exec"}' \
		"$(lb-box audit -n 1 | jq -cS .)"
}

@test "--sender, --session, --since and --limit pick" {
	row 1
	row 2 '{"sender": "bob", "session": "b/group_5"}'
	row 3 '{"bot": "c", "session": "c/group_5"}'
	row 4 "{\"time\": $(($(date +%s) - 60))000}"
	picked() {
		lb-box audit "$@" | jq -r .command | xargs
	}
	same 'echo 1 echo 3 echo 4' "$(picked --sender ann)"
	same 'echo 1 echo 4' "$(picked --sender b:person_ann)"
	same 'echo 2' "$(picked --session b/group_5)"
	same 'echo 4' "$(picked --since 2m)"
	same '' "$(picked --since 30s)"
	same 'echo 3 echo 4' "$(picked -n 2)"
	same 'echo 3' "$(picked -n 1 --sender c:person_ann)"
}

@test "on a terminal it is a table, with --json it is not, and nothing is obeyed" {
	row 1 '{"command": "echo \u001b]0;x\u0007evil\u001b[2J\nnext"}'
	row 2 '{"decision": "denied", "command": null, "reason": "not for you", "exit_code": null}'
	run -0 on_terminal 'lb-box audit'
	[[ ${lines[0]} == "time "*"session "*"sender "*"tool "*"decision "*"exit "*"command"* ]]
	[[ ${lines[1]} == *"b/person_ann"*"allowed"*"echo evil next"* ]]
	[[ $output != *$'\e'* && $output != *$'\a'* ]]
	row 3 '{"exit_code": 137, "killed_by": "memory"}'
	row 4 '{"exit_code": null, "reason": "no such place"}'
	row 5 '{"exit_code": 3, "duration_ms": 4711}'
	run -0 on_terminal 'lb-box audit'
	[[ ${lines[3]} == *" memory "*"echo 3" ]]
	[[ ${lines[4]} == *"echo 4 (no such place)" ]]
	[[ ${lines[5]} == *" 3 "*" 4711ms "*"echo 5" ]]
	run -0 on_terminal 'lb-box audit --json'
	same 'denied' "$(jq -r .decision <<< "${lines[1]}")"
}

@test "lines that are no rows are said and left out" {
	row 1
	printf '\n{"key":"half' >> "$LB_STATE/box/audit.jsonl"
	printf '\n' >> "$LB_STATE/box/audit.jsonl"
	row 2
	run --separate-stderr -0 lb-box audit
	same 2 "${#lines[@]}"
	same "lb-box: 1 lines of '$LB_STATE/box/audit.jsonl' are no rows of an audit and were left out" "$stderr"
}

@test "what another left half moved is there once" {
	row 1
	row 2
	cp "$LB_STATE/box/audit.jsonl" "$BATS_TEST_TMPDIR/rows"
	lb-box audit > /dev/null
	cp "$BATS_TEST_TMPDIR/rows" "$LB_STATE/box/audit.folding"
	row 3
	same 'echo 1
echo 2
echo 3' "$(lb-box audit | jq -r .command)"
	[ ! -e "$LB_STATE/box/audit.folding" ]
}

@test "errors are what was refused, not run or ended; a status of its own is none" {
	row 1 '{"exit_code": 3}'
	row 2 '{"decision": "denied", "reason": "not for you", "exit_code": null}'
	row 3 '{"decision": "pending", "reason": "waits for an operator"}'
	row 4 '{"reason": "there is no sandbox"}'
	row 5 '{"tool": "read", "reason": "no such file"}'
	row 6 '{"killed_by": "timeout", "sender": "bob"}'
	row 7 '{"killed_by": "memory"}'
	row 8 '{"killed_by": "what is new"}'
	same '2 denied
4 failed
5 tool
6 timeout
7 memory
8 other' "$(lb-box errors | jq -r '(.time[17:19] | tonumber | tostring) + " " + .class')"
	same 'memory other' "$(lb-box errors -n 2 | jq -r .class | xargs)"
	same timeout "$(lb-box errors --sender bob | jq -r .class)"
	same '' "$(lb-box errors --since 1h)"
	run -0 on_terminal 'lb-box errors -n 6'
	[[ ${lines[0]} == "time "*"class "*"session "*"sender "*"tool "*"why"* ]]
	[[ ${lines[1]} == *"denied "*"not for you"* ]]
	run -64 lb-box errors -n 0
}

@test "metrics are what Prometheus reads, of a time" {
	cd "$BATS_TEST_TMPDIR"
	# when AGO [JSON] - a row of so many seconds ago
	when() {
		row "$1" "{\"time\": $(($(date +%s) - $1))000} + ${2:-{\}}"
	}
	row() {
		mkdir -p "$LB_STATE/box"
		jq -cn --arg n "$1" "{key: \"00000000-0000-7000-8000-\(\"000000000000\(\$n)\"[-12:])\",
			decision: \"allowed\", tool: \"exec\", backend: \"bubblewrap\"} + $2" \
			>> "$LB_STATE/box/audit.jsonl"
	}
	for i in {1..100}; do
		when "$i" "{\"duration_ms\": ${i}00}"
	done
	when 200 '{"decision": "denied", "backend": null}'
	when 201 '{"tool": "read", "backend": null}'
	when 202 '{"tool": "x\"y\nz", "backend": null}'
	when 7200 '{"duration_ms": 99999}'
	lb-box metrics --since 1h > out
	run -0 grep -v '^#' out
	for line in 'lb_box_window_seconds 3600' 'lb_box_calls{tool="exec"} 101' \
		'lb_box_calls{tool="read"} 1' 'lb_box_calls{tool="other"} 1' \
		'lb_box_errors{class="denied"} 1' 'lb_box_errors{class="timeout"} 0' \
		'lb_box_execs 100' 'lb_box_exec_seconds{quantile="0.5"} 5.000' \
		'lb_box_exec_seconds{quantile="0.9"} 9.000' \
		'lb_box_exec_seconds{quantile="0.99"} 9.900' \
		'lb_box_exec_seconds_all 505.000' 'lb_box_sessions{state="all"} 0' \
		'lb_box_processes{state="running"} 0' \
		'lb_box_workspace_bytes 0'; do
		grep -qxF "$line" out || { echo "no $line"; cat out; return 1; }
	done
	# Each has its type before it, and nothing else is in it.
	run ! grep -vE '^(# (HELP|TYPE) lb_box_[a-z_]+ .+|lb_box_[a-z_]+(\{[a-z]+="[a-z0-9_.]+"\})? [0-9.]+)$' out
	same "$(sed -n 's/^# TYPE \([a-z_]*\) gauge$/\1/p' out | sort)" \
		"$(sed -n 's/^\(lb_box_[a-z_]*\).*/\1/p' out | sort -u)"
	same 'lb_box_execs 101' "$(lb-box metrics | grep '^lb_box_execs ')"
	run -64 lb-box metrics --since none
}

@test "gc forgets what is older than retention.audit says" {
	row 1
	row 2 "{\"time\": $(date +%s)000}"
	echo 'retention: {audit: 1d}' > "$LB_CONFIG"
	same 1 "$(lb-run gc --json | jq 'select(.what == "audit").removed')"
	same 'echo 2' "$(lb-box audit | jq -r .command)"
	echo 'retention: {audit: none}' > "$LB_CONFIG"
	row 3
	same '' "$(lb-run gc --json | jq -r 'select(.what == "audit").removed')"
	same 'echo 3
echo 2' "$(lb-box audit | jq -r .command)"
}

@test "a person who is erased leaves no row and no request" {
	row 1
	row 2 '{"sender": "bob", "session": "b/group_5"}'
	row 3 '{"session": "b/group_5"}'
	row 4 '{"bot": "c", "session": "c/person_ann"}'
	waits aaaaaaaa
	row 5
	run -0 lb-session erase --dry-run b:person_ann
	same 'audit 3
approvals 1' "$(jq -r 'select(.removed > 0) | "\(.what) \(.removed)"' <<< "$output")"
	run -0 lb-session erase b:person_ann
	same 'audit 3
approvals 1' "$(jq -r 'select(.removed > 0) | "\(.what) \(.removed)"' <<< "$output")"
	same 'echo 2
echo 4' "$(lb-box audit | jq -r .command)"
	same '' "$(grep -rlaF 'echo 3' "$LB_STATE" || true)"
}

@test "an id that was cut is erased by what is left of it" {
	long=$(printf 'x%.0s' {1..600})
	row 1 "{\"sender\": \"${long:0:509}…\", \"session\": \"b/person_${long:0:500}…\"}"
	row 2 "{\"sender\": \"y${long:0:508}…\", \"session\": \"b/person_y${long:0:499}…\"}"
	lb-session erase "b:person_$long" > /dev/null
	same 'echo 2' "$(lb-box audit | jq -r .command)"
}

@test "what waits is listed, approved once by name, and gone" {
	waits aaaaaaaa
	waits bbbbbbbb 'rm -rf /'
	same 'aaaaaaaa make install
bbbbbbbb rm -rf /' "$(lb-box pending | jq -r '"\(.id) \(.text)"')"
	USER=ann run -0 lb-box approve aaaaaaaa
	same '' "$output"
	USER=bob run -0 lb-box deny bbbbbbbb
	same '' "$(lb-box pending)"
	same 'aaaaaaaa|1|ann
bbbbbbbb|2|bob' "$(sql 'SELECT id, state, who FROM approvals')"
	run -1 lb-box approve bbbbbbbb
	same "lb-box: request 'bbbbbbbb' was denied by bob" "$output"
	run -1 lb-box deny aaaaaaaa
	same "lb-box: request 'aaaaaaaa' was approved by ann" "$output"
}

@test "an id that is not known, or waited too long, is exit 1 and a line" {
	run -1 lb-box approve zzz
	same "lb-box: no request 'zzz' waits" "$output"
	[ ! -e "$LB_STATE" ]
	waits aaaaaaaa x 900001
	run -1 lb-box approve aaaaaaaa
	same "lb-box: request 'aaaaaaaa' expired: it waited for 15 minutes" "$output"
	run -1 lb-box deny zzz
	same "lb-box: no request 'zzz' waits" "$output"
	same '' "$(lb-box pending)"
	waits bbbbbbbb x 890000
	run -0 lb-box approve bbbbbbbb
}

@test "who approves sees all of the command, and what hides in it" {
	waits aaaaaaaa $'echo \e[2Jone\nrm \xe2\x80\xaetxt.x\n# in /workspace\n\xe2\x80\x8bcafé\tx'
	run -0 on_terminal 'lb-box pending'
	[[ ${lines[0]} == "aaaaaaaa  in b/person_ann  for ann  until "* ]]
	same '    echo \x1b[2Jone' "${lines[1]}"
	same '    rm \xe2\x80\xaetxt.x' "${lines[2]}"
	same '    # in /workspace' "${lines[3]}"
	same $'    \\xe2\\x80\\x8bcafé\tx' "${lines[4]}"
	[[ $output == *"'lb-box approve REQUEST' allows one"* ]]
	run -0 on_terminal 'lb-box pending --json'
	same aaaaaaaa "$(jq -r .id <<< "${lines[0]}")"
}

@test "who approves is not drowned by those who ask" {
	for i in {10..70}; do
		waits "aaaaaa$i"
	done
	run -0 on_terminal 'lb-box pending'
	same 50 "$(grep -c '^aaaaaa' <<< "$output")"
	[[ $output == *"... and 11 more, which 'lb-box pending --json' lists"* ]]
	run -0 lb-box pending
	same 61 "${#lines[@]}"
}

@test "doctor says a line a check, and by its status how it is" {
	run --separate-stderr lb-box doctor --json
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 69 ]
	same 'apparmor bwrap container docker e2b landlock leftovers limits namespaces network nsjail podman processes quota sandbox seccomp state unprivileged users' \
		"$(jq -r .check <<< "$output" | sort | xargs)"
	worst=$(jq -rs 'if .[0].state == "missing" then 69
		elif any(.state != "ok") then 1 else 0 end' <<< "$output")
	same "$worst" "$status"
	# what is not well comes with what to do
	same '' "$(jq -c 'select(.state != "ok" and (.advice // "") == "")' <<< "$output")"
	run on_terminal 'lb-box doctor'
	[[ ${lines[0]} == *" sandbox "* ]]
}

@test "doctor knows that there is no /proc" {
	need mount
	! ldd "$(command -v lb-box)" | grep -q libasan ||
		skip "a sanitizer needs /proc"
	run -69 unshare -m sh -c 'mount -t tmpfs tmpfs /proc && lb-box doctor --json'
	same '["namespaces","seccomp"]' "$(jq -sc '[.[] | select(.text |
		contains("there is no /proc")).check]' <<< "$output")"
	same '["mount -t proc proc /proc"]' "$(jq -sc '[.[] | select(.check == "namespaces" or
		.check == "seccomp").advice] | unique' <<< "$output")"
}

@test "doctor starts a sandbox where there is one" {
	need userns
	need bwrap
	same ok "$(lb-box doctor | jq -r 'select(.check == "sandbox").state')"
}

@test "doctor does not blame the network for a sandbox that is not there" {
	run -69 env LB__BOX__BACKEND=podman LB__BOX__PODMAN__COMMAND=/nonexistent/podman \
		lb-box doctor
	same '{"check":"network","state":"weak","text":"there is none without a sandbox"}' \
		"$(jq -c 'select(.check == "network")' <<< "$output")"
}

@test "doctor asks the proxy of a sandbox that has a network" {
	needs_sandbox
	network() {
		"$@" | jq -r 'select(.check == "network") | "\(.state) \(.text)"'
	}
	same 'ok on and allow work: a proxy listens in a sandbox and answers; what it reaches outside was not tried' \
		"$(network lb-box doctor)"
	# Without the program that connects it, and with one that does not.
	cd "$BATS_TEST_TMPDIR"
	mkdir apart
	cp "$LB_TEST_BUILD/lb-box" apart
	same "weak on and allow do not work: there is no network for a sandbox: cannot start '$PWD/apart/lb-exec': No such file or directory" \
		"$(network apart/lb-box doctor)"
	printf '#!/bin/sh\nexit 3\n' > apart/lb-exec
	chmod +x apart/lb-exec
	same "weak on and allow do not work: there is no network for a sandbox: 'lb-exec --bridge' ended" \
		"$(network apart/lb-box doctor)"
	same "ok none in workspace 'a'" "$(network lb-box doctor --workspace a)"
}

@test "doctor says that nothing can be kept" {
	: > "$BATS_TEST_TMPDIR/file"
	run env LB_STATE="$BATS_TEST_TMPDIR/file/state" lb-box doctor
	row=$(grep '"check":"state"' <<< "$output")
	same "weak nothing can be kept in $BATS_TEST_TMPDIR/file/state: cannot write to $BATS_TEST_TMPDIR/file: Not a directory" \
		"$(jq -r '.state + " " + .text' <<< "$row")"
	[[ $row == *'set LB_STATE to a folder of your own'* ]]
}

# row_of CHECK - how the doctor finds it.
row_of() {
	lb-box doctor | jq -r "select(.check == \"$1\").state"
}

@test "what the doctor says of limits, quota and users is what a command has" {
	needs_sandbox
	ok_if() {
		if "$@"; then echo ok; else echo weak; fi
	}
	has() {
		lb-exec --json --session a --quota 3M -- true 2> /dev/null |
			jq -e "$1" > /dev/null
	}
	same "$(ok_if has '.limits_backend == "cgroup"')" "$(row_of limits)"
	same "$(ok_if has '.quota == "hard"')" "$(row_of quota)"
	lb-exec --session b -- sh -c 'echo x > mine'
	owner=$(stat -c %u "$(find "$LB_STATE" -name mine)")
	same "$(ok_if [ "$owner" -ge 200000 ])" "$(row_of users)"
	umount "$LB_STATE/box/workspaces/a" 2> /dev/null || [ "$(row_of quota)" = weak ]
	echo 'box: {cgroup: /sys/fs/cgroup/no-such-group}' > "$LB_CONFIG"
	same weak "$(row_of limits)"
}

@test "a full disk is exit 74, a damaged database 65" {
	row 1
	run -74 sh -c 'lb-box audit > /dev/full'
	printf 'this is no database, and never was one' > "$LB_STATE/lb.db"
	run -65 lb-box audit
	run -65 lb-box pending
	run -65 lb-box approve x
}

@test "usage mistakes are exit 64" {
	run -64 lb-box
	run -64 lb-box fly
	run -64 lb-box approve
	run -64 lb-box audit -n 0
	run -64 lb-box audit --since yesterday
}

@test "the manual names every option, and its examples do what they say" {
	documented lb-box.1 lb-box
	for verb in approve audit delete deny doctor pending; do
		documented lb-box.1 lb-box "$verb"
	done
	examples lb-box.1
}
