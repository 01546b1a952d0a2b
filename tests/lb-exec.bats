#!/usr/bin/env bats

# lb-exec: one command in a sandbox, as if it were run here; exec records. Run
# as root and as anybody else: both have to hold.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
}

# A file or folder that an ordinary user owns, also when root runs the tests.
ours() {
	[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$@"
}

# result FILTER - of the one result that is in $output.
result() {
	jq -r "$1" <<< "$output"
}

# exec_record CMD [MEMBERS] - a line.
exec_record() {
	jq -cn --arg cmd "$1" --argjson more "${2:-{\}}" \
		'{kind: "exec", cmd: $cmd} + $more'
}

# gone MARK - no process here has MARK in its arguments any more.
gone() {
	local i
	for ((i = 0; i < 100; i++)); do
		pgrep -f "[${1:0:1}]${1:1}" > /dev/null || return 0
		sleep 0.02
	done
	echo "a process with $1 is left"
	return 1
}

# ms COMMAND... - how long it takes, in $took; its status in $status.
ms() {
	local begun
	begun=$(date +%s%3N)
	status=0
	"$@" > out 2> err || status=$?
	took=$(($(date +%s%3N) - begun))
}

@test "the command's output, errors and status are its own" {
	run --separate-stderr -7 lb-exec -- sh -c 'echo out; echo err >&2; exit 7'
	same out "$output"
	same err "$stderr"
	run -0 lb-exec true
	run -1 lb-exec -- sh -c 'exit 1'
	run -255 lb-exec -- sh -c 'exit 255'
}

@test "a signal is 128 and its number" {
	run -137 lb-exec -- sh -c 'kill -9 $$'
	run -143 lb-exec -- sh -c 'kill $$'
}

@test "options end at the command; its own are its own" {
	run -0 lb-exec echo -n --json -t
	same '--json -t' "$output"
	run -0 lb-exec -- echo -- x
	same '-- x' "$output"
}

@test "a program that is not there is 127, one that cannot be run 126" {
	run -127 lb-exec -- no-such-program
	same "lb-exec: cannot run no-such-program: No such file or directory" "$output"
	run -126 lb-exec -- /etc/passwd
	same "lb-exec: cannot run /etc/passwd: Permission denied" "$output"
	run -127 lb-exec --workdir /workspace/deep -- no-such-program
	run -127 --separate-stderr lb-exec --json -- no-such-program
	same 'error not_found' "$(result '.kind + " " + .code')"
}

@test "a command that speaks as bubblewrap does is heard" {
	run -3 lb-exec -- sh -c 'echo "bwrap: execvp x: No such file" >&2; exit 3'
	same 'bwrap: execvp x: No such file' "$output"
	head -c 10000 /dev/zero | tr '\0' x > want
	lb-exec -- sh -c "printf 'bwrap: ' >&2; head -c 10000 /dev/zero |
		tr '\\0' x >&2" 2> got
	same "bwrap: $(cat want)" "$(cat got)"
}

@test "the command line that is wrong is 64" {
	for line in '' '--records -- true' '--records -i' '--json -i -- true' \
		'-w . --session s -- true' '--require sleep -- true' \
		'--timeout 0 -- true' '--cpus 0 -- true' '--cpus x -- true' \
		'--memory 1k -- true' '--status-fd 77 -- true' \
		'--status-fd x -- true' '--env NOT_SET_HERE -- true' \
		'--env 1A=b -- true' '--env A-B=c -- true' '--network maybe -- true' \
		'--profile none -- true' '--mount /tmp -- true' \
		'--skill x -- true' '-w /no/such -- true' '-i -- true' \
		'--workdir relative -- true' '--max-out 0 -- true'; do
		# shellcheck disable=SC2086 # words
		run lb-exec $line
		[ "$status" -eq 64 ] || { echo "$status: $line: $output"; return 1; }
		[[ $output == lb-exec:* ]]
	done
}

@test "a configuration that is wrong is 78" {
	echo 'box: {enabled: perhaps}' > "$LB_CONFIG"
	run -78 lb-exec -- true
	run -78 lb-exec --records
}

@test "standard input is passed on, whatever it is" {
	same piped "$(echo piped | lb-exec -- cat)"
	same piped "$(echo piped | lb-exec -- cat /dev/stdin)"
	seq 50000 > file
	lb-exec -- cat < file | cmp - file
	same '' "$(lb-exec -- cat < /dev/null)"
	same '' "$(lb-exec -- cat <&-)"
	# What does not read it does not hold it up.
	seq 100000 | lb-exec -- true
}

@test "what the command does not read is there for who comes next" {
	[ "$(id -u)" -ne 0 ] || skip "a pipe of root's is copied"
	same '1 2' "$({ lb-exec -- sh -c 'read x; printf "$x "'; read -r y
		echo "$y"; } < <(printf '1\n2\n'))"
}

@test "what it was given can be opened anew by its names" {
	run --separate-stderr -0 lb-exec -- sh -c 'echo o > /dev/stdout
		echo e > /dev/stderr; echo x > /proc/self/fd/1'
	same 'o
x' "$output"
	same e "$stderr"
}

@test "a reader that leaves ends the command, quietly" {
	run -141 --separate-stderr bash -c 'lb-exec -t 20s -- yes | head -n 1
		exit ${PIPESTATUS[0]}'
	same y "$output"
	same '' "$stderr"
}

@test "a slow reader loses nothing" {
	seq 200000 > want
	lb-exec -- cat < want | { sleep 0.4; cmp - want; }
}

@test "output that cannot be written is said and is 125" {
	run -125 bash -c 'lb-exec -- echo x > /dev/full'
	same 'lb-exec: cannot write standard output: No space left on device' "$output"
	run -125 bash -c 'lb-exec --json -- echo x > /dev/full'
	same 'lb-exec: cannot write output: No space left on device' "$output"
}

@test "the environment is a clean one, with what is given by name" {
	export OPENAI_API_KEY=sk-secret OTHER=thing LB_STATE
	run -0 lb-exec --env A=1 --env OTHER --env 'B=x=y z' -- env
	[[ $output != *sk-secret* && $output != *LB_STATE* ]]
	[[ $'\n'$output == *$'\nA=1'* && $output == *OTHER=thing* ]]
	[[ $output == *'B=x=y z'* && $output == *$'\nCI=1'* ]]
	for one in NO_COLOR=1 PAGER=cat GIT_TERMINAL_PROMPT=0 TERM=dumb; do
		grep -qx "$one" <<< "$output"
	done
	run ! lb-exec -- grep -rqs sk-secret /proc/1/environ /proc/self/environ
}

@test "descriptors of ours are not the command's" {
	exec 9< "$BATS_TEST_FILENAME"
	run -0 lb-exec -- sh -c 'ls /proc/self/fd | tr "\n" " "'
	same '0 1 2 3 ' "$output" # 3 is what ls looks at
	exec 9<&-
}

@test "it is nobody of weight, in a place of its own" {
	run -0 lb-exec -- sh -c 'id -u; pwd; hostname; ls /home
		grep -c : /proc/net/dev; grep CapEff /proc/self/status' 2> err
	same "1000
/workspace
sandbox
ls: cannot access '/home': No such file or directory
1
CapEff:	0000000000000000" "$output"
}
