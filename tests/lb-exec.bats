#!/usr/bin/env bats

# lb-exec: one command in a sandbox, as if it were run here; exec records. Run
# as root and as anybody else: both have to hold.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	local one
	for one in "$LB_STATE"/box/workspaces/*; do
		! mountpoint -q "$one" || umount "$one"
	done
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

@test "a place that cannot be mounted on is no missing sandbox" {
	mkdir -p mine/folder other
	: > mine/file
	for at in none folder file; do
		source=other
		[ $at != folder ] || source=mine/file
		run -64 lb-exec -w mine:ro --mount "$source:/workspace/$at:ro" -- true
		[[ $output == "lb-exec: cannot mount at '/workspace/$at': "*"below /mnt" ]]
	done
	run -0 lb-exec -w mine:ro --mount other:/workspace/folder:ro -- true
}

@test "options end at the command; its own are its own" {
	run -0 lb-exec echo -n --json -t
	same '--json -t' "$output"
	run -0 lb-exec -- echo -- x
	same '-- x' "$output"
}

@test "a program that is not there is 127, one that cannot be run 126" {
	run -127 lb-exec -- no-such-program
	same "lb-exec: cannot run 'no-such-program': No such file or directory" "$output"
	run -126 lb-exec -- /etc/passwd
	same "lb-exec: cannot run '/etc/passwd': Permission denied" "$output"
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
		'--mount /:mnt:ro -- true' '--max-out 0 -- true'; do
		# shellcheck disable=SC2086 # words
		run lb-exec $line
		[ "$status" -eq 64 ] || { echo "$status: $line: $output"; return 1; }
		[[ $output == lb-exec:* ]]
	done
}

@test "an option that is wrong is called by its own name" {
	for line in '--network maybe: neither on nor off' '--session=: empty' \
		'--memory=1M: (MiB) is not from 32 to ' '--env=1A=b: 1A' \
		'--mount=/tmp:mnt: the target is no absolute path'; do
		# shellcheck disable=SC2086 # words
		run -64 lb-exec ${line%%: *} -- true
		[[ $output == "lb-exec: ${line%%[= ]*}"*"${line#*: }"* ]] || {
			echo "$line: $output"
			return 1
		}
		[[ $output != *field* ]]
	done
}

@test "a command line that is given as a program says what to do" {
	run -127 lb-exec 'echo a: b'
	same "lb-exec: cannot run 'echo a: b': No such file or directory; a command line is for a shell: sh -c 'COMMAND LINE'" "$output"
}

@test "a configuration that is wrong is 78, and a record where one is wanted" {
	echo 'box: {enabled: perhaps}' > "$LB_CONFIG"
	run -78 lb-exec -- true
	run -78 lb-exec --records
	run -78 --separate-stderr lb-exec --json -- true
	same 'error config' "$(result '.kind + " " + .code')"
	run -78 --separate-stderr lb-exec --status-fd 1 -- true
	same 'error config' "$(result '.kind + " " + .code')"
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

@test "output and errors that go to one place keep their order" {
	run -0 lb-exec -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo $i; echo e$i >&2; done'
	same "$(for i in 1 2 3 4 5 6 7 8 9; do echo $i; echo e$i; done)" "$output"
	run -127 lb-exec -- no-such-program
	same "lb-exec: cannot run 'no-such-program': No such file or directory" "$output"
}

@test "a reader that leaves ends the command, quietly" {
	run -141 --separate-stderr bash -c 'lb-exec -t 20s -- yes | head -n 1
		exit ${PIPESTATUS[0]}'
	same y "$output"
	same '' "$stderr"
}

@test "a slow reader loses nothing" {
	seq 200000 > want
	lb-exec -- cat < want | { sleep 0.3; cmp - want; }
	# What is left when the command has ended fits in pipes and in memory.
	seq 22000 > want
	lb-exec -- seq 22000 | { sleep 0.6; cmp - want; }
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

@test "--json is one result record, with what was really in force" {
	run -3 --separate-stderr lb-exec --json -- sh -c 'echo hi; echo no >&2; exit 3'
	same '' "$stderr"
	same 'kind session_id backend status ok exit_code stdout stdout_truncated stderr stderr_truncated duration_ms isolated limits_backend quota' \
		"$(jq -r 'keys_unsorted | join(" ")' <<< "$output")"
	same '["result",null,"bubblewrap","completed",false,3,"hi\n",false,"no\n",false,true]' \
		"$(jq -c '[.kind, .session_id, .backend, .status, .ok, .exit_code,
			.stdout, .stdout_truncated, .stderr, .stderr_truncated,
			.isolated]' <<< "$output")"
	[[ $(result .limits_backend) == @(cgroup|rlimit) ]]
	same hard "$(result .quota)"
}

@test "long output keeps its beginning and its end, and says so" {
	run -0 --separate-stderr lb-exec --json -- sh -c \
		'i=0; while [ $i -lt 10000 ]; do printf x; i=$((i + 1)); done'
	same '2376 1585 10000 true' "$(result '.stdout | split("\n\n... [6039 characters truncated] ...\n\n") |
		(map(length | tostring) | join(" "))') $(result .stdout_bytes) $(result .stdout_truncated)"
	same 3961 "$(result .stdout_kept)"
	same false "$(result .stderr_truncated)"
}

@test "text is cut between characters, --max-out says where" {
	run -0 lb-exec --json --max-out 40 -- sh -c \
		'for i in 1 2 3 4 5 6; do printf 汉汉汉汉汉汉汉汉汉汉; done'
	same '汉 true 40' "$(result '(.stdout[0:1]) + " " + (.stdout_truncated | tostring) +
		" " + (.stdout | length | tostring)')"
	[[ $output != *�* ]]
	# As text, too.
	run -0 lb-exec --max-out 60 -- seq 1000
	[[ $output == 1$'\n'*"characters truncated"*$'\n'1000 ]]
	run -0 lb-exec --json --max-out 10 -- printf '\346\261\211\346\261\211'
	same '汉汉 false' "$(result '.stdout + " " + (.stdout_truncated | tostring)')"
}

@test "what is not UTF-8 is base64, all of it or its two ends" {
	run -0 lb-exec --json -- printf 'a\377b'
	same 'base64 false' "$(result '.stdout_encoding + " " + (.stdout_truncated | tostring)')"
	same 'a377b' "$(result .stdout | base64 -d | od -An -c | tr -d ' ')"
	run -0 lb-exec --json -- head -c 150000 /dev/urandom
	same 'true 150000 4000 2400' \
		"$(result '[.stdout_truncated, .stdout_bytes, .stdout_kept, .stdout_head] | join(" ")')"
	[ "$(result .stdout | base64 -d | wc -c)" -eq 4000 ]
}

@test "what floods is read to a bound, then killed; a lot is only drained" {
	ms lb-exec --json -t 20 -- sh -c 'trap "" PIPE; head -c 2G /dev/zero; echo end >&2'
	same 137 "$status"
	same 'output false true' "$(jq -r '[.killed_by, .ok, .stdout_bytes > 67108864] | join(" ")' out)"
	[ "$took" -lt 10000 ]
	run -5 lb-exec --json -- sh -c 'head -c 30M /dev/zero; exit 5'
	same '31457280 true 5' "$(result '[.stdout_bytes, .stdout_truncated, .exit_code] | join(" ")')"
	[[ $output != *killed_by* ]]
}

@test "as it comes there is no bound on output" {
	same 104857600 "$(lb-exec -- head -c 100M /dev/zero | wc -c)"
}

@test "--status-fd tells how it ended, one record whatever happens" {
	lb-exec --status-fd 5 -- sh -c 'echo hi; exit 4' 5> status > out || [ $? -eq 4 ]
	same hi "$(cat out)"
	same 'result 4 3 0 null' "$(jq -r '[.kind, .exit_code, .stdout_bytes, .stderr_bytes,
		.stdout // "null"] | join(" ")' status)"
	lb-exec --status-fd 5 -t 200ms -- sleep 9 5> status 2> err || [ $? -eq 124 ]
	same 'timed_out null' "$(jq -r '.status + " " + (.exit_code | tostring)' status)"
	lb-exec --status-fd 5 -- no-such-program 5> status 2> err || [ $? -eq 127 ]
	same 'error not_found' "$(jq -r '.kind + " " + .code' status)"
	lb-exec --status-fd 5 -w / -- true 5> status 2> err || [ $? -eq 77 ]
	same 'error denied' "$(jq -r '.kind + " " + .code' status)"
	# The command does not have it.
	run ! lb-exec --status-fd 5 -- sh -c 'echo forged >&5' 5> status
	[ "$(wc -l < status)" -eq 1 ]
	lb-exec --status-fd 5 -- true 5> /dev/full 2> err || [ $? -eq 125 ]
	[[ $(cat err) == *'--status-fd'*'No space left'* ]]
}

@test "its time over, all of it is gone, whatever it did to stay" {
	ms lb-exec -t 1500ms -- sh -c 'sleep 987.1 & echo hi; wait'
	same "124 hi" "$status $(cat out)"
	same "lb-exec: it was killed: its 1.5 s are over" "$(cat err)"
	[ "$took" -ge 1500 ] && [ "$took" -lt 10000 ]
	ms lb-exec -t 500ms -- sh -c '(setsid setsid sleep 987.2 &)
		trap "" TERM INT HUP; (trap "" TERM; exec <&- >&- 2>&-; sleep 987.3) &
		kill -STOP $$'
	same 124 "$status"
	[ "$took" -lt 10000 ]
	gone 'sleep 987'
}

@test "what is left behind neither delays the result nor stays" {
	ms lb-exec --json -- sh -c '(setsid sleep 986 &) ; sleep 986 & echo done'
	same "0 done" "$status $(jq -r .stdout out | head -n 1)"
	[ "$took" -lt 10000 ]
	gone 'sleep 986'
	ms lb-exec -- sh -c 'setsid sh -c "sleep 985; echo late" & exit 6'
	same 6 "$status"
	[ "$took" -lt 10000 ]
	gone 'sleep 985'
}

@test "whoever ends it is not told that it was ended" {
	run -143 --separate-stderr lb-exec -- sh -c 'kill $$'
	same '' "$stderr"
	lb-exec --session s -- sh -c 'echo > on; exec sleep 986' 2> said 3>&- &
	local pid=$!
	until_true lb-exec --session s -- test -e on
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	same 143 "$status"
	same '' "$(cat said)"
	gone 'sleep 986'
}

@test "a network that is none is refused, with what could be one" {
	for network in yes '' registry; do
		run -64 lb-exec --network="$network" -- true
		same "lb-exec: --network: '$network' is neither on nor off, nor hosts such as example.org,*.example.org" \
			"$output"
	done
	run -64 lb-exec --network=http://example.org -- true
	[[ $output == "lb-exec: --network: 'http://example.org' is no host such as"* ]]
}

@test "what is asked for beyond a profile is told" {
	run -0 lb-exec -t 10m -- true
	same "lb-exec: --timeout: 600 was asked for, and profile 'default' allows at most 120" "$output"
	run -0 --separate-stderr lb-exec -t 10m --json -- true
	same '' "$stderr"
	[[ $(result '.notes[0]') == "timeout_sec: 600 was asked for"* ]]
	run -0 --separate-stderr lb-exec --profile offline_readonly --network on --json -- true
	[[ $(result '.notes[0]') == "network: \"on\" was asked for, and profile 'offline_readonly' keeps it"* ]]
	cat > "$LB_CONFIG" <<-'END'
		box: {profiles: {long: {max_timeout_sec: 9000}}, local: {profile: long}}
	END
	run -0 --separate-stderr lb-exec -t 10m --json -- true
	same null "$(result .notes)"
}

@test "without a session nothing stays, and the workspace has a size" {
	run -0 lb-exec -- sh -c 'ls -A; touch x; echo $HOME'
	same /tmp "$output"
	run -0 lb-exec -- sh -c 'ls -A; stat -f -c "%S %b" . | { read -r s b; echo $((s * b)); }'
	same 268435456 "$output"
	run -0 lb-exec --quota 32M -- sh -c 'head -c 40M /dev/zero > x; wc -c < x'
	[[ $output == *33554432 ]]
	[ ! -e "$LB_STATE/box/workspaces" ]
}

@test "a session's files, programs and home stay; those of others are others'" {
	lb-exec --session a -- sh -c 'echo 1 > f; mkdir -p ~/.local/bin
		printf "#!/bin/sh\necho mine\n" > ~/.local/bin/tool
		chmod +x ~/.local/bin/tool; echo $HOME > home'
	run -0 lb-exec --session a -- sh -c 'cat f home; ~/.local/bin/tool'
	same '1
/workspace/.home
mine' "$output"
	run -0 lb-exec --session b -- ls
	same '' "$output"
	# Nothing that looks like another's name is that name.
	lb-exec --session 'a/../b' -- touch deep
	lb-exec --session 'A' -- touch upper
	run -0 lb-exec --session b -- ls
	same '' "$output"
	run -0 lb-exec --session a -- ls
	same 'f
home' "$output"
}

@test "a session outlives a command whose time is over" {
	run -124 lb-exec --session a -t 1500ms -- sh -c 'echo kept > f; sleep 60'
	run -0 lb-exec --session a -- cat f
	same kept "$output"
}

@test "packages that were installed are there the next time" {
	need python3
	lb-exec --session py -- sh -c 'mkdir -p $(python3 -m site --user-site) &&
		echo "answer = 6 * 7" > $(python3 -m site --user-site)/deep.py'
	run -0 lb-exec --session py -- python3 -c 'import deep; print(deep.answer)'
	same 42 "$output"
}

@test "--workdir is made where it is missing, and is no way out" {
	run -0 lb-exec --session a --workdir /workspace/x/y -- sh -c 'pwd; touch f'
	same /workspace/x/y "$output"
	run -0 lb-exec --session a -- ls x/y
	same f "$output"
	same /workspace/x/y "$(lb-exec --session a --workdir x/y -- pwd)"
	run -0 lb-exec --workdir /usr -- pwd
	same /usr "$output"
	run -125 lb-exec --workdir /usr/new -- pwd
	[[ $output == *"Read-only file system"* ]]
}

@test "-w works in a folder of one's own, as who it belongs to" {
	mkdir mine
	echo in > mine/f
	ours mine
	run -0 lb-exec -w mine -- sh -c 'cat f; echo out > g; pwd; mkdir -p sub'
	same 'in
/workspace' "$output"
	same out "$(cat mine/g)"
	same "$(stat -c %u mine)" "$(stat -c %u mine/g)"
	run -2 lb-exec -w mine:ro -- sh -c 'echo x > h'
	[[ $output == *"Read-only file system"* ]]
	[ ! -e mine/h ]
	run -0 lb-exec -w mine --workdir /workspace/sub -- pwd
	same /workspace/sub "$output"
}

@test "home, the system's folders and what is not one's own are not mounted" {
	mkdir -p "$HOME/project"
	ours "$HOME"
	run -77 lb-exec -w "$HOME" -- true
	[[ $output == "lb-exec: cannot mount '$HOME'"*home* ]]
	run -0 lb-exec -w "$HOME/project" -- touch x
	ln -s /etc link
	for one in / /etc /proc /sys /dev /usr /root /proc/self/root link \
		"$LB_STATE"; do
		mkdir -p "$LB_STATE"
		run lb-exec -w "$one:ro" -- true
		[[ $status -eq 77 || $status -eq 64 ]] || { echo "$one: $status"; return 1; }
	done
	run -64 lb-exec -w file:ro -- true
}

@test "root's own folder is not worked in as root" {
	need root
	mkdir roots
	run -77 lb-exec -w roots -- true
	[[ $output == *"belongs to root"*"chown"* ]]
	echo x > roots/f
	run -0 lb-exec -w roots:ro -- cat f
	same x "$output"
}

@test "--mount adds folders and files, below the workspace or /mnt" {
	mkdir a b
	echo a > a/f
	echo b > b/f
	ours a b
	run -0 lb-exec --mount a:/mnt/a:ro --mount b:/workspace/b:ro \
		--mount a/f:/mnt/one:ro -- cat /mnt/a/f b/f /mnt/one
	same 'a
b
a' "$output"
	run -0 lb-exec --mount a:/mnt/a -- touch /mnt/a/new
	[ -e a/new ]
	run ! lb-exec --mount a:/mnt/a:ro -- touch /mnt/a/other
	for bad in a:/etc/x a:relative a:/usr/x a:/workspace a:/mnt \
		a:/workspace/.skills/x; do
		run -64 lb-exec --mount "$bad:ro" -- true
	done
	run -64 lb-exec --mount a:/mnt/a:ro --mount b:/mnt/a:ro -- true
	run -64 lb-exec --mount a:/mnt/a:ro --mount b:/mnt/a/b:ro -- true
	run -64 lb-exec --session s --mount a:/workspace/a:ro -- true
	run -0 lb-exec --session s --mount a:/mnt/a:ro -- cat /mnt/a/f
}

@test "a skill is there to be read, and nowhere else" {
	mkdir demo
	echo text > demo/SKILL.md
	ours demo
	run -0 lb-exec --session s --skill demo=demo -- cat .skills/demo/SKILL.md
	same text "$output"
	run ! lb-exec --session s --skill demo=demo -- touch .skills/demo/x
	run -0 lb-exec --skill demo=demo -- ls .skills
	same demo "$output"
	run -0 lb-exec --session s -- ls -A .skills
	same '' "$output"
	mkdir mine
	ours mine
	run -77 lb-exec -w mine --skill demo=demo -- true
	same '' "$(ls -A mine)"
	run -64 lb-exec --skill ../x=demo -- true
}

@test "a command may be long; arguments may be many" {
	long=$(head -c 300000 /dev/zero | tr '\0' x)
	# shellcheck disable=SC2016 # the sandbox's
	printf '{"kind":"exec","cmd":"x=%s; echo ${#x}"}\n' "$long" > in
	run -0 --separate-stderr lb-exec --records < in
	same 300000 "$(result .stdout)"
	# shellcheck disable=SC2046 # words
	same 7000 "$(lb-exec -- sh -c 'echo $#' sh $(seq 7000))"
	run -125 lb-exec -- true $(seq 20000)
	same 'lb-exec: the command has more than 8000 arguments' "$output"
}

@test "--records: a record in, a result out, with the keys that are common" {
	exec_record 'echo $((6 * 7))' '{"id": "i1", "bot": "b", "session": "b/person_1", "x": 1}' > in
	run -0 --separate-stderr lb-exec --records < in
	same '' "$stderr"
	[[ $output == '{"kind":"result"'* ]]
	same 'result i1 b b/person_1 b/person_1 42 true' \
		"$(result '[.kind, .id, .bot, .session, .session_id, (.stdout | rtrimstr("\n")), .ok] | join(" ")')"
	# What the issue promises of a fresh machine.
	same 42 "$(echo '{"kind":"exec","cmd":"python3 -c \"print(6*7)\""}' |
		HOME=$PWD/none LB_CONFIG='' lb-exec --records | jq -r .stdout)"
}

@test "--records: what a record asks for, it gets" {
	{
		exec_record 'pwd; echo $A; env | grep -c PATH' '{"workdir": "/workspace/w", "env": {"A": "b c"}}'
		exec_record 'sleep 60' '{"timeout_sec": 1}'
		exec_record 'cat; exit 3'
	} > in
	run -0 lb-exec --records -j 1 < in
	same '"/workspace/w\nb c\n1\n" 0 completed
"" null timed_out
"" 3 completed' "$(jq -r '"\(.stdout | tojson) \(.exit_code) \(.status)"' <<< "$output")"
}

@test "--records: each exec has one answer; bad ones say why" {
	{
		exec_record true '{"id": "1"}'
		exec_record '' '{"id": "2"}'
		exec_record true '{"id": "3", "timeout_sec": -1}'
		exec_record true '{"id": "4", "env": {"A=B": "c"}}'
		exec_record true '{"id": "5", "env": {"A": 5}}'
		exec_record true '{"id": "6", "workdir": "relative"}'
		exec_record true '{"id": "7", "session": 7}'
		exec_record true '{"id": "8", "memory_mb": 1}'
		exec_record true '{"id": "9", "network": "perhaps"}'
		exec_record true '{"id": "10", "cmd": 7}'
		echo '{"kind":"exec","id":"11"}'
		exec_record true '{"id": "12", "host_path": "/etc"}'
		exec_record true '{"id": "13", "extra_mounts": [{"host_path": "/no/such", "mount_path": "/mnt/x"}]}'
		exec_record true '{"id": "14"}'
	} > in
	run -65 --separate-stderr lb-exec --records < in
	same "$(seq 14)" "$(jq -r .id <<< "$output" | sort -n)"
	same '1 14' "$(jq -r 'select(.kind == "result").id' <<< "$output" | sort -n | xargs)"
	same 'denied 12
not_found 13' "$(jq -r 'select(.code and .code != "data") | "\(.code) \(.record.id)"' <<< "$output" | sort)"
	same "$(seq 2 13)" "$(jq -r 'select(.kind == "error") | select(.stage == "lb-exec" and (.message | length > 5) and .retryable == false).record.id' <<< "$output" | sort -n)"
	same 12 "$(grep -c '^lb-exec: ' <<< "$stderr")"
}

@test "--records: folders that a record asks for need the operator's word" {
	mkdir allowed mine
	echo 1 | tee allowed/f > mine/f
	ours allowed mine
	echo "box: {local: {allowed_mount_roots: ['$PWD/allowed']}}" > "$LB_CONFIG"
	for one in allowed mine; do
		exec_record 'cat f' "{\"id\": \"$one\", \"host_path\": \"$PWD/$one\"}"
		exec_record 'cat /mnt/x/f' "{\"id\": \"$one too\", \"extra_mounts\":
			[{\"host_path\": \"$PWD/$one\", \"mount_path\": \"/mnt/x\", \"mode\": \"ro\"}]}"
	done > in
	run -77 --separate-stderr lb-exec --records < in
	same 'allowed
allowed too' "$(jq -r 'select(.stdout == "1\n").id' <<< "$output" | sort)"
	same 'denied mine
denied mine too' "$(jq -r 'select(.code) | "\(.code) \(.record.id)"' <<< "$output" | sort)"
	# What is on the command line is one's own.
	exec_record 'cat f' > in
	same 1 "$(lb-exec --records -w mine < in | jq -r .stdout)"
}

@test "--records: what is not ours passes, byte for byte" {
	printf '%s\n' '{"kind":"message",  "n":1.00,"x":"\u00e9"}' '{ "kind" : "other", broken' > in
	exec_record true >> in
	printf '{"kind":"result","n":1}' >> in
	run -0 lb-exec --records < in
	same "$(grep -v '"exec"' in)" "$(grep -v '"backend"' <<< "$output")"
}

@test "--records: a malformed line is an error record; -s stops at it" {
	{
		echo junk
		exec_record 'echo after'
		echo '{"kind":"exec","cmd":"a","cmd":"b"}'
		echo '[1]'
	} > in
	run -65 --separate-stderr lb-exec --records < in
	same '1 3 4' "$(jq -r 'select(.kind == "error").line_number' <<< "$output" | sort -n | xargs)"
	same after "$(jq -r 'select(.kind == "result").stdout' <<< "$output" | xargs)"
	run -65 --separate-stderr lb-exec --records -s < in
	same 'error 1' "$(jq -r '"\(.kind) \(.line_number)"' <<< "$output")"
	exec_record "echo $(head -c 2000 /dev/zero | tr '\0' x)" > in
	run -65 --separate-stderr lb-exec --records --max-line 1k < in
	same 'error 1' "$(jq -r '"\(.kind) \(.line_number)"' <<< "$output")"
}

@test "--records: a session's commands run one by one, in order; others beside them" {
	for i in 1 2 3 4 5 6; do
		exec_record "[ ! -e busy ] || echo two at once; touch busy; sleep 0.05
			echo $i >> log; rm busy" '{"session": "b/person_1"}'
	done > in
	echo '{"kind":"note","session":"b/person_1"}' >> in
	exec_record 'cat log' '{"session": "b/person_1"}' >> in
	run -0 lb-exec --records -j 8 < in
	same "$(seq 6)" "$(tail -n 1 <<< "$output" | jq -r .stdout | head -n 6)"
	[[ $output != *"two at once"* ]]
	same note "$(sed -n 7p <<< "$output" | jq -r .kind)"
	# Without one, it is the sandbox that they have in common.
	for i in 1 2 3; do
		exec_record "[ ! -e busy ] || echo two at once; touch busy; sleep 0.1
			rm busy" '{"session_id": "one"}'
	done > in
	run -0 lb-exec --records -j 8 < in
	[[ $output != *"two at once"* ]]
	# Two that wait for each other can both run.
	mkdir both
	ours both
	{
		exec_record 'touch a; until [ -e b ]; do sleep 0.02; done'
		exec_record 'touch b; until [ -e a ]; do sleep 0.02; done'
	} > in
	run -0 lb-exec --records -j 2 -w both < in
	same 'true true' "$(jq -r .ok <<< "$output" | xargs)"
}

@test "--records: a result comes when it is there, not at the end" {
	mkfifo to from
	lb-exec --records < to > from 3>&- &
	exec 7> to 8< from
	exec_record 'echo one' >&7
	read -r -t 20 line <&8
	same 'one' "$(jq -r .stdout <<< "$line" | xargs)"
	exec_record 'echo two' >&7
	read -r -t 20 line <&8
	same 'two' "$(jq -r .stdout <<< "$line" | xargs)"
	exec 7>&- 8<&-
	wait $!
}

@test "--records: a full disk is 74, a reader that leaves ends it" {
	exec_record true > in
	run -74 bash -c 'lb-exec --records < in > /dev/full'
	[[ $output == *"No space left on device"* ]]
	yes "$(exec_record 'seq 2000')" | head -n 100 > in
	run -141 --separate-stderr bash -c 'lb-exec --records < in | head -n 1 > out
		exit ${PIPESTATUS[0]}'
	same '' "$stderr"
}

@test "--records: stopped, it says of each what became of it" {
	for i in 1 2 3 4 5; do
		exec_record 'echo begun; sleep 984' "{\"id\": \"$i\", \"session\": \"b/person_1\"}"
	done > in
	mkfifo to
	lb-exec --records < to > out 2> err 3>&- &
	pid=$!
	exec 7> to
	cat in >&7
	for ((i = 0; i < 200; i++)); do
		! pgrep -f '^sleep 984' > /dev/null || break
		sleep 0.02
	done
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	exec 7>&-
	same 143 "$status"
	gone 'sleep 984'
	same 'result 1 cancelled begun
error 2 lost true
error 3 lost true
error 4 lost true
error 5 lost true' "$(jq -r 'if .kind == "result" then "result \(.id) \(.killed_by) \(.stdout)"
		else "error \(.id) \(.code) \(.retryable)" end' out | grep .)"
}

@test "a signal ends the command, and us by the same" {
	lb-exec -- sh -c 'echo begun; sleep 983' > out 2> err 3>&- &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q begun out || break
		sleep 0.02
	done
	kill -INT $pid 2> /dev/null || kill -TERM $pid
	status=0
	wait $pid || status=$?
	[[ $status -eq 130 || $status -eq 143 ]]
	gone 'sleep 983'
	# Not even SIGKILL leaves something behind.
	lb-exec -- sh -c 'echo begun; setsid sleep 982' > out 3>&- &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q begun out || break
		sleep 0.02
	done
	kill -KILL $pid
	wait $pid || true
	gone 'sleep 982'
}

@test "--records: an operator's name for sessions counts more than a record's" {
	echo 'system: {limitation: {force_box_session_id_template: "{bot}_{sender_id}"}}' > "$LB_CONFIG"
	{
		exec_record true '{"session": "b/group_1", "bot": "b", "sender_id": "s"}'
		exec_record true '{"session": "b/group_1", "bot": "b"}'
	} > in
	run -65 --separate-stderr lb-exec --records -j 1 < in
	same 'b_s' "$(jq -r 'select(.kind == "result").session_id' <<< "$output")"
	same data "$(jq -r 'select(.kind == "error").code' <<< "$output")"
}

@test "memory, processes and processors are limited, all of it together" {
	need python3
	export LC_ALL=C.UTF-8
	run --separate-stderr lb-exec --pids 20 --json -- sh -c 'for i in $(seq 60); do sleep 3 & done'
	[[ $(result .stderr) == *"annot fork"* ]]
	run lb-exec --memory 64M --json -- python3 -c 'x = bytearray(300 << 20); print(len(x))'
	if [ "$(result .limits_backend)" = cgroup ]; then
		same 'memory false' "$(result '.killed_by + " " + (.ok | tostring)')"
		# A child that died of it, too.
		run lb-exec --memory 64M -- sh -c 'python3 -c "x = bytearray(300 << 20)"; exit 9'
		same 9 "$status"
		[[ $output == *"more than 64 MiB of memory"* ]]
		ms lb-exec --cpus 0.25 -- python3 -c 'import time
while time.process_time() < 0.3: pass'
		[ "$took" -ge 900 ]
	else
		run -0 lb-exec --memory 64M -- true
		[[ $output == *"no control groups here"* ]]
		run -0 --separate-stderr lb-exec --memory 64M --json -- true
		[[ $(result '.notes[0]') == *"no control groups here"* ]]
		run -0 lb-exec --service --memory 64M -- true
		same '' "$output"
		run -0 --separate-stderr lb-exec --pids 64 --json -- true
		same null "$(result .notes)"
		run -137 lb-exec -t 1 -- python3 -c 'x = bytearray(8 << 30)' || [ "$status" -eq 1 ]
	fi
	run -0 lb-exec -- sh -c 'ulimit -n; ulimit -c'
	same '1024
0' "$output"
}

@test "threads do not use up the time of a command that has two processors" {
	same 32 "$(lb-exec -- sh -c 'ulimit -t')"
	same 96 "$(lb-exec --cpus 2 -- sh -c 'ulimit -t')"
}

@test "without control groups it runs with less, unless they are required" {
	echo 'box: {cgroup: /no/such/group}' > "$LB_CONFIG"
	run --separate-stderr lb-exec --pids 20 --json -- sh -c 'for i in $(seq 60); do sleep 3 & done'
	same rlimit "$(result .limits_backend)"
	[[ $(result .stderr) == *"annot fork"* ]]
	run -69 lb-exec --require cgroup -- true
	[[ $output == "lb-exec: control groups are needed and cannot be had: "* ]]
	run -69 bash -c 'echo "{\"kind\":\"exec\",\"cmd\":\"true\"}" | lb-exec --records --require cgroup 2> /dev/null'
	same 'error config' "$(result '.kind + " " + .code')"
}

no_loop_of() {
	[ -z "$(losetup -j "$1")" ]
}

@test "a workspace of a fixed size is there without a quota, too, and says its size" {
	run --separate-stderr -0 lb-exec --session fixed --quota 8M --json -- sh -c 'echo x > f'
	[ "$(result .quota)" = hard ] || skip 'no file systems of a fixed size here'
	umount "$LB_STATE/box/workspaces/fixed"
	same x "$(lb-exec --session fixed -- cat f)"
	umount "$LB_STATE/box/workspaces/fixed"
	same x "$(lb-tool call --session fixed read '{"path":"f"}' | jq -r .content)"
	run --separate-stderr -0 lb-exec --session fixed --quota 16M --json -- cat f
	same "x hard workspace_quota_mb: 16 was asked for, and this session's workspace was made with 8" \
		"$(result '[(.stdout|rtrimstr("\n")), .quota, .notes[]] | join(" ")')"
	run --separate-stderr -0 lb-exec --session fixed --quota 8M --json -- true
	same null "$(result .notes)"
	# What cannot be had is not an empty folder.
	umount "$LB_STATE/box/workspaces/fixed"
	# Others that begin on this machine now may hold it for a moment.
	until_true no_loop_of "$LB_STATE/box/sessions/fixed/workspace.img"
	truncate -s 8M "$BATS_TEST_TMPDIR/zeros"
	cp "$BATS_TEST_TMPDIR/zeros" "$LB_STATE/box/sessions/fixed/workspace.img"
	run lb-exec --session fixed -- ls
	[ "$status" -ne 0 ]
	[[ $output == "lb-exec: cannot have the files of session 'fixed': "* ]]
}

@test "a quota is kept while it runs, and over it things can be deleted" {
	run --separate-stderr lb-exec --session q --quota 40M --json -t 60 -- sh -c \
		'i=0; while head -c 8M /dev/zero > f$i; do i=$((i + 1)); done; echo full; exit 3'
	if [ "$(result .quota)" = hard ]; then
		same '3 full' "$status $(result .stdout | xargs)"
	else
		same '137 soft quota false' "$status $(result '[.quota, .killed_by, .ok] | join(" ")')"
	fi
	run --separate-stderr lb-exec --session q --quota 40M --json -- sh -c 'rm -f f*; df . > /dev/null; ls'
	same '0 ' "$status $(result .stdout)"
	run -0 --separate-stderr lb-exec --session q --quota 40M --json -- sh -c 'echo x > f; cat f'
	# Space that is only reserved is not had, either.
	need python3
	run --separate-stderr lb-exec --session q --quota 40M -- python3 -c '
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = os.open("r", os.O_CREAT | os.O_RDWR)
r = libc.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(1 << 20))
print(r, os.strerror(ctypes.get_errno()))'
	same '-1 Operation not supported' "$output"
	# Nor do many empty files help.
	run --separate-stderr lb-exec --session q2 --quota 1M --json -t 60 -- python3 -c '
for i in range(200000):
    open("f%d" % i, "w").close()'
	[ "$status" -ne 0 ]
	run -0 lb-exec --session q2 --quota 1M -- sh -c 'rm -rf /workspace/f* 2> /dev/null; find . -name "f*" -delete; ls'
	same '' "$output"
}

# without_bwrap COMMAND... - where bubblewrap is there and may not be run.
without_bwrap() {
	if [ "$(id -u)" -eq 0 ]; then
		unshare -m sh -c 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"' sh "$@"
	else
		unshare -Um --map-current-user --keep-caps \
			sh -c 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"' sh "$@"
	fi
}

@test "with no sandbox nothing runs, and one line says why" {
	touch mark
	run -69 without_bwrap lb-exec -- rm mark
	same "lb-exec: there is no sandbox: cannot start '/usr/bin/bwrap': Permission denied" "$output"
	run -69 without_bwrap lb-exec --session s -- rm mark
	{
		exec_record true '{"id": "1"}'
		echo '{"kind":"message","id":"2"}'
	} > in
	run -69 --separate-stderr without_bwrap lb-exec --records < in
	same 'message 2
error 1 config' "$(jq -r 'if .kind == "error" then "error \(.record.id) \(.code)"
		else "\(.kind) \(.id)" end' <<< "$output" | sort -r)"
	[ -e mark ]
}

@test "bubblewrap is not installed: so it says, and how to have it" {
	need root
	need mount
	run -69 unshare -m bash -c 'mkdir low && mount -t tmpfs tmpfs low &&
		mkdir low/up low/work && mknod low/up/bwrap c 0 0 &&
		mount -t overlay -o lowerdir=/usr/bin,upperdir=low/up,workdir=low/work \
			overlay /usr/bin && lb-exec -- true'
	same 'lb-exec: bubblewrap is not installed: there is no /usr/bin/bwrap (on Debian: apt-get install bubblewrap)' "$output"
}

@test "user namespaces are switched off: so it says" {
	other=$(mktemp -d) # below a folder that anybody may pass
	: > "$other/config"
	install -m 755 "$LB_TEST_BUILD/lb-exec" "$other" # ours may lie below a closed one
	ours "$other"
	as_other=()
	[ "$(id -u)" -ne 0 ] || as_other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	run -69 "${as_other[@]}" unshare -U --map-current-user --keep-caps bash -c '
		echo 0 > /proc/sys/user/max_user_namespaces || exit 1
		LB_STATE=$1 LB_CONFIG=$1/config exec \
			setpriv --ambient-caps=-all --inh-caps=-all "$1/lb-exec" -- true' sh "$other"
	rm -rf "$other"
	[[ $output == "lb-exec: there is no sandbox: this system does not let bubblewrap make a user namespace ("*"'lb-box doctor' says what to do" ]]
}

@test "box.enabled false is no sandbox, for commands and records" {
	echo 'box: {enabled: false}' > "$LB_CONFIG"
	run -69 lb-exec -- true
	same 'lb-exec: the sandbox is switched off (box.enabled: false); nothing was run' "$output"
	exec_record true '{"id": "1"}' > in
	echo '{"kind":"other","n":1}' >> in
	run -69 --separate-stderr lb-exec --records < in
	same '{"kind":"other","n":1}' "$(grep other <<< "$output")"
	same 'error config' "$(jq -r 'select(.kind == "error") | .kind + " " + .code' <<< "$output")"
}

@test "--host is refused until an operator allows it, and loud then" {
	touch mark
	run -77 lb-exec --host -- rm mark
	same "lb-exec: --host is not allowed here: an operator allows it with 'lb-config set box.allow_host true'" "$output"
	[ -e mark ]
	exec_record 'rm mark' > in
	run -77 --separate-stderr lb-exec --records --host < in
	same denied "$(result .code)"
	[ -e mark ]
	echo 'box: {allow_host: true}' > "$LB_CONFIG"
	export OPENAI_API_KEY=sk-secret
	run -0 --separate-stderr lb-exec --host -- sh -c 'pwd; env; rm mark'
	same 'lb-exec: running WITHOUT a sandbox, as asked by --host' "$stderr"
	same "$PWD" "${lines[0]}"
	[[ $output != *sk-secret* && $output != *LB_* && $output == *CI=1* ]]
	[ ! -e mark ]
	run -0 --separate-stderr lb-exec --host --json -- true
	same 'false host' "$(result '[.isolated, .backend] | join(" ")')"
	run -3 lb-exec --host -- sh -c 'exit 3'
	run -127 lb-exec --host -- no-such-program
	run -126 lb-exec --host -- /etc/passwd
	ms lb-exec --host -t 300ms -- sh -c 'sleep 981 & sleep 981'
	same 124 "$status"
	gone 'sleep 981'
	ms lb-exec --host -- sh -c 'setsid sleep 6 & sleep 0.3; echo hi'
	same hi "$(cat out)"
	[ "$took" -lt 5000 ]
}

# at_terminal COMMAND - as a person types it; the screen is the output.
at_terminal() {
	need terminal script
	script -qec "$1" /dev/null < /dev/null | tr -d '\r' | sed 's/^\^@//'
}

@test "-i gives a terminal of its own, of our size, and ours is as it was" {
	run at_terminal 'stty rows 33 cols 101; before=$(stty -g)
		lb-exec -i -- sh -c "test -t 0 && test -t 1 && test -t 2 && stty size
			echo to the terminal > /dev/tty; env | grep ^TERM; exit 3"
		echo "status $?"; [ "$before" = "$(stty -g)" ] && echo as it was'
	same '33 101
to the terminal
TERM=xterm
status 3
as it was' "$output"
	run at_terminal 'lb-exec -i -- no-such-program; echo "status $?"'
	same 'setsid: failed to execute no-such-program: No such file or directory
status 127' "$output"
}

@test "-i: keys reach the command, a new size too; it ends with its time" {
	need python3
	cat > drive.py <<-'END'
		import fcntl, os, pty, re, select, struct, sys, termios, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("lb-exec", ["lb-exec"] + sys.argv[1:])
		seen = b""
		def wait(text):
		    global seen
		    end = time.monotonic() + 20
		    while text not in seen:
		        if not select.select([fd], [], [], end - time.monotonic())[0]:
		            sys.exit("no %r in %r" % (text, seen))
		        seen += os.read(fd, 4096)
		    seen = seen.split(text, 1)[1]
		wait(b"ready")
		fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 132, 0, 0))
		wait(b"size 40 132")
		os.write(fd, b"typed\n")
		wait(b"got typed")
		os.write(fd, b"\x03")
		wait(b"interrupted")
		print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	run -0 python3 drive.py -i -- bash -c 'trap "size=\$(stty size)" WINCH
		echo ready; until [ "$size" ]; do sleep 0.05; done; echo "size $size"
		read -r x; trap "echo interrupted; exit 5" INT; echo "got $x"
		while :; do sleep 0.05; done'
	same 5 "$output"
	run at_terminal 'lb-exec -i -t 300ms -- sleep 60; echo "status $?"'
	same 'lb-exec: it was killed: its 0.3 s are over
status 124' "$output"
}

@test "a command cannot play with a terminal that is only its output" {
	run at_terminal "lb-exec -- printf 'a\\033[2Jb\\n'"
	same ab "$output"
}

@test "what it writes is what the schemas say" {
	validate=$LB_TEST_BUILD/tests/unit/validate-record
	schemas=$BATS_TEST_DIRNAME/../share/lb/schema
	{
		exec_record 'echo hi' '{"id": "1", "session": "b/person_1"}'
		exec_record "printf '\\377'; head -c 100000 /dev/urandom"
		exec_record 'sleep 9' '{"timeout_sec": 1, "network": "on"}'
		exec_record 'head -c 5000 /dev/zero >&2; exit 3'
	} > in
	run -0 "$validate" "$schemas" < in
	lb-exec --records < in > out
	same 4 "$(jq -r .kind out | grep -c result)"
	lb-exec --status-fd 5 -- true 5>> out
	lb-exec --json -- no-such-program >> out 2> err || [ $? -eq 127 ]
	run -0 "$validate" "$schemas" < <(grep -v '"error"' out)
	same '' "$output"
}

@test "each command is a row of the audit, its output is not" {
	lb-exec --session s --env SECRET=hush -- sh -c 'echo said; exit 3' > out || [ $? -eq 3 ]
	run lb-exec -w / -- true
	exec_record true '{"id": "i", "bot": "b", "sender_id": "u", "session": "b/person_u", "description": "to see"}' |
		lb-exec --records > out
	run -0 lb-box audit
	same 'allowed exec s sh -c echo said; exit 3 3 ["SECRET"]
denied exec null true null null
allowed exec b/person_u true 0 null' "$(jq -r '"\(.decision) \(.tool) \(.session) \(.command) \(.exit_code) \(.env | tojson)"' <<< "$output")"
	same 'i b u to see' "$(tail -n 1 <<< "$output" | jq -r '"\(.id) \(.bot) \(.sender) \(.description)"')"
	[[ $output != *hush* && $output != *said\\n* ]]
}

@test "a row has the profile, and a program that may not be run was not denied" {
	run -126 lb-exec -- /etc/passwd
	echo 'box: {local: {profile: offline_readonly}}' > "$LB_CONFIG"
	lb-exec -- true
	lb-exec --profile default -- true
	same 'default allowed
offline_readonly allowed
default allowed' "$(lb-box audit | jq -r '.profile + " " + .decision')"
}

@test "with root's home and nothing configured it runs" {
	need root
	mkdir -m 700 roots
	unset LB_CONFIG LB_STATE
	same 1000 "$(HOME=$PWD/roots lb-exec --session s -- id -u)"
	[ -d roots/.local/state/lb/box/workspaces ]
	owner=$(stat -c %u roots/.local/state/lb/box/workspaces/*)
	[ "$owner" -ge 200000 ]
}

@test "the manual names every option, and its examples do what they say" {
	documented lb-exec.1 lb-exec
	need mandoc
	examples lb-exec.1
}

@test "few descriptors are an error in words, and nothing is left" {
	for n in $(seq 7 34); do
		run bash -c "ulimit -n $n; exec lb-exec -t 5s -- sh -c 'echo ran 979'"
		case $status in
		0) [ "$output" = 'ran 979' ] ;;
		69 | 71 | 125) [[ $output == *lb-exec:* ]] ;;
		*) echo "$n: $status: $output"; return 1 ;;
		esac
	done
	[ "$status" -eq 0 ]
	gone 'ran 979'
}
