#!/usr/bin/env bats
# A platform that fails in every way, at random: nothing is lost or said twice.
# LB_CHAOS sets another seed, LB_CHAOS_SECONDS for how long.

load helper
load doubles

setup() {
	need python3
	cd "$BATS_TEST_TMPDIR" || return
	bot_api
}

teardown() {
	stop_doubles
}

chaos() {
	python3 "$BATS_TEST_DIRNAME/platform_chaos.py" --api "$BOT_API" \
		--token "$BOT_API_TOKEN" --seed "${LB_CHAOS-$RANDOM}" "$@"
}

@test "whatever the platform does: one record an update, each answer once or lost" {
	run chaos --seconds "${LB_CHAOS_SECONDS-10}"
	echo "$output"
	[ "$status" -eq 0 ] || { tail -n 50 lb-run.log; false; }
	[ "$(jq .messages <<< "$output")" -gt 20 ]
	[ "$(jq .ends.receipt <<< "$output")" -gt 20 ]
	[ "$(bot_api_log 'select(.fault).fault' | sort -u | wc -l)" -gt 3 ]
	run ! grep Sanitizer lb-run.log
}

@test "what the platform had twice, or not at all, would be noticed" {
	while read -r how what; do
		run -1 chaos --seconds 0.5 --sessions 5 --sabotage "$how"
		echo "$output"
		[ "$(jq .messages <<< "$output")" -ge 10 ]
		jq -e --arg what "$what" '.problems | any(contains($what))' \
			<<< "$output"
		stop_doubles
		rm -rf "$LB_STATE"
		bot_api
	done <<-'END'
		double receipt, and 2 answers arrived
		lose receipt, and 0 answers arrived
	END
}
