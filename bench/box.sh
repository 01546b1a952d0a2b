#!/bin/sh
# box.sh - what the sandbox costs beside the bubblewrap that it is made of:
# "bare" is bwrap with the same namespaces, mounts and filter, given on its
# command line, run by turns with what it is held against. As root, bare runs as
# an ordinary user, which is what lb-exec becomes. Times are medians, in ms.
# Prints a JSON line a bound and ends 1 when one is missed.
#
#   cold      lb-exec -- true: at most bare + 1.5
#   session   lb-exec in a session that is there: at most bare + 1
#   tool      lb-tool's exec, the provider running: at most bare + 0.5
#   podman    podman run --rm is at least 10 times as slow (where there is one)
#   crowd     100 sessions at once: none fails
#   total     they take at most 1.3 times what bare takes for 100 on all cores
#   p99       the slowest of them at most 3 times their median
set -u
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"

make -s -C "$build" bench/samples bench/box-filter || exit 99
"$build/bench/box-filter" > "$work/filter" || exit 99
echo 'pipelines: {default: {sandbox: {open-to: everyone},
  ai: {local-agent: {tools: [exec]}}}}
box: {limits: {max_sessions: 200}}' > "$work/config.yaml"
mkdir -p "$work/ws" "$work/skill" "$work/etc/ssl/certs" "$work/etc/alternatives"
: > "$work/etc/ld.so.cache"
: > "$work/etc/localtime"
printf 'root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/workspace:/bin/sh\n' \
	> "$work/etc/passwd"
printf 'root:x:0:\nuser:x:1000:\n' > "$work/etc/group"
echo '127.0.0.1 localhost' > "$work/etc/hosts"
echo 'hosts: files' > "$work/etc/nsswitch.conf"
LB_CONFIG=$work/config.yaml LB_STATE=$work/state LC_ALL=C
export LB_CONFIG LB_STATE LC_ALL
unset LB_LOG LB_LOG_FORMAT LB_MAX_LINE

python3 "$here/box.py" "$build" "$work"
