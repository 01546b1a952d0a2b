#!/usr/bin/env bats
# What the programs of the flow tell of a message, and what they never tell.

load helper

id=01890a5d-ac96-774b-bcce-b302099a8057
marker=marigold-7f3a

# flow COMMAND... - one message with the marker through the whole pipe, each
# program's stderr in one file, as an operator's log collector has it.
flow() {
	export LB_LOG_FORMAT=json
	echo "{\"text\":\"the word is $marker\",\"id\":\"$id\",\"sender\":\"7\"}" |
		"$@" lb-ingest jsonl | "$@" lb-pipeline | "$@" lb-agent |
		"$@" lb-wrap | "$@" lb-send stdout
}

@test "one grep by id shows a message's life over all programs" {
	LB_LOG=info
	export LB_LOG
	flow env > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/log"
	run -0 grep "$id" "$BATS_TEST_TMPDIR/log"
	jq -se --arg id $id 'all(.of == $id and .level == "info" and
		.bot == "-" and .session == "-/person_7" and
		(.pid | type) == "number" and (.text | length) > 0 and
		(.ts | test("^20[0-9-]{8}T[0-9:]{8}\\.[0-9]{3}Z$"))) and
		(map(.prog) | unique) == ["lb-agent", "lb-ingest", "lb-pipeline", "lb-send",
			"lb-wrap"]' <<< "$output"
}

@test "lb-ingest tells of each message it let in" {
	run --separate-stderr -0 env LB_LOG=info LB_LOG_FORMAT=json lb-ingest jsonl \
		<<< "{\"text\":\"$marker\",\"id\":\"$id\"}"
	jq -se --arg id $id 'length == 1 and (.[0] | .of == $id and
		.prog == "lb-ingest" and .bot == "-" and
		.session == "-/person_anonymous")' <<< "$stderr"
	[[ $stderr != *$marker* ]]
	run --separate-stderr -0 env LB_LOG=info LB_LOG_FORMAT=json lb-ingest text --whole \
		<<< "$marker"
	jq -se --arg id "$(jq -r .id <<< "$output")" 'length == 1 and
		.[0].of == $id' <<< "$stderr"
	[[ $stderr != *$marker* ]]
}

@test "neither texts nor keys are told at level info" {
	export LB_LOG=info OPENAI_API_KEY=sk-$marker-key
	export LB_MODEL=offline
	flow env > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/log"
	grep -q "$marker" "$BATS_TEST_TMPDIR/out"
	[ -s "$BATS_TEST_TMPDIR/log" ]
	run -1 grep "$marker" "$BATS_TEST_TMPDIR/log"
	# what is malformed is told by its place
	for p in "lb-pipeline" "lb-agent" "lb-wrap" "lb-send jsonl" "lb-ingest jsonl"; do
		for bad in "{\"kind\":\"query\" \"$marker\"}" "{\"$marker\"" "$marker" \
			"{\"kind\":\"reply\",\"a\":\"$marker\",\"a\":1}"; do
			# shellcheck disable=SC2086 # words
			run --separate-stderr $p <<< "$bad"
			[[ $stderr != *$marker* ]]
		done
	done
}

@test "without LB_LOG nothing is said of what goes well" {
	flow env > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/log"
	[ ! -s "$BATS_TEST_TMPDIR/log" ]
}

@test "-v says it in words, -q only what failed" {
	message="{\"kind\":\"message\",\"id\":\"$id\",\"bot\":\"-\",\"launcher_type\":\"person\",\"launcher_id\":\"7\",\"chain\":[{\"type\":\"Plain\",\"text\":\"a\"}]}"
	run --separate-stderr -0 lb-pipeline -v <<< "$message"
	same "lb-pipeline: info: $id: query: route: pipeline 'default': bot '-' uses it" "$stderr"
	run --separate-stderr -65 lb-pipeline -q <<< '{'
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
}

@test "a level or a format that is none is told, not passed over" {
	run --separate-stderr -0 env LB_LOG=loud LB_LOG_FORMAT=xml lb-pick a < /dev/null
	same "lb-pick: LB_LOG: 'loud' is not error, warning, info or debug
lb-pick: LB_LOG_FORMAT: 'xml' is neither json nor text" "$stderr"
	for level in error warning info debug ''; do
		run --separate-stderr -0 env LB_LOG="$level" LB_LOG_FORMAT=text lb-pick a < /dev/null
		[ -z "$stderr" ]
	done
}
