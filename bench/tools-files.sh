#!/bin/sh
# tools-files.sh - the tools for files over 5,000 files (about 45 MB) against
# ripgrep, in the same run: processor time of `lb-tool call`, its start and its
# process included, against that of `rg`. Prints a JSON line a bound and ends 1
# when one is missed.
#
#   grep_*  at most 2 times rg
#   glob    at most 2 times rg --files -g
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
command -v rg > /dev/null || { echo "tools-files.sh: there is no rg" >&2; exit 99; }

LB_CONFIG=$work/config.yaml LB_STATE=$work/state LC_ALL=C
export LB_CONFIG LB_STATE LC_ALL
unset LB_LOG LB_LOG_FORMAT RIPGREP_CONFIG_PATH
: > "$LB_CONFIG"

python3 "$here/tools-files.py" "$build/lb-tool" "$work/tree"
