# tests/helper.bash - what every .bats file loads first.
bats_require_minimum_version 1.5.0

# Programs under test come from the build, never from the system.
PATH="${LB_BUILD:-$BATS_TEST_DIRNAME/..}:$PATH"
unset "${!LB__@}" "${!OPENAI_@}" "${!ANTHROPIC_@}" "${!OLLAMA_@}" "${!GEMINI_@}"
unset LB_CONFIG LB_STATE LB_SHARE LB_MODEL LB_MAX_LINE LB_LOG LB_LOG_FORMAT \
	LB_LOG_BODIES
unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY \
	ALL_PROXY NO_PROXY XDG_CONFIG_HOME XDG_STATE_HOME
export PATH LC_ALL=C NO_COLOR=1 HOME=$BATS_TEST_TMPDIR
export LB_STATE=$BATS_TEST_TMPDIR/state LB_CONFIG=$BATS_TEST_TMPDIR/config.yaml

# A file that $LB_CONFIG names must be there.
[ -z "${BATS_TEST_TMPDIR:-}" ] || : > "$LB_CONFIG"

# same EXPECTED ACTUAL - compare, and show the difference when there is one.
same() {
	[ "$1" = "$2" ] || { diff -u <(echo "$1") <(echo "$2"); return 1; }
}
