#!/usr/bin/env bats

# nsjail as what keeps commands apart, by its command line: it is not packaged
# where these tests run. A double takes what it would take.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	# whoever it becomes has to reach it
	jail=$(mktemp -d /tmp/lb-nsjail-XXXXXX)
	chmod 777 "$jail"
	cp "$BATS_TEST_DIRNAME/doubles/nsjail" "$jail/"
	printf 'box: {backend: nsjail, nsjail: {command: [%s]}}\n' \
		"$jail/nsjail" > "$LB_CONFIG"
}

teardown() {
	rm -rf "$jail"
}

@test "output, errors, input and status are the command's own" {
	run --separate-stderr -7 lb-exec -- sh -c 'echo out; echo err >&2; exit 7'
	same out "$output"
	same err "$stderr"
	same piped "$(echo piped | lb-exec -- cat)"
	lb-exec --session s -- sh -c 'echo hi > f'
	same hi "$(lb-exec --session s -- cat f)"
	run --separate-stderr -0 lb-exec --json -- true
	same '["nsjail",true]' "$(jq -c '[.backend, .isolated]' <<< "$output")"
	same "" "$(ls "$LB_STATE/box/runs")"
}

@test "when its time is over, or we are killed, all of it is gone" {
	run -124 lb-exec -t 1 -- sh -c 'trap "" TERM; sleep 4750; true'
	! pgrep -fx '[s]leep 4750'
	lb-exec -t 100 -- sleep 4751 > out 2>&1 3>&- &
	local pid=$! i
	for ((i = 0; i < 100; i++)); do
		! pgrep -fx '[s]leep 4751' > /dev/null || break
		sleep 0.05
	done
	kill -9 "$pid"
	for ((i = 0; i < 100; i++)); do
		[ -n "$(ls "$LB_STATE/box/runs")" ] || break
		sleep 0.05
	done
	! pgrep -fx '[s]leep 4751'
	same "" "$(ls "$LB_STATE/box/runs")"
}

@test "another child of its program's is not taken for the sandbox" {
	sed -i 's/^exec bwrap/sleep 0.5 \&\n&/' "$jail/nsjail"
	run --separate-stderr -0 lb-exec -- sh -c 'echo $$'
	[ "$output" -le 3 ]
	run -124 lb-exec -t 0.1 -- sleep 4752
	! pgrep -fx '[s]leep 4752'
}

@test "what cannot be killed, as it became root, is not waited for" {
	need root
	cp "$(command -v setpriv)" "$jail/rise"
	chmod 4755 "$jail/rise"
	install -m 755 "$(command -v lb-exec)" "$jail"
	printf '#!/bin/sh\nexec %s/rise --reuid 0 --regid 0 --clear-groups sleep 4753\n' \
		"$jail" > "$jail/nsjail"
	chmod 644 "$LB_CONFIG"
	cp "$LB_CONFIG" "$jail/config"
	run -124 env LB_STATE="$jail/state" LB_CONFIG="$jail/config" \
		setpriv --reuid 61235 --regid 61235 --clear-groups \
		"$jail/lb-exec" -t 1 -- true 3>&-
	kill "$(pgrep -fx 'sleep 4753')"
	run -1 pgrep -u 61235
}

@test "what it is told, word for word" {
	mkdir -p skills/demo
	echo x > skills/demo/SKILL.md
	chmod -R 755 skills
	run -0 lb-exec --session s --skill "demo=$PWD/skills/demo" -- sh -c \
		'cat .skills/demo/SKILL.md; mv .skills y 2> /dev/null || echo stays'
	same $'x\nstays' "$output"
	sed -e "s|=/[^=]*/box/etc-[0-9a-f]*:|=ETC:|; s|=/[^=]*/workspaces/s:|=WS:|" \
		-e "s|=/[^=]*/skills/demo:|=SKILL:|; s|=/[^=]*/runs/[^/]*/in:|=RUN:|" \
		-e 's|:[0-9]*:1$|:UID:1|; s|=POLICY.*|=POLICY|' \
		-e 's|=/run/lb/box/[0-9]*:/etc|=ETC:/etc|; s|=/run/lb/box/[0-9]*:/workspace$|=WS:/workspace|' \
		-e 's|=/run/lb/box/[0-9]*:/workspace/.*|=SKILL:/workspace/.skills/demo|' \
		-e 's|=/run/lb/box/[0-9]*:/run/lb|=RUN:/run/lb|' "$jail/nsjail.asked" |
		grep -v -x -e '--symlink=.*' -e '--bindmount_ro=/lib.*' > got
	same "$(cat "$BATS_TEST_DIRNAME/data/box/nsjail.txt")" "$(cat got)"
}

@test "one that is not closed, is not there or refuses runs nothing" {
	sed -i 's/ --seccomp 9//; s/ 9< <.*//' "$jail/nsjail"
	run --separate-stderr -69 lb-exec -- sh -c 'echo RAN'
	same "" "$output"
	[[ $stderr == *"its system calls are not filtered; nothing was run" ]]
	printf '#!/bin/sh\necho "[E] no luck" >&2\nexit 255\n' > "$jail/nsjail"
	run --separate-stderr -69 lb-exec -- true
	same "lb-exec: there is no sandbox: nsjail failed: [E] no luck; 'lb-box doctor' says more" "$stderr"
	rm "$jail/nsjail"
	run --separate-stderr -69 lb-exec -- true
	[[ $stderr == *"cannot start '$jail/nsjail': No such file or directory; "* ]]
	need script
	run script -qec 'lb-exec -i -- true' /dev/null
	[[ $output == *"a sandbox of nsjail has no terminal"* ]]
}

@test "a folder in a workspace that was moved away is not mounted on" {
	lb-exec --session s -- true
	rm -r "$LB_STATE/box/workspaces/s/.skills"
	ln -s "$PWD" "$LB_STATE/box/workspaces/s/.skills"
	mkdir -p skills/demo
	chmod -R 755 skills
	lb-exec --session s --skill "demo=$PWD/skills/demo" -- true
	[ ! -e demo ]
	[ -d "$LB_STATE/box/workspaces/s/.skills" ]
}
