#!/usr/bin/env bats
# lb-provider(7) as a provider sees it: the room's own side of it, the example in
# shell, the page.

load helper

setup() {
	exec < /dev/null
	ECHO=$LB_TEST_BUILD/tests/unit/echo-provider
	CALC=$BATS_TEST_DIRNAME/../share/lb/examples/calc.sh
}

# ask PROGRAM - requests at the input; the answers, in the order of their ids.
ask() {
	"$@" | jq -sc 'sort_by(.id // "")[]'
}

@test "a table of tools answers hello, list and calls" {
	run -0 ask "$ECHO" <<-'END'
		{"op":"hello","version":1,"more":7}
		{"op":"list","id":"1","context":{"pipeline":"x"}}
		{"op":"call","id":"2","name":"later","arguments":{"text":"slow","ms":100}}
		{"op":"call","id":"3","name":"echo","arguments":{"text":"quick"}}
		{"op":"call","id":"4","name":"fail","arguments":{"text":"no"}}
		{"op":"list","id":"5","context":{"pipeline":"none"}}
	END
	same '{"version":1,"name":"echo"}' "${lines[0]}"
	same '["echo","who","later","fail","picture","die","big"]' "$(jq -c '[.tools[].name]' <<< "${lines[1]}")"
	same '{"id":"2","ok":true,"content":"slow"}' "${lines[2]}"
	same '{"id":"3","ok":true,"content":"quick"}' "${lines[3]}"
	same '{"id":"4","ok":false,"error":{"code":"denied","message":"no"}}' "${lines[4]}"
	same '{"id":"5","ok":true,"tools":[]}' "${lines[5]}"
}

@test "answers come as they are ready, and a call that waits holds nobody" {
	run -0 "$ECHO" <<-'END'
		{"op":"call","id":"a","name":"later","arguments":{"text":"slow","ms":200}}
		{"op":"call","id":"b","name":"echo","arguments":{"text":"quick"}}
	END
	same 'b a' "$(jq -r .id <<< "$output" | paste -sd' ')"
}

@test "a call can be cancelled; what cannot be done is said" {
	run --separate-stderr -65 "$ECHO" <<-'END'
		{"op":"call","id":"1","name":"later","arguments":{"text":"x","ms":600000}}
		{"op":"call","id":"1","name":"echo","arguments":{"text":"x"}}
		{"op":"cancel","id":"1"}
		{"op":"cancel","id":"2"}
		{"op":"call","id":"3","name":"nix"}
		{"op":"call","id":"4","name":"echo","context":{"pipeline":"none"}}
		{"op":"what","id":"5"}
		rubbish
	END
	same '1 usage there is a call of that id already
1 cancelled cancelled
3 usage there is no such tool
4 usage it may not be used here
5 usage there is no such operation' "$(jq -r '"\(.id) \(.error.code) \(.error.message)"' <<< "$output")"
	[[ $stderr == *"echo-provider: line 8 is no request" ]]
}

@test "a reader that cannot be written to is an error" {
	run -74 sh -c 'echo "{\"op\":\"hello\"}" | "$0" > /dev/full' "$ECHO"
}

@test "the provider in ten lines of shell has ten, and answers" {
	need jq
	[ "$(grep -cv '^#' "$CALC")" -le 10 ]
	run -0 "$CALC" <<-'END'
		{"op":"hello","version":1}
		{"op":"list","id":"1","context":{}}
		{"op":"call","id":"2","name":"add","arguments":{"a":2,"b":3},"context":{}}
		{"op":"cancel","id":"2"}
		{"op":"call","id":"3","name":"multiply","arguments":{"a":2.5,"b":4},"context":{}}
	END
	same '{"version":1,"name":"calc"}' "${lines[0]}"
	same '["add","multiply"]' "$(jq -c '[.tools[].name]' <<< "${lines[1]}")"
	same '{"id":"2","ok":true,"content":"5"}' "${lines[2]}"
	same '{"id":"3","ok":true,"content":"10"}' "${lines[3]}"
}

@test "the provider in Python answers each line at once, and leaves out what it does not know" {
	need python3
	coproc WORDS { exec env -u PYTHONUNBUFFERED "${CALC%/*}/words.py" 3>&-; }
	ask() {
		printf '%s\n' "$1" >&"${WORDS[1]}"
		read -r -t 10 line <&"${WORDS[0]}"
	}
	ask '{"op":"hello","version":1}'
	same '{"version": 1, "name": "words"}' "$line"
	ask '{"op":"list","id":"1","context":{}}'
	same '["count"]' "$(jq -c '[.tools[].name]' <<< "$line")"
	printf '%s\n' '{"op":"cancel","id":"2"}' >&"${WORDS[1]}"
	ask '{"op":"call","id":"3","name":"count","arguments":{"text":"a b  c"},"context":{}}'
	same '{"id": "3", "ok": true, "content": "3"}' "$line"
	exec {WORDS[1]}>&-
}

@test "every example of the page runs, and its lines are JSON" {
	need mandoc
	examples lb-provider.7
	page lb-provider.7 | grep -o '^ *{".*}$' > "$BATS_TEST_TMPDIR/lines"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/lines")" -ge 8 ]
	jq -e . "$BATS_TEST_TMPDIR/lines" > /dev/null
}
