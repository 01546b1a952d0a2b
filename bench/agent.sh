#!/bin/sh
# agent.sh - 1,000 streamed chats at once (50 deltas, 20 ms apart) in one
# lb-agent, history stored and chunks written, against a plain client built on
# curl_multi_poll() in the same run. Prints a JSON line a bound and ends 1 when
# one is missed.
#
#   cpu      at most 1.5 times the plain client's
#   memory   at most 80 MiB
#   lost     no answer failed, none is missing
n=${LB_BENCH_CHATS:-1000}
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

make -s -C "$build" bench/baseline-multi-poll tests/server/lb-test-server ||
	exit 99
: > "$work/config.yaml"
LB_CONFIG=$work/config.yaml LB_STATE=$work/state LC_ALL=C
OPENAI_API_KEY=sk-bench
export LB_CONFIG LB_STATE LC_ALL OPENAI_API_KEY
unset LB_LOG LB_LOG_FORMAT LB_MAX_LINE LB_MODEL

mkfifo "$work/port"
"$build/tests/server/lb-test-server" --log /dev/null \
	"$here/streams-1000.script" > "$work/port" &
server=$!
read -r port < "$work/port" || exit 99
OPENAI_BASE_URL=http://127.0.0.1:$port/v1
export OPENAI_BASE_URL

awk -v n="$n" 'BEGIN { for (i = 1; i <= n; i++)
	printf "{\"text\":\"hello %d\",\"sender\":\"u%d\"}\n", i, i }' |
	"$build/lb-ingest" jsonl | "$build/lb-pipeline" > "$work/queries"

bad=0
# bound NAME VALUE LIMIT
bound() {
	ok=$(awk -v v="$2" -v l="$3" 'BEGIN { print v <= l ? "true" : "false" }')
	printf '{"bench":"agent","bound":"%s","value":%s,"at_most":%s,"ok":%s}\n' \
		"$1" "$2" "$3" "$ok"
	[ "$ok" = true ] || bad=1
}

"$build/bench/baseline-multi-poll" \
	"http://127.0.0.1:$port/v1/chat/completions" "$n" > "$work/plain"
plain=$(jq .cpu_ms "$work/plain")
# Seconds of CPU and peak KiB, as the kernel counts them for a child.
python3 - "$build/lb-agent" "$work" <<'END' > "$work/ours"
import json, resource, subprocess, sys
program, work = sys.argv[1:]
with open(work + "/queries") as q, open(work + "/out", "w") as out:
    code = subprocess.run([program, "-j", "1000", "--stream"],
                          stdin=q, stdout=out).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"exit": code, "cpu_ms": (use.ru_utime + use.ru_stime) * 1000,
                  "rss_kb": use.ru_maxrss}))
END
replies=$(grep -c '"kind":"reply"' "$work/out")
failed=$(grep -c '"failed":' "$work/out")
bound cpu "$(jq -n --argjson p "$plain" --slurpfile o "$work/ours" \
	'($o[0].cpu_ms / $p * 100 | round) / 100')" 1.5
bound memory_mib "$(jq '.rss_kb / 1024 | round' "$work/ours")" 80
bound lost $((n - replies + failed)) 0
exit $bad
