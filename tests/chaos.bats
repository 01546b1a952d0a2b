#!/usr/bin/env bats
# Signals, readers that die and disks that are full, in the middle of it.

load helper
load server

teardown() {
	stop_servers
	umount "$BATS_TEST_TMPDIR/disk" 2> /dev/null || true
	[ -z "${AGENT-}" ] || kill -9 "$AGENT" 2> /dev/null || true
}

# queries N SESSIONS [TEXT] - N queries of that many sessions.
queries() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf '{"text":"%s %d","sender":"s%d"}\n' "${3-message}" $i \
			$((i % $2))
	done | lb-ingest jsonl | lb-pipeline
}

# agent OPTION... - lb-agent in the background on `in`, its output in `out`.
agent() {
	: > out
	OPENAI_API_KEY=k OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m \
		lb-agent --stream "$@" < in > out 2> err 3>&- &
	AGENT=$!
}

# until_seen TEXT FILE - wait for it, half a minute at most.
until_seen() {
	local status=0 tail
	mkfifo seen
	timeout 30 tail -n +1 -f "$2" > seen 2> /dev/null 3>&- &
	tail=$!
	grep -q -m 1 -e "$1" < seen || status=1
	kill $tail 2> /dev/null || true
	rm seen
	return $status
}

# ended STATUS - wait for the agent's end, which must be this.
ended() {
	local status=0
	wait "$AGENT" || status=$?
	AGENT=
	same "$1" $status
}

whole_lines() {
	[ -z "$(tail -c 1 out)" ]
	jq -e . out > /dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "a signal: what is in flight is finished, then lb-agent dies of it" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict
		answer one two three four five six seven eight
		pace 50
	END
	queries 3 3 > three
	mkfifo in
	agent
	exec {feed}> in # which does not end
	cat three >&$feed
	until_seen '"text":" two"' out
	kill -TERM "$AGENT"
	ended 143
	whole_lines
	same 3 "$(jq -r 'select(.kind == "reply" and (.failed | not)).id' out |
		sort -u | wc -l)"
	same '' "$(cat err)"
}

@test "a signal: nobody waits longer than the grace" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 200
		header Content-Type: text/event-stream
		chunked
		event {"choices":[{"delta":{"content":"half"}}]}
		hang
	END
	queries 3 3 > in
	agent --grace 200ms
	until_seen half out
	kill -INT "$AGENT"
	ended 130
	whole_lines
	same '' "$(jq -c 'select(.kind == "reply")' out)"
	# None of it is taken for answered.
	stop_servers
	run -0 --separate-stderr lb-agent --model offline < in
	same 3 "$(jq -c 'select(.kind == "reply" and (.replayed | not) and
		(.failed | not)).id' <<< "$output" | wc -l)"
}

@test "a second signal ends it at once" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		hang
	END
	queries 2 2 > in
	agent --grace 10m
	until_seen '"seq":0' out
	kill -TERM "$AGENT"
	timeout 30 bash -c 'while kill -TERM "$1" 2> /dev/null; do :; done' \
		- "$AGENT"
	ended 143
	whole_lines
}

@test "kill -9: what was answered is not asked again" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict
		answer one two three four
		pace 10
	END
	queries 40 5 > in
	agent -j 5
	until_seen '"kind":"reply"' out
	kill -9 "$AGENT"
	ended 137
	jq -R -r 'fromjson? | select(.kind == "reply").id' out | sort > seen
	[ -s seen ]
	agent -j 5
	ended 0
	same 40 "$(jq -r 'select(.kind == "reply").id' out | sort -u | wc -l)"
	jq -r 'select(.kind == "reply" and .replayed).id' out | sort > replayed
	same '' "$(comm -23 seen replayed)"
}

@test "a reader that dies ends all before it, quietly, by SIGPIPE" {
	queries 3000 50 "$(printf '%0300d' 0)" > in
	lb-agent --model offline < in > replies
	sed 's/"kind":"query"/"kind":"message"/' in > messages
	for p in 'lb-pipeline messages' 'lb-agent in' 'lb-wrap replies' \
		'lb-send replies'; do
		# shellcheck disable=SC2086
		set -- $p
		local arguments=()
		case $1 in
		lb-agent) arguments=(--model offline) ;;
		lb-send) arguments=(jsonl) ;;
		esac
		# Its reader kills itself after some bytes.
		run -0 bash -c '"$0" "${@:2}" < "$1" 2> err |
			{ head -c 1000 > /dev/null; kill -9 $BASHPID; }
			echo "${PIPESTATUS[*]}"' "$1" "$2" "${arguments[@]}"
		same '141 137' "${lines[-1]}"
		same '' "$(cat err)"
	done
}

# stored_is_answered - of all queries in `in`, those that `out` answers are in
# the store and no other; each of the rest came back to be tried again.
stored_is_answered() {
	whole_lines
	jq -r 'select(.kind == "reply").id' out | sort > answered
	jq -r 'select(.kind == "error" and .retryable and .code == "io").id' \
		out | sort > again
	[ -s again ]
	same "$(jq -r .id in | sort)" "$(sort answered again)"
	grep -q "lb-agent: cannot store answers: .*$1" err
	run -0 --separate-stderr lb-agent --model offline < in
	same "$(cat answered)" "$(jq -r 'select(.replayed).id' <<< "$output" |
		sort)"
	same "$(cat again)" "$(jq -r 'select(.kind == "reply" and
		(.replayed | not)).id' <<< "$output" | sort)"
}

@test "files may grow no more: what is not stored is not answered" {
	queries 300 7 "$(printf '%0300d' 0)" > in
	run -0 bash -c '{ ulimit -f 200; lb-agent --model offline -j 4 \
		< in 2> err; } | cat > out; exit "${PIPESTATUS[0]}"'
	[ -s out ]
	stored_is_answered 'disk I/O error'
}

@test "a full disk: what is not stored is not answered" {
	need root
	mkdir disk
	mount -t tmpfs -o size=300k none disk 2> /dev/null || skip 'cannot mount'
	queries 300 7 "$(printf '%0300d' 0)" > in
	LB_STATE=$PWD/disk run -0 bash -c \
		'lb-agent --model offline -j 4 < in 2> err > out'
	mkdir -p "$LB_STATE"
	cp disk/lb.db* "$LB_STATE"
	umount disk
	stored_is_answered 'full'
}

@test "no room for a store at all: nothing is answered, and it says why" {
	queries 2 2 > in
	run bash -c 'ulimit -f 4; lb-agent --model offline < in | cat
		exit "${PIPESTATUS[0]}"'
	same 74 "$status"
	[[ $output == 'lb-agent: '*"lb.db'"* ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "an output file that may not grow: 74 and one line" {
	queries 300 7 > in
	lb-agent --model offline < in > replies
	sed 's/"kind":"query"/"kind":"message"/' in > messages
	for p in 'lb-pipeline messages' 'lb-wrap replies' 'lb-send replies'; do
		# shellcheck disable=SC2086
		set -- $p
		local arguments=()
		[ "$1" != lb-send ] || arguments=(jsonl)
		run bash -c 'ulimit -f 16; exec "$0" "${@:2}" < "$1" > cut' \
			"$1" "$2" "${arguments[@]}"
		echo "$p"
		same 74 "$status"
		same "$1: cannot write output: File too large" "$output"
	done
}
