#!/usr/bin/env bats

load helper
load server

setup() {
	exec < /dev/null
	export LB_MODEL=offline
}

teardown() {
	stop_servers
}

# query SESSION TEXT [JSON] - a query as lb-pipeline makes it.
query() {
	jq -cn --arg s "$1" --arg t "$2" --argjson more "${3:-{\}}" '{kind: "query",
		id: ("id-" + $t), bot: "-", session: $s, launcher_type: "person",
		launcher_id: $s, pipeline: "default", runner: "local-agent",
		prompt: [{role: "system", content: "p"}],
		user: {role: "user", content: [{type: "text", text: $t}]}} + $more'
}

# endpoint - answers every chat; what is asked is in the log.
endpoint() {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer You said: {last}
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
}

# slow [MS] - an endpoint that takes its time (300 ms) over some questions.
slow() {
	serve <<-END
		on POST /v1/chat/completions
		if-body slow
		uses any
		reply 200
		pause ${1-300}
		send {"choices":[{"message":{"content":"slow"},"finish_reason":"stop"}]}
		on POST /v1/chat/completions
		uses any
		reply 200
		send {"choices":[{"message":{"content":"quick"},"finish_reason":"stop"}]}
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
}

@test "a query becomes a typing signal and a reply that carries its keys" {
	run --separate-stderr -0 lb-agent < <(query a hi '{"x":0.10,"reply_to":{"k":"v"}}')
	same '{"kind":"chunk","id":"id-hi","bot":"-","session":"a","launcher_type":"person","launcher_id":"a","pipeline":"default","reply_to":{"k":"v"},"seq":0,"text":""}' "${lines[0]}"
	same 'reply id-hi a {"k":"v"} 1 true offline 1' "$(jq -r '[.kind,.id,.session,
		(.reply_to|tostring),(.part|tostring),(.final|tostring),.model,
		(.rounds|tostring)] | join(" ")' <<< "${lines[1]}")"
	[[ ${lines[1]} == *'"x":0.10'* ]] || [[ ${lines[1]} == *'"x":0.1,'* ]]
	same null "$(jq -c '.prompt // .user // .variables // .stream' <<< "${lines[1]}")"
	same "$(jq -r .text <<< "${lines[1]}")" "$(jq -r '.chain[0].text' <<< "${lines[1]}")"
	[ "${#lines[@]}" -eq 2 ]
}

@test "numbers and unknown members keep their own bytes" {
	line=$(query a hi)
	run -0 lb-agent <<< "${line%\}},\"n\":1.10,\"big\":18446744073709551616}"
	[[ ${lines[1]} == *'"n":1.10,"big":18446744073709551616'* ]]
}

@test "streamed: the chunks in order are the answer" {
	endpoint
	run -0 lb-agent --stream < <(query a 'one two three')
	same "$(jq -rj 'select(.kind == "chunk").text' <<< "$output")" \
		"$(jq -rj 'select(.kind == "reply").text' <<< "$output")"
	same 'You said: one two three' "$(jq -rj 'select(.kind == "reply").text' <<< "$output")"
	same true "$(jq -s '[.[]|select(.kind=="chunk").seq] as $s | $s == [range($s|length)] and ($s|length) > 2' <<< "$output")"
	run -0 lb-agent < <(query b x '{"stream":true}')
	same true "$(requests '.body|fromjson|.stream' | tail -1)"
	run -0 lb-agent < <(query c y)
	same null "$(requests '.body|fromjson|.stream' | tail -1)"
}

@test "a file that the model cannot read is a line of its own, and stays one" {
	endpoint
	parts='[{"type":"text","text":"read"},
		{"type":"file_url","file_url":"http://x/v","file_name":"voice"},
		{"type":"file_base64","file_base64":"data:;base64,AA==","file_name":"a.txt"},
		{"type":"text","text":"this"},{"type":"text","text":" now\n"},
		{"type":"file_url","file_url":"http://x/w"}]'
	want=$'read\n[file: voice]\n[file: a.txt]\nthis now\n[file: unnamed]'
	lb-agent < <(query a x "{\"user\":{\"role\":\"user\",\"content\":$parts}}") > /dev/null
	same "$want" "$(requests '.body|fromjson|.messages[1].content' | jq -r .)"
	lb-agent < <(query a two) > /dev/null
	same "$want" "$(requests '.body|fromjson|.messages[1].content' | tail -1 | jq -r .)"
}

@test "history: it is sent, kept over runs, by session and pipeline" {
	endpoint
	lb-agent < <(query a one) > /dev/null
	lb-agent < <(query a two) > /dev/null
	same '["p","one","You said: one","two"]' \
		"$(requests '.body|fromjson|[.messages[].content]' | tail -1)"
	lb-agent < <(query b three) > /dev/null
	same '["p","three"]' "$(requests '.body|fromjson|[.messages[].content]' | tail -1)"
	lb-agent < <(query a four '{"pipeline":"other"}') > /dev/null
	same '["p","four"]' "$(requests '.body|fromjson|[.messages[].content]' | tail -1)"
}

@test "history is cut to max-round turns" {
	printf '%s\n' 'pipelines:' '  default:' '    ai:' '      local-agent:' \
		'        max-round: 1' > "$LB_CONFIG"
	endpoint
	for t in one two three; do lb-agent < <(query a $t) > /dev/null; done
	same '["p","two","You said: two","three"]' \
		"$(requests '.body|fromjson|[.messages[].content]' | tail -1)"
}

@test "one session keeps its order, others do not wait" {
	slow 2000
	run -0 lb-agent -j 4 < <(query a slow1; query a quick1; query b quick2)
	same 'id-quick2
id-slow1
id-quick1' "$(jq -r 'select(.kind == "reply").id' <<< "$output")"
}

@test "a foreign line of a busy session waits, every other goes out at once" {
	slow
	run -0 lb-agent < <(query a slow
		echo '{"kind":"edit","session":"a","n":1}'
		echo '{"kind":"edit",  "session":"b","n":2}'
		echo '{"kind":"edit","sess\u0069on":"a","n":3}')
	# The typing signal of the query may stand before or between them.
	same 'edit 2
reply null
edit 1
edit 3' "$(jq -r 'select(.kind != "chunk") | .kind+" "+(.n|tostring)' <<< "$output")"
}

@test "-j bounds what is in flight" {
	slow
	run -0 lb-agent -j 2 < <(for i in 1 2 3 4 5 6; do query "s$i" "slow$i"; done)
	same 6 "$(grep -c '"kind":"reply"' <<< "$output")"
	# With two at once nobody starts before two others ended.
	same true "$(jq -s '[.[] | select(.path) | .time] as $t | $t[2] - $t[0] > 200 and $t[4] - $t[2] > 200' "$SERVER_LOG")"
}

@test "without -j it is concurrency.pipeline that bounds it" {
	echo 'concurrency: {pipeline: 1}' > "$LB_CONFIG"
	slow
	run -0 lb-agent < <(for i in 1 2 3; do query "s$i" "slow$i"; done)
	same 3 "$(grep -c '"kind":"reply"' <<< "$output")"
	same true "$(jq -s '[.[] | select(.path) | .time] as $t | $t[1] - $t[0] > 200 and $t[2] - $t[1] > 200' "$SERVER_LOG")"
}

@test "it stops reading when 4 N records are held" {
	slow
	mkfifo "$BATS_TEST_TMPDIR/in"
	lb-agent -j 1 < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	# A pipe holds 64 KiB: what does not fit was not read yet.
	pad=$(printf '%20000s' '')
	for i in 1 2 3 4 5 6 7 8 9; do query a "slow$i" "{\"pad\":\"$pad\"}"; done > "$BATS_TEST_TMPDIR/in"
	wait "$pid"
	same 9 "$(grep -c '"kind":"reply"' "$BATS_TEST_TMPDIR/out")"
}

@test "an answered id is answered from the store: no model, no chunk" {
	endpoint
	lb-agent < <(query a one) > "$BATS_TEST_TMPDIR/1"
	run -0 lb-agent --stream < <(query a one; query a one)
	same 2 "${#lines[@]}"
	same true "$(jq -s 'all(.replayed == true and .text == "You said: one")' <<< "$output")"
	same "$(tail -1 "$BATS_TEST_TMPDIR/1" | jq -cS .)" "$(jq -cS 'del(.replayed)' <<< "${lines[0]}")"
	same 1 "$(requests .path | wc -l)"
	# Another session with that id is another message.
	run -0 lb-agent < <(query b one)
	same null "$(jq -c .replayed <<< "${lines[1]}")"
}

@test "answers are kept for seven days" {
	need python3
	endpoint
	lb-agent < <(query a old; query a new) > /dev/null
	python3 - "$LB_STATE/lb.db" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		week = 7 * 24 * 3600 * 1000
		c.execute("UPDATE answers SET time = time - ? WHERE id = 'id-old'", (week + 1000,))
		c.execute("UPDATE answers SET time = time - ? WHERE id = 'id-new'", (week - 60000,))
		c.commit()
	END
	lb-agent < <(query b x) > /dev/null
	run -0 lb-agent < <(query a old; query a new)
	same 'id-old null
id-new true' "$(jq -r 'select(.kind == "reply") | .id+" "+(.replayed|tostring)' <<< "$output")"
}

@test "retention.answers says how long" {
	endpoint
	lb-agent < <(query a old) > /dev/null
	cat >> "$LB_CONFIG" <<< 'retention: {answers: 1ms}'
	lb-agent < <(query b x) > /dev/null
	run -0 lb-agent < <(query a old)
	same null "$(jq -c 'select(.kind == "reply").replayed' <<< "$output")"
}

@test "a failure is a failed reply, told in its code, and may be tried again" {
	export LB__LLM__RETRY__BACKOFF=1ms
	LB_MODEL=offline:rate-limit run --separate-stderr -0 lb-agent < <(query a x)
	same '{"code":"rate","message":"offline:rate-limit: HTTP 429: too many requests (asked 3 times)"}' \
		"$(jq -c .failed <<< "${lines[1]}")"
	same '[] true' "$(jq -c '.chain' <<< "${lines[1]}") $(jq -c .final <<< "${lines[1]}")"
	run -0 lb-agent < <(query a x)
	same '1 2' "$(jq -r 'select(.kind == "chunk").seq + 1' <<< "$output" | head -1) $(jq -r 'select(.kind == "chunk").attempt' <<< "${lines[0]}")"
	same null "$(jq -c .failed <<< "${lines[1]}")"
	[[ $output == *"message 1"* ]]
}

@test "a cut stream: what was streamed is the text, and is remembered" {
	LB_MODEL=offline:truncated run -0 lb-agent --stream < <(query a x)
	said=$(jq -rj 'select(.kind == "chunk").text' <<< "$output")
	[ -n "$said" ]
	same "$said" "$(jq -rj 'select(.kind == "reply").text' <<< "$output")"
	same truncated "$(jq -r 'select(.kind == "reply").failed.code' <<< "$output")"
	run -0 lb-agent < <(query a y)
	[[ $output == *"message 2"* ]]
}

@test "what cannot be a query is an error record, and the stream goes on" {
	run --separate-stderr -65 lb-agent < <(echo '{"kind":"query"'
		echo '{"kind":"query","id":"1"}'
		echo '{"kind":"query","id":"1","session":"s","user":7}'
		query a ok
		query a other '{"runner":"dify-service-api"}')
	same 'error data null
error data 1
error data 1
chunk null id-ok
reply null id-ok
chunk null id-other
reply config id-other' "$(jq -r '[.kind, (.code // .failed.code | tostring), (.id|tostring)] | join(" ")' <<< "$output")"
	[[ $stderr == *"line 1"* ]]
}

@test "not_before: later, and others meanwhile" {
	at=$(($(date +%s%3N) + 700))
	run -0 lb-agent < <(query a late "{\"not_before\":$at}"; query b now)
	same 'id-now
id-late' "$(jq -r 'select(.kind == "reply").id' <<< "$output")"
	[ "$(date +%s%3N)" -ge "$at" ]
}

@test "a store that is gone: an error that may be tried again, no reply" {
	mkdir "$LB_STATE"
	lb-agent < <(query a one) > /dev/null
	# Another process holds the lock for longer than anybody waits.
	need python3
	coproc LOCK { exec python3 -c '
import sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()' "$LB_STATE/lb.db" 3>&-; }
	read -r -t 30 <&"${LOCK[0]}"
	run --separate-stderr -0 timeout 30 lb-agent < <(query a two)
	same 'error io true id-two' "$(jq -r '[.kind,.code,(.retryable|tostring),.id]|join(" ")' <<< "$output")"
	kill "$LOCK_PID"
	run -0 lb-agent < <(query a two)
	[[ $output == *"message 2"* ]]
}

@test "a disk that is full: nothing is claimed that was not stored" {
	lb-agent < <(query a one) > /dev/null
	# The limit holds for files alone, so both outputs are pipes.
	pad=$(printf '%100000s' '')
	run bash -c '{ ulimit -f 60; trap "" XFSZ; lb-agent; } 2>&1 | cat' \
		< <(query a two "{\"user\":{\"role\":\"user\",\"content\":\"$pad\"}}")
	[[ $output != *'"kind":"reply"'* ]]
	[[ $output == *'"retryable":true'* && $output == *"lb-agent: "* ]]
	run -0 lb-agent < <(query a two)
	same null "$(jq -c 'select(.kind=="reply").replayed' <<< "$output")"
	[[ $output == *"message 2"* ]]
}

@test "SIGTERM: what is in flight is finished, then it dies by the signal" {
	slow
	mkfifo "$BATS_TEST_TMPDIR/in"
	lb-agent --stream < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	exec 4> "$BATS_TEST_TMPDIR/in"
	query a slow >&4
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do read -r -t 0.02 < /dev/zero || true; done
	kill -TERM "$pid"
	code=0
	wait "$pid" || code=$?
	same 143 "$code"
	exec 4>&-
	same reply "$(tail -n 1 "$BATS_TEST_TMPDIR/out" | jq -r .kind)"
}

@test "--grace bounds that" {
	serve <<-'END'
		on POST /v1/chat/completions
		hang
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	mkfifo "$BATS_TEST_TMPDIR/in"
	lb-agent --grace 200ms < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	exec 4> "$BATS_TEST_TMPDIR/in"
	query a x >&4
	until [ -s "$BATS_TEST_TMPDIR/out" ]; do read -r -t 0.02 < /dev/zero || true; done
	kill -TERM "$pid"
	code=0
	wait "$pid" || code=$?
	same 143 "$code"
	exec 4>&-
	same 1 "$(wc -l < "$BATS_TEST_TMPDIR/out")"
}

@test "a reader that leaves ends it by SIGPIPE, quietly" {
	run --separate-stderr bash -c 'trap "" PIPE
		for i in $(seq 200); do echo "$1" | sed "s/id-x/$i/"; done 2> /dev/null |
			timeout 20 lb-agent | head -n 1 > /dev/null
		echo "${PIPESTATUS[1]}"' _ "$(query a x)"
	same 141 "$output"
	[ -z "$stderr" ]
}

@test "a full disk for the output is 74" {
	run --separate-stderr -74 bash -c 'lb-agent > /dev/full' < <(query a x)
	[[ $stderr == *"No space left"* ]]
}

@test "one name look-up for a burst, whatever the number of conversations" {
	need strace
	need nss-wrapper
	endpoint
	# libcurl answers localhost itself and starts a thread for other names.
	echo '127.0.0.1 models.test' > "$BATS_TEST_TMPDIR/hosts"
	export OPENAI_BASE_URL=http://models.test:$SERVER_PORT/v1
	for i in $(seq 60); do query "s$i" "t$i"; done > "$BATS_TEST_TMPDIR/q"
	preload=libnss_wrapper.so
	if ldd "$(command -v lb-agent)" | grep -q libasan; then
		preload="$(${CC:-gcc} -print-file-name=libasan.so) $preload"
	fi
	# Leaks cannot be looked for under a tracer.
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e trace=clone,clone3 \
		-o "$BATS_TEST_TMPDIR/trace" \
		env LD_PRELOAD="$preload" NSS_WRAPPER_HOSTS="$BATS_TEST_TMPDIR/hosts" \
		lb-agent -j 60 < "$BATS_TEST_TMPDIR/q" > "$BATS_TEST_TMPDIR/out"
	same 60 "$(grep -c 'You said' "$BATS_TEST_TMPDIR/out")"
	same 1 "$(grep -c 'clone' "$BATS_TEST_TMPDIR/trace")"
}

@test "usage mistakes are 64" {
	for bad in "-j 0" "-j x" "--grace 0" "operand" "--nonsense"; do
		run --separate-stderr -64 lb-agent $bad
		[[ $stderr == *"lb-agent --help"* ]]
	done
}
