#!/usr/bin/env bats

# Every key of the sandbox does something: with it, a command finds itself
# elsewhere than without.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
}

# Workspaces that root made are mounted.
teardown() {
	local at all
	mapfile -t all < <(cut -d' ' -f2 /proc/mounts)
	for at in "${all[@]}"; do
		[[ $at != "$BATS_TEST_TMPDIR"/* ]] || umount -l "$at"
	done
}

# box KEYS - the configuration.
box() {
	printf 'box: {%s}\n' "$1" > "$LB_CONFIG"
}

# out FILTER OPTION... -- COMMAND... - of the result.
out() {
	local filter=$1
	shift
	lb-exec --json "$@" 2> log | jq -r "$filter"
}

# record MEMBERS [FILTER] - of the answer to an exec record.
record() {
	jq -cn --argjson more "$1" '{kind: "exec", cmd: "cat here/f 2> /dev/null; cat f"} + $more' |
		lb-exec --records 2> log | jq -r "${2-.stdout // .message}"
}

# A folder that an ordinary user owns, also when root runs the tests.
ours() {
	[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$@"
}

@test "box.local.profile" {
	box ''
	same 0 "$(out .exit_code --session a -- sh -c 'echo x > f')"
	box 'local: {profile: offline_readonly}'
	same false "$(out .ok --session a -- sh -c 'echo y > f')"
	same x "$(out .stdout --session a -- cat f | xargs)"
	box 'local: {profile: mine}, profiles: {mine: {timeout_sec: 1}}'
	same timed_out "$(out .status -- sleep 8)"
}

@test "box.profiles.*: how long" {
	box 'profiles: {default: {timeout_sec: 1, max_timeout_sec: 2}}'
	same timed_out "$(out .status -- sleep 8)"
	same 'timed_out true true' "$(out '"\(.status) \(.duration_ms >= 1900) \(.duration_ms < 5000)"' -t 60 -- sleep 8)"
	out '.notes[]' -t 60 -- true | grep timeout_sec
	box 'profiles: {default: {timeout_sec: 1, locked: [timeout_sec]}}'
	same timed_out "$(out .status -t 60 -- sleep 8)"
}

@test "box.profiles.*: how much" {
	box 'profiles: {default: {pids_limit: 6}}'
	[ "$(out .exit_code -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 2 & done; wait')" != 0 ]
	box 'profiles: {default: {pids_limit: 40}}'
	same 0 "$(out .exit_code -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1 & done; wait')"
	eat='python3 -c "bytearray(200 << 20)"'
	box ''
	same 'true' "$(out .ok -- sh -c "$eat")"
	if [ "$(out .limits_backend -- true)" = cgroup ]; then
		box 'profiles: {default: {memory_mb: 64}}'
		same 'false' "$(out .ok -- sh -c "$eat")"
		# A processor's time: the same work in a quarter of it.
		work='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
		box ''
		full=$(out .duration_ms -- sh -c "$work")
		box 'profiles: {default: {cpus: 0.2}}'
		part=$(out .duration_ms -- sh -c "$work")
		[ "$part" -gt $((full * 2)) ] || { echo "$full and $part ms"; return 1; }
	fi
}

@test "box.profiles.*: where it may write, and what it may ask for" {
	box ''
	same false "$(out .ok -- sh -c 'echo x > /x')"
	box 'profiles: {default: {read_only_rootfs: false}}'
	same 0 "$(out .exit_code -- sh -c 'echo x > /x')"
	mkdir shared
	echo there > shared/f
	ours shared
	asks='{"host_path": "'$PWD/shared'", "cmd": "cat f; echo x > g"}'
	box "local: {allowed_mount_roots: [\"$PWD/shared\"]}"
	same 'there' "$(record "$asks")"
	[ -e shared/g ]
	rm shared/g
	box "local: {allowed_mount_roots: [\"$PWD/shared\"]}, profiles: {default: {host_path_mode: ro}}"
	same 'there' "$(record "$asks")"
	[ ! -e shared/g ]
	box "local: {allowed_mount_roots: [\"$PWD/shared\"]}, profiles: {default: {host_path_mode: none, locked: [host_path_mode]}}"
	record "$asks" > said
	run ! grep there said
}

@test "box.local.allowed_mount_roots" {
	mkdir shared other
	echo there > shared/f
	echo there > other/f
	ours shared other
	box ''
	[[ $(record '{"host_path": "'$PWD/shared'"}') == "cannot mount '$PWD/shared'"* ]]
	box "local: {allowed_mount_roots: [\"$PWD/shared\"]}"
	same there "$(record '{"host_path": "'$PWD/shared'"}')"
	[[ $(record '{"host_path": "'$PWD/other'"}') == "cannot mount '$PWD/other'"* ]]
}

@test "box.local.workspace_quota_mb and box.limits.max_workspace_entries" {
	big='head -c 6000000 /dev/zero > f'
	many='i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); : > f$i || exit 1; [ $((i % 500)) -ne 0 ] || sleep 0.1; done; sleep 0.3'
	box ''
	same true "$(out .ok --session a -- sh -c "$big")"
	box 'local: {workspace_quota_mb: 3}'
	same false "$(out .ok --session b -- sh -c "$big")"
	box 'local: {workspace_quota_mb: 300}'
	same true "$(out .ok --session c -- sh -c "$many")"
	box 'local: {workspace_quota_mb: 300}, limits: {max_workspace_entries: 1000}'
	same false "$(out .ok --session d -- sh -c "$many")"
}

@test "box.local.host_root and box.local.default_workspace" {
	box ''
	same 0 "$(out .exit_code --session a -- sh -c 'echo x > one')"
	[ -n "$(find "$LB_STATE/box/workspaces" -name one)" ]
	box 'local: {default_workspace: rooms}'
	same 0 "$(out .exit_code --session a -- sh -c 'echo x > two')"
	[ -n "$(find "$LB_STATE/box/rooms" -name two)" ]
	box "local: {host_root: \"$PWD/root\"}"
	same 0 "$(out .exit_code --session a -- sh -c 'echo x > three')"
	[ -n "$(find root/workspaces -name three)" ]
	same '' "$(find "$LB_STATE" -name three)"
}

@test "box.local.skills_root" {
	mkdir -p "$LB_STATE/skills/s" books/s
	echo skill | tee "$LB_STATE/skills/s/f" > books/s/f
	ours "$LB_STATE/skills" books
	mounts() {
		record '{"extra_mounts": [{"host_path": "'"$1"'", "mount_path": "/workspace/here", "mode": "ro"}]}'
	}
	box ''
	same skill "$(mounts "$LB_STATE/skills/s")"
	[[ $(mounts "$PWD/books/s") == "cannot mount"* ]]
	box "local: {skills_root: \"$PWD/books\"}"
	same skill "$(mounts "$PWD/books/s")"
}

@test "box.uid-range: whose files a session's are" {
	need root
	box 'uid-range: 300000-300001'
	same 0 "$(out .exit_code --session a -- sh -c 'echo x > f')"
	uid=$(stat -c %u "$(find "$LB_STATE" -name f)")
	# The first is for commands without a session.
	same 300001 "$uid"
	run -69 lb-exec --session b -- true
	[[ $output == *"all user ids of box.uid-range are taken"* ]]
}

@test "box.cgroup: where the control groups are" {
	box ''
	lb-exec --require cgroup -- true 2> log || skip 'no control groups here'
	box 'cgroup: /sys/fs/cgroup/no-such-group'
	run --separate-stderr -69 lb-exec --require cgroup -- true
	echo "$stderr"
	[[ $stderr == *no-such-group* || $stderr == *'control group'* ]]
}
