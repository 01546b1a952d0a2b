#!/usr/bin/env bats

# The two lives of a session: what it runs on ends when it is idle, its files do
# not; how many may be alive; and what is removed that somebody left behind.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	box=$LB_STATE/box
	pids=()
}

# idle SESSION SECONDS - nobody used it for so long.
idle() {
	touch -d "@$(($(date +%s) - $2))" "$box/sessions/$1/use"
}

# busy SESSION - somebody uses it until `rest`.
busy() {
	lb-exec --session "$1" -- sh -c 'echo begun > f; sleep 60' 3>&- &
	until [ -s "$box/workspaces/$1/f" ]; do sleep 0.02; done
	pids+=($!)
}

rest() {
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}"
	wait "${pids[@]}" || true
	pids=()
}

teardown() {
	rest
	lb-box sessions 2> /dev/null | jq -r .session | xargs -r lb-box delete || true
}

# of SESSION EXPRESSION - what `lb-box sessions` says.
of() {
	lb-box sessions | jq -c "select(.session == \"$1\") | $2"
}

# hard_quota - skip where a workspace cannot be a file system.
hard_quota() {
	need root
	[ "$(lb-exec --session probe --quota 16M --json -- true | jq -r .quota)" = hard ] ||
		skip "needs loop devices and mkfs.ext4"
	lb-box delete probe
}

@test "nothing was ever run: there is nothing to list, to end or to make" {
	for verb in sessions reap gc; do
		run -0 lb-box "$verb"
		same '' "$output"
	done
	[ ! -e "$LB_STATE" ]
}

@test "a file outlives what its session ran on" {
	lb-exec --session a -- sh -c 'echo kept > f; echo home > ~/g'
	idle a 299
	run -0 lb-box reap
	same '' "$output"
	idle a 301
	run -0 lb-box reap
	same '{"ended":"session","name":"a"}' "$output"
	[ ! -e "$box/alive/a" ]
	run -0 lb-box reap
	same '' "$output"
	run -0 lb-exec --session a -- sh -c 'cat f ~/g'
	same $'kept\nhome' "$output"
	# That was a use of it, and so is its end.
	same '' "$(lb-box reap)"
	idle a 301
	lb-tool call --session a glob '{"pattern":"*"}'
	same '' "$(lb-box reap)"
}

@test "a workspace that is a file system is unmounted, and mounted again" {
	hard_quota
	lb-exec --session a --quota 16M -- sh -c 'echo kept > f'
	same '[true,16777216]' "$(of a '[.mounted, .quota_bytes]')"
	idle a 301
	same '{"ended":"session","name":"a"}' "$(lb-box reap)"
	# The last mount namespace that had it ends when it does.
	for _ in {1..100}; do
		[ "$(of a .files)" != 3 ] || break
		sleep 0.02
	done
	same '[false,16777216,3]' "$(of a '[.mounted, .quota_bytes, .files]')"
	run ! grep -q "$box/workspaces/a" /proc/mounts
	# Whatever it is asked for now, its files are what they were.
	run -0 lb-exec --session a -- cat f
	same kept "$output"
	same '[true,16777216,3]' "$(of a '[.mounted, .quota_bytes, .files]')"
}

@test "without a loop device a file system is no empty folder" {
	hard_quota
	need mount
	lb-exec --session a --quota 16M -- sh -c 'echo kept > f'
	idle a 301
	lb-box reap
	run --separate-stderr unshare -m sh -c 'mount -t tmpfs none /sys/block &&
		mount --bind /dev/null /dev/loop-control && exec "$@"' sh \
		lb-exec --session a --quota 16M -- cat f
	same 69 "$status"
	[[ $stderr == "lb-exec: cannot have the files of session 'a': no loop device for '$box/sessions/a/workspace.img': "* ]]
	run -0 lb-exec --session a -- cat f
	same kept "$output"
}

@test "one that a sandbox has mounted still is not mounted a second time beside it" {
	hard_quota
	lb-exec --session a --quota 16M -- sh -c 'echo one > f'
	# Another mount namespace keeps it when ours lets go.
	unshare -m --propagation private sh -c 'echo > up; sleep 60' 3>&- &
	pids+=($!)
	until [ -e up ]; do sleep 0.02; done
	idle a 301
	same '{"ended":"session","name":"a"}' "$(lb-box reap)"
	grep -q "$box/workspaces/a" "/proc/$!/mounts"
	run -0 lb-exec --session a -- sh -c 'cat f; echo two > f'
	same one "$output"
	same 1 "$(cat /sys/block/loop*/loop/backing_file | grep -c "^$box/sessions/a/workspace.img$")"
	run -0 lb-exec --session a -- cat f
	same two "$output"
}

@test "what is mounted over a workspace and is not ours stays" {
	hard_quota
	lb-exec --session a --quota 16M -- true
	lb-exec --session b -- true
	idle a 301
	idle b 301
	mount -t tmpfs none "$box/workspaces/b"
	same '"a" "b"' "$(lb-box reap | jq .name | sort | xargs -d '\n')"
	grep -q "^none $box/workspaces/b tmpfs" /proc/mounts
	umount "$box/workspaces/b"
	# Nor is it if it is a file system of the same kind.
	cp "$box/sessions/a/workspace.img" other.img
	mount -o loop other.img "$box/workspaces/a"
	lb-box reap
	grep -q "^/dev/loop.* $box/workspaces/a ext4" /proc/mounts
	umount "$box/workspaces/a"
}

@test "one that is used, or persistent, or whose time is not over, stays alive" {
	lb-box create --persistent kept
	busy used
	lb-exec --session young -- true
	idle kept 999
	idle used 999
	same '[true,false]' "$(of used '[.in_use, .persistent]')"
	same '[false,true]' "$(of kept '[.in_use, .persistent]')"
	same '' "$(lb-box reap)"
	rest
	printf 'box: {session_ttl: 50}\n' > "$LB_CONFIG"
	idle young 51
	same '{"ended":"session","name":"young"}' "$(lb-box reap)"
	printf 'box: {session_ttl: none}\n' > "$LB_CONFIG"
	idle used 99999
	same '' "$(lb-box reap)"
}

@test "a record may say that its session is persistent" {
	echo '{"kind":"exec","session_id":"a","cmd":"true","persistent":true}' |
		lb-exec --records > out
	same true "$(jq .ok out)"
	same true "$(of a .persistent)"
	idle a 999
	same '' "$(lb-box reap)"
}

@test "whoever runs a command ends idle ones, at most every 30 s" {
	lb-exec --session a -- true
	idle a 301
	lb-exec --session b -- true
	[ -e "$box/alive/a" ]
	touch -d "@$(($(date +%s) - 31))" "$box/reaped"
	lb-exec --session b -- true
	[ ! -e "$box/alive/a" ]
	[ -e "$box/alive/b" ]
	# A clock that went back does not keep it from looking.
	idle b 301
	touch -d "@$(($(date +%s) + 9999))" "$box/reaped"
	lb-exec -- true
	[ ! -e "$box/alive/b" ]
}

@test "no more are alive than may be; those that are idle make room" {
	printf 'box: {limits: {max_sessions: 2}}\n' > "$LB_CONFIG"
	lb-exec --session a -- true
	lb-exec --session b -- true
	lb-exec --session c -- true
	same 3 "$(lb-box sessions | wc -l)"
	busy a
	busy b
	run --separate-stderr -75 lb-exec --session c -- true
	same "lb-exec: as many sessions of the sandbox are alive as may be (box.limits.max_sessions: 2); try again when one has ended, see 'lb-box sessions', or allow more" \
		"$stderr"
	run -75 lb-box create d
	[ ! -e "$box/sessions/d" ]
	# They are others' sessions that are counted, not commands.
	run -0 lb-exec --session a -- cat f
	same begun "$output"
	run -0 lb-exec -- true
	run -0 bash -c 'echo "{\"kind\":\"exec\",\"session_id\":\"c\",\"cmd\":\"true\"}" |
		lb-exec --records 2> /dev/null || true'
	same 'error lost true' "$(jq -r '[.kind, .code, .retryable] | join(" ")' <<< "$output")"
	rest
	run -0 lb-exec --session c -- true
}

@test "a file system that is mounted counts until it is idle" {
	hard_quota
	printf 'box: {limits: {max_sessions: 1}}\n' > "$LB_CONFIG"
	lb-exec --session a --quota 16M -- sh -c 'echo kept > f'
	run -75 lb-exec --session b -- true
	idle a 301
	run -0 lb-exec --session b -- true
	run -0 lb-exec --session a -- cat f
	same kept "$output"
}

@test "max_sessions 0 is none at all; a sandbox without a session is none" {
	printf 'box: {limits: {max_sessions: 0}}\n' > "$LB_CONFIG"
	run --separate-stderr -77 lb-exec --session a -- true
	same "lb-exec: no session of the sandbox may be created here (box.limits.max_sessions: 0)" \
		"$stderr"
	[ ! -e "$box/sessions/a" ]
	run -0 lb-exec -- true
	run -77 lb-box create a
	run --separate-stderr ! lb-tool call --session a glob '{"pattern":"*"}'
}

@test "many at once are as many as may be" {
	printf 'box: {limits: {max_sessions: 3}}\n' > "$LB_CONFIG"
	for i in {1..12}; do
		echo "{\"kind\":\"exec\",\"session_id\":\"s$i\",\"cmd\":\"sleep 0.5\"}"
	done > in
	lb-exec --records -j 12 < in > out 2> err || true
	same 12 "$(wc -l < out)"
	same 3 "$(jq -c 'select(.kind == "result")' out | wc -l)"
	same 9 "$(jq -c 'select(.code == "lost")' out | wc -l)"
}

@test "gc removes files that nobody used for long, where it is told to" {
	lb-exec --session old -- sh -c 'echo x > f'
	lb-exec --session new -- true
	idle old $((8 * 86400))
	same '' "$(lb-box gc)"
	printf 'box: {workspace_retention_days: 7}\n' > "$LB_CONFIG"
	idle new $((6 * 86400))
	same '{"ended":"files","name":"old"}' "$(lb-box gc)"
	[ ! -e "$box/workspaces/old" ]
	same '"new"' "$(lb-box sessions | jq .session)"
	busy new
	idle new $((9 * 86400))
	same '' "$(lb-box gc)"
	rest
	idle new $((9 * 86400))
	same '[{"what":"idle sandboxes","removed":1},{"what":"workspaces","removed":1}]' \
		"$(lb-run gc | jq -sc 'map(select(.what | test("sandboxes|workspaces")))')"
	same '' "$(lb-box sessions)"
}

@test "what was left half made is removed, and nothing else" {
	lb-exec --session a -- true
	mkdir -p "$box/sessions/half" "$box/sessions/young" "$box/sessions/a/new"
	touch "$box/sessions/young/use" "$box/sessions/a/workspace.img.new.77"
	touch -d '1 hour ago' "$box/sessions/half/use"
	mkdir "$box/etc-0123456789abcdef" "$box/etc-0123456789abcde0.new" "$box/other"
	same $'copy /etc\nleftover a\nleftover half' \
		"$(lb-box reap | jq -r '.ended + " " + .name' | sort)"
	[ ! -e "$box/sessions/half" ]
	[ ! -e "$box/sessions/a/new" ]
	[ ! -e "$box/sessions/a/workspace.img.new.77" ]
	[ -e "$box/sessions/young" ]
	# A copy of /etc may be in use for a day.
	[ -e "$box/etc-0123456789abcdef" ]
	[ -e "$box/other" ]
	lb-exec --session a -- true
}

@test "a user id of no session is free again" {
	need root
	lb-exec --session a -- true
	uid=$(readlink "$box"/uids/* > /dev/null && ls "$box/uids")
	ln -s gone "$box/uids/222222"
	same '{"ended":"user","name":"222222"}' "$(lb-box reap)"
	same "$uid" "$(ls "$box/uids")"
	[ ! -e "$box/sessions/gone" ]
}

@test "what belongs to somebody else is left alone, and said" {
	need root
	lb-exec --session a -- true
	chown 12345 "$box"
	run -77 lb-box reap
	same "lb-box: the folder of sandboxes '$box' belongs to user 12345, not to who runs this" "$output"
	run -77 lb-box sessions
	chown 0 "$box"
}

@test "status says what runs, how many there are, and what limits them" {
	printf 'box: {limits: {max_sessions: 9}}\n' > "$LB_CONFIG"
	lb-box create a b
	lb-box create --persistent c
	busy a
	run -0 lb-box status
	same '["bubblewrap",true,true]' "$(jq -c '[.backend, .enabled, .available]' <<< "$output")"
	same '{"all":3,"alive":1,"in_use":1,"mounted":0,"persistent":1}' \
		"$(jq -c .sessions <<< "$output")"
	same '[9,"300s"]' "$(jq -c '.limits | [."box.limits.max_sessions", ."box.session_ttl"]' <<< "$output")"
	printf 'box: {enabled: false}\n' > "$LB_CONFIG"
	run -1 lb-box status
	same false "$(jq -c .available <<< "$output")"
}

@test "sessions are sorted, with their sizes; on a terminal for people" {
	lb-exec --session b -- sh -c 'head -c 100000 /dev/zero > f'
	lb-exec --session a -- true
	busy c
	same '"a" "b" "c"' "$(lb-box sessions | jq .session | xargs -d '\n')"
	same '"c"' "$(lb-box sessions --alive | jq .session)"
	same true "$(of b '.bytes >= 100000 and .files == 3')"
	same "$box/workspaces/b" "$(of b .workspace | jq -r .)"
	need terminal script
	run -0 script -qec 'lb-box sessions; lb-box status' /dev/null
	[[ ${lines[0]} == "session  used "*"quota"*"last_used"*"in_use"* ]]
	[[ ${lines[2]} == "b        "*K*" 3 "* ]]
	[[ $output == *"sessions in_use "*" 1"* ]]
}
