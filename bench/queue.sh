#!/bin/sh
# queue.sh - what a record costs in lb-queue. Prints a JSON line a bound and ends
# 1 when one is missed. Times are the least of several runs.
#
#   put     100,000 messages of about 400 bytes: at most twice the time of a
#           plain INSERT of (id, line), in transactions of the same size and
#           with the same synchronous=FULL (baseline-insert.c)
#   work    the put and the work of 100,000 short messages, sed -u as COMMAND:
#           at least 15,000 records/s. sed -u reads a byte a system call, so a
#           copy can do no more than sed -u alone, which is printed, too.
#   idle    a poll at a depth of LB_BENCH_DEPTH (1,000,000) with every session
#           leased: at most 1 ms of CPU time. `work` looks once a second.
#   lone    a record through an idle queue, from the start of put until it
#           comes out of work: at most 20 ms
lines=${LB_BENCH_LINES:-100000}
depth=${LB_BENCH_DEPTH:-1000000}
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
disk=$(mktemp -d) || exit 99
worker=
trap 'test -z "$worker" || kill "$worker"; rm -rf "$disk"' EXIT
trap 'exit 130' INT TERM
bad=0

PATH=$build:$PATH LB_STATE=$disk/state LC_ALL=C
export PATH LB_STATE LC_ALL
unset LB_LOG LB_LOG_FORMAT LB_MAX_LINE LB_CONFIG
make -s -C "$build" bench/baseline-insert || exit 99

# messages N SESSIONS [TEXT]
messages() {
	awk -v n="$1" -v sessions="$2" -v text="$3" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "{\"kind\":\"message\",\"id\":\"01890a5d-ac96-" \
			"774b-bcce-%012d\",\"session\":\"b/person_%d\"%s}\n",
			i, i % sessions, text
	}'
}

now() {
	date +%s%N
}

# least RUNS COMMAND... - the least time in ms; `fresh` runs before each.
least() {
	runs=$1 best=
	shift
	while [ "$runs" -gt 0 ]; do
		fresh || exit 99
		began=$(now)
		"$@" || { echo "cannot measure: $*" >&2; exit 99; }
		took=$((($(now) - began) / 1000000))
		if [ -z "$best" ] || [ "$took" -lt "$best" ]; then
			best=$took
		fi
		runs=$((runs - 1))
	done
}

# bound NAME VALUE MOST|LEAST LIMIT MORE
bound() {
	awk -v name="$1" -v v="$2" -v how="$3" -v limit="$4" -v more="$5" '
	BEGIN {
		good = how == "most" ? v <= limit : v >= limit
		printf "{\"bench\":\"%s\",\"value\":%s,\"%s\":%s%s,\"ok\":%s}\n",
			name, v, how, limit, more, good ? "true" : "false"
		exit !good
	}' || bad=1
}

fresh() {
	rm -rf "$LB_STATE" "$disk"/base.db*
}

put() {
	lb-queue put < "$disk/long" > /dev/null
}

insert() {
	baseline=$build/bench/baseline-insert
	"$baseline" "$disk/base.db" < "$disk/long"
}

through() {
	lb-queue put < "$disk/short" > /dev/null &&
		lb-queue work -j 2 -w 512 --once -- sed -u \
			's/"kind":"message"/"kind":"drop"/' > "$disk/out"
}

sed_alone() {
	sed -u 's/"kind":"message"/"kind":"drop"/' < "$disk/short" > /dev/null
}

messages "$lines" 500 ",\"chain\":[{\"type\":\"Plain\",\"text\":\"请问明天北京的天气怎么样？ 🌤 and then some more words follow in the line, as people write them when they have time, 😀👍, until there are about as many bytes in it as a message of a chat platform has with all its names and ids, which is four hundred or so; but not in quotes.\"}]" > "$disk/long"
messages "$lines" 500 | sed 's/01890a5d-ac96-774b-bcce-/m/' > "$disk/short"

least 3 insert
theirs=$best
least 3 put
bound "put, of the rate of INSERT" \
	"$(awk "BEGIN { print $theirs / $best }")" least 0.5 \
	",\"ours_ms\":$best,\"theirs_ms\":$theirs"

least 1 sed_alone
alone=$((lines * 1000 / best))
least 2 through
test "$(wc -l < "$disk/out")" -eq "$lines" || { echo "records are missing" >&2
	exit 1; }
bound "put and work, records/s" $((lines * 1000 / best)) least 15000 \
	",\"sed_alone\":$alone"

# Each session in the hand of a take; the rest waits behind.
fresh
sessions=1000
messages "$depth" $sessions | lb-queue put > /dev/null
i=0
while [ "$(lb-queue stats in | jq .leases)" -lt $sessions ]; do
	# one record a session: what is taken of one first is its whole line
	lb-queue take -n 1 --deadline 1h > /dev/null
	i=$((i + 1))
	[ $i -le $sessions ] || exit 99
done
lb-queue work -- cat > /dev/null &
worker=$!
sleep 2
ticks() {
	# user and system time, in ticks of 10 ms
	sed 's/.*) //' "/proc/$worker/stat" | awk '{ print $12 + $13 }'
}
before=$(ticks)
sleep 20
after=$(ticks)
kill $worker
wait $worker 2> /dev/null
worker=
# ten milliseconds are one tick, so 20 polls of 1 ms are two
bound "idle poll at $depth, ms of CPU" \
	"$(awk "BEGIN { print ($after - $before) * 10 / 20 }")" most 1 ""

fresh
mkfifo "$disk/pipe"
lb-queue work -- sed -u 's/"kind":"message"/"kind":"drop"/' > "$disk/pipe" &
worker=$!
exec 3< "$disk/pipe"
best=
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo "{\"kind\":\"message\",\"id\":\"m$i\",\"session\":\"s$i\"}" \
		> "$disk/one"
	sleep 0.3
	began=$(now)
	lb-queue put < "$disk/one" > /dev/null
	head -n 1 <&3 > /dev/null
	took=$((($(now) - began) / 100000))
	[ $i -eq 1 ] && continue # the copy started then
	if [ -z "$best" ] || [ $took -lt $best ]; then
		best=$took
	fi
done
bound "lone record, ms" "$(awk "BEGIN { print $best / 10 }")" most 20 ""
exit $bad
