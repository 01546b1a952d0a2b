#!/usr/bin/env bats
# kill -9 of anything loses nothing: the whole durable bot, from a double of the
# Bot API and back, with its programs killed at random. LB_CHAOS sets another
# seed; `make check-chaos` has more messages, more chats and more kills.

load helper
load doubles

setup() {
	need python3
	cd "$BATS_TEST_TMPDIR"
	bot_api
}

teardown() {
	stop_doubles
}

chaos() {
	python3 "$BATS_TEST_DIRNAME/flow_chaos.py" --api "$BOT_API" \
		--token "$BOT_API_TOKEN" --seed "${LB_CHAOS-$RANDOM}" "$@"
}

@test "kill -9 of everything: each message has one end, each answer arrives once" {
	run chaos --messages "${LB_CHAOS_MESSAGES-2000}" \
		--sessions "${LB_CHAOS_SESSIONS-60}" \
		--kills "${LB_CHAOS_KILLS-40}" --limit "${LB_CHAOS_LIMIT-240}" \
		--storms $((${LB_CHAOS_KILLS-40} / 4))
	echo "$output"
	[ "$status" -eq 0 ] || { tail -n 50 lb-run.log; false; }
	[ "$(jq .kills <<< "$output")" -gt 10 ]
	[ "$(jq .ends.receipt <<< "$output")" -gt \
		$((${LB_CHAOS_MESSAGES-2000} * 9 / 10)) ]
}

@test "storms longer than lb-send tries: order holds, the model is asked once" {
	run chaos --messages 400 --sessions 20 --kills 0 --storms 8
	echo "$output"
	[ "$status" -eq 0 ] || { tail -n 50 lb-run.log; false; }
	same '[8,400,0]' "$(jq -c '[.storms, .ends.receipt, .asked_again]' \
		<<< "$output")"
}

@test "what would be wrong would be noticed" {
	while read -r how what; do
		run -1 chaos --messages 20 --sessions 4 --sabotage "$how"
		echo "$output"
		jq -e --arg what "$what" '.problems | any(contains($what))' \
			<<< "$output"
		stop_doubles
		rm -rf "$LB_STATE"
		bot_api
	done <<-'END'
		double receipt, and 2 answers arrived
		lose receipt, and 0 answers arrived
		swap answers out of order
		ask asked twice, and nothing was killed
	END
}
