#!/usr/bin/env bats

# What there is when there is no sandbox, whether it was switched off or none
# starts: each row for both. What later versions add to the table (MCP servers
# that are programs, skills) gets its rows here.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:tools
	GRANTS='pipelines: {default: {ai: {local-agent: {tools: [exec, read, write, edit, glob, grep, e__who]}}}}'
	GRANTS+=$'\n'"tools: {providers: {e: {command: ['$LB_TEST_BUILD/tests/unit/echo-provider']}}}"
}

teardown() {
	[ -z "${PROVIDER-}" ] || kill "$PROVIDER" || true
}

# apart COMMAND... - in a place where /usr/bin/bwrap is the file bwrap of this
# folder. An ordinary user is himself there, too.
apart() {
	local bind='mount --bind bwrap /usr/bin/bwrap && exec "$@"'
	if [ "$(id -u)" -eq 0 ]; then
		unshare -m sh -c "$bind" sh "$@"
	else
		unshare -Urm sh -c "$bind" sh unshare -U \
			--map-user="$(id -u)" --map-group="$(id -g)" "$@"
	fi
}

# bwrap works|fails - what the file of that name does, from now on.
bwrap_that() {
	case $1 in
	works) cat /usr/bin/bwrap > "${2-bwrap}" ;;
	fails) printf '#!/bin/sh\necho broken here >&2\nexit 1\n' > "${2-bwrap}" ;;
	esac
	chmod 755 "${2-bwrap}"
}

# without CAUSE SCRIPT - run it where there is no sandbox because of that. It
# finds in $why what everybody has to say.
without() {
	case $1 in
	off)
		printf 'box: {enabled: false}\n%s\n' "$GRANTS" > "$LB_CONFIG"
		why='the sandbox is switched off (box.enabled: false)' sh -c "$2"
		;;
	broken)
		printf '%s\n' "$GRANTS" > "$LB_CONFIG"
		bwrap_that fails
		why='there is no sandbox: bubblewrap failed: broken here' \
			apart sh -c "$2"
		;;
	esac
}

# both FUNCTION - for each cause; what it was is told when that fails.
both() {
	local cause
	for cause in off broken; do
		"$1" "$cause" || { echo "with the sandbox $cause"; return 1; }
	done
}

# asked TEXT - what the person here reads for it; the log is in the file log.
ASKED='echo "$1" | lb-ingest text | lb-pipeline | lb-agent 2> log | lb-wrap |
	lb-send stdout'
asked() {
	without "$1" "set -- '$2'; $ASKED"
}

@test "without a cause there is a sandbox, in the same place" {
	printf '%s\n' "$GRANTS" > "$LB_CONFIG"
	bwrap_that works
	same 42 "$(apart lb-exec -- echo 42)"
	run -0 apart sh -c "set -- 'call exec {\"command\":\"echo 42\"}'; $ASKED"
	same '42\n' "$(jq -r '.stdout|tojson[1:-1]' <<< "$output")"
}

@test "the flow starts, and answers" {
	answers() {
		same hello "$(without "$1" 'echo "say hello" | lb-run 2> log')"
	}
	both answers
}

@test "a model is offered none of the six tools, and the others stay" {
	offered() {
		local tool
		for tool in exec read write edit glob grep; do
			same "error: there is no tool '$tool'; there are: e__who" \
				"$(asked "$1" "call $tool {}")" || return
		done
		[[ $(asked "$1" 'call e__who') == -/person_* ]]
	}
	both offered
}

@test "the operator reads why, in one line" {
	told() {
		asked "$1" 'say hi' > out
		same 1 "$(wc -l < log)" || return
		without "$1" 'grep -F "${why%; *}" log' || [ "$1" = off ]
		[ "$1" != off ] || grep 'which is switched off (box.enabled: false)' log
	}
	both told
}

@test "lb-exec is 69 and a line, and nothing was run" {
	mkdir work
	ours work
	exits() {
		run --separate-stderr -69 without "$1" 'lb-exec -w work -- touch ran'
		same '' "$output" || return
		# What bubblewrap says goes where the command's words go.
		same 1 "$(grep -vc '^broken here$' <<< "$stderr")" || return
		without "$1" 'echo "${why%: broken here}"' > why
		grep -F "lb-exec: $(cat why)" <<< "$stderr" || return
		[ ! -e work/ran ]
	}
	both exits
}

@test "lb-exec --records: each record is answered by an error that says so" {
	records_of() {
		run --separate-stderr -69 without "$1" 'for n in 1 2; do
			echo "{\"kind\":\"exec\",\"id\":\"$n\",\"cmd\":\"true\"}"
		done | lb-exec --records'
		without "$1" 'echo "$why"' > why
		same "error 1 config false
error 2 config false" "$(jq -r '"\(.kind) \(.record.id) \(.code) \(.retryable)"' <<< "$output" | sort)" || return
		same 2 "$(jq -r .message <<< "$output" | grep -cFf why)"
	}
	both records_of
}

@test "lb-tool call exec says why, and nothing was run" {
	calls() {
		run --separate-stderr -1 without "$1" 'lb-tool call exec \
			"{\"command\":\"touch ran\"}" --session=a'
		without "$1" 'echo "$why"' > why
		[[ $(jq -r 'select(.ok == false).error' <<< "$output") == "$(cat why)"* ]] ||
			{ echo "$output"; return 1; }
		same '' "$(find "$LB_STATE" -name ran)"
	}
	both calls
}

@test "commands that an operator lets run on this machine need none" {
	hosted() {
		GRANTS='pipelines: {default: {sandbox-mode: host, ai: {local-agent: {tools: [exec, read]}}}}'
		if [ "$1" = off ]; then
			GRANTS+=$'\nbox: {enabled: false, allow_host: true}'
			printf '%s\n' "$GRANTS" > "$LB_CONFIG"
			run -0 sh -c "set -- 'call exec {\"command\":\"echo 42\"}'; $ASKED"
			same '' "$(lb-config check 2>&1 | grep -v "'read'")"
		else
			GRANTS+=$'\nbox: {allow_host: true}'
			run -0 asked "$1" 'call exec {"command":"echo 42"}'
		fi
		same 'host 42' "$(jq -r '"\(.backend) \(.stdout)"' <<< "$output")" || return
		grep 'WITHOUT a sandbox' log
		[[ $(asked_again 'call read {"path":"a"}' "$1") == "error: there is no tool 'read'; there are: exec" ]]
	}
	asked_again() {
		if [ "$2" = off ]; then
			sh -c "set -- '$1'; $ASKED"
		else
			asked "$2" "$1"
		fi
	}
	both hosted
}

@test "lb-config check names what has no effect, where it can know" {
	run --separate-stderr -0 without off 'lb-config check'
	for tool in exec read write edit glob grep; do
		[[ $output$stderr == *"default.ai.local-agent.tools: '$tool' is not offered while box.enabled is false"* ]]
	done
	run -0 without broken 'lb-config check'
	same '' "$output"
}

@test "the doctor says so" {
	run without off 'lb-box doctor'
	[ "$status" -le 1 ]
	same 'weak one would start, but box.enabled is false: none is used' "$(jq -r 'select(.check == "sandbox")|"\(.state) \(.text)"' <<< "$output")"
	run -69 without broken 'lb-box doctor'
	same missing "$(jq -r 'select(.check == "sandbox").state' <<< "$output")"
}

# A folder that an ordinary user owns, also when root runs the tests.
ours() {
	[ "$(id -u)" -ne 0 ] || chown 65534:65534 "$@"
}

# answer_of ID - what lb-tool answered, once it is there.
answer_of() {
	local i
	for ((i = 0; i < 400; i++)); do
		grep "\"id\":\"$1\"" out && return
		sleep 0.05
	done
	echo "no answer to $1:"
	cat out log
	return 1
}

# event_n N - wait for the N-th event.
event_n() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ "$(grep -c '"event":"changed"' out)" -lt "$1" ] || return 0
		sleep 0.05
	done
	echo "no event number $1"
	cat out log
	return 1
}

ask() {
	jq -cn --arg op "$1" --arg id "$2" --arg me "$ME" '
		{op: $op, id: $id, name: "exec", arguments: {command: "echo 42"},
		context: {bot: "-", pipeline: "default", platform: "text",
		sender_id: $me, session: "-/person_1", launcher_type: "person"}}' >&8
}

@test "one that dies, or comes back, is noticed by who runs on" {
	printf '%s\n' "$GRANTS" > "$LB_CONFIG"
	ME=$(lb-ingest text <<< hi | jq -r .sender_id)
	bwrap_that works
	mkfifo in
	apart lb-tool serve < in > out 2> log 3>&- &
	PROVIDER=$!
	exec 8> in
	ask list 1
	same 'exec read write edit glob grep' "$(answer_of 1 | jq -r '[.tools[].name]|join(" ")')"
	ask call 2
	same 42 "$(answer_of 2 | jq -r '.content|fromjson.stdout')"
	bwrap_that fails
	ask call 3
	[[ $(answer_of 3 | jq -r '.content|fromjson.error') == "there is no sandbox: bubblewrap failed: broken here"* ]]
	# The list is known to have changed at once, and the call to be in vain.
	event_n 1
	ask list 4
	same 0 "$(answer_of 4 | jq '.tools|length')"
	ask call 5
	same unavailable "$(answer_of 5 | jq -r .error.code)"
	bwrap_that works
	# It is looked for again after 3 s, whoever asks.
	event_n 2
	ask list 6
	same 6 "$(answer_of 6 | jq '.tools|length')"
	ask call 7
	same 42 "$(answer_of 7 | jq -r '.content|fromjson.stdout')"
	exec 8>&-
	wait "$PROVIDER"
	PROVIDER=
	# One line a change.
	same 'lb-tool: there is no sandbox' "$(cut -d: -f1,2 log)"
}
