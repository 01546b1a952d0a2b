#!/usr/bin/env bats

# What is asked of sandboxes by those who mean no good, or too much of it: many
# at once, odd arguments, and machines that are set up otherwise than ours.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	cat > "$LB_CONFIG" <<-END
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}},
		  sandbox: {open-to: everyone}}}
	END
}

teardown() {
	local at
	for at in "$LB_STATE"/box/workspaces/*; do # of a test that failed
		umount "$at" 2> /dev/null || :
	done
}

# calls N MS COMMAND... - that many calls of exec to one lb-tool, at once, each
# with MS to answer in, the 65th on with half of it; what each ended with.
calls() {
	python3 - "$@" <<'END'
import json, subprocess, sys
n, ms, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
p = subprocess.Popen(["lb-tool", "serve"], text=True,
	stdin=subprocess.PIPE, stdout=subprocess.PIPE)
put = lambda o: p.stdin.write(json.dumps(o) + "\n")
put({"op": "hello", "version": 1})
for i in range(n):
	put({"op": "call", "id": str(i), "name": "exec",
		"arguments": {"command": command},
		"context": {"id": str(i), "bot": "-", "pipeline": "default",
			"session": "-/person_1", "sender_id": "1",
			"launcher_type": "person",
			"deadline_ms": ms if i < 64 else ms // 2}})
for i in sys.argv[4:]:
	put({"op": "cancel", "id": i})
p.stdin.flush()
p.stdout.readline()
for i in range(n):
	print(p.stdout.readline().strip())
p.stdin.close()
p.wait(30)
END
}

@test "a root with a narrow umask, on a machine that was just started" {
	need mount
	run -0 unshare -m sh -c 'mount -t tmpfs tmpfs /run
		umask 077
		lb-exec --session a -- echo one
		chmod 700 /run/lb
		lb-exec -- echo two'
	same $'one\ntwo' "$output"
}

@test "a umask that takes our own rights away" {
	umask 0777
	run -0 lb-exec --session a -- sh -c 'echo one > f; cat f'
	same one "$output"
	run -0 lb-exec --session a -- cat f
	same one "$output"
	run -0 lb-tool call write --session a '{"path":"b/c","content":"two"}'
	run -0 lb-tool call read --session a '{"path":"b/c"}'
	same two "$(jq -r .content <<< "$output")"
	umask 022
	same '' "$(find "$LB_STATE" ! -type l ! -perm -u=r)"
}

@test "a stack that is too small for deep JSON is made larger, or refused in words" {
	python3 -c 'print("{\"kind\":\"exec\",\"cmd\":\"echo hi\",\"x\":" + "{\"a\":" * 2000 + "1" + "}" * 2000 + "}")' > deep
	run -0 sh -c 'ulimit -Ss 64; lb-exec --records < deep'
	same 'hi' "$(jq -r .stdout <<< "$output")"
	# Some a root may have more than he was left with.
	! (ulimit -s 64; ulimit -s 512) 2> /dev/null || return 0
	run -71 --separate-stderr sh -c 'ulimit -s 64; lb-exec --session a -- true'
	same "lb-exec: the stack may have 64 KiB, and 512 are needed: start it with a higher 'ulimit -s'" \
		"$stderr"
}

# as_user COMMAND... - as somebody without rights, also where root runs this.
as_user() {
	[ "$(id -u)" -eq 0 ] || { "$@"; return; }
	chmod a+rx "$BATS_RUN_TMPDIR"{,/test} "$BATS_TEST_TMPDIR"
	mkdir -p own
	install -m 755 "$LB_TEST_BUILD"/lb-{exec,tool} own
	cp "$LB_CONFIG" own/config
	chown -R 61234:61234 own
	HOME=$PWD/own LB_STATE=$PWD/own/state LB_CONFIG=$PWD/own/config \
		PATH=$PWD/own:$PATH \
		setpriv --reuid 61234 --regid 61234 --clear-groups "$@"
}

@test "what is not the workspace has a size, for root and for others" {
	echo 'box: {profiles: {open: {read_only_rootfs: false}}}' > "$LB_CONFIG"
	for who in '' as_user; do
		run -0 $who lb-exec --profile open -- df --output=size -m \
			/ /tmp /dev/shm /run /var/tmp
		same '64 64 64 64 64' "$(sed 1d <<< "$output" | xargs)"
		run -0 $who lb-exec -- df --output=size -m /tmp /dev/shm
		same '64 64' "$(sed 1d <<< "$output" | xargs)"
		run $who lb-exec -- sh -c ': > /x || : > /run/x || : > /var/tmp/x'
		[ "$status" -ne 0 ]
	done
}

@test "few processes for whoever starts it: it runs with fewer, or says why not" {
	export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # that is a process, too
	as_user true
	run -0 as_user bash -c 'ulimit -u 40; lb-exec --session s -- grep processes /proc/self/limits'
	same 'Max processes 40 40 processes' "$(xargs <<< "$output")"
	run -125 as_user bash -c 'ulimit -u 1; exec lb-exec -- true'
	same "lb-exec: cannot start '/usr/bin/bwrap': Resource temporarily unavailable" "$output"
	run --separate-stderr -1 as_user bash -c 'ulimit -u 1; exec lb-tool call read --session s "{\"path\":\".\"}"'
	same "no process can be started for it at this moment; try again later" \
		"$(jq -r .error <<< "$output")"
}

@test "a session does not fill the disk of all, whatever its quota, and files can be removed" {
	need mount
	cat > fill <<-'END'
		# fill OPTION... - with a disk of 60 MiB: that the disk is not full then.
		mkdir disk && mount -t tmpfs -o size=60m tmpfs disk
		export LB_STATE=$PWD/disk/state
		lb-exec --session s "$@" -- sh -c 'echo kept > kept; cat kept'
		lb-exec --session s "$@" -- sh -c 'while dd if=/dev/urandom of=f bs=64k count=8 oflag=append conv=notrunc 2>&1
			do sleep 0.01; done > /dev/null'
		echo "$? $(($(stat -f -c %a disk) > 0))"
		# Others fill it: who removes is not killed, who adds is.
		dd if=/dev/zero of=disk/others bs=1M 2> /dev/null
		lb-exec --session s "$@" -- sh -c 'sleep 0.2; rm f; sleep 0.2; cat kept'
		echo $?
		umount -R disk
	END
	for quota in 0 200M; do
		run -0 unshare -m bash fill --quota $quota
		echo "$output"
		[[ $output == $'kept\nlb-exec: it was killed: the disk below its session is almost full\n137 1\n'*$'kept\n0' ]]
		rmdir disk
	done
}

@test "a workspace that is mounted where we do not see it is mounted once more, not twice" {
	need mount
	need mkfs.ext4
	# As a service has it: its mounts are its own.
	unshare -m lb-exec --session s --quota 32M -t 20s -- sh -c \
		'echo one > a; echo begun; until cat b 2> /dev/null; do sleep 0.05; done' \
		> out 3>&- &
	until grep -q begun out || ! kill -0 $!; do sleep 0.05; done
	run -0 lb-exec --session s --quota 32M -- sh -c 'cat a; echo two > b'
	same one "$output"
	[[ $(losetup -n -O BACK-FILE | grep -c "$LB_STATE") -le 1 ]]
	wait $!
	same $'begun\ntwo' "$(cat out)"
	lb-box delete s
	same '' "$(losetup -n -O BACK-FILE | grep "$LB_STATE" || :)"
}

@test "what is left of one who was killed while he made a session goes with the next" {
	mkdir -p "$LB_STATE/box/sessions/s/new"
	touch "$LB_STATE/box/sessions/s/"{.lb-AbCdEf,workspace.img.new}
	lb-exec --session s --quota 32M -- true
	same '' "$(find "$LB_STATE/box/sessions/s" -name 'new' -o -name '.lb-*')"
	[ "$(id -u)" -ne 0 ] || [ ! -e "$LB_STATE/box/sessions/s/workspace.img.new" ]
	lb-box delete s
}

@test "lost+found of somebody's own does not keep his workspace from being mounted" {
	need mount
	need mkfs.ext4
	run -0 lb-exec --session s --quota 32M -- sh -c 'mkdir lost+found && echo x > lost+found/y'
	umount "$LB_STATE/box/workspaces/s" 2> /dev/null || :
	run -0 lb-exec --session s --quota 32M -- cat lost+found/y
	same x "$output"
	umount "$LB_STATE/box/workspaces/s" 2> /dev/null || :
	lb-exec --session s --quota 32M -- sh -c 'rm -r lost+found; echo x > lost+found'
	umount "$LB_STATE/box/workspaces/s" 2> /dev/null || :
	run -0 lb-exec --session s --quota 32M -- cat lost+found
	lb-box delete s
}

@test "files may not be large: what could not be made is not left" {
	need root
	run -125 sh -c 'ulimit -f 16; lb-exec --session s --quota 32M -- true'
	[[ $output == *"workspace.img.new."*"': File too large"* ]]
	same '' "$(find "$LB_STATE/box" -name '*.new*')"
	run -0 lb-exec --session s --quota 32M --json -- true
	lb-box delete s
}

@test "200 records at once where 1024 descriptors are the most that is usual" {
	local i
	for i in {1..200}; do
		echo '{"kind":"exec","cmd":"sleep 1; ulimit -n"}'
	done > in
	(ulimit -Sn 1024; lb-exec --records -j 200 < in > out)
	same '200 "1024\n"' "$(jq .stdout out | sort | uniq -c | sed 's/^ *//')"
}

@test "what cannot be prepared is named, and why" {
	need root
	local n
	for n in {22..30}; do
		# With enough of them it works, with fewer other things fail.
		(ulimit -n $n; lb-exec --session s -- true) 2>> err || true
	done
	cat err
	[[ $(grep prepared err | sort -u | head -1) == \
		"lb-exec: the sandbox cannot be prepared: "*": Too many open files" ]]
}

@test "100 commands at once by one provider: 64 run, the others wait" {
	run -0 calls 100 60000 'd=$(mktemp -d run.XXXXXX); n=$(ls -d run.* | wc -l)
		sleep 0.5; rmdir $d; echo $n'
	same 100 "$(jq -r '.content | fromjson | .status' <<< "$output" | grep -cx completed)"
	most=$(jq -r '.content | fromjson | .stdout' <<< "$output" | sort -n | tail -1)
	echo "$most at once"
	[ "$most" -le 64 ]
	[ "$most" -gt 32 ]
}

@test "a command that waits is told when its time is over, or it is cancelled" {
	run -0 calls 70 4000 'sleep 9' 68 69
	same 70 "$(wc -l <<< "$output")"
	same '"cancelled" 2' "$(jq -c 'select(.id == "68" or .id == "69") | .error.code' \
		<<< "$output" | uniq -c | awk '{print $2, $1}')"
	same 4 "$(grep -c 'too many commands run at this moment' <<< "$output")"
	same 64 "$(jq -r '.content // "{}" | fromjson | .status' <<< "$output" |
		grep -cx timed_out)"
}

@test "a call that may take for ever, and one whose time was over before it began" {
	local ms
	for ms in 9223372036854775807 -9223372036854775808 -1 0; do
		echo '{"op":"call","id":"'$ms'","name":"exec","arguments":{"command":"echo hi"},"context":
			{"id":"1","bot":"-","pipeline":"default","session":"-/person_1","deadline_ms":'$ms'}}' |
			tr -d '\n'
		echo
	done > in
	run -0 lb-tool serve < in
	same "$(printf '%s\n' '-1 there is no time left for it' '-9223372036854775808 there is no time left for it' \
		'0 there is no time left for it' '9223372036854775807 hi')" \
		"$(jq -r '.id + " " + (.content | fromjson | .error // .stdout)' <<< "$output" | sed '/^$/d' | LC_ALL=C sort)"
}

@test "who chats is not told where files of this machine are, its operator is" {
	mkdir -p "$LB_STATE/box"
	: > "$LB_STATE/box/sessions"
	for call in 'exec {"command":"true"}' 'read {"path":"."}'; do
		echo '{"op":"call","id":"'${call%% *}'","name":"'${call%% *}'","arguments":'${call#* }',"context":{"id":"1","bot":"-","pipeline":"default","session":"-/person_1"}}'
	done > in
	run -0 --separate-stderr lb-tool serve < in
	same 2 "$(grep -c "the sandbox cannot be used at this moment" <<< "$output")"
	[[ $output != *"$LB_STATE"* ]]
	same 2 "$(grep -c "lb-tool: cannot .*'$LB_STATE/box/sessions/" <<< "$stderr")"
	run -125 lb-exec --session s -- true
	[[ $output == *"'$LB_STATE/box/sessions/"* ]]
}

@test "the workspace of a session is not mounted as a folder" {
	run -0 lb-exec --session s -- true
	folder=$(echo "$LB_STATE"/box/workspaces/*)
	run -77 lb-exec -w "$folder" -- mv .skills away
	[[ $output == *"it is the workspace of a session; name that session instead" ]]
	jq -cn --arg p "$folder" '{kind: "exec", session: "other", session_id: "s",
		cmd: "mv .skills away", host_path: $p}' > in
	run --separate-stderr -77 lb-exec --records < in
	same denied "$(jq -r .code <<< "$output")"
	[ -d "$folder/.skills" ]
}

# killed N COMMAND... - it is killed as soon as bubblewrap has begun to mount,
# N times; then, no process of it may be there any more.
killed() {
	python3 - "$@" <<'END'
import glob, os, signal, subprocess, sys, time
mark, none = "86753" + str(os.getpid()), subprocess.DEVNULL

def below(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            return f.read().split()
    except OSError:
        return []

def left():
    all = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                text = f.read()
        except OSError:
            continue
        if b"sleep " + mark.encode() in text and b"lb-exec" not in text and \
                b"python" not in text and b"bats" not in text:
            all.append(path)
    return all

hits = 0
for i in range(int(sys.argv[1])):
    p = subprocess.Popen(sys.argv[2:] + ["--", "sh", "-c", f"sleep {mark}"],
                         stdin=none, stdout=none, stderr=none)
    end = time.time() + 10
    while time.time() < end and p.poll() is None:
        if any(below(child) for child in below(p.pid)):
            hits += 1
            break
    p.kill()
    p.wait()
    # Where there are control groups, what had just begun ends with the next one.
    for seconds in (1, 5):
        end = time.time() + seconds
        while left() and time.time() < end:
            time.sleep(0.01)
        if left() and sys.argv[2] == "lb-exec" and os.geteuid() == 0:
            subprocess.run(["lb-exec", "--", "true"], check=True)
    what = subprocess.run(["ps", "-eo", "pid,ppid,pgid,sid,wchan:20,stat,args"],
                          capture_output=True, text=True).stdout
    what = "\n".join(n for n in what.split("\n") if mark in n)
    for path in left():
        os.kill(int(path.split("/")[2]), signal.SIGKILL)
        sys.exit(f"left of round {i}: {what}")
print(hits, "killed while it mounted")
sys.exit(hits == 0)
END
}

@test "lb-exec is killed while bubblewrap mounts: nothing is left and unguarded" {
	run killed 40 lb-exec --session s
	echo "$output"
	[ "$status" -eq 0 ]
	run -0 lb-exec --session s -- echo again
	same again "$output"
}

@test "nor where somebody without rights runs it" {
	need root
	run as_user true # makes the folder
	export HOME=$PWD/own LB_STATE=$PWD/own/state
	run killed 40 setpriv --reuid 61234 --regid 61234 --clear-groups \
		own/lb-exec --session s
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "what was left by one that was killed while it made a sandbox's /etc goes" {
	run -0 lb-exec --session s -- true
	etc=$(basename "$LB_STATE"/box/etc-*)
	mkdir -p "$LB_STATE/box/$etc.123" "$LB_STATE/box/$etc.new/ssl"
	mv "$LB_STATE/box/$etc" "$BATS_TEST_TMPDIR/away"
	run -0 lb-exec --session s -- true
	same "$LB_STATE/box/$etc" "$(echo "$LB_STATE"/box/etc-*)"
}

# stopped STEP N - lb-exec is killed at that step of making N sessions: the quota of
# each is kept all the same by the next one, and nothing of the first is left.
stopped() {
	python3 - "$@" <<'END'
import glob, json, os, subprocess, sys, time
step, n = sys.argv[1], int(sys.argv[2])
box = os.environ["LB_STATE"] + "/box/"
dev = lambda path: os.stat(path).st_dev if os.path.exists(path) else None
bad = 0
for i in range(n):
	name = f"{step}{i}"
	work = box + "workspaces/" + name
	# Beside the image: mkfs works. On the workspace: it is mounted.
	there = {"mkfs": lambda: glob.glob(
			f"{box}sessions/{name}/workspace.img.new.*"),
		"image": lambda: os.path.exists(
			f"{box}sessions/{name}/workspace.img"),
		"mount": lambda: dev(work) not in (None, dev(box))}[step]
	ours = ["lb-exec", "--session", name, "--quota", "32M"]
	p = subprocess.Popen(ours + ["--", "true"],
		stderr=subprocess.DEVNULL)
	end = time.monotonic() + 10
	while not there() and p.poll() is None and time.monotonic() < end:
		pass
	p.kill()
	p.wait()
	r = subprocess.run(ours + ["--json", "--", "sh", "-c",
		"echo ok > f; cat f"], text=True, capture_output=True)
	got = json.loads(r.stdout or "{}")
	left = sorted(os.listdir(f"{box}sessions/{name}"))
	if (got.get("stdout"), got.get("quota")) != ("ok\n", "hard") or \
			left != ["lock", "name", "use", "workspace.img"]:
		print(i, r.stderr or got, left)
		bad = 1
	subprocess.run(["lb-box", "delete", name], check=True)
sys.exit(bad)
END
}

@test "lb-exec is killed while a workspace of a fixed size is made: it is whole, or not there" {
	need mount
	need mkfs.ext4
	lb-exec --session s --quota 32M -- true
	grep -q " $LB_STATE/box/workspaces/s ext4 " /proc/mounts ||
		{ need loop /nonexistent; }
	run -0 stopped mkfs 10
	run -0 stopped image 10
	run -0 stopped mount 20
	lb-box delete s
	! grep "$LB_STATE" /proc/mounts
	same '' "$(losetup -n -O BACK-FILE | grep "$LB_STATE" || :)"
}
