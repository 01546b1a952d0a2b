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
	# behind another: no try
	until run lb-queue take && [ -n "$output" ]; do sleep 0.1; done
	sed -n '3s/}$/,"behind":"m1"}/p' ends | lb-queue ack
	same '["m2",1]' "$(lb-queue peek | jq -c '[.key,.tries]')"
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

# A CMD that ends each message it reads.
DROP='s/"kind":"message"/"kind":"drop","stage":"sed","reason":"test"/'

# script NAME - an executable from standard input.
script() {
	cat > "$1"
	chmod +x "$1"
}

# soon COMMAND... - wait for it to come true, half a minute at most.
soon() {
	timeout 30 bash -c 'until "$@"; do read -r -t 0.02 < <(:) || :; done' \
		- "$@"
}

# gone PID - it has ended, whether or not somebody has asked how.
gone() {
	! kill -0 "$1" 2> /dev/null || grep -q '^[0-9]* (.*) Z' "/proc/$1/stat"
}
export -f gone

# ends - key and kind of what ended, ordered.
ends() {
	lb-queue peek --done | jq -r '"\(.key) \(.outcome.kind)"' | sort
}

@test "work: a copy that has one record in hand may get more" {
	lb-queue work in -- sh -c 'echo "copy $$" >&2; exec sed -u \
		"s/\"kind\":\"message\"/\"kind\":\"drop\"/"' > out 2> copies \
		< /dev/null 3>&- &
	pid=$!
	for n in 1 2 3; do
		messages $n | tail -n 1 | lb-queue put > /dev/null
		for ((i = 0; i < 500; i++)); do
			[ "$(wc -l < out)" -lt $n ] || break
			sleep 0.02
		done
	done
	kill $pid
	wait $pid || true
	same 3 "$(wc -l < out)"
	same 1 "$(wc -l < copies)"
}

@test "work hands records to copies, and stores each end before it passes on" {
	messages 100 7 | lb-queue put > /dev/null
	run --separate-stderr -0 lb-queue work -j 3 -w 4 --once -- \
		sed -u "$DROP"
	[ -z "$stderr" ]
	same "$(messages 100 7 | jq -r .id | sort)" "$(jq -r .id <<< "$output" |
		sort)"
	same 100 "$(ends | grep -c drop)"
	same 0 "$(stat depth)"
	# in each session the order is that of the messages
	for s in 0 1 2 3 4 5 6; do
		same "$(messages 100 7 | jq -c "select(.n % 7 == $s).n")" \
			"$(jq -c "select(.n % 7 == $s).n" <<< "$output")"
	done
}

@test "work: what comes back and is no end is passed on as it came" {
	messages 1 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		read -r line
		echo '{"kind":"chunk","id":"m0", "seq":0}'
		echo '{"kind":"receipt","id":"m0","part":1,"final":false}'
		echo '{"kind":"receipt","id":"other","part":1,"final":true}'
		echo '{"kind":"receipt","id":"m0","part":2,"final":true}'
		echo '{"kind":"receipt","id":"m0","part":2,"final":true}'
		cat > /dev/null
	END
	run --separate-stderr -0 lb-queue work --once -- ./cmd
	same "$(grep -o "{.*}" cmd | head -n 4)" "$output"
	same "lb-queue: a copy ended 'm0' a second time: left out" "$stderr"
	same 'm0 receipt' "$(ends)"
}

@test "work: no more than the window is in a copy's hand" {
	messages 20 20 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		n=0
		while [ $n -lt 20 ]; do
			read -r a; read -r b
			if read -r -t 0.2 c; then echo "$c" >> third; fi
			n=$((n + 2))
			printf '%s\n%s\n' "$a" "$b" | sed 's/"message"/"drop"/'
		done
	END
	sed -i '1s/sh/bash/' cmd
	run -0 lb-queue work -w 2 --once -- ./cmd
	same 20 "$(wc -l <<< "$output")"
	[ ! -e third ]
}

@test "work: an error that may pass waits, and the last one is the end" {
	messages 2 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		while read -r line; do
			echo "$line" >> seen
			case $line in
			*m0*) echo '{"kind":"error","id":"m0","stage":"x","code":"io","message":"y","retryable":true}' ;;
			*) echo '{"kind":"drop","id":"m1","stage":"x","reason":"y"}' ;;
			esac
		done
	END
	run --separate-stderr -0 lb-queue work --tries 2 -w 1 --once -- ./cmd
	same $'error m0 false\ndrop m1 null' \
		"$(jq -r '"\(.kind) \(.id) \(.retryable)"' <<< "$output")"
	same $'m0\nm0\nm1' "$(jq -r .id seen)"
	same $'m0 error\nm1 drop' "$(ends)"
	same 1 "$(stat retried)"
}

@test "work: what is behind another goes back in line, and that is no try" {
	messages 4 1 | lb-queue put > /dev/null
	# m0 fails twice, what comes after it meanwhile is given back
	script cmd <<-'END'
		#!/bin/bash
		while read -r line; do
			id=$(jq -r .id <<< "$line")
			echo "$id" >> seen
			if [ $id = m0 ] && [ "$(grep -c m0 seen)" -le 2 ]; then
				echo '{"kind":"error","id":"m0","stage":"x","code":"io","message":"y","retryable":true}'
				held=1
			elif [ $id != m0 ] && [ "$held" = 1 ]; then
				echo '{"kind":"error","id":"'$id'","stage":"x","code":"io","message":"y","retryable":true,"behind":"m0"}'
			else
				held=0
				echo '{"kind":"drop","id":"'$id'","stage":"x","reason":"y"}'
			fi
		done
	END
	run --separate-stderr -0 lb-queue work --tries 3 --once -- ./cmd
	same $'drop m0\ndrop m1\ndrop m2\ndrop m3' \
		"$(jq -r '"\(.kind) \(.id)"' <<< "$output")"
	same "$(for n in 1 2 3; do printf 'm%d\n' 0 1 2 3; done)" "$(cat seen)"
	same 2 "$(stat retried)"
}

@test "work: the only one that is behind does not spin" {
	messages 1 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		while read -r line; do
			echo x >> seen
			if [ "$(wc -l < seen)" -lt 11 ]; then
				echo '{"kind":"error","id":"m0","stage":"x","code":"io","message":"y","retryable":true,"behind":"gone"}'
			else
				echo '{"kind":"drop","id":"m0","stage":"x","reason":"y"}'
			fi
		done
	END
	began=$(date +%s%N)
	run --separate-stderr -0 lb-queue work --tries 1 --once -- ./cmd
	[ $(($(date +%s%N) - began)) -ge 1000000000 ]
	same 'drop m0' "$(jq -r '"\(.kind) \(.id)"' <<< "$output")"
}

@test "work: a drop into another ends when that does" {
	messages 3 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		read -r a; read -r b; read -r c
		echo '{"kind":"drop","id":"m0","stage":"x","reason":"y","into":"m1"}'
		echo '{"kind":"drop","id":"m1","stage":"x","reason":"y","into":"m2"}'
		echo '{"kind":"status"}'
		lb-queue peek --done >> early
		echo '{"kind":"receipt","id":"m2","part":1,"final":true}'
		cat > /dev/null
	END
	run --separate-stderr -0 lb-queue work --once -- ./cmd
	[ ! -s early ]
	same 'status receipt drop drop' "$(jq -r .kind <<< "$output" | xargs)"
	same $'m0 drop\nm1 drop\nm2 receipt' "$(ends)"
}

@test "work: a drop into one that ended a moment ago is an end" {
	messages 2 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		read -r a; read -r b
		printf '%s\n' '{"kind":"receipt","id":"m0","part":1,"final":true}' \
			'{"kind":"drop","id":"m1","stage":"x","reason":"y","into":"m0"}'
		cat > /dev/null
	END
	run --separate-stderr -0 lb-queue work --once -- ./cmd
	[ -z "$stderr" ]
	same $'m0 receipt\nm1 drop' "$(ends)"
}

@test "work: what a record took in comes again when that does" {
	messages 2 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		read -r a; read -r b
		if [ -e seen ]; then
			printf '%s\n' "$a" "$b" >> seen
			echo '{"kind":"drop","id":"m1","stage":"x","reason":"y","into":"m0"}'
			echo '{"kind":"receipt","id":"m0","part":1,"final":true}'
		else
			: > seen
			printf '%s\n' '{"kind":"error","id":"m0","stage":"x","code":"io","message":"y","retryable":true}' \
				'{"kind":"drop","id":"m1","stage":"x","reason":"y","into":"m0"}'
		fi
		cat > /dev/null
	END
	run --separate-stderr -0 lb-queue work --once -- ./cmd
	same $'m0 receipt\nm1 drop' "$(ends)"
	same 'm0 m1' "$(jq -r .id seen | xargs)"
}

@test "work: queued is moved, and no end" {
	messages 3 3 | lb-queue put > /dev/null
	run --separate-stderr -0 lb-queue work --once -- lb-queue put out.b
	same 3 "$(grep -c queued <<< "$output")"
	same 0 "$(stat depth)"
	same 3 "$(stat depth out.b)"
	same $'moved\nmoved\nmoved' "$(lb-queue peek --done | jq -r .state)"
}

@test "work: the parts of a reply end with their receipts" {
	printf '{"kind":"reply","id":"a","session":"s","bot":"-","chain":[],"text":"x","part":%d,"final":%s}\n' \
		1 false 2 true | lb-queue put > /dev/null
	run --separate-stderr -0 lb-queue work --once -- lb-send null
	same $'1\n2' "$(jq .part <<< "$output")"
	same $'a/reply/1 receipt\na/reply/2 receipt' "$(ends)"
}

@test "work: a record that kills its copy is a dead letter, alone" {
	messages 12 4 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/bash
		while read -r line; do
			case $line in *'"n":5}') kill -9 $$ ;; esac
			echo "${line/message/drop}"
		done
	END
	run --separate-stderr -0 lb-queue work -j 2 --once -- ./cmd
	same 12 "$(jq -r .id <<< "$output" | sort -u | wc -l)"
	same 12 "$(wc -l <<< "$output")"
	same 'm5 lost false' "$(jq -r 'select(.kind == "error") |
		"\(.id) \(.code) \(.retryable)"' <<< "$output")"
	same 11 "$(ends | grep -c drop)"
	run -0 lb-queue dead
	same '["m5","dead","error",5]' "$(jq -c '[.key, .state, .outcome.kind,
		.record.n]' <<< "$output")"
	same 1 "$(stat dead)"
	# four deaths: one among others at most, three alone
	[ "$(stat deaths)" -le 4 ]
	same '[0,3]' "$(jq -c '[.tries, .deaths]' <<< "$output")"
	run -66 lb-queue retry --id m4
	run -0 lb-queue retry --id m5
	same 0 "$(stat dead)"
	run -0 lb-queue work --once -- sed -u "$DROP"
	same m5 "$(jq -r .id <<< "$output")"
	same 12 "$(ends | grep -c drop)"
}

@test "work: a copy that lets its deadline pass is killed with its group" {
	messages 1 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		[ ! -e once ] || exec sed -u 's/"message"/"drop"/'
		: > once
		sleep 1000 & echo $! > child
		wait
	END
	run --separate-stderr -0 lb-queue work --deadline 300ms --once -- ./cmd
	same drop "$(jq -r .kind <<< "$output")"
	same "lb-queue: a copy of './cmd' passed its deadline with 1 record in hand" \
		"$stderr"
	soon gone "$(cat child)"
}

@test "work: a filter that writes at its end is no deadlock" {
	messages 5 5 | lb-queue put > /dev/null
	run --separate-stderr -0 lb-queue work --once -- \
		bash -c 'mapfile -t all; printf "%s\n" "${all[@]/message/drop}"'
	same 5 "$(wc -l <<< "$output")"
}

@test "work: what a copy said before it ended is heard, however much" {
	local i
	yes '{"kind":"note"}' | head -n 6000 > words
	for i in {1..8}; do
		messages 1 | lb-queue put "q$i" > /dev/null
		lb-queue work "q$i" --once -- sh -c 'sed s/message/drop/; cat words' > out
		same "1 6000" "$(grep -c drop out) $(grep -c note out)"
	done
	# one that answers and goes has answered
	script goes <<- 'END'
		#!/bin/sh
		IFS= read -r line
		printf '%s\n' "$line" | sed s/message/drop/
		cat words
	END
	messages 6 1 | lb-queue put > /dev/null
	lb-queue work -w 1 --once -- ./goes > out
	same "6 36000" "$(grep -c drop out) $(grep -c note out)"
}

# working COMMAND... - work in the background; its group is that of $WORK.
working() {
	lb-queue work "$@" > out 2> err 3>&- &
	WORK=$!
}


@test "kill -9 of work: its copies go, and what was in hand is done by the next" {
	messages 3 1 | lb-queue put > /dev/null
	script hang <<-'END'
		#!/bin/sh
		sleep 1000 & echo $! > child
		while read -r line; do echo "$line" >> seen; done
		wait
	END
	working -- ./hang
	soon [ -s seen ]
	kill -9 $WORK
	wait $WORK || true
	child=$(cat child)
	soon gone "$child"
	run --separate-stderr -0 lb-queue work --once -- sed -u "$DROP"
	same $'m0\nm1\nm2' "$(jq -r .id <<< "$output")"
	same 0 "$(stat deaths)"
}

@test "a signal: what is in hand is finished within the grace" {
	messages 2 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		read -r a; read -r b
		: > have
		cat > /dev/null
		echo "$a" | sed 's/"message"/"drop"/'
		echo "$b" | sed 's/"message"/"drop"/'
	END
	working -- ./cmd
	soon [ -e have ]
	kill -TERM $WORK
	status=0
	wait $WORK || status=$?
	same 143 $status
	same $'m0\nm1' "$(jq -r .id out)"
	same 0 "$(stat depth)"
}

@test "a signal: when the grace is over they wait again, and nothing is left" {
	messages 2 1 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/sh
		echo $$ > leader
		exec sleep 1000
	END
	working --grace 200ms -- ./cmd
	soon [ -s leader ]
	kill -TERM $WORK
	status=0
	wait $WORK || status=$?
	same 143 $status
	soon gone "$(cat leader)"
	same '0 2 0' "$(stat held) $(stat depth) $(stat deaths)"
}

@test "work: a command that is not there, or may not be run" {
	messages 1 | lb-queue put > /dev/null
	run --separate-stderr -127 lb-queue work --once -- ./none
	same "lb-queue: cannot start './none': No such file or directory" "$stderr"
	: > plain
	run --separate-stderr -126 lb-queue work --once -- ./plain
	same 1 "$(stat depth)"
	same 0 "$(stat held)"
	run -64 lb-queue work
	run -64 lb-queue work in --
	run -64 lb-queue work -j 0 -- cat
}

@test "work: a lone record wakes it" {
	working -- sed -u "$DROP"
	messages 1 | lb-queue put > /dev/null
	soon [ -s out ]
	kill $WORK
	wait $WORK || true
	same m0 "$(jq -r .id out)"
}

@test "work: a reader that leaves; a full disk" {
	messages 50 | lb-queue put > /dev/null
	run --separate-stderr -74 bash -c 'lb-queue work --once -- sed -u "$0" \
		> /dev/full' "$DROP"
	[[ $stderr == "lb-queue: cannot write output: No space left on device" ]]
	messages 3000 | sed 's/"id":"m/"id":"x/' | lb-queue put > /dev/null
	run -0 bash -c 'lb-queue work --once -- sed -u "$0" | head -n 1 > /dev/null
		echo "${PIPESTATUS[0]}"' "$DROP"
	same 141 "$output"
	same 0 "$(stat held)"
}

@test "failed: what an error ended is shown, and may be tried again" {
	messages 6 2 | lb-queue put > /dev/null
	script cmd <<-'END'
		#!/bin/bash
		while read -r line; do
			case $line in
			*'"n":2}') echo '{"kind":"error","id":"m2","stage":"x","code":"denied","message":"no such chat","retryable":false}' ;;
			*'"n":3}') kill -9 $$ ;;
			*) echo "${line/message/drop}" ;;
			esac
		done
	END
	lb-queue work --once -- ./cmd > /dev/null
	run -0 lb-queue peek --failed
	same $'m2 done no such chat\nm3 dead true' "$(jq -r '"\(.key) \(.state) \(
		if .outcome.code == "lost" then true
		else .outcome.message end)"' <<< "$output" | sort)"
	run -64 lb-queue retry --failed --all
	run -64 lb-queue peek --failed --done
	run -66 lb-queue retry --id m1
	run -0 lb-queue retry --failed
	same '{"queue":"in","retried":2}' "$output"
	same '2 4 0' "$(lb-queue stats | jq -r '"\(.depth) \(.done) \(.dead)"')"
	lb-queue work --once -- sed -u "$DROP" > /dev/null
	same '0 6 0' "$(lb-queue stats | jq -r '"\(.depth) \(.done) \(.dead)"')"
	same '' "$(lb-queue peek --failed)"
	# an outcome that is no JSON is no error
	echo '{"kind":"message","id":"odd","session":"s"}' | lb-queue put > /dev/null
	lb-queue take | jq -c '.kind = "drop"' | lb-queue ack > /dev/null
	same '' "$(lb-queue peek --failed)"
}

@test "work: a session that has much to say does not keep others waiting" {
	messages 100 1 | lb-queue put > /dev/null
	echo '{"kind":"message","id":"other","session":"s2"}' |
		lb-queue put > /dev/null
	# answers nothing before it has seen the other session
	script cmd <<-'END'
		#!/bin/bash
		while read -r line; do
			held+=("${line/message/drop}")
			[[ $line == *other* ]] && go=1
			[ -n "$go" ] || continue
			printf '%s\n' "${held[@]}"
			held=()
		done
	END
	run -0 timeout 20 lb-queue work --once -w 8 -- ./cmd
	same 101 "$(wc -l <<< "$output")"
	same "$(seq 0 99)" "$(jq -r 'select(.n) | .n' <<< "$output")"
}
