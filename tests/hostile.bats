#!/usr/bin/env bats
# What strangers may send, and what it must not do.

load helper
load server

setup() {
	exec < /dev/null
	export LB_MODEL=offline:text=ok
}

teardown() {
	stop_servers
}

# query ID SESSION [JSON] - a query as lb-pipeline makes it.
query() {
	jq -cn --arg i "$1" --arg s "$2" --argjson more "${3:-{\}}" '{kind: "query",
		id: $i, session: $s, user: {role: "user", content: "hi"}} + $more'
}

# message ID [JSON]
message() {
	jq -cn --arg i "$1" --argjson more "${2:-{\}}" '{kind: "message", id: $i,
		bot: "-", launcher_type: "person", launcher_id: "u",
		chain: [{type: "Plain", text: "hi"}]} + $more'
}

# nested N - an array N deep.
nested() {
	printf '%*s' "$1" '' | tr ' ' '['
	printf '%*s' "$1" '' | tr ' ' ']'
}

@test "not_before in a year, or in all eternity, is a drop and holds nobody up" {
	local at
	for at in 32503680000000 9223372036854775807 9007199254740992.0 \
		"$(($(date +%s) + 400))000"; do
		run -0 timeout 10 lb-agent < <(
			query "far$at" s '{"not_before":"AT"}' | sed "s/\"AT\"/$at/"
			query "next$at" s)
		same "drop far$at" "$(jq -r '.kind + " " + .id' <<< "${lines[0]}")"
		same "lb-agent" "$(jq -r .stage <<< "${lines[0]}")"
		same "reply next$at" "$(jq -r '.kind + " " + .id' <<< "${lines[-1]}")"
	done
}

@test "times and parts that cannot be are no reason to stop" {
	run -0 timeout 10 lb-agent < <(query a s '{"not_before":-9223372036854775808}'
		query b s '{"time":1e300,"not_before":1e300,"part":-1}'
		query c s '{"not_before":"soon"}')
	same 3 "$(jq -s 'map(select(.kind == "reply")) | length' <<< "$output")"
}

@test "a part that is no number of one is not sent, and says so" {
	local part
	for part in -1 0 -2147483648 9223372036854775807 9000000000000000; do
		run -0 timeout 10 lb-send null < <(
			printf '{"kind":"reply","id":"i","chain":[],"part":%s}\n' "$part")
		same "error data i" "$(jq -r '.kind + " " + .code + " " + .id' <<< "$output")"
	done
}

@test "an error about a record that nests deep can be read by the next program" {
	local depth
	for depth in 100 2046 2047; do
		run -0 timeout 10 lb-pipeline < <(printf '{"kind":"message","id":"i","bot":"-","reply_to":%s}\n' "$(nested "$depth")")
		# A kind that does not stand first makes it be parsed.
		run -0 timeout 10 lb-send jsonl <<< "${output/'{'/'{"x":1,'}"
		[[ $output != *'"code":"data","message":"line'* ]]
		same i "$(jq -r 'select(.stage == "accept").id' <<< "$output")"
	done
}

# A sanitizer reserves more than any limit of memory leaves.
limit_memory() {
	(ulimit -v 400000; lb-pick --version > /dev/null 2>&1) ||
		skip "this build does not start with little memory"
}

@test "a line of millions of values does not fill the memory" {
	limit_memory
	{
		printf '{"kind":"message","id":"i","bot":"-","y":['
		head -c 12000000 /dev/zero | sed 's/\x00/{},/g' | head -c 12000000
		printf '0]}\n'
		message next
	} > "$BATS_TEST_TMPDIR/in"
	run -65 --separate-stderr bash -c \
		'ulimit -v 400000; lb-pipeline < "$1"' - "$BATS_TEST_TMPDIR/in"
	same "error data" "$(jq -r '.kind + " " + .code' <<< "${lines[0]}")"
	same "query next" "$(jq -r '.kind + " " + .id' <<< "${lines[1]}")"
	[[ $stderr == *"more than"*"values"* ]]
}

@test "no memory: it says so and is 71, whichever line it was" {
	limit_memory
	{
		printf '{"kind":"message","id":"i","bot":"-","y":['
		head -c 200000 /dev/zero | sed 's/\x00/{},/g'
		printf '0]}\n'
	} > "$BATS_TEST_TMPDIR/in"
	run -71 --separate-stderr bash -c \
		'ulimit -v 24000; lb-pipeline < "$1"' - "$BATS_TEST_TMPDIR/in"
	same "lb: out of memory" "$stderr"
	same "" "$output"
}

@test "ids and sessions of megabytes are refused where they would be kept" {
	local long
	long=$(head -c 100000 /dev/zero | tr '\0' x)
	run -0 timeout 10 lb-agent < <(query "$long" s; query i "$long"; query ok s)
	same "error error chunk reply" "$(jq -rs 'map(.kind) | join(" ")' <<< "$output")"
	run -0 timeout 10 lb-pipeline < <(message "$long"; message i "{\"launcher_id\":\"$long\"}")
	same "error error" "$(jq -rs 'map(.kind) | join(" ")' <<< "$output")"
}

@test "long lines that wait are held by their bytes, too" {
	local pad fifo=$BATS_TEST_TMPDIR/fifo n
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		hang
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	head -c 8000000 /dev/zero | tr '\0' x > "$BATS_TEST_TMPDIR/pad"
	run --separate-stderr -0 bash -c '
		{
			printf "%s\n" "$1"
			for n in {1..30}; do
				printf "{\"kind\":\"x\",\"session\":\"s\",\"pad\":\""
				cat "$2"
				printf "\"}\n"
			done
		} | { timeout -s KILL 3 lb-agent > /dev/null 2>&1; cat; } | wc -c' \
		- "$(query i s)" "$BATS_TEST_TMPDIR/pad"
	# What it did not read is most of it.
	[ "$output" -gt 150000000 ]
}

@test "no half of a key is shown, wherever its text was cut" {
	local key=sk-0123456789abcdefghijklmnopqrstuvwxyz pad n
	for n in 300 350 375 380 390; do
		pad=$(printf '%*s' "$n" '' | tr ' ' x)
		serve <<-END
			on POST /v1/chat/completions
			uses any
			reply 401
			send {"error":{"message":"$pad $key was refused"}}
		END
		export OPENAI_API_KEY=$key OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
		run -0 lb-agent < <(query "i$n" s)
		[[ $output == *'"code":"auth"'* ]]
		[[ $output != *sk-0123* ]]
		run -69 lb-llm chat hi
		[[ $output != *sk-0123* ]]
		stop_servers
	done
	serve <<-END
		on POST /v1/chat/completions
		uses any
		reply 200
		event $(printf '%*s' 30 '' | tr ' ' x) $key
		event {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}
	END
	export OPENAI_BASE_URL=$SERVER_URL/v1
	run -0 lb-agent < <(query last s)
	[[ $output == *"not JSON"* ]]
	[[ $output != *sk-0123* ]]
}

@test "no control sequence of a provider is in a reply, a log or on stderr" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 400
		send {"error":{"message":"a\\u001b[31mb\\u009b2Jc\\n\\rd\\u0007"}}
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	run -0 lb-agent < <(query i s)
	same "openai/m: HTTP 400: ab2Jc d" "$(jq -r 'select(.failed).failed.message' <<< "$output")"
	run -69 lb-llm chat hi
	[[ $output == *": ab2Jc d" ]]
}

@test "an id from outside is no control sequence in a log, nor without end" {
	local long
	long=$(head -c 1000 /dev/zero | tr '\0' x)
	export LB_LOG=info
	run --separate-stderr -0 lb-agent < <(query $'a\xc2\x9b31m\e[1m'"$long" s)
	[[ $stderr != *$'\xc2\x9b'* ]]
	[[ $stderr != *$'\e'* ]]
	[ "${#stderr_lines[0]}" -lt 400 ]
	LB_LOG_FORMAT=json run --separate-stderr -0 lb-agent < <(query $'b\xc2\x9b31m'"$long" s)
	[[ $stderr != *$'\xc2\x9b'* ]]
	[ "$(jq -rs 'map(.of | length) | max' <<< "$stderr")" -le 256 ]
}

@test "a pipe as configuration to which nobody writes is an error, not a wait" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	LB_CONFIG=$BATS_TEST_TMPDIR/fifo run -78 timeout 20 lb-pipeline
	[[ $output == *"nobody writes to '$BATS_TEST_TMPDIR/fifo'"* ]]
	run -0 env -u LB_MODEL bash -c 'LB_CONFIG=<(sleep 0.1; echo "llm: {model: offline}") lb-config get llm.model'
	same offline "$output"
}

@test "a schema that asks for everything of everything does not take for ever" {
	jq -cn '{type: "array", items: {required: [range(20000) | "k"]}}' \
		> "$BATS_TEST_TMPDIR/schema"
	{
		printf 'on POST /v1/chat/completions\nuses any\nreply 200\nsend '
		jq -cn '{choices: [{message: {content: ([range(20000) | {k: 1}] | tojson)}}]}' |
			sed 's/\\/\\\\/g'
	} > "$BATS_TEST_TMPDIR/script"
	serve "$BATS_TEST_TMPDIR/script"
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	run -65 --separate-stderr timeout 10 lb-llm chat --schema "$BATS_TEST_TMPDIR/schema" hi
	[[ $stderr == *"asks for too much"* ]]
}

@test "an answer waits for a store that another process holds" {
	need python3
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 200
		pause 500
		send {"choices":[{"message":{"content":"late"},"finish_reason":"stop"}]}
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	# The lock is taken when the query has started, and kept past the answer.
	run --separate-stderr -0 bash -c '
		timeout 20 lb-agent <<< "$1" | {
			read -r chunk
			python3 -c "
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], timeout=5, isolation_level=None)
db.execute(\"BEGIN IMMEDIATE\")
time.sleep(1.2)
" "$LB_STATE/lb.db"
			cat
		}' - "$(query i s)"
	same "reply late" "$(jq -r '.kind + " " + .text' <<< "$output")"
	run -0 lb-session export
	[[ $output == *late* ]]
}
