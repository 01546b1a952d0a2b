#!/bin/sh
# wire.sh - what an answer of a model costs on its way in. Prints the JSON
# lines of bench-sse and ends 1 when a bound is missed:
#
#   frame     framing an event stream: at least 600 MB a CPU second
#   answer    the events of a chat made of it: at least 100 MB a CPU second
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
make -s -C "$build" bench/bench-sse || exit 99
"$build/bench/bench-sse" | awk -F '[:,}]' '{
	print
	least = /"what":"frame"/ ? 600 : 100
	if ($(NF - 1) + 0 >= least)
		next
	print "wire.sh: less than " least " MB a CPU second" > "/dev/stderr"
	bad = 1
} END { exit bad || NR != 4 }'
