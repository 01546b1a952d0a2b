#!/usr/bin/env bats

load helper

# quietly COMMAND... - under valgrind: no error, no leak, the same exit status.
quietly() {
	valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite,indirect \
		--trace-children=no "$(command -v "$1")" "${@:2}"
}

setup() {
	need valgrind
}

@test "the programs of the flow are clean, one message through each" {
	cd "$BATS_TEST_TMPDIR"
	echo hi | quietly lb-ingest text > 1
	quietly lb-pipeline < 1 > 2
	quietly lb-agent < 2 > 3
	quietly lb-wrap < 3 > 4
	quietly lb-send stdout < 4 > 5
	[ -s 5 ]
	quietly lb-pick message < 1 > 6
	cmp 1 6
}

@test "the programs for people are clean" {
	quietly lb-llm chat -m offline hi
	quietly lb-config check
	quietly lb-session list
	quietly lb-help
}

@test "a malformed line is handled cleanly" {
	run -65 quietly lb-pipeline <<< '{"kind":"message",'
	run -65 quietly lb-agent <<< '{"kind":"query",'
	run -65 quietly lb-wrap <<< '{"kind":"reply",'
}
