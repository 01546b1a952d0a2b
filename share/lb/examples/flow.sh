#!/bin/sh
# flow.sh - the durable bot, as a shell script: what lb-run does, in the open.
#     flow.sh ADAPTER BOT
# What arrives is in a queue before the platform hears "got it", and leaves it
# when its end comes back; whatever dies meanwhile is started again. The ends
# are written to standard output; what `stdout` bots say, to standard error.
set -eu
adapter=$1 bot=$2

listen() {
	while :; do
		status=0
		lb-ingest "$adapter" --bot "$bot" --queue in >&2 || status=$?
		case $status in
		64 | 66 | 69 | 70 | 77 | 78) kill $$; exit ;; # it would not help
		esac
		sleep 1
	done
}

listen &
trap 'kill $! 2> /dev/null; pkill -P $! 2> /dev/null || :' EXIT
trap exit INT TERM

# Any filter of your own may stand in this pipe.
lb-queue work in -- sh -c 'lb-pipeline | lb-agent | lb-wrap |
	lb-send --records fd:3 3>&1 >&2' &
wait $!
