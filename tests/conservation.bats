#!/usr/bin/env bats
# Every message that goes in comes out as exactly one ending; see
# conservation.py. LB_SEEDS=A-B runs others than the first 500.

load helper

conserve() {
	python3 "$BATS_TEST_DIRNAME/conservation.py" --build "$LB_TEST_BUILD" "$@"
}

# mangle SED-SCRIPT - an lb-wrap that changes its output by it.
mangle() {
	mkdir -p "$BATS_TEST_TMPDIR/over"
	cat > "$BATS_TEST_TMPDIR/over/lb-wrap" <<-END
		#!/bin/bash
		set -o pipefail
		'$LB_TEST_BUILD/lb-wrap' "\$@" | sed -u '$1'
	END
	chmod +x "$BATS_TEST_TMPDIR/over/lb-wrap"
}

setup() {
	need python3
}

@test "no message is lost or doubled, in 500 hostile streams" {
	run -0 conserve --seeds "${LB_SEEDS:-1-500}"
	[[ $output == *' seeds, 0 failed' ]]
}

@test "a stage that changes nothing is no failure" {
	mangle ''
	run -0 conserve --over "$BATS_TEST_TMPDIR/over" --seeds 1-5
}

@test "a failure names its seed, which fails again alone" {
	mangle '9d'
	run -1 conserve --over "$BATS_TEST_TMPDIR/over" --seeds 1-20 --first
	[[ $output =~ seed\ ([0-9]+): ]]
	run -1 conserve --over "$BATS_TEST_TMPDIR/over" \
		--seed "${BASH_REMATCH[1]}"
}

@test "a line doubled, swapped or changed is a failure" {
	for change in 9p '9{h;d};10G' 's/"kind":"edit","mark"/"kind":"edit","Mark"/' \
		's/\("kind":"chunk".*"text":".*\)./\1_/' 's/"failed"/"Failed"/' \
		's/"final":true/"final":false/' 's/"code":"rate"/"code":"auth"/'; do
		mangle "$change"
		run -1 conserve --over "$BATS_TEST_TMPDIR/over" --seeds 1-40 --first
		[[ $output == *'seed '[0-9]* ]] || { echo "$change"; false; }
	done
}
