#!/usr/bin/env bats

load helper

fill() {
	"$LB_TEST_BUILD/tests/unit/fill-store" "$LB_STATE" "$@"
}

# A terminal for a command; what it showed, without carriage returns.
on_terminal() {
	need terminal script
	script -qec "$*" /dev/null < /dev/null | tr -d '\r'
}

@test "nothing was ever stored: an empty list, and no database is made" {
	run --separate-stderr -0 lb-session list
	[ -z "$output$stderr" ]
	run --separate-stderr -0 lb-session export
	[ -z "$output$stderr" ]
	[ ! -e "$LB_STATE" ]
}

@test "list shows the conversations in use, the one that changed last first" {
	fill b/person_1 b default r1 one uno 1000
	fill b/group_2 b other r2 two due 2000
	run -0 lb-session list
	same '["b/group_2","other",1,true,"1970-01-01T00:00:02.000Z"]
["b/person_1","default",1,true,"1970-01-01T00:00:01.000Z"]' \
		"$(jq -c '[.session, .pipeline, .turns, .in_use, .last]' <<< "$output")"
}

@test "on a terminal list is a table, with --json it is not" {
	fill b/person_1 b default r1 one uno 1000
	run -0 on_terminal lb-session list
	[[ ${lines[0]} == session*pipeline*turns*in_use*last ]]
	[[ ${lines[1]} == b/person_1*default*1*true*1970-01-01\ 00:00:01 ]]
	TZ=XST-9:30 run -0 on_terminal lb-session list
	[[ ${lines[1]} == *" 1970-01-01 09:30:01" ]]
	run -0 on_terminal lb-session list --json
	jq -e '.session == "b/person_1"' <<< "${lines[0]}"
}

@test "show gives the turns of a session, oldest first" {
	fill b/person_1 b default r1 one uno 1000
	fill b/person_1 b default r2 two due 2000
	fill b/person_2 b default r3 not mine 3000
	run -0 lb-session show b/person_1
	same '{"session":"b/person_1","bot":"b","pipeline":"default","turn":1,"of":"r1","time":1000,"complete":true,"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"uno"}]}
{"session":"b/person_1","bot":"b","pipeline":"default","turn":2,"of":"r2","time":2000,"complete":true,"messages":[{"role":"user","content":"two"},{"role":"assistant","content":"due"}]}' \
		"$(jq -c 'del(.conversation)' <<< "$output")"
}

@test "on a terminal show is for people, and obeys nobody's escapes" {
	fill b/person_1 b default r1 $'evil\e]0;x\a\e[2Jtext' uno 1000
	run -0 on_terminal lb-session show b/person_1
	same '== b/person_1, pipeline default

1970-01-01T00:00:01.000Z
user: eviltext
assistant: uno' "$output"
}

@test "a session without a slash is one of the person at this machine" {
	fill -/person_ann - default r1 hello hi
	for name in person_ann -/person_ann; do
		run -0 lb-session show "$name"
		jq -e '.session == "-/person_ann"' <<< "$output"
	done
}

@test "reset ends the conversation, keeps what was said, begins anew" {
	fill b/person_1 b default r1 one uno 1000
	run -0 lb-session reset b/person_1
	same '{"session":"b/person_1","ended":1}' "$output"
	run -0 lb-session list
	[ -z "$output" ]
	run --separate-stderr -1 lb-session show b/person_1
	[ -z "$output" ]
	[[ $stderr == *"--all"* ]]
	fill b/person_1 b default r2 two due 2000
	run -0 lb-session show b/person_1
	same '"r2"' "$(jq .of <<< "$output")"
	run -0 lb-session show --all b/person_1
	same $'"r1"\n"r2"' "$(jq .of <<< "$output")"
	run -0 lb-session list --all
	same $'true\nfalse' "$(jq .in_use <<< "$output")"
}

@test "reset --pipeline leaves the other pipelines alone" {
	fill b/person_1 b one r1 a b
	fill b/person_1 b two r2 c d
	run -0 lb-session reset --pipeline one b/person_1
	run -0 lb-session list
	same '"two"' "$(jq .pipeline <<< "$output")"
}

@test "export writes every turn, or those of one session" {
	fill b/person_1 b default r1 one uno 1000
	lb-session reset b/person_1
	fill b/person_1 b default r2 two due 2000
	fill b/person_2 b default r3 three tre 3000
	run -0 lb-session export
	same $'"r1"\n"r2"\n"r3"' "$(jq .of <<< "$output")"
	run -0 lb-session export b/person_2
	same '"r3"' "$(jq .of <<< "$output")"
}

@test "an unknown session is exit 66, with and without a database" {
	for i in 1 2; do
		for verb in show reset export; do
			run --separate-stderr -66 lb-session $verb b/nobody
			same "lb-session: there is no session 'b/nobody'; 'lb-session list --all' shows those there are" "$stderr"
		done
		fill b/person_1 b default r1 one uno
	done
}

@test "a damaged database is exit 65 and stays as it is" {
	mkdir "$LB_STATE"
	head -c 8192 /dev/zero | tr '\0' x > "$LB_STATE/lb.db"
	cp "$LB_STATE/lb.db" "$BATS_TEST_TMPDIR/before"
	run --separate-stderr -65 lb-session list
	[[ $stderr == "lb-session: '$LB_STATE/lb.db' is damaged"* ]]
	cmp "$BATS_TEST_TMPDIR/before" "$LB_STATE/lb.db"
}

@test "a state folder that is a file, or cannot be looked into, is an error" {
	: > "$LB_STATE"
	for verb in list export "show b/x" "reset b/x"; do
		run --separate-stderr -74 lb-session $verb
		same "lb-session: cannot make '$LB_STATE/lb.db': Not a directory" "$stderr"
	done
}

@test "forty processes, eight at once, may begin on no database at all" {
	seq 40 | xargs -P 8 -I{} "$LB_TEST_BUILD/tests/unit/fill-store" \
		"$LB_STATE" b/person_{} b default r{} q a
	run -0 lb-session export
	[ "${#lines[@]}" -eq 40 ]
}

@test "a full disk is exit 74, not silence" {
	fill b/person_1 b default r1 one uno
	for verb in list export "show b/person_1"; do
		run --separate-stderr -74 bash -c "lb-session $verb > /dev/full"
		[[ $stderr == *"No space left"* ]]
	done
}

@test "usage mistakes are exit 64 and say how to get help" {
	for bad in "" nonsense show "list too" "export a b" "list --nonsense"; do
		run -64 lb-session $bad
		[[ $output == *"lb-session"* ]]
	done
}

@test "every option is in the manual" {
	for verb in "" list show reset export; do
		documented lb-session.1 lb-session $verb
	done
}

@test "the examples of the manual do what they say" {
	fill -/person_ann - default r1 hello hi
	USER=ann run -0 bash -c "$(sed -n 's/^\.Dl \$ //p' "$LB_TEST_MAN/lb-session.1" |
		sed 's/\\(dq/"/g')"
	[[ $output == *'{"session":"-/person_ann","ended":1}'* ]]
	same '"hello"' "${lines[-1]}"
}
