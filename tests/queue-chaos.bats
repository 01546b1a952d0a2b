#!/usr/bin/env bats
# kill -9 of anything loses nothing: programs around a queue are killed at
# random, and then each message has exactly one end, in the session's order.
# LB_CHAOS sets another seed, LB_CHAOS_MESSAGES another number of them.

load helper

setup() {
	need python3
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "${CHAOS-}" ] || kill -9 "$CHAOS" 2> /dev/null || true
}

@test "kill -9 of put, work, its copies and its guard, at random" {
	run -0 python3 "$BATS_TEST_DIRNAME/queue_chaos.py" \
		--seed "${LB_CHAOS-$RANDOM}" --messages "${LB_CHAOS_MESSAGES-400}"
	echo "$output"
}

@test "a message that is lost or doubled would be noticed" {
	for how in lose double swap; do
		run -1 python3 "$BATS_TEST_DIRNAME/queue_chaos.py" --seed 1 \
			--messages 40 --sabotage $how
		[[ $output == *'"problems"'* ]]
	done
}
