# tests/helper.bash - what every .bats file loads first.
bats_require_minimum_version 1.5.0

# Programs under test come from the build, never from the system.
LB_TEST_BUILD=${LB_BUILD:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}
export LB_TEST_BUILD
LB_TEST_MAN=${LB_MANPAGES:-$BATS_TEST_DIRNAME/../man}
unset "${!LB__@}" "${!OPENAI_@}" "${!ANTHROPIC_@}" "${!OLLAMA_@}" \
	"${!GEMINI_@}" "${!TELEGRAM_@}"
# shellcheck disable=SC2046 # names
unset $(compgen -e | grep '_API_KEY$')
unset LB_LOG LB_LOG_FORMAT LB_LOG_BODIES \
	LB_MODEL LB_MAX_LINE LB_SHARE LB_CONFIG LB_STATE LB_OWNER
unset http_proxy https_proxy all_proxy no_proxy ftp_proxy
unset HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY
unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR \
	XDG_DATA_HOME TERM
export PATH="$LB_TEST_BUILD:$PATH" LC_ALL=C TZ=UTC NO_COLOR=1

# What the programs know of the world: an empty home, state and no config; and
# a working directory that no other test writes to.
export HOME=$BATS_TEST_TMPDIR/home
export LB_STATE=$BATS_TEST_TMPDIR/state
export LB_CONFIG=$BATS_TEST_TMPDIR/config.yaml
if [ -d "${BATS_TEST_TMPDIR:-}" ]; then
	mkdir -p "$HOME"
	cd "$BATS_TEST_TMPDIR" || exit
	[ -e "$LB_CONFIG" ] || : > "$LB_CONFIG"
fi

# records KIND... - one record of each kind, numbered from 1.
records() {
	local n=0 kind
	for kind; do
		printf '{"kind":"%s","n":%d}\n' "$kind" $((n += 1))
	done
}

# same EXPECTED ACTUAL - compare, and show the difference when there is one.
same() {
	[ "$1" = "$2" ] || { diff -u <(echo "$1") <(echo "$2"); return 1; }
}

# need WHAT [PROGRAM] - skip when PROGRAM (else WHAT) is not there. Where
# LB_REQUIRE names WHAT, the test fails instead: nothing is skipped in silence.
need() {
	case $1 in
	root) [ "$(id -u)" -ne 0 ] || return 0 ;;
	script | terminal) # a program, and pseudo-terminals for it
		! script -qec true /dev/null > /dev/null 2>&1 < /dev/null || return 0 ;;
	nss-wrapper) ! ls /usr/lib*/*/libnss_wrapper.so > /dev/null 2>&1 || return 0 ;;
	mount) # to have a disk of our own
		[ "$(id -u)" -ne 0 ] || ! unshare -m mount -t tmpfs tmpfs /mnt ||
			return 0 ;;
	userns) ! unshare -Ur true 2> /dev/null || return 0 ;;
	*) ! command -v "${2:-$1}" > /dev/null || return 0 ;;
	esac
	case ,${LB_REQUIRE-}, in
	*,"$1",*) echo "'$1' is required here and not there"; return 1 ;;
	esac
	skip "needs $1"
}

# needs_sandbox - skip where bubblewrap is not there or may not do its work. Where
# LB_REQUIRE names userns, that is a failure.
needs_sandbox() {
	bwrap --unshare-user --unshare-net --unshare-pid --ro-bind / / true \
		> /dev/null 2>&1 < /dev/null && return 0
	case ,${LB_REQUIRE-}, in
	*,userns,*) echo "a sandbox is required here and cannot be had"; return 1 ;;
	esac
	skip "needs bubblewrap and user namespaces"
}

# gone MARK - no process here has MARK in its arguments any more.
gone() {
	local i
	for ((i = 0; i < 200; i++)); do
		pgrep -f "[${1:0:1}]${1:1}" > /dev/null || return 0
		sleep 0.02
	done
	echo "a process with $1 is left"
	return 1
}

# documented PAGE PROGRAM [VERB] - every option in --help is in the page.
documented() {
	local page=$LB_TEST_MAN/$1 option
	shift
	for option in $("$@" --help | grep -o -e ' --[a-z][a-z0-9-]*' | sort -u); do
		grep -q -e "Fl -${option#--}" "$page" || {
			echo "$page does not name $option of $*"
			return 1
		}
	done
}

# page NAME - a manual page as people read it, without overstriking.
page() {
	mandoc -T ascii -O width=200 "$LB_TEST_MAN/$1" | sed 's/.\x08//g'
}

# commands - of a text, what stands behind "$ ", with the lines below that are
# set further in; one a line, line breaks inside as \001.
commands() {
	awk '
	{ match($0, /^ */); at = RLENGTH }
	/^ *\$ / { if (n++) print ""; printf "%s", substr($0, at + 3); from = at
		on = 1; next }
	on && /[^ ]/ && at > from { printf "\001%s", $0; next }
	{ on = 0 }
	END { if (n) print "" }'
}

# run_commands - run each command of the input, one after the other in one
# shell, as a person new to this would: no configuration, no key, one message
# answered so far.
run_commands() (
	export HOME=$BATS_TEST_TMPDIR/newcomer USER; USER=$(id -un)
	export LB_STATE=$HOME/state
	unset LB_CONFIG
	rm -rf "$HOME"
	mkdir -p "$HOME"
	cd "$HOME" || exit
	lb-ingest text <<< hello | lb-pipeline | lb-agent > day.jsonl
	count=0
	set -o posix -o pipefail
	while IFS= read -r command; do
		command=${command//$'\001'/$'\n'}
		count=$((count + 1))
		# A plain sh must understand it.
		sh -n -c "$command" || exit
		eval "$command" > output 2>&1 < /dev/null || {
			echo "exit $? of: $command"
			cat output
			exit 1
		}
	done
	[ "$count" -gt 0 ] || { echo "no command was found"; exit 1; }
)

# examples PAGE - every example of a manual page runs.
examples() {
	page "$1" | commands | run_commands || { echo "in $1"; return 1; }
}

# until_true COMMAND... - wait for it, 15 s at most.
until_true() {
	local i
	for ((i = 0; i < 750; i++)); do
		if "$@" > /dev/null 2>&1; then return 0; fi
		sleep 0.02
	done
	echo "never true: $*"
	[ ! -e err ] || cat err
	return 1
}
