#!/usr/bin/env bats
# Processes that go on: lb-box start, keep, attach, ps, logs and stop.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	local name
	for name in $(lb-box ps 2> /dev/null | jq -r 'select(.status == "running").name'); do
		lb-box stop --kill "$name" || true
	done
}

status_of() {
	lb-box ps | jq -r --arg name "$1" 'select(.name == $name).status'
}

is_status() {
	[ "$(status_of "$1")" = "$2" ]
}

echoes='while read -r l; do echo "got $l"; done'

@test "it is started, answers one after the other, and is stopped" {
	run -0 lb-box start echo --session s -- sh -c "$echoes; echo bye >&2"
	same 'echo running s false' \
		"$(jq -r '[.name, .status, .session, .attached] | join(" ")' <<< "$output")"
	same 'got a
got b' "$(printf 'a\nb\n' | lb-box attach -n 2 echo)"
	same 'got c' "$(echo c | lb-box attach -n 1 echo)"
	run -0 lb-box stop echo
	same '' "$output"
	same 'exited 0 it was told to' \
		"$(lb-box ps | jq -r '[.status, .exit_code, .ended] | join(" ")')"
	run -0 lb-box logs echo
	[[ $output == *"it is ended: it was told to"*bye ]]
	run -66 lb-box attach echo
	same "lb-box: no process 'echo' runs" "$output"
	run -66 lb-box stop echo
	same "lb-box: no process 'echo' runs" "$output"
}

@test "one that ends at once is no success" {
	lb-box start bad -- sh -c 'echo old >&2' > /dev/null
	run -127 --separate-stderr lb-box start bad -- no-such-program
	same 'exited 127 string' \
		"$(jq -r '"\(.status) \(.exit_code) \(.exited_at | type)"' <<< "$output")"
	same "lb-box: 'bad' has ended already, with 127: cannot run 'no-such-program': No such file or directory" \
		"$stderr"
	run -3 --separate-stderr lb-box start bad -- sh -c 'exit 3'
	same "lb-box: 'bad' has ended already, with 3" "$stderr"
	run -0 --separate-stderr lb-box start good -- true
	same 'exited 0' "$(jq -r '"\(.status) \(.exit_code)"' <<< "$output")"
	same '' "$stderr"
	lb-config set box.enabled false
	run -69 --separate-stderr lb-box start none -- cat
	[[ $stderr == "lb-box: 'none' has ended already, with 69: "* ]]
	same exited "$(jq -r .status <<< "$output")"
}

@test "it is in the sandbox, with the files of its session, and stays in the audit" {
	lb-exec --session s -- sh -c 'echo 42 > f'
	lb-box start p --session s --env WHO=me -- \
		sh -c 'read l; cat f; id -u; echo $WHO; ls /; read l'
	run -0 lb-box attach -n 4 p <<< go
	same '42
1000
me' "$(head -3 <<< "$output")"
	lb-box stop p
	run -0 lb-box audit --session s
	same 2 "${#lines[@]}"
}

@test "one at a time; who is second is told" {
	lb-box start echo -- sh -c "$echoes"
	mkfifo hold
	lb-box attach -n 1 --linger none echo < hold > first 3>&- &
	exec 4> hold
	until_true eval 'lb-box ps | jq -e .attached > /dev/null'
	run -75 lb-box attach echo <<< b
	same "lb-box: cannot attach to 'echo': somebody else is attached" "$output"
	echo a >&4
	wait $!
	exec 4>&-
	same 'got a' "$(cat first)"
	until_true eval '! lb-box ps | jq -e .attached > /dev/null'
	same 'got c' "$(echo c | lb-box attach -n 1 echo)"
}

@test "lines are whole, whatever their length" {
	lb-box start echo -- cat
	head -c 3000000 /dev/zero | tr '\0' x > long
	echo >> long
	{ cat long; echo short; } > in
	lb-box attach -n 2 --linger none echo < in > out
	cmp in out
	# One of more than 16 MiB is left out, and what follows is not.
	{ head -c 17000000 /dev/zero | tr '\0' y; echo; echo next; } > in
	same next "$(lb-box attach -n 1 --linger none echo < in)"
	run -0 lb-box logs echo
	[[ $output == *"a line of a client of more than 16777216 bytes was left out"* ]]
}

@test "half a line of one client is not the beginning of another's" {
	lb-box start echo -- sh -c "$echoes"
	printf half | lb-box attach --linger 100ms echo
	same 'got whole' "$(echo whole | lb-box attach -n 1 echo)"
}

@test "what nobody hears is thrown away and counted; it does not wait for ever" {
	lb-box start talk --session t -- \
		sh -c 'seq 1 300000; : > done; read l; echo "now $l"; read l'
	until_true [ -e "$LB_STATE"/box/workspaces/t/done ]
	same 'now ok' "$(echo ok | lb-box attach --linger none talk | grep -m 1 now)"
	run -0 lb-box logs talk
	[[ $output =~ " "(29[0-9]{4}|300000)" lines were left out: nobody was attached" ]]
}

@test "a client that does not read does not hold more than its share" {
	lb-box start flood -- sh -c 'yes "0123456789abcdef"'
	mkfifo slow
	lb-box attach --linger none flood < /dev/null > slow 3>&- &
	client=$!
	exec 4< slow
	keeper=$(lb-box ps | jq .pid)
	until_true eval '[ "$(lb-box ps | jq .attached)" = true ]'
	sleep 0.5 # it floods
	kb=$(awk '/VmRSS/ {print $2}' "/proc/$keeper/status")
	exec 4<&-
	kill "$client" 2> /dev/null || true
	wait "$client" || true
	[ "$kb" -lt 40000 ]
}

@test "one that minds neither the end of its input nor SIGTERM is killed" {
	lb-box start stubborn -- sh -c 'trap "" TERM HUP INT; setsid sleep 300 & while :; do sleep 300; done'
	until_true pgrep -f 'sleep 300' > /dev/null
	run -0 lb-box stop --grace 100ms stubborn
	same exited "$(status_of stubborn)"
	until_true eval '! pgrep -g 0 -f "sleep 300" > /dev/null'
}

@test "its keeper is killed: it ends with it, and is called lost" {
	lb-box start victim --session v -- sh -c 'echo $$ > pid; sleep 4242'
	until_true pgrep -f 'sleep 4242' > /dev/null
	kill -9 "$(lb-box ps | jq .pid)"
	until_true eval '! pgrep -f "sleep 4242" > /dev/null'
	same lost "$(status_of victim)"
	# The name is free, the session too.
	lb-box start victim --session v -- sleep 4243
	same running "$(status_of victim)"
}

@test "it ends when nobody was attached for so long, unless it is persistent" {
	lb-box start --idle 200ms idle -- cat
	lb-box start --idle 200ms --persistent stays -- cat
	until_true is_status idle exited
	same 'nobody was attached for too long' \
		"$(lb-box ps | jq -r 'select(.name == "idle").ended')"
	same running "$(status_of stays)"
	echo 'box: {session_ttl: 200ms}' > "$LB_CONFIG"
	lb-box start usual -- cat
	until_true is_status usual exited
}

@test "it ends when its owner does" {
	sleep 300 3>&- &
	owner=$!
	lb-box start --owner $owner owned -- cat
	same "$owner" "$(lb-box ps | jq .owner)"
	kill -9 $owner
	until_true is_status owned exited
	same 'its owner ended' "$(lb-box ps | jq -r .ended)"
	run -64 lb-box start --owner $owner again -- cat
	[[ $output == "lb-box: the owner $owner is not there: "* ]]
}

@test "a name is taken once, unless it is to be replaced" {
	lb-box start one -- sh -c "$echoes"
	first=$(lb-box ps | jq .pid)
	run -75 lb-box start one -- cat
	[[ $output == "lb-box: 'one' runs already (its keeper is $first): 'lb-box stop one' ends it" ]]
	run -0 lb-box start --replace one -- cat
	[ "$(jq .pid <<< "$output")" -ne "$first" ]
	same x "$(echo x | lb-box attach -n 1 one)"
	for name in '' . .. -x a/b 'a b' "$(printf 'x%.0s' {1..65})"; do
		run -64 lb-box start -- "$name" -- cat
	done
	run -64 lb-box start ../x -- cat
	[[ $output == *"is called by at most 64 of [A-Za-z0-9._-], not by '../x'" ]]
}

@test "no more than are allowed run; those that ended are forgotten" {
	cat > "$LB_CONFIG" <<- 'END'
		box: {limits: {max_managed_processes: 2, max_completed_processes: 1}}
	END
	lb-box start a -- cat
	lb-box start b -- cat
	run -75 lb-box start c -- cat
	same "lb-box: 2 processes run, and no more may (box.limits.max_managed_processes); 'lb-box ps' lists them" "$output"
	lb-box stop a b
	lb-box start c -- cat
	same 2 "$(lb-box ps | wc -l)"
	same running "$(status_of c)"
}

@test "many starts at once: as many run as may" {
	echo 'box: {limits: {max_managed_processes: 3}}' > "$LB_CONFIG"
	for i in {1..8}; do
		lb-box start p$i -- cat > /dev/null 2>> err 3>&- &
	done
	wait
	same 3 "$(lb-box ps | jq -r .status | grep -c running)"
	same 5 "$(wc -l < err)"
}

@test "there is no sandbox: it says so in its log, and its status is lb-exec's" {
	echo 'box: {enabled: false}' > "$LB_CONFIG"
	run -69 lb-box start no -- cat
	until_true is_status no exited
	same 69 "$(lb-box ps | jq .exit_code)"
	run -0 lb-box logs no
	same 'lb-exec: the sandbox is switched off (box.enabled: false); nothing was run' "$output"
}

@test "its log is bounded, and shown as people and programs like it" {
	lb-box start loud -- sh -c 'yes "a line of a log" | head -n 60000 >&2; printf "\033[2Jlast\n" >&2; cat'
	until_true eval 'lb-box logs loud | grep -q last'
	[ "$(cat "$LB_STATE"/box/processes/loud/log* | wc -c)" -le 524288 ]
	same "$(printf '\033[2Jlast')" "$(lb-box logs -n 1 loud)"
	same 3 "$(lb-box logs -n 3 loud | wc -l)"
	run -66 lb-box logs nobody
	same "lb-box: there is no process 'nobody'" "$output"
	lb-box logs -n 1 -f loud > followed 3>&- &
	until_true grep -q last followed
	lb-box stop loud
	wait $!
	grep -q 'it is ended' followed
}

@test "what it writes does not play with the terminal of whoever is attached" {
	need script
	lb-box start rude -- sh -c 'read l; printf "a\033[2Jb\033]0;t\007c\302\2333d\n"; read l'
	run -0 timeout 60 script -qec "printf 'go\n' | lb-box attach -n 1 rude" /dev/null
	same 'abc3d' "${output%$'\r'}"
	# who reads it by a program has all of it
	lb-box start plain -- sh -c 'read l; printf "a\033[2Jb\n"; read l'
	same "$(printf 'a\033[2Jb')" "$(echo go | lb-box attach -n 1 plain)"
}

@test "keep is the same in the foreground, and ends as the command does" {
	run -3 lb-box keep fg -- sh -c 'exit 3'
	same 'exited 3' "$(lb-box ps | jq -r '"\(.status) \(.exit_code)"')"
	lb-box keep fg -- cat 3>&- &
	pid=$!
	until_true is_status fg running
	kill $pid
	wait $pid
	same 'it was told to' "$(lb-box ps | jq -r .ended)"
}

@test "a state folder with a long name" {
	export LB_STATE=$BATS_TEST_TMPDIR/$(printf 'x%.0s' {1..120})
	lb-box start far -- cat
	same near "$(echo near | lb-box attach -n 1 far)"
}

@test "nothing of it is another's to reach" {
	lb-box start mine -- cat
	same '700 600 600 600' "$(cd "$LB_STATE/box/processes/mine" &&
		stat -c %a . socket info log | xargs)"
	need root
	chmod -R a+rwX "$LB_STATE" "$BATS_TEST_TMPDIR"
	run python3 - "$LB_STATE/box/processes/mine" <<- 'END'
		import os, socket, sys
		os.chdir(sys.argv[1])
		os.setgid(61234); os.setuid(61234)
		s = socket.socket(socket.AF_UNIX)
		s.connect("socket")
		s.settimeout(5)
		print(s.recv(100))
	END
	same "b''" "$output"
}

# server - the configuration of a flow whose tools begin with a process of their
# own, "srv".
server() {
	cat > "$LB_CONFIG" <<-END
		llm: {model: offline}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}, tools: {providers: [mine]}}}
		tools: {providers: {mine: {command: ["$PWD/mine"]}}}
	END
	cat > mine <<-END
		#!/bin/sh
		lb-box start srv --persistent -- sh -c "$1" > "$PWD/started" 2>&1
		read -r hello
		echo '{"version":1,"name":"mine"}'
		while read -r l; do :; done
	END
	chmod +x mine
}

# runs - lb-run, talked to by a descriptor, until its process is there; its pid.
runs() {
	mkfifo talk
	lb-run "$@" < talk > /dev/null 2> said 3>&- &
	runner=$!
	exec 9> talk
	echo hello >&9
	until_true is_status srv running
}

@test "it survives 1,000 commands, and dies with its owner" {
	sleep 60 3>&- &
	owner=$!
	lb-box start --owner $owner srv --session s -- sh -c "$echoes" > /dev/null
	pid=$(lb-box ps | jq .pid)
	for i in {1..1000}; do
		echo '{"kind":"exec","session_id":"s'$((i % 5))'","cmd":":"}'
	done > in
	lb-exec --records -j 5 < in > out
	same 1000 "$(grep -c '"ok":true' out)"
	same "got x" "$(echo x | lb-box attach -n 1 srv)"
	same "running $pid" "$(lb-box ps | jq -r '"\(.status) \(.pid)"')"
	kill -9 $owner
	wait $owner || true
	until_true is_status srv exited
	same 'its owner ended' "$(lb-box ps | jq -r .ended)"
	gone "lb-box keep srv"
}

@test "what the tools of lb-run started ends with it, within its grace" {
	server 'cat; echo ended > /workspace/x; echo told >&2'
	runs --grace 3s
	same "$runner" "$(lb-box ps | jq .owner)"
	kill -TERM $runner
	wait $runner || true
	# It is over when lb-run is.
	same 'exited it was told to' "$(lb-box ps | jq -r '"\(.status) \(.ended)"')"
	run -0 lb-box logs srv
	[[ $output == *told ]]
	exec 9>&-
}

@test "one that does not want to end has no more than the grace of lb-run" {
	server "trap '' TERM; while :; do sleep 1; done"
	runs --grace 1s
	begun=$(date +%s%3N)
	kill -TERM $runner
	wait $runner || true
	took=$(($(date +%s%3N) - begun))
	[ "$took" -lt 4000 ] || { echo "$took ms"; return 1; }
	same lost "$(lb-box ps | jq -r .status)"
	gone "lb-box keep srv"
	exec 9>&-
}

@test "it ends when lb-run is killed, and nothing is left of it" {
	server cat
	runs
	kill -9 $runner
	wait $runner || true
	until_true is_status srv exited
	same 'its owner ended' "$(lb-box ps | jq -r .ended)"
	lb-box reap
	same 'ok none whose owner is gone' \
		"$(lb-box doctor --json | jq -r 'select(.check == "processes") | "\(.state) \(.text)"')"
	gone "lb-box keep srv"
	exec 9>&-
}

@test "reap ends one whose keeper did not hear that its owner is gone" {
	sleep 60 3>&- &
	owner=$!
	lb-box start --owner $owner srv -- cat > /dev/null
	same '' "$(lb-box reap)"
	info=$LB_STATE/box/processes/srv/info
	# The pid is another's by now.
	jq -c '.owner_since += 1' "$info" > new
	cp new "$info"
	same 'weak 1 go on although their owner is gone' \
		"$(lb-box doctor --json | jq -r 'select(.check == "processes") | "\(.state) \(.text)"')"
	same '{"ended":"orphan","name":"srv"}' "$(lb-box reap)"
	same exited "$(status_of srv)"
	same ok "$(lb-box doctor --json | jq -r 'select(.check == "processes").state')"
	kill $owner
}

@test "an owner is what LB_OWNER says, or none that is not there any more" {
	sleep 60 3>&- &
	owner=$!
	LB_OWNER=$owner lb-box start one -- cat > /dev/null
	same $owner "$(lb-box ps | jq .owner)"
	since=$(lb-box ps | jq .owner_since)
	run -0 env LB_OWNER=$$ lb-box start --owner "$owner:$since" two -- cat
	run -64 env LB_OWNER="$owner:$((since + 1))" lb-box start three -- cat
	same "lb-box: the owner $owner is not there any more: its pid is another's" "$output"
	for o in x 1 -5 "$owner x" "$owner:" "$owner:1x" 99999999; do
		run -64 lb-box start --owner "$o" three -- cat
		[[ $output == "lb-box: '$o' is no process: PID, or PID:SINCE" ]]
	done
	kill -9 $owner
	until_true is_status one exited
	until_true is_status two exited
}
