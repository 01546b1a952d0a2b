#!/usr/bin/env bats

load helper
load filter

@test "passes only the named kinds, untouched and in order" {
	run --separate-stderr -0 lb-pick a c < <(records a b c a)
	same "$(records a b c a | sed 2d)" "$output"
	[ -z "$stderr" ]
}

@test "-x passes the other kinds, and records without a kind" {
	run -0 lb-pick -x a < <(records a b; echo '{"n":3}'; echo '{"kind":7}')
	same '{"kind":"b","n":2}
{"n":3}
{"kind":7}' "$output"
	run -0 lb-pick a < <(echo '{"n":3}')
	[ -z "$output" ]
}

@test "-n stops early without an error, even when more is to come" {
	run -0 timeout 5 lb-pick -n 1 a < <(yes '{"kind":"a"}')
	same '{"kind":"a"}' "$output"
	run -0 lb-pick -n0 a < <(records a)
	[ -z "$output" ]
}

@test "-e turns an empty answer into exit 1" {
	run -1 lb-pick -e z < <(records a b)
	[ -z "$output" ]
	run -0 lb-pick z < <(records a b)
	run -0 lb-pick -e a < <(records a b)
}

@test "the kind is found wherever it stands" {
	run -0 lb-pick a < <(printf '%s\n' '{"n":1,"kind":"a"}' \
		'{"n":{"kind":"a"},"kind":"b"}' '{"x":"\"kind\":\"a\""}')
	same '{"n":1,"kind":"a"}' "$output"
}

@test "bytes of the named kind are not touched, valid or not" {
	copies_foreign lb-pick status
}

@test "a line that had to be parsed and repaired goes on repaired" {
	run -0 lb-pick a < <(printf '{"s":"\xff\\ud800","kind":"a"}\n')
	same '{"s":"'$'\xef\xbf\xbd''\ufffd","kind":"a"}' "$output"
}

@test "a malformed line is named on stderr and skipped: exit 65 at the end" {
	run --separate-stderr -65 lb-pick a < <(records a; echo '[]'; records a)
	[ "${#lines[@]}" -eq 2 ]
	same "lb-pick: line 2: not an object" "$stderr"
}

@test "-s stops at the first malformed line" {
	run --separate-stderr -65 lb-pick -s a < <(records a; echo '{"kind":'; records a)
	same '{"kind":"a","n":1}' "$output"
	[[ $stderr == "lb-pick: line 2: column "* ]]
}

@test "an endless line is refused before it ends" {
	run --separate-stderr -65 timeout 10 lb-pick -s a < <(head -c 17M /dev/zero; exec sleep 20 > /dev/null)
	same "lb-pick: line 1: longer than 16777216 bytes" "$stderr"
}

@test "the limit of a line is --max-line, else LB_MAX_LINE, else 16 MiB" {
	line_limit status lb-pick status
}

@test "records come out as they come in, not at the end" {
	at_once '{"kind":"a"}' lb-pick a
}

@test "a non-blocking input is waited for" {
	nonblocking '{"kind":"a"}' lb-pick a
}

@test "a reader that goes away ends it by SIGPIPE, ignored by the parent or not" {
	reader_leaves '{"kind":"a"}' lb-pick a
}

@test "a full disk is exit 74, not silence" {
	full_disk '{"kind":"a"}' lb-pick a
	no_output '{"kind":"a"}' lb-pick a
}

@test "usage mistakes are exit 64 and say how to get help" {
	usage_mistakes lb-pick "" "--nonsense a" "-n -1 a" "-n 1x a" \
		"--max-line=x a" "--max-line=0x10 a"
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-pick a
}
