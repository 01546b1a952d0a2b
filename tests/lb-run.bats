#!/usr/bin/env bats

load helper
load supervised

setup() {
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:text=Yes.
	PIDS=()
}

teardown() {
	stop_supervised
}

# A message that is answered for seconds, word by word.
LONG=$(printf 'word %.0s' {1..200})

# messages N [SESSIONS] - N messages of bot -, said in so many chats.
messages() {
	local i
	for ((i = 0; i < $1; i++)); do
		lb-ingest text --person "p$((i % ${2-3}))" <<< "m$i"
	done
}

done_in_queue() {
	[ "$(lb-queue stats in | jq .done)" -ge "$1" ]
}

@test "with no bot it talks to whoever started it" {
	run --separate-stderr -0 lb-run <<< $'hi\nyou'
	same $'Yes.\nYes.' "$output"
	[ ! -e "$LB_STATE/queue.db" ]
	run --separate-stderr -0 lb-run < /dev/null
	[ -z "$output" ]
	nobody_left
}

@test "without a model it says so, and which variable would be one" {
	unset LB_MODEL
	run --separate-stderr -0 lb-run <<< hi
	[[ $stderr == *"no model is configured"*OPENAI_API_KEY* ]]
	[[ $output == *"offline model"* ]]
}

@test "--records says what became of each, beside the answers" {
	run --separate-stderr -0 lb-run --records=all <<< $'hi\nyou'
	same $'Yes.\nYes.' "$output"
	same $'receipt true\nreceipt true' "$(jq -r '"\(.kind) \(.final)"' all)"
	same 600 "$(stat -c %a all)"
	run --separate-stderr -66 lb-run --records=none/there <<< hi
	run --separate-stderr -64 lb-run --records=fd:77 <<< hi
	run -0 bash -c 'lb-run --records=fd:4 4> four > /dev/null <<< hi'
	same receipt "$(jq -r .kind four)"
}

@test "what --print prints answers when a shell runs it" {
	run -0 lb-run --print
	same 1 "${#lines[@]}"
	same Yes. "$(sh -c "$output" <<< hi)"
	[[ $output == *"lb-run flow --no-queue"* ]]
	run -0 lb-run flow --no-queue --print
	[[ $output == *lb-send* && $output != *--hold* ]]
	run -0 lb-run flow --print
	[[ $output == *"lb-send "*" --hold "* ]]
	same receipt "$(lb-ingest text <<< hi | sh -c "$output" 2> text |
		jq -r .kind)"
	same Yes. "$(cat text)"
	run -0 lb-run flow --print --tee 'a b'
	mkdir 'a b'
	lb-ingest text <<< hi | sh -c "$output" > /dev/null 2>&1
	same query "$(jq -r .kind 'a b/2-lb-pipeline.jsonl')"
}

@test "flow: from message to receipt; what adapters print is beside it" {
	run --separate-stderr -0 bash -c 'lb-ingest text <<< hi | lb-run flow'
	same '["receipt",true]' "$(jq -c '[.kind,.final]' <<< "$output")"
	same Yes. "$stderr"
	run --separate-stderr -0 bash -c 'lb-ingest text <<< hi |
		lb-run flow --text 5 5> five'
	[ -z "$stderr" ]
	same Yes. "$(cat five)"
	run --separate-stderr -0 bash -c 'printf "%s\n" "{\"kind\":\"edit\",\"x\":1.50}" |
		lb-run flow'
	same '{"kind":"edit","x":1.50}' "$output"
	run -0 bash -c 'lb-run flow < /dev/null'
	[ -z "$output" ]
	nobody_left
}

@test "flow: a line that is none is an error record and exit 65" {
	run --separate-stderr -65 bash -c 'printf "%s\n" "{" | lb-run flow'
	same data "$(jq -r .code <<< "$output")"
}

@test "flow --tee: the lines between each two programs, for the owner alone" {
	lb-ingest text <<< hi | lb-run flow --tee=between > out 2> /dev/null
	same $'1-lb-ingest.jsonl\n2-lb-pipeline.jsonl\n3-lb-agent.jsonl\n4-lb-wrap.jsonl\n5-lb-send.jsonl' \
		"$(ls between)"
	same "700 600" "$(stat -c %a between) $(stat -c %a between/* | sort -u)"
	same $'message\nquery\nchunk\nreply\nchunk\nreply\nreceipt' \
		"$(cat between/* | jq -r .kind | uniq)"
	cmp out between/5-lb-send.jsonl
	# Once more: it is added.
	lb-ingest text <<< hi | lb-run flow --tee=between > /dev/null 2>&1
	same 2 "$(wc -l < between/1-lb-ingest.jsonl)"
}

@test "tee: all of it passes; the file gets whole lines, from several at once" {
	for i in 1 2 3 4; do
		seq -f "$i %09.0f" 1 20000 > "in$i"
		lb-run tee kept < "in$i" > "out$i" 3>&- &
	done
	wait
	for i in 1 2 3 4; do
		cmp "in$i" "out$i"
		same "$(md5sum < "in$i")" "$(grep "^$i " kept | md5sum)"
	done
	same 80000 "$(wc -l < kept)"
	printf 'no end' | lb-run tee short > out
	same 'no end' "$(cat out)"
	printf 'more\n' | lb-run tee short > out
	same $'no end\nmore' "$(cat short)"
	run --separate-stderr -66 lb-run tee none/there < in1
	# What cannot be kept passes all the same.
	run --separate-stderr -74 bash -c 'lb-run tee /dev/full < in1 > out'
	[[ $stderr == *"cannot write '/dev/full'"* ]]
	cmp in1 out
}

@test "flow: one that dies ends all, and which it was is said" {
	for victim in lb-pipeline lb-agent lb-wrap lb-send; do
		mkfifo "to-$victim"
		(exec < "to-$victim" 3>&-
			exec lb-run flow > out 2> err) &
		RUN=$!
		exec 7> "to-$victim"
		messages 1 >&7
		until_true grep -q receipt out
		kill -9 "$(member $victim)"
		ended 75
		exec 7>&-
		grep -q "$victim died of signal 9" err
		until_true nobody_left
	done
}

@test "flow: kill -9 of it leaves nobody" {
	mkfifo to
	(exec < to 3>&-; exec lb-run flow --tee=between > out 2> err) &
	RUN=$!
	exec 7> to
	messages 1 >&7
	until_true grep -q receipt out
	same 10 "$(ours | wc -l)" # itself, four, and five that keep lines
	kill -9 "$RUN"
	until_true nobody_left
	exec 7>&-
}

@test "flow: a signal lets what is in flight be finished" {
	mkfifo to
	(exec < to 3>&-; LB_MODEL=offline:stream exec lb-run flow > out 2> err) &
	RUN=$!
	PIDS+=("$RUN")
	exec 7> to
	lb-ingest text <<< "$LONG" >&7
	until_true grep -q . err # the answer streams
	kill "$RUN"
	ended 143
	exec 7>&-
	same '["receipt",true]' "$(jq -c '[.kind,.final]' out)"
	until_true nobody_left
}

@test "flow: a reader that leaves ends it as any filter" {
	run -141 bash -c 'yes "{\"kind\":\"edit\"}" | lb-run flow | head -n 1
		exit ${PIPESTATUS[1]}'
	until_true nobody_left
}

@test "flow: a configuration that is wrong is told before anything runs" {
	echo 'bots: {a: {adapter: nosuch}}' > "$LB_CONFIG"
	for verb in flow start worker gc; do
		run --separate-stderr -78 lb-run $verb < /dev/null
		[[ $stderr == *config.yaml:1:* ]]
	done
}

@test "without a queue a death is told of: an error each, and the rest is answered" {
	mkfifo to
	(exec < to 3>&-; LB_MODEL=offline:stream exec lb-run --records=all > out 2> err) &
	RUN=$!
	PIDS+=("$RUN")
	exec 7> to
	printf '%s\n' "one $LONG" "two $LONG" >&7
	until_true grep -q . out
	kill -9 "$(member lb-agent)"
	until_true grep -q '"code":"lost"' all
	echo three >&7
	exec 7>&-
	ended 0
	same 3 "$(jq -r .id all | sort -u | wc -l)"
	same 3 "$(wc -l < all)"
	same 1 "$(jq -c 'select(.kind == "receipt" and .final)' all | wc -l)"
	same '["one","two"]' "$(jq -sc 'map(select(.code == "lost") |
		.record.chain[0].text[:3])' all)"
	grep -q '2 messages were in the flow when it died: lost' err
	nobody_left
}

@test "worker: what is in the queue is answered, whatever dies" {
	messages 30 5 | lb-queue put > /dev/null
	start lb-run worker --records=all
	until_true done_in_queue 3
	for victim in lb-send lb-agent lb-queue lb-pipeline; do
		kill -9 "$(member $victim)" || true
		messages 5 | lb-queue put > /dev/null
	done
	until_true done_in_queue 50
	kill "$RUN"
	ended 143
	same 50 "$(lb-queue peek --done | jq -r 'select(.outcome.kind ==
		"receipt").record.id' | sort -u | wc -l)"
	until_true nobody_left
}

@test "one a state folder: the second says which the first is" {
	start lb-run worker
	until_true lb-run status
	run --separate-stderr -75 lb-run worker
	same "lb-run: it runs already for '$LB_STATE', as process $RUN" "$stderr"
	kill "$RUN"
	ended 143
	start lb-run worker
	until_true lb-run status
}

@test "status: a line each, and exit 1 when something is down" {
	run --separate-stderr -1 lb-run status
	[[ $stderr == *"no lb-run runs for '$LB_STATE'"* ]]
	[ -z "$output" ]
	start lb-run worker
	until_true lb-run status
	run -0 lb-run status
	same '["flow","up",0,true]' "$(jq -c '[.name,.state,.restarts,.pid > 1]' \
		<<< "$output")"
	kill -9 "$(member lb-queue)"
	until_true eval '! lb-run status'
	until_true lb-run status
	same 1 "$(lb-run status --json | jq .restarts)"
	kill -9 "$RUN"
	wait "$RUN" || true
	run -1 lb-run status
	until_true nobody_left
}

@test "it ends within five seconds, and leaves nothing" {
	for i in 1 2 3; do
		lb-ingest text --person "p$i" <<< "$LONG $LONG"
	done | lb-queue put > /dev/null
	LB_MODEL=offline:stream start lb-run worker
	until_true grep -q . err
	began=$SECONDS
	kill "$RUN"
	ended 143
	[ $((SECONDS - began)) -le 6 ]
	nobody_left
	[ ! -e "$LB_STATE/run/lb-run-worker.json" ]
	# What was not finished waits.
	lb-run worker --once > /dev/null 2>&1
	same 3 "$(lb-queue stats in | jq .done)"
}

@test "HUP: the flow begins anew with a good configuration, and only then" {
	messages 1 | lb-queue put > /dev/null
	start lb-run worker
	until_true done_in_queue 1
	before=$(member lb-agent)
	echo 'bots: [' > "$LB_CONFIG"
	kill -HUP "$RUN"
	until_true grep -q 'the configuration stays as it was' err
	same "$before" "$(member lb-agent)"
	# nor with a rule that cannot work
	echo "pipelines: {default: {trigger: {ignore-rules: {regexp: ['(']}}}}" > "$LB_CONFIG"
	kill -HUP "$RUN"
	until_true grep -q 'stays as it was: .*config.yaml:1: .*not a pattern' err
	same "$before" "$(member lb-agent)"
	echo 'pipelines: {default: {ai: {local-agent: {max-round: 3}}}}' > "$LB_CONFIG"
	kill -HUP "$RUN"
	until_true eval '[ "$(member lb-agent)" != "$before" ]'
	messages 1 | lb-queue put > /dev/null
	until_true done_in_queue 2
	kill "$RUN"
	ended 143
}

@test "the service manager is told: ready, reloading, stopping" {
	need python3
	cat > listen.py <<-'END'
		import os, socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind("notify")
		print("bound", flush=True)
		while True:
		    text = s.recv(4096).decode()
		    print(text, flush=True)
		    if text == "STOPPING=1":
		        break
	END
	python3 listen.py > heard 3>&- &
	listener=$!
	PIDS+=("$listener")
	until_true grep -q bound heard
	NOTIFY_SOCKET=$PWD/notify start lb-run worker
	until_true grep -q READY heard
	kill -HUP "$RUN"
	until_true eval '[ "$(grep -c READY heard)" -eq 2 ]'
	kill "$RUN"
	wait "$listener"
	same $'bound\nREADY=1\nRELOADING=1\nREADY=1\nSTOPPING=1' "$(cat heard)"
}

@test "gc: what is old goes, what is not stays" {
	messages 2 | lb-queue put > /dev/null
	lb-run worker --once > /dev/null 2>&1
	mkdir -p "$LB_STATE/media/ab" "$LB_STATE/media/cd"
	echo old > "$LB_STATE/media/ab/old.jpg"
	touch -d '8 days ago' "$LB_STATE/media/ab/old.jpg"
	echo new > "$LB_STATE/media/cd/new.jpg"
	echo kept > kept
	touch -d '8 days ago' kept
	ln -s "$PWD/kept" "$LB_STATE/media/cd/link"
	run -0 lb-run gc
	same '{"what":"media","removed":1}' "$(grep media <<< "$output")"
	same 2 "$(lb-queue peek --done | wc -l)"
	[ ! -e "$LB_STATE/media/ab" ]
	[ -e "$LB_STATE/media/cd/new.jpg" ]
	[ -e kept ]
	cat > "$LB_CONFIG" <<-END
		retention: {done: 1ms, answers: 1ms, conversations: 1ms, media-size: 1}
	END
	run -0 lb-run gc --json
	same '["queue in",2]' "$(jq -c '[.what,.removed]' <<< "${lines[0]}")"
	same 0 "$(lb-queue peek --done | wc -l)"
	same 0 "$(lb-session list | wc -l)"
	[ ! -e "$LB_STATE/media/cd/new.jpg" ]
	[ -e kept ]
}

@test "gc: how long media and dead letters are kept is the configuration's to say" {
	messages 1 | lb-queue put > /dev/null
	run lb-queue work in --once -- false
	same 1 "$(lb-queue dead | wc -l)"
	mkdir -p "$LB_STATE/media/ab"
	for days in 2 9 40; do
		touch -d "$days days ago" "$LB_STATE/media/ab/$days.jpg"
	done
	echo 'retention: {media: 30d}' > "$LB_CONFIG"
	run -0 lb-run gc
	same "2.jpg 9.jpg" "$(cd "$LB_STATE/media/ab" && echo *)"
	same 1 "$(lb-queue dead | wc -l)"
	echo 'retention: {media: 3d, dead: 1ms}' > "$LB_CONFIG"
	run -0 lb-run gc
	same 2.jpg "$(cd "$LB_STATE/media/ab" && echo *)"
	same 0 "$(lb-queue dead | wc -l)"
}
