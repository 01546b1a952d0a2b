#!/usr/bin/env bats

load helper
load filter

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# messages N [SESSIONS] - N messages in so many sessions.
messages() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf '{"kind":"message","id":"m%d","session":"b/person_%d","n":%d}\n' \
			$i $((i % ${2-3})) $i
	done
}

# stat NAME [QUEUE] - a number of the statistics.
stat() {
	lb-queue stats "${2-in}" | jq ".$1"
}

@test "put says of each record that it is safe; the same is not put twice" {
	messages 5 > five
	run --separate-stderr -0 lb-queue put < five
	same "$(jq -r .id five)" "$(jq -r 'select(.kind == "queued" and
		.queue == "in" and .final and (has("duplicate") | not)).id' \
		<<< "$output")"
	run --separate-stderr -0 lb-queue put < five
	same 5 "$(jq -c 'select(.kind == "queued" and .duplicate).id' \
		<<< "$output" | wc -l)"
	same 5 "$(stat depth)"
	same 5 "$(stat put)"
}

@test "an id in another session is another record" {
	printf '{"kind":"message","id":"a","session":"b/%s"}\n' 1 2 |
		lb-queue put > /dev/null
	same 2 "$(stat depth)"
}

@test "the parts of a reply and chunks are records of their own" {
	cat > pieces <<-'END'
		{"kind":"chunk","id":"a","session":"s","seq":0}
		{"kind":"chunk","id":"a","session":"s","seq":1}
		{"kind":"reply","id":"a","session":"s","part":1,"final":false}
		{"kind":"reply","id":"a","session":"s","part":2,"final":true}
	END
	run -0 lb-queue put out.b < pieces
	same $'false\nfalse\nfalse\ntrue' "$(jq .final <<< "$output")"
	lb-queue put out.b < pieces > /dev/null
	same 4 "$(stat depth out.b)"
}

@test "put copies what is no message, query, reply or chunk" {
	copies_foreign lb-queue put
	printf '{"kind":"%s","id":"a"}\n' drop error receipt edit queued > others
	run -0 lb-queue put < others
	same "$(cat others)" "$output"
}

@test "put refuses malformed lines, and records it could not give out" {
	refuses message lb-queue put
	same 0 "$(stat depth)"
	strict_stops message lb-queue put
	line_limit message lb-queue put
	for bad in '{"kind":"message"}' '{"kind":"reply","id":7}' \
		'{"kind":"message","id":"a","not_before":99999999999999}' \
		"{\"kind\":\"message\",\"id\":\"$(printf '%0600d' 0)\"}"; do
		run --separate-stderr -65 lb-queue put <<< "$bad"
		same error "$(jq -r .kind <<< "$output")"
	done
	same 0 "$(stat depth)"
}

@test "put keeps the bytes of a record" {
	line='{ "kind" : "message", "id":"a", "n":[0.10,1e2,18446744073709551616] }'
	lb-queue put <<< "$line" > /dev/null
	lb-queue peek > row
	grep -qF "\"record\":$line" row
}

@test "a full disk, a closed output, a reader that leaves" {
	messages 1 > one
	full_disk "$(cat one)" lb-queue put
	no_output "$(cat one)" lb-queue put
	reader_leaves "$(cat one)" lb-queue put
	at_once "$(cat one)" lb-queue put
}

@test "full: refuse is an error that may pass, and exit 75" {
	messages 5 > five
	run --separate-stderr -75 lb-queue put --max 3 < five
	same $'queued\nqueued\nqueued\nerror\nerror' "$(jq -r .kind <<< "$output")"
	same $'"overloaded"\n"overloaded"' "$(jq 'select(.kind == "error" and
		.retryable).code' <<< "$output")"
	same "lb-queue: queue 'in' is full: 3 records" "$stderr"
	same 3 "$(stat depth)"
	# what is in it already needs no room
	run --separate-stderr -0 lb-queue put --max 3 < <(head -n 3 five)
}

@test "full: drop-oldest ends the oldest that is in nobody's hand" {
	messages 5 1 > five
	head -n 3 five | lb-queue put > /dev/null
	run --separate-stderr -0 lb-queue put --max 3 --full drop-oldest < \
		<(tail -n 2 five)
	same $'drop m0\nqueued m3\ndrop m1\nqueued m4' \
		"$(jq -r '"\(.kind) \(.id)"' <<< "$output")"
	same 3 "$(stat depth)"
	same 2 "$(stat dropped)"
	same $'m0 drop\nm1 drop' "$(lb-queue peek --done |
		jq -r '"\(.key) \(.outcome.kind)"')"
	lb-queue take -n 9 > taken
	same $'m2\nm3\nm4' "$(jq -r .id taken)"
	run --separate-stderr -75 lb-queue put --max 3 --full drop-oldest \
		<<< '{"kind":"message","id":"more"}'
	same error "$(jq -r .kind <<< "$output")"
}

@test "full: block waits until there is room" {
	messages 3 1 > three
	lb-queue put --max 2 --full block < three > out 3>&- &
	timeout 30 bash -c 'until [ "$(wc -l < out)" -eq 2 ]; do :; done'
	token=$(lb-queue take -n 1 | jq -r .lease)
	lb-queue ack --lease "$token"
	wait $!
	same $'m0\nm1\nm2' "$(jq -r 'select(.kind == "queued").id' out)"
}

@test "take gives what is ready, a session in order and in one hand" {
	messages 6 2 | lb-queue put > /dev/null
	run -0 lb-queue take -n 2
	same $'m0\nm2' "$(jq -r .id <<< "$output")"
	first=$(jq -r .lease <<< "${lines[0]}")
	run -0 lb-queue take -n 9
	same $'m1\nm3\nm5' "$(jq -r .id <<< "$output")"
	run -1 lb-queue take -e
	[ -z "$output" ]
	same 5 "$(stat held)"
	lb-queue ack --lease "$first"
	run -0 lb-queue take -e -n 9
	same m4 "$(jq -r .id <<< "$output")"
	run --separate-stderr -69 lb-queue ack --lease "$first"
	same "lb-queue: lease '$first' has ended" "$stderr"
}

@test "a lease whose time is over is none; --back gives it up before" {
	messages 2 1 | lb-queue put > /dev/null
	token=$(lb-queue take --deadline 1ms | jq -r .lease)
	run -69 lb-queue ack --lease "$token"
	run -0 lb-queue take -n 9
	same $'m0\nm1' "$(jq -r .id <<< "$output")"
	token=$(jq -r .lease <<< "${lines[0]}")
	lb-queue ack --back --lease "$token"
	same 0 "$(stat held)"
	same 2 "$(stat depth)"
}

@test "ack by records: what ended is stored, then written" {
	messages 4 4 | lb-queue put > /dev/null
	lb-queue take -n 4 > taken
	cat > ends <<-'END'
		{"kind":"receipt","id":"m0","session":"b/person_0","part":1,"final":true}
		{"kind":"drop","id":"m1","stage":"x","reason":"y"}
		{"kind":"error","id":"m2","stage":"x","code":"io","message":"y","retryable":true}
		{"kind":"error","id":"m3","stage":"x","code":"io","message":"y","retryable":false}
		{"kind":"status"}
	END
	run --separate-stderr -0 lb-queue ack < ends
	same "$(grep -v m2 ends | sort)" "$(sort <<< "$output")"
	same $'m0 receipt\nm1 drop\nm3 error' "$(lb-queue peek --done |
		jq -r '"\(.key) \(.outcome.kind)"' | sort)"
	same '["m2","delayed",1]' "$(lb-queue peek | jq -c '[.key,.state,.tries]')"
	run --separate-stderr -69 lb-queue ack < <(head -n 1 ends)
	[ -z "$output" ]
	same "lb-queue: 'm0' is in nobody's hand" "$stderr"
}

@test "not_before: a record waits, and its session behind it" {
	later=$(($(date +%s) * 1000 + 60000))
	cat <<-END | lb-queue put > /dev/null
		{"kind":"message","id":"a","session":"s","not_before":$later}
		{"kind":"message","id":"b","session":"s"}
		{"kind":"message","id":"c","session":"t"}
	END
	run -0 lb-queue take -n 9
	same c "$(jq -r .id <<< "$output")"
	same 1 "$(stat delayed)"
	run -0 lb-queue peek --ready
	[ -z "$output" ]
}

@test "purge forgets what ended, and then it may be put again" {
	messages 3 | lb-queue put > /dev/null
	lb-queue ack --lease "$(lb-queue take | jq -r .lease)"
	run -0 lb-queue purge
	same '{"queue":"in","purged":0}' "$output"
	run -0 lb-queue purge --older 1ms
	same '{"queue":"in","purged":1}' "$output"
	run -0 lb-queue peek --done
	[ -z "$output" ]
	run -0 lb-queue put < <(messages 3)
	same $'m1\nm2' "$(jq -r 'select(.duplicate).id' <<< "$output")"
}

@test "queues do not know each other" {
	messages 2 | lb-queue put one > /dev/null
	messages 2 | lb-queue put two > /dev/null
	lb-queue take -n 9 one > /dev/null
	same 0 "$(stat held two)"
	run -0 lb-queue stats
	same $'"one"\n"two"' "$(jq .queue <<< "$output")"
	run -0 lb-queue stats --prometheus
	[[ $output == *$'# TYPE lb_queue_depth gauge\nlb_queue_depth{queue="one"} 2'* ]]
	[[ $output == *'lb_queue_put_total{queue="two"} 2'* ]]
}

@test "looking makes no database" {
	for verb in stats peek purge take; do
		run -0 lb-queue $verb
	done
	[ ! -e "$LB_STATE" ]
}

@test "a damaged queue is exit 65, stays as it is, and takes nothing" {
	mkdir "$LB_STATE"
	head -c 8192 /dev/zero | tr '\0' x > "$LB_STATE/queue.db"
	cp "$LB_STATE/queue.db" before
	for verb in put take stats peek purge ack; do
		run --separate-stderr -65 lb-queue $verb < <(messages 1)
		[[ $stderr == "lb-queue: '$LB_STATE/queue.db' is damaged"* ]]
		[ -z "$output" ]
	done
	cmp before "$LB_STATE/queue.db"
}

@test "the conversations are no queue" {
	lb-ingest text <<< hi | lb-pipeline | lb-agent > /dev/null
	mv "$LB_STATE/lb.db" "$LB_STATE/queue.db"
	run --separate-stderr -65 lb-queue stats
	same "lb-queue: '$LB_STATE/queue.db' is a database of another program" \
		"$stderr"
}

@test "damage in the middle: nothing is said to be safe" {
	messages 500 | lb-queue put > /dev/null
	size=$(wc -c < "$LB_STATE/queue.db")
	for ((at = 4096; at < size; at += 4096)); do
		printf '%04096d' 7 | dd of="$LB_STATE/queue.db" bs=1 seek=$at \
			conv=notrunc status=none
	done
	rm -f "$LB_STATE"/queue.db-*
	run --separate-stderr -65 lb-queue put < <(messages 900)
	same '' "$(grep queued <<< "$output" || true)"
	[[ $stderr == *"is damaged"* ]]
}

@test "a queue that another holds: 75, and nothing is said to be safe" {
	need python3
	messages 1 | lb-queue put > /dev/null
	mkfifo held go
	python3 - "$LB_STATE/queue.db" <<-'END' 3>&- &
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1], isolation_level=None)
		db.execute("BEGIN IMMEDIATE")
		open("held", "w").close()
		open("go").read()
	END
	: < held
	run --separate-stderr -75 lb-queue put <<< '{"kind":"message","id":"x"}'
	: > go
	wait
	[ -z "$output" ]
	[[ $stderr == *"database is locked"* ]]
}

@test "files may grow no more: what is not stored is not said to be safe" {
	# the file of the queue may not reach its size
	run bash -c '{ ulimit -f 150; lb-queue put 2> err; } | cat
		exit "${PIPESTATUS[0]}"' < <(messages 9000)
	same 74 "$status"
	[[ $(cat err) == "lb-queue: "*"queue.db"* ]]
	said=$(grep -c queued <<< "$output" || true)
	lb-queue peek | jq -r .key > there
	same "$said" "$(wc -l < there)"
	jq -r 'select(.kind == "queued").id' <<< "$output" | sort > told
	same "$(cat told)" "$(sort there)"
}

@test "usage mistakes are exit 64 and say how to get help" {
	for bad in "" nonsense "put a b" "put --max 0" "put --full maybe" \
		"take -n 0" "take a/b" "ack --back" "peek --done --dead" \
		"stats -x"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -64 lb-queue $bad < /dev/null
		[ -z "$output" ]
		[[ $stderr == *"lb-queue"* ]]
	done
}
