#!/bin/sh
# tools.sh - 1,000 conversations at once in one lb-agent, each with one call of
# a tool that answers a second later, so that all are under way together. Prints
# a JSON line a bound and ends 1 when one is missed.
#
#   memory   at most 150 MiB
#   lost     no answer is missing, none is another's
n=${LB_BENCH_CHATS:-1000}
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

make -s -C "$build" tests/unit/echo-provider || exit 99
cat > "$work/config.yaml" <<END
tools: {providers: {e: {command: ["$build/tests/unit/echo-provider"]}}}
pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}}
END
LB_CONFIG=$work/config.yaml LB_STATE=$work/state LC_ALL=C
export LB_CONFIG LB_STATE LC_ALL
unset LB_LOG LB_LOG_FORMAT LB_MAX_LINE LB_MODEL

jq -cn --argjson n "$n" 'range($n) | {text:
	"call e__later {\"text\":\"u\(.)\",\"ms\":1000}", sender: "u\(.)"}' |
	"$build/lb-ingest" jsonl | "$build/lb-pipeline" > "$work/queries"

bad=0
# bound NAME VALUE LIMIT
bound() {
	ok=$(awk -v v="$2" -v l="$3" 'BEGIN { print v <= l ? "true" : "false" }')
	printf '{"bench":"tools","bound":"%s","value":%s,"at_most":%s,"ok":%s}\n' \
		"$1" "$2" "$3" "$ok"
	[ "$ok" = true ] || bad=1
}

# Peak KiB, as the kernel counts it for a child.
python3 - "$build/lb-agent" "$work" <<'END' > "$work/ours"
import json, resource, subprocess, sys
program, work = sys.argv[1:]
with open(work + "/queries") as q, open(work + "/out", "w") as out:
    code = subprocess.run([program, "-j", "1000", "--model=offline:tools"],
                          stdin=q, stdout=out).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"exit": code, "rss_kb": use.ru_maxrss,
                  "cpu_ms": (use.ru_utime + use.ru_stime) * 1000}))
END
right=$(jq -r 'select(.kind == "reply" and .text == .sender_id and
	.tools.errors == 0) | .text' "$work/out" | sort -u | wc -l)
bound memory_mib "$(jq '.rss_kb / 1024 | round' "$work/ours")" 150
bound lost $((n - right)) 0
exit $bad
