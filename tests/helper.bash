# tests/helper.bash - what every .bats file loads first.
bats_require_minimum_version 1.5.0

# Programs under test come from the build, never from the system.
build=${LB_BUILD:-$BATS_TEST_DIRNAME/..}
unset "${!LB_@}" "${!OPENAI_@}" "${!ANTHROPIC_@}" "${!OLLAMA_@}" "${!GEMINI_@}"
unset http_proxy https_proxy all_proxy no_proxy
unset HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
LB_BUILD=$build
LB_STATE=$BATS_TEST_TMPDIR/state
LB_CONFIG=$BATS_TEST_TMPDIR/config.yaml
PATH="$LB_BUILD:$PATH"
export PATH LB_BUILD LB_STATE LB_CONFIG LC_ALL=C NO_COLOR=1
export HOME=$BATS_TEST_TMPDIR

# same EXPECTED ACTUAL - compare, and show the difference when there is one.
same() {
	[ "$1" = "$2" ] || { diff -u <(echo "$1") <(echo "$2"); return 1; }
}
