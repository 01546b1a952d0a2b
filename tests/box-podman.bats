#!/usr/bin/env bats

# podman as what keeps commands apart: the same as in bubblewrap, and by an
# engine that is told what to do and looked at whether it did.

load helper
load engine

setup_file() {
	start_engine
}

teardown_file() {
	stop_engine
}

setup() {
	exec < /dev/null
	needs_engine
	cd "$BATS_TEST_TMPDIR"
	configure_engine podman podman --root "$BATS_FILE_TMPDIR/storage" \
		--runroot "$BATS_FILE_TMPDIR/run"
}

teardown() {
	local one
	for one in "$LB_STATE"/box/workspaces/*; do
		! mountpoint -q "$one" || umount "$one"
	done
}

@test "output, errors, input and status are the command's own" {
	run --separate-stderr -7 lb-exec -- sh -c 'echo out; echo err >&2; exit 7'
	same out "$output"
	same err "$stderr"
	same piped "$(echo piped | lb-exec -- cat)"
	run -125 lb-exec -- sh -c 'exit 125'
	run -137 lb-exec -- sh -c 'kill -9 $$'
	run --separate-stderr -0 lb-exec --json -- sh -c 'echo a; echo b >&2'
	same '["result",null,"podman","completed",0,"a\n","b\n",true,"cgroup"]' \
		"$(jq -c '[.kind, .session_id, .backend, .status, .exit_code, .stdout,
			.stderr, .isolated, .limits_backend]' <<< "$output")"
	nothing_left
}

@test "nobody inside is root, or could become it, or reaches anybody" {
	run -0 lb-exec -- sh -c 'id -u; id -G; grep -E "^(Cap|NoNew|Seccomp:)" /proc/self/status
		ls /sys; touch /x /etc/x /usr/x 2>&1; grep -v lo: /proc/net/dev | tail -n +3
		ls -A /proc/1/fd > /dev/null 2>&1 && cat /proc/1/cmdline | tr "\0" " "'
	[[ ${lines[0]} =~ ^[1-9][0-9]+$ ]]
	same "${lines[0]}" "${lines[1]}"
	for cap in Inh Prm Eff Bnd Amb; do
		[[ $output == *"Cap$cap:"$'\t'"0000000000000000"* ]]
	done
	[[ $output == *$'NoNewPrivs:\t1'* && $output == *$'Seccomp:\t2'* ]]
	same 3 "$(grep -c 'Read-only file system' <<< "$output")"
	[[ $output != *kernel* && $output != *eth0* ]]
}

@test "what is in our environment stays outside, what is asked for gets in" {
	export LB_API_KEY=secret-1 FOO=bar
	run -0 lb-exec --env FOO --env "ODD=it's \"\$x\"; \\ ü" -- env
	[[ $output != *secret-1* ]]
	[[ $output == *FOO=bar* && $output == *"ODD=it's \"\$x\"; \\ ü"* ]]
	[[ $output == *LANG=C.UTF-8* && $output == *HOME=/tmp* ]]
	run -0 lb-exec -- sh -c 'tr "\0" "\n" < /proc/1/environ; cat /run/lb/start'
	[[ $output != *secret-1* ]]
}

@test "a session's files stay, its own, and are those that the file tools see" {
	lb-exec --session a -- sh -c 'echo one > f; echo two > ~/g; echo $HOME'
	same one "$(lb-exec --session a -- cat f)"
	same two "$(lb-exec --session a -- cat /workspace/.home/g)"
	run -1 lb-exec --session b -- cat f
	run -0 lb-tool call read '{"path": "/workspace/f"}' --session a
	[[ $output == *one* ]]
	same "$(stat -c %u "$LB_STATE/box/workspaces/a")" \
		"$(stat -c %u "$LB_STATE/box/workspaces/a/f")"
	[ "$(stat -c %u "$LB_STATE/box/workspaces/a/f")" -ge 200000 ]
}

@test "a folder that is not there is made, and arguments are what they are" {
	same /workspace/a/b "$(lb-exec --session a --workdir /workspace/a/b -- sh -c pwd)"
	run -0 lb-exec -- printf '<%s>' "a'b" '' '$(id)' $'x\ny' '-n' '*'
	same "<a'b><><\$(id)><x
y><-n><*>" "$output"
	head -c 300000 /dev/zero | tr '\0' x > long
	run -0 lb-exec --records < <(jq -cRs '{kind: "exec", id: "1",
		cmd: ("echo " + . + " | wc -c")}' long)
	same '300001' "$(jq -r .stdout <<< "$output" | head -n 1)"
}

@test "skills are read-only, and nobody moves them away" {
	mkdir -p skills/demo
	echo words > skills/demo/SKILL.md
	run -0 lb-exec --session a --skill "demo=$PWD/skills/demo" -- sh -c \
		'cat .skills/demo/SKILL.md; echo x > .skills/demo/x; mv .skills y; rm -r .skills; true'
	same words "${lines[0]}"
	[ ! -e skills/demo/x ]
	[ -d "$LB_STATE/box/workspaces/a/.skills" ]
	same words "$(lb-exec --skill "demo=$PWD/skills/demo" -- cat .skills/demo/SKILL.md)"
}

@test "when its time is over all of it is gone" {
	run --separate-stderr -124 lb-exec -t 2 -- sh -c \
		'trap "" TERM; (setsid sleep 4711 &); sleep 4711'
	same "lb-exec: it was killed: its 2 s are over" "$stderr"
	! sleeps 4711
	nothing_left
}

@test "who is killed leaves nothing, and whoever tends it neither" {
	lb-exec -t 100 -- sleep 4712 > out 2>&1 3>&- &
	local pid=$!
	comes sleeps 4712
	kill -9 "$pid"
	comes eval '! sleeps 4712'
	nothing_left
	# nobody is left to tidy up: the next one does
	lb-exec -t 100 -- sleep 4713 > out 2>&1 3>&- &
	pid=$!
	comes sleeps 4713
	local tender
	tender=$(pgrep -P "$pid" -x lb-tender)
	kill -9 "$pid" "$tender"
	sleeps 4713
	lb-exec -- true
	! sleeps 4713
	nothing_left
}

@test "containers of others, and of another state, stay" {
	podman_of_ours --cgroup-manager cgroupfs --events-backend file \
		--runtime "$(engine_runtime)" run -d --name lb-mine --network none \
		--ulimit nofile=1024:1024 --ulimit nproc=4096:4096 \
		"$ENGINE_IMAGE" sleep 4714 > /dev/null 2>&1 3>&-
	lb-exec -t 100 -- sleep 4715 > out 2>&1 3>&- &
	local pid=$!
	comes sleeps 4715
	LB_STATE=$BATS_TEST_TMPDIR/other lb-exec -- true
	lb-exec -- true
	sleeps 4714
	sleeps 4715
	kill "$pid"
	comes eval '! sleeps 4715'
	sleeps 4714
	podman_of_ours rm -f -t 0 lb-mine > /dev/null
}

@test "memory and processes have their limits, and it is said" {
	run --separate-stderr -137 lb-exec --memory 64M -- \
		python3 -c 'x = bytearray(300 << 20)'
	[[ $stderr == *"more than 64 MiB of memory"* ]]
	run --separate-stderr -137 lb-exec --json --memory 64M -- \
		python3 -c 'x = bytearray(300 << 20)'
	same '["memory","cgroup"]' "$(jq -c '[.killed_by, .limits_backend]' <<< "$output")"
	run lb-exec --pids 10 -- sh -c \
		'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 2 & done 2>&1; wait'
	[[ $output == *"Cannot fork"* || $output == *"Resource temporarily"* ]]
	lb-exec --require cgroup -- true
	run -0 lb-exec --json -- sh -c 'head -c 80000000 /dev/zero | tr "\0" x'
	same '"output"' "$(jq -c .killed_by <<< "$output")"
	run --separate-stderr lb-exec --json --session q --quota 20M -- sh -c \
		'i=0; while [ $i -lt 60 ]; do head -c 1000000 /dev/zero > f$i || exit 9; i=$((i+1)); sleep 0.02; done'
	[ "$(jq -r '.killed_by // .exit_code' <<< "$output")" != 0 ]
	nothing_left
}

@test "an image that is not there, or that nobody allowed" {
	export LB__BOX__LOCAL__IMAGE=localhost/nosuch
	run --separate-stderr -69 lb-exec -- true
	same "lb-exec: there is no sandbox: podman failed: localhost/nosuch: image not known; 'lb-box doctor' says more" "$stderr"
	unset LB__BOX__LOCAL__IMAGE
	jq '.box.local.image = ""' "$LB_CONFIG" > none
	run --separate-stderr -78 lb-exec -c none -- true
	[[ $stderr == "lb-exec: there is no image for this engine: "* ]]
	job='{"kind":"exec","id":"1","cmd":"echo yes","image":"localhost/other"}'
	run --separate-stderr -77 lb-exec --records <<< "$job"
	[[ $stderr == *"image 'localhost/other' is neither box.local.image nor one of box.allowed_images" ]]
	podman_of_ours tag "$ENGINE_IMAGE" localhost/other
	export LB__BOX__ALLOWED_IMAGES=localhost/other
	run --separate-stderr -0 lb-exec --records <<< "$job"
	same yes "$(jq -r .stdout <<< "$output")"
	nothing_left
}

@test "an engine that is not there, or fails, is one line" {
	export LB__BOX__PODMAN__COMMAND=/nonexistent/podman
	run --separate-stderr -69 lb-exec -- true
	same "lb-exec: there is no sandbox: podman failed: cannot start '/nonexistent/podman': No such file or directory; 'lb-box doctor' says more" "$stderr"
	LB__BOX__PODMAN__COMMAND=$(an_engine 'echo "a warning" >&2; echo "Error: no luck today" >&2; exit 125')
	run --separate-stderr -69 lb-exec -- true
	same "lb-exec: there is no sandbox: podman failed: no luck today; 'lb-box doctor' says more" "$stderr"
	LB__BOX__PODMAN__COMMAND=$(an_engine 'exit 0')
	run --separate-stderr -69 lb-exec -- true
	same "lb-exec: there is no sandbox: podman failed: it said nothing; 'lb-box doctor' says more" "$stderr"
	nothing_left
}

@test "what the engine says of itself is not the command's" {
	LB__BOX__PODMAN__COMMAND=$(an_engine 'echo "WARN[0000] old news" >&2')
	export LB__BOX__PODMAN__COMMAND
	run --separate-stderr -3 lb-exec -- sh -c 'echo mine >&2; exit 3'
	same mine "$stderr"
	run --separate-stderr -0 lb-exec --json -- sh -c 'echo mine >&2'
	same mine "$(jq -r .stderr <<< "$output")"
}

@test "nothing of the engine's is shown of one that was killed before it began" {
	LB__BOX__PODMAN__COMMAND=$(an_engine 'echo "WARN[0000] old news" >&2
		case " $* " in *" run "*) sleep 30 ;; esac')
	export LB__BOX__PODMAN__COMMAND
	run --separate-stderr -124 lb-exec -t 1 -- true
	same "" "$output"
	same "lb-exec: it was killed: its 1 s are over" "$stderr"
	nothing_left
}

@test "a container that never says that it is there is removed, too" {
	LB__BOX__PODMAN__COMMAND=$(an_engine '
		for a; do shift; case $a in /run/lb/start) set -- "$@" -c "sleep 4760; true" ;; *) set -- "$@" "$a" ;; esac; done')
	export LB__BOX__PODMAN__COMMAND
	run --separate-stderr -124 lb-exec -t 3 -- true
	! sleeps 4760
	nothing_left
}

@test "an engine that does otherwise than it was told runs nothing" {
	local left why
	while IFS='|' read -r left why; do
		LB__BOX__PODMAN__COMMAND=$(an_engine "
			for a; do shift; case \$a in $left) ;; *) set -- \"\$@\" \"\$a\" ;; esac; done")
		export LB__BOX__PODMAN__COMMAND
		run --separate-stderr -69 lb-exec -- sh -c 'echo RAN'
		same "" "$output"
		same "lb-exec: there is no sandbox: what the engine made is not closed: $why; nothing was run" "$stderr"
	done <<-'END'
		--cap-drop=*|it has capabilities
		--security-opt=no-new*|it could get privileges
		--user=*|it is somebody else than it should be
	END
	LB__BOX__PODMAN__COMMAND=$(an_engine '
		for a; do shift; case $a in *seccomp=*) a=--security-opt=seccomp=unconfined ;; esac; set -- "$@" "$a"; done')
	run --separate-stderr -69 lb-exec -- sh -c 'echo RAN'
	same "" "$output"
	[[ $stderr == *"its system calls are not filtered; nothing was run" ]]
	nothing_left
}

@test "a folder that was changed while it was mounted is not used" {
	mkdir -p proj/sub secret
	echo hidden > secret/f
	chown -R 65534 proj
	LB__BOX__PODMAN__COMMAND=$(an_engine "
		case \" \$* \" in *' run '*)
			mv '$PWD/proj/sub' '$PWD/proj/was'; ln -s '$PWD/secret' '$PWD/proj/sub' ;; esac")
	export LB__BOX__PODMAN__COMMAND
	run --separate-stderr -77 lb-exec --mount "$PWD/proj/sub:/mnt/x:ro" -- cat /mnt/x/f
	same "" "$output"
	same "lb-exec: '$PWD/proj/sub' was changed while it was mounted; nothing was run" "$stderr"
	nothing_left
}

@test "a terminal is the command's own" {
	need script
	run script -qec "lb-exec -i -- sh -c 'test -t 0 && test -t 1 && echo \$TERM; read x; echo got \$x'" \
		/dev/null <<< hello
	[[ $output == *xterm* && $output == *"got hello"* ]]
	nothing_left
}

@test "doctor says of each engine whether it is there, and its image" {
	run lb-box doctor
	[[ $(jq -r 'select(.check == "podman") | .text' <<< "$output") == "podman version "*" has image '$ENGINE_IMAGE'" ]]
	LB__BOX__LOCAL__IMAGE=localhost/nosuch run -69 lb-box doctor
	same '["missing","no image is ever fetched: '"'podman pull localhost/nosuch'"' does it"]' \
		"$(jq -c 'select(.check == "podman") | [.state, .advice]' <<< "$output")"
	LB__BOX__PODMAN__COMMAND=/nonexistent run -69 lb-box doctor
	same '["missing","not here"]' \
		"$(jq -c 'select(.check == "podman") | [.state, .text]' <<< "$output")"
	same '["ok","not here, and not needed"]' \
		"$(LB__BOX__NSJAIL__COMMAND=/nonexistent lb-box doctor |
			jq -c 'select(.check == "nsjail") | [.state, .text]')"
}

@test "local: bubblewrap where it works, else podman where the image is" {
	need mount
	jq '.box.backend = "local"' "$LB_CONFIG" > new
	mv new "$LB_CONFIG"
	same bubblewrap "$(lb-exec --json -- true | jq -r .backend)"
	# without_bwrap COMMAND... - where there is none.
	without_bwrap() {
		unshare -m sh -c 'mount --bind /bin/false /usr/bin/bwrap; exec "$@"' - "$@"
	}
	same podman "$(without_bwrap lb-exec --json -- true | jq -r .backend)"
	run without_bwrap lb-box doctor
	[[ $output == *'"sandbox","state":"ok","text":"podman: a sandbox starts"'* ]]
	# nothing that could stand in: the reason is bubblewrap's
	export LB__BOX__LOCAL__IMAGE=localhost/nosuch
	run -69 --separate-stderr without_bwrap lb-exec -- true
	[[ $stderr == *bubblewrap* ]]
}

@test "bwrap by name is bubblewrap, and nothing stands in for what is named" {
	jq '.box.backend = "bwrap"' "$LB_CONFIG" > new
	mv new "$LB_CONFIG"
	same bubblewrap "$(lb-exec --json -- true | jq -r .backend)"
	run -69 --separate-stderr unshare -m sh -c \
		'mount --bind /bin/false /usr/bin/bwrap; exec lb-exec -- true'
	[[ $stderr == *bubblewrap* ]]
}

@test "files of a message come into it, and those of the answer go out" {
	local config
	config=$(jq '. + {bots: {shop: {adapter: "jsonl", "trust-sender": true}},
		admins: ["shop:person_boss"],
		pipelines: {default: {ai: {"local-agent": {tools: ["exec"]}}}}}' "$LB_CONFIG")
	echo "$config" > "$LB_CONFIG"
	jq -cn '{sender: "boss", chain: [{type: "Plain", text: ("call exec " +
		({command: "cat /workspace/inbox/*/f > $LB_OUTBOX/copy; id -u"} | tojson) + "\n")},
		{type: "File", name: "f", base64: "aGkK"}]}' |
		lb-ingest --bot shop jsonl | lb-pipeline | LB_MODEL=offline:tools lb-agent > got
	same '["copy",3]' "$(jq -c 'select(.kind == "reply").chain[1] | [.name, .size]' got)"
	same hi "$(cat "$(jq -r 'select(.kind == "reply").chain[1].path' got)")"
}
