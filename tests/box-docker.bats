#!/usr/bin/env bats

# docker as what keeps commands apart. Where no daemon answers, its command line
# is held against what we know it to take, and podman, which takes the same, does
# what it is told.

load helper
load engine

setup_file() {
	docker info > /dev/null 2>&1 || start_engine
}

teardown_file() {
	docker info > /dev/null 2>&1 || stop_engine
}

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	need root
	if docker info > /dev/null 2>&1; then
		docker image inspect "$ENGINE_IMAGE" > /dev/null 2>&1 || import_image
		configure_engine docker docker
	else
		needs_engine
		configure_engine docker "$(a_docker)"
	fi
}

import_image() {
	sh "$BATS_TEST_DIRNAME/image.sh" root
	tar -C root -cf - . | docker import - "$ENGINE_IMAGE" > /dev/null
}

# a_docker - a program that keeps what it was asked, refuses what docker would,
# and has podman do the rest.
a_docker() {
	an_engine "
		shift 4
		printf '%s\n' \"\$@\" > '$BATS_TEST_TMPDIR/asked'-\$1
		python3 '$BATS_TEST_DIRNAME/doubles/docker.py' \"\$@\" || exit 125
		set -- --root '$BATS_FILE_TMPDIR/storage' --runroot '$BATS_FILE_TMPDIR/run' \
			--cgroup-manager cgroupfs --events-backend file --runtime '$(engine_runtime)' \"\$@\"
		case \$* in *runtime=*) exit 125 ;; esac"
}

@test "output, errors, input and status are the command's own" {
	run --separate-stderr -7 lb-exec -- sh -c 'echo out; echo err >&2; exit 7'
	same out "$output"
	same err "$stderr"
	same piped "$(echo piped | lb-exec -- cat)"
	run --separate-stderr -0 lb-exec --json --session s -- sh -c 'id -u; touch f'
	same '["docker",true,"cgroup"]' \
		"$(jq -c '[.backend, .isolated, .limits_backend]' <<< "$output")"
	same "$(jq -r .stdout <<< "$output")" "$(stat -c %u "$LB_STATE/box/workspaces/s/f")"
	same "" "$(ls "$LB_STATE/box/runs")"
}

@test "when its time is over, or we are killed, all of it is gone" {
	run -124 lb-exec -t 2 -- sh -c 'trap "" TERM; sleep 4740'
	! sleeps 4740
	lb-exec -t 100 -- sleep 4741 > out 2>&1 3>&- &
	local pid=$!
	comes sleeps 4741
	kill -9 "$pid"
	comes no_run
	! sleeps 4741
}

@test "what it is told is what docker takes" {
	! docker info > /dev/null 2>&1 || skip 'a daemon is there'
	mkdir -p skills/demo
	lb-exec --session s --skill "demo=$PWD/skills/demo" --memory 100M --pids 20 \
		--cpus 0.5 --env A=b -- true
	sed -e "s|$LB_STATE|STATE|; s|$PWD|HERE|; s|lb-[0-9a-f]*-[0-9a-f]*|RUN|g" \
		-e 's|=lb-[0-9a-f]*$|=ID|; s|=2[0-9]*:2[0-9]*$|=UID:UID|' asked-run > run
	grep -v -x -e --init run > got
	same "$(cat "$BATS_TEST_DIRNAME/data/box/docker-run.txt")" "$(cat got)"
	run sed "s|lb-[0-9a-f]*-[0-9a-f]*|RUN|" asked-inspect
	same $'inspect\n--type=container\n--format={{.State.Pid}}\nRUN' "$output"
	# no key, and nothing of the command, is on a command line
	! grep -q -x -e A=b -e '.*A=b.*' asked-run
	jq '.box.docker.cpu_limit_enabled = false' "$LB_CONFIG" > new
	mv new "$LB_CONFIG"
	lb-exec -- true
	! grep -q cpus asked-run
}

@test "the real docker knows all these options" {
	need docker
	! docker info > /dev/null 2>&1 || skip 'a daemon is there'
	lb-exec -- true
	mapfile -t asked < asked-run
	# it reads the profile, and without a daemon it says so
	echo '{}' > profile
	asked=("${asked[@]/seccomp=*/seccomp=$PWD/profile}")
	run docker -H "unix://$PWD/nobody" "${asked[@]}"
	[[ $output == *"annot connect to the Docker daemon"* ]]
	run docker -H "unix://$PWD/nobody" "${asked[@]:0:1}" --no-such-option
	[[ $output == *"unknown flag"* ]]
	LB__BOX__DOCKER__COMMAND="$(command -v docker),-H,unix://$PWD/nobody"
	export LB__BOX__DOCKER__COMMAND
	run --separate-stderr -69 lb-exec -- true
	[[ $stderr == "lb-exec: there is no sandbox: docker failed: "*"annot connect to the Docker daemon"* ]]
}

@test "one that refuses is one line" {
	export LB__BOX__DOCKER__RUNTIME=nosuch
	run --separate-stderr -69 lb-exec -- true
	[[ $stderr == "lb-exec: there is no sandbox: docker failed: "*"'lb-box doctor' says more" ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	unset LB__BOX__DOCKER__RUNTIME
	export LB__BOX__LOCAL__IMAGE=localhost/nosuch
	run --separate-stderr -69 lb-exec -- true
	[ "${#stderr_lines[@]}" -eq 1 ]
}
