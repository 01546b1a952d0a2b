#!/bin/sh
# pipeline.sh - what a line costs in lb-pipeline, against `jq -c .` over the
# same file in the same run, and what a start costs, against /bin/true. Prints
# a JSON line a bound and ends 1 when one is missed.
#
#   owned     200,000 messages of about 400 bytes: CPU time at most 0.8 of jq
#   chain     the same lines through everything: 40 prefixes, 8 regexps, 2
#             bots known by an At, 2,000 words, windows of sessions and
#             senders kept on disk, 200 sessions, a third of them groups:
#             CPU time at most that of jq
#   memory    peak with all of them at most 1.1 of that with a tenth
#   foreign   lines of another kind: at least 40 times faster than jq,
#             from a file and from a pipe
#   start     one message, no configuration: at most 8 times /bin/true, the
#             database of the limits opened; lb-agent and lb-llm: 12 times
lines=${LB_BENCH_LINES:-200000}
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bad=0

# More is asked here of a chat than a chat may ask.
echo 'pipelines: {default: {safety: {rate-limit: {limitation: 1000000}}}}' \
	> "$work/config.yaml"
LB_CONFIG=$work/config.yaml LB_STATE=$work/state LC_ALL=C
LB_MODEL=offline
export LB_CONFIG LB_STATE LC_ALL LB_MODEL
unset LB_LOG LB_LOG_FORMAT LB_MAX_LINE OPENAI_API_KEY
make -s -C "$build" bench/spawn || exit 99

# Made once for each number of lines: messages in several scripts.
messages() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "{\"kind\":\"message\",\"id\":\"01890a5d-ac96-" \
			"774b-bcce-%012d\",\"time\":%.0f,\"bot\":\"-\"," \
			"\"platform\":\"jsonl\",\"launcher_type\":\"group\"," \
			"\"launcher_id\":\"%d\",\"sender_id\":\"%d\"," \
			"\"sender_name\":\"王小明 %d\",\"session\":\"-/group_%d\"," \
			"\"chain\":[{\"type\":\"Plain\",\"text\":\"请问明天北京的" \
			"天气怎么样？ 🌤 Number %d asks this, and then some more " \
			"words follow \\\"in quotes\\\" to fill the line 😀👍\"}]}\n",
			i, 1767225600000 + i, i % 500, i % 9000, i % 9000,
			i % 500, i
	}'
}

# 200 sessions, of each three one a group, where every other message begins
# with a prefix or an At.
chats() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			group = i % 3 == 0
			printf "{\"kind\":\"message\",\"id\":\"01890a5d-ac96-" \
			"774b-bcce-%012d\",\"time\":%.0f,\"bot\":\"%s\"," \
			"\"platform\":\"jsonl\",\"launcher_type\":\"%s\"," \
			"\"launcher_id\":\"%d\",\"sender_id\":\"%d\"," \
			"\"sender_name\":\"王小明 %d\",\"session\":\"x\"," \
			"\"chain\":[%s{\"type\":\"Plain\",\"text\":\"%s请问明天北京的" \
			"天气怎么样？ 🌤 Number %d asks this, and then some more " \
			"words follow \\\"in quotes\\\" to fill the line 😀👍\"}]}\n",
			i, 1767225600000 + i, i % 2 ? "one" : "two",
			group ? "group" : "person", i % 200, i % 900, i % 900,
			group && i % 4 == 0 ? "{\"type\":\"At\",\"target\":\"9\"}," : "",
			group && i % 4 == 1 ? "word39 " : "", i
		}
	}'
}

whole_chain() {
	awk 'BEGIN {
		print "bots: {one: {self: \"9\", pipeline: p}, two: {self: \"8\", pipeline: p}}"
		print "pipelines:\n  p:\n    trigger:\n      group-respond-rules:"
		printf "        prefix: ["
		for (i = 0; i < 40; i++) printf "word%d, ", i
		print "]\n        regexp: [\047what\\b\047, \047(who|how)\\s\047, \047\\d+:\047, \047[?!]\047]"
		print "      ignore-rules:\n        regexp: [\047^ok$\047, \047\\bspam\\b\047, \047https?://bad[.]\047, \047(.)\\1{9}\047]"
		print "    safety:\n      rate-limit: {limitation: 1000000, windows: [{per: sender, window: 1h, limit: 1000000, algorithm: sliding}]}"
		printf "      content-filter:\n        words: ["
		for (i = 0; i < 2000; i++)
			printf "%s%d, ", i % 2 ? "unwanted" : "脏话", i
		print "]"
	}'
}

cost() {
	"$build/bench/spawn" "$@" || { echo "cannot measure: $*" >&2; exit 99; }
}

field() {
	sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}

# bound NAME OURS THEIRS MOST [turned] - OURS / THEIRS, at most MOST; turned:
# THEIRS / OURS, at least MOST.
bound() {
	awk -v name="$1" -v ours="$2" -v theirs="$3" -v most="$4" -v turned="$5" '
	BEGIN {
		ours = ours > 0 ? ours : 1
		ratio = turned ? theirs / ours : ours / theirs
		good = turned ? ratio >= most : ratio <= most
		printf "{\"bench\":\"%s\",\"ours\":%d,\"theirs\":%d," \
			"\"ratio\":%.3f,\"%s\":%s,\"ok\":%s}\n", name, ours,
			theirs, ratio, turned ? "least" : "most", most,
			good ? "true" : "false"
		exit !good
	}' || bad=1
}

messages "$lines" > "$work/all"
messages $((lines / 10)) > "$work/tenth"
sed 's/"message"/"receipt"/' "$work/all" > "$work/foreign"

jq=$(cost 3 file "$work/all" -- jq -c . | field cpu_us)
ours=$(cost 3 file "$work/all" -- "$build/lb-pipeline")
tenth=$(cost 1 file "$work/tenth" -- "$build/lb-pipeline")
bound "owned lines, CPU us" "$(echo "$ours" | field cpu_us)" "$jq" 0.8
bound "memory, KiB" "$(echo "$ours" | field rss_kib)" \
	"$(echo "$tenth" | field rss_kib)" 1.1

chats "$lines" > "$work/chats"
whole_chain > "$work/chain.yaml"
jq=$(cost 3 file "$work/chats" -- jq -c . | field cpu_us)
ours=$(LB_CONFIG=$work/chain.yaml \
	cost 3 file "$work/chats" -- "$build/lb-pipeline" | field cpu_us)
bound "the whole chain, CPU us" "$ours" "$jq" 1.0

for how in file pipe; do
	ours=$(cost 5 $how "$work/foreign" -- "$build/lb-pipeline" |
		field cpu_us)
	bound "foreign lines from a $how, CPU us" "$ours" "$jq" 40 turned
done

head -n 1 "$work/all" > "$work/one"
"$build/lb-pipeline" < "$work/one" > "$work/query" || exit 99
true=$(cost 300 -- /bin/true | field wall_us)
ours=$(cost 300 file "$work/one" -- "$build/lb-pipeline" | field wall_us)
bound "start of lb-pipeline, us" "$ours" "$true" 8
ours=$(cost 100 file "$work/query" -- "$build/lb-agent" | field wall_us)
bound "start of lb-agent, us" "$ours" "$true" 12
ours=$(cost 100 -- "$build/lb-llm" chat -m offline hi | field wall_us)
bound "start of lb-llm, us" "$ours" "$true" 12
exit $bad
