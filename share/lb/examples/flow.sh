#!/bin/sh
# flow.sh - the durable bot, as a shell script: what lb-run does, in the open.
#     flow.sh ADAPTER BOT
# What arrives is in a queue before the platform hears "got it", and leaves it
# when its end comes back; whatever dies meanwhile is started again. The ends
# are written to standard output; what `stdout` bots say, to standard error.
set -eu
[ $# -eq 2 ] || {
	echo "usage: $0 ADAPTER BOT" >&2
	exit 64
}
adapter=$1 bot=$2

listen() {
	trap 'kill $child; exit' TERM
	while :; do
		lb-ingest "$adapter" --bot "$bot" --queue in >&2 &
		child=$! status=0
		wait $child || status=$?
		case $status in
		64 | 66 | 69 | 70 | 77 | 78) # it would end so again
			kill $$
			exit
			;;
		esac
		sleep 1
	done
}

listen &
listener=$!

# Any filter of your own may stand in this pipe.
lb-queue work in -- sh -c 'lb-pipeline | lb-agent | lb-wrap |
	lb-send --records fd:3 3>&1 >&2' &
worker=$!

trap 'kill $listener $worker 2> /dev/null || :; wait' EXIT
trap 'exit 143' INT TERM
wait $worker
