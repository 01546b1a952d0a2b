#!/bin/sh
# chat.sh - what a question costs: lb-llm, without history, against curl with
# the same request to the same server, a process each, by turns. Prints a JSON
# line and ends 1 when the bound is missed.
#
#   cpu      at most 1.3 times curl's (user and system time, 200 runs of each)
n=${LB_BENCH_RUNS:-200}
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d) || exit 99
server=
trap 'test -z "$server" || kill "$server"; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

make -s -C "$build" tests/server/lb-test-server || exit 99
: > "$work/config.yaml"
LB_CONFIG=$work/config.yaml LB_STATE=$work/state LC_ALL=C
OPENAI_API_KEY=sk-bench
export LB_CONFIG LB_STATE LC_ALL OPENAI_API_KEY
unset LB_LOG LB_LOG_FORMAT LB_MAX_LINE LB_MODEL

cat > "$work/script" <<'END'
on POST /v1/chat/completions
uses any
openai strict sk-bench
answer You said: {last}
END
mkfifo "$work/port"
"$build/tests/server/lb-test-server" --log /dev/null "$work/script" \
	> "$work/port" &
server=$!
read -r port < "$work/port" || exit 99
OPENAI_BASE_URL=http://127.0.0.1:$port/v1
export OPENAI_BASE_URL

"$build/lb-llm" --dry-run hi | jq -c .body > "$work/body"
python3 - "$build/lb-llm" "$OPENAI_BASE_URL" "$work/body" "$n" <<'END'
import json, os, resource, subprocess, sys

program, url, body, n = sys.argv[1:]
ours = [program, "--no-history", "hi"]
theirs = ["curl", "-sN", "-H", "Content-Type: application/json", "-H",
          "Authorization: Bearer sk-bench", "--data-binary", "@" + body,
          url + "/chat/completions"]


def cpu(command, wanted):
    """Milliseconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, stdin=subprocess.DEVNULL, check=True,
                         stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if wanted not in out:
        sys.exit("no answer: %r" % out)
    return 1000 * (after.ru_utime - before.ru_utime +
                   after.ru_stime - before.ru_stime)


cpu(ours, b"You said: hi"), cpu(theirs, b"[DONE]")  # the files are in memory
sums = [0, 0]
for _ in range(int(n)):
    sums[0] += cpu(ours, b"You said: hi")
    sums[1] += cpu(theirs, b"[DONE]")
ratio = sums[0] / sums[1]
print(json.dumps({"bench": "chat", "bound": "cpu", "value": round(ratio, 3),
                  "at_most": 1.3, "ours_ms": round(sums[0] / int(n), 2),
                  "curl_ms": round(sums[1] / int(n), 2),
                  "ok": ratio <= 1.3}))
sys.exit(ratio > 1.3)
END
