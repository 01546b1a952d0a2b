#!/usr/bin/env bats

# lb-exec and lb-box where somebody works against them, or the machine does.
# What is inside and wants out is in tests/escape.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	local at
	while read -r _ at _; do
		[[ $at != "$BATS_TEST_TMPDIR"/* ]] || umount "$at"
	done < /proc/mounts
}

# wait_for COMMAND... - until it is true, at most ten seconds.
wait_for() {
	local i
	for ((i = 0; i < 500; i++)); do
		! "$@" || return 0
		sleep 0.02
	done
	echo "it never came: $*"
	return 1
}

# workspace SESSION - of a name as simple as ours.
workspace() {
	echo "$LB_STATE"/box/workspaces/"$1"*
}

# nobody FILE... - they belong to an ordinary user, also when root runs this.
nobody() {
	[ "$(id -u)" -ne 0 ] || chown -R 61234:61234 "$@"
}

# somebody COMMAND... - as an ordinary user with a state of his own.
somebody() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
		return
	fi
	chmod a+rx "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" \
		"$BATS_RUN_TMPDIR"/*
	mkdir -p own/bin own/home
	[ -e own/bin/lb-exec ] || install -m 755 "$LB_TEST_BUILD/lb-exec" own/bin
	chown -R 61234:61234 own
	HOME=$PWD/own/home LB_STATE=$PWD/own/state PATH=$PWD/own/bin:$PATH \
		setpriv --reuid 61234 --regid 61234 --clear-groups "$@"
}

@test "a home that is closed and no configuration: it runs, with a session and without" {
	mkdir -m 700 closed
	run -0 env -u LB_STATE -u LB_CONFIG HOME="$PWD/closed" PATH="$PATH" \
		lb-exec -- sh -c 'id -u; pwd'
	same '1000
/workspace' "$output"
	env -u LB_STATE -u LB_CONFIG HOME="$PWD/closed" \
		lb-exec --session s -- sh -c 'echo kept > f'
	run -0 env -u LB_STATE -u LB_CONFIG HOME="$PWD/closed" \
		lb-exec --session s -- cat f
	same kept "$output"
	same 700 "$(stat -c %a closed)"
	same 700 "$(stat -c %a closed/.local/state/lb/box/workspaces)"
}

@test "/etc inside: what programs look for, as it is now, and nothing else" {
	run -0 lb-exec -- sh -c 'ls /etc; awk "BEGIN { print 6 * 7 }"'
	grep -qx 42 <<< "$output"
	same '' "$(grep -vxE '42|alternatives|fonts|group|hosts|ld.so.cache|localtime|nsswitch.conf|passwd|ssl' <<< "$output")"
	need mount
	echo changed > cache
	run -0 unshare -m sh -c "mount --bind cache /etc/ld.so.cache &&
		lb-exec -- cat /etc/ld.so.cache"
	same changed "$output"
	run -0 lb-exec -- cmp /etc/ld.so.cache - < /etc/ld.so.cache
}

@test "mounts: two at a place, one in another, over what is there: refused" {
	mkdir -p a b
	nobody a b
	local bad
	for bad in "a:/mnt/x b:/mnt/x" "a:/mnt/x b:/mnt/x/y" "a:/mnt/x/y b:/mnt/x" \
		"a:/mnt/x b:/mnt/./x/../x" "a:/workspace b:/mnt/x" "a:/etc b:/mnt/x" \
		"a:/mnt b:/mnt/y" "a:/workspace/.skills b:/mnt/x" \
		"a:/proc b:/mnt/y" "a:/ b:/mnt/y"; do
		run lb-exec --mount "${bad% *}" --mount "${bad#* }" -- echo RAN
		[ "$status" -ne 0 ]
		[[ $output != *RAN* ]] || { echo "$bad ran"; return 1; }
		[[ $output == "lb-exec: cannot mount"* ]]
	done
	run -0 lb-exec --mount a:/mnt/x --mount b:/mnt/y:ro -- ls /mnt
	same 'x
y' "$output"
}

# race COMMAND... - with -w top/sub, a folder that becomes a link to /etc and
# back all the time. What is mounted is the folder, or nothing.
race() {
	local good=0 no=0 end=$((SECONDS + 4)) last=$((SECONDS + 60))
	mkdir -p top/sub
	echo mine > top/sub/mine
	nobody top
	chmod 755 top top/sub
	ln -s /etc top/link
	python3 - top/sub top/link 3>&- <<-'END' &
		import ctypes, os, sys
		call = ctypes.CDLL(None).syscall
		a, b = (os.fsencode(n) for n in sys.argv[1:])
		while os.getppid() != 1:
		    call(316 if os.uname().machine == "x86_64" else 276,
		         -100, a, -100, b, 2)  # renameat2, RENAME_EXCHANGE
	END
	local swapper=$!
	while [ $SECONDS -lt $end ] ||
		{ [ $SECONDS -lt $last ] && [ $((good > 5 && no > 5)) = 0 ]; }; do
		if "$@" lb-exec -w "$PWD/top/sub:ro" -- ls > out 2> err; then
			same mine "$(cat out)" || { kill $swapper; return 1; }
			good=$((good + 1))
		else
			! grep -q . out || { kill $swapper; cat out; return 1; }
			no=$((no + 1))
		fi
	done
	kill $swapper
	echo "$good ran, $no did not"
	[ $good -gt 0 ] && [ $no -gt 5 ]
}

@test "a folder that becomes a link while it is mounted is never mounted as one" {
	race env
}

@test "nor when somebody without rights runs it" {
	race somebody
}

@test "what moves .skills away in one run finds it in its place in all others" {
	mkdir -p skill outside
	echo 'the skill' > skill/SKILL.md
	nobody outside
	chmod 777 outside
	local attack='for i in $(seq 40); do
		mv .skills .old; rmdir .skills; rm -rf .skills/demo
		ln -sfn '"$PWD"'/outside .skills; ln -sfn /usr .skills/demo
		mkdir -p .skills/new; mv .skills/demo .skills/other
		cat .skills/demo/SKILL.md
	done 2> /dev/null | sort | uniq -c'
	local n
	for n in 1 2 3 4 5 6; do
		lb-exec --session s --skill demo="$PWD/skill" -- \
			sh -c "$attack" > "out.$n" 3>&- &
	done
	wait
	for n in 1 2 3 4 5 6; do
		same '40 the skill' "$(sed 's/^ *//' "out.$n")"
	done
	same '' "$(ls outside)"
	same 'the skill' "$(cat skill/*)"
	[ -d "$(workspace s)/.skills" ] && [ ! -L "$(workspace s)/.skills" ]
	run -0 lb-exec --session s --skill demo="$PWD/skill" -- \
		sh -c 'ls -A .skills; cat .skills/demo/SKILL.md'
	same 'demo
the skill' "$output"
}

@test "what is in the place of .skills before a run is moved aside" {
	lb-exec --session s -- true
	local at thing
	at=$(workspace s)
	mkdir outside
	for thing in link file; do
		rm -rf "$at/.skills"
		if [ $thing = link ]; then
			ln -s "$PWD/outside" "$at/.skills"
		else
			echo mine > "$at/.skills"
		fi
		mkdir -p skill
		run -0 lb-exec --session s --skill demo="$PWD/skill" -- ls .skills
		same demo "$output"
	done
	same '' "$(ls outside)"
}

@test "a workspace that a command closed is open for the next one" {
	local rights
	for rights in 0 0200 0400; do
		lb-exec --session shut -- sh -c "echo kept > f; chmod $rights /workspace"
		run -0 lb-exec --session shut -- sh -c 'cat f; touch g; stat -c %a .'
		[[ $output == $'kept\n7'* ]]
	done
	# and it can be removed as it is
	lb-exec --session shut -- chmod 0 /workspace
	run -0 lb-box delete shut
}

@test "lb-exec is killed: nothing is left, and what it held is free" {
	lb-exec --session s -- sh -c 'sleep 98765 & setsid sleep 98766 &
		echo ready; sleep 98767' > out 3>&- &
	local pid=$!
	wait_for grep -q ready out
	kill -9 $pid
	gone 'sleep 9876'
	wait_for lb-exec --session s -- true
	same '' "$(find /sys/fs/cgroup -name "lb-$pid-*" 2> /dev/null)"
	run -0 lb-box delete s
}

@test "control groups of one that was killed are removed by the next" {
	lb-exec -- sh -c 'echo ready; sleep 98768' > out 3>&- &
	local pid=$!
	wait_for grep -q ready out
	[ -n "$(find /sys/fs/cgroup -name "lb-$pid-*" 2> /dev/null)" ] ||
		{ kill $pid; need cgroup; }
	kill -9 $pid
	gone 'sleep 98768'
	run -0 lb-exec -- true
	same '' "$(find /sys/fs/cgroup -name "lb-$pid-*" 2> /dev/null)"
}

@test "control groups of one who counts processes otherwise are his own" {
	need mount
	local folder
	lb-exec --json -- true | grep -q '"limits_backend":"cgroup"' ||
		{ need cgroups /nonexistent; }
	# Both are process 1 where they are, and each other's process is not there.
	mkfifo begun go
	unshare -pfm --mount-proc sh -c 'exec lb-exec -- sh -c "echo begun; read -r _; echo end"' \
		< go > begun 3>&- &
	exec 4> go 5< begun
	read -r _ <&5
	run -0 unshare -pfm --mount-proc sh -c 'exec lb-exec --require cgroup --json -- true'
	same cgroup "$(jq -r .limits_backend <<< "$output")"
	run -0 lb-exec -- true
	echo >&4
	read -r line <&5
	same end "$line"
	exec 4>&- 5<&-
	wait $!
}

@test "many at once without a session: each has its processes for itself" {
	for n in $(seq 30); do
		jq -cn --arg id "$n" '{kind: "exec", $id, cmd: "sleep 0.3; echo ok"}'
	done > jobs
	run -0 lb-exec --records -j 30 --pids 8 < jobs
	same 30 "$(jq -r .stdout <<< "$output" | grep -c '^ok$')"
}

@test "none is left as a zombie where process 1 waits for nobody" {
	need root
	run -0 unshare --pid --fork --mount-proc python3 - <<-'END'
		import glob, subprocess
		for _ in range(5):
		    subprocess.run(["lb-exec", "--", "true"], check=True)
		with subprocess.Popen(["lb-exec", "--records"],
		                      stdin=subprocess.PIPE,
		                      stdout=subprocess.PIPE) as p:
		    for _ in range(5):
		        p.stdin.write(b'{"kind":"exec","cmd":"true"}\n')
		        p.stdin.flush()
		        assert b'"ok":true' in p.stdout.readline()
		    stats = [open(f).read() for f in glob.glob("/proc/[0-9]*/stat")]
		    print([s for s in stats if s.split(") ")[1][0] == "Z"])
	END
	same '[]' "$output"
}

@test "few descriptors: it runs, or says why it does not" {
	local n ran=0
	for n in 3 4 5 6 8 10 12 14 16 18 20 24 28 32 40 64; do
		status=0
		(ulimit -n $n && timeout 20 lb-exec --session s -- sh -c 'echo RAN') \
			> out 2> err || status=$?
		if [ $status -eq 0 ]; then
			same RAN "$(cat out)"
			ran=$((ran + 1))
		else
			[[ $status =~ ^(69|71|74|78|125|127)$ ]] ||
				{ echo "$n: $status"; cat err; return 1; }
			grep -q . err
			same '' "$(cat out)"
		fi
	done
	echo "$ran of 16 ran"
	[ $ran -gt 0 ]
}

@test "a full disk: what cannot be kept is said, and a command still runs" {
	need mount
	export LB_STATE=$PWD/disk
	mkdir disk
	run -0 unshare -m bash -c '
		mount -t tmpfs -o size=4m tmpfs disk
		lb-exec --session s -- sh -c "echo here > f"
		rm disk/box/audit.jsonl
		head -c 8M /dev/zero > disk/full 2> /dev/null
		lb-exec --session s -- sh -c "cat f; echo more > g || echo full"
		lb-exec -- sh -c "echo inside > f; cat f"
		lb-exec --session new -- echo RAN || echo "status $?"
		rm disk/full
		lb-exec --session new -- echo again' 3>&-
	echo "$output"
	[[ $output == *here*full*inside*again ]]
	[[ $output == *"what is run is not audited: cannot write '$PWD/disk/box/audit.jsonl': No space left on device"* ]]
	[[ $output == *"lb-exec: cannot "*"No space left on device"*"status 125"* ]]
	[[ $output != *RAN* ]]
}

@test "delete: files, name and user id go; another session begins anew" {
	lb-exec --session s -- sh -c 'echo old > f; mkdir -p d/e; chmod 0 d/e d'
	lb-exec --session t -- sh -c 'echo other > f'
	run -0 lb-box delete s
	same '' "$output"
	same '' "$(find "$LB_STATE"/box -name 's' -o -name 's~*')"
	[ "$(id -u)" -ne 0 ] || same 1 "$(ls "$LB_STATE/box/uids" | wc -l)"
	run -0 lb-exec --session s -- ls
	same '' "$output"
	run -0 lb-exec --session t -- cat f
	same other "$output"
}

@test "delete: what is deep, and links that lead out" {
	mkdir outside
	echo keep > outside/f
	lb-exec --session s -- python3 -c "
import os
os.symlink('$PWD/outside', 'link')
for _ in range(3000):
    os.mkdir('d' * 50); os.chdir('d' * 50)
os.symlink('$PWD/outside', 'link')
os.mkfifo('fifo')"
	run -0 lb-box delete s
	same '' "$(ls "$LB_STATE/box/workspaces")"
	same keep "$(cat outside/f)"
}

@test "delete waits for nobody: 75 while something runs, 66 for what is none" {
	lb-exec --session s -- sh -c 'echo ready; read -r line; echo kept > f' \
		< <(wait_for test -e go && echo) > out 3>&- &
	wait_for grep -q ready out
	run -75 lb-box delete s
	same "lb-box: something runs in session 's': it is deleted when that has ended" \
		"$output"
	touch go
	wait
	run -0 lb-exec --session s -- cat f
	same kept "$output"
	run -66 lb-box delete none
	same "lb-box: there is no session 'none'" "$output"
	run -66 lb-box delete none s
	run -66 lb-box delete s
	run -64 lb-box delete
}

@test "delete: a workspace of a fixed size is unmounted" {
	need mount
	need mkfs.ext4
	lb-exec --session s --quota 64M -- sh -c 'echo f > f'
	grep -q " $(workspace s) ext4 " /proc/mounts ||
		{ need loop /nonexistent; }
	run -0 lb-box delete s
	! grep "$LB_STATE" /proc/mounts
	same '' "$(find "$LB_STATE/box" -name '*.img')"
	same '' "$(losetup -n -O BACK-FILE | grep "$LB_STATE" || :)"
}
