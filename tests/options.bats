#!/usr/bin/env bats
# What all programs do alike with options, verbs and slips of the keyboard.

load helper

programs() {
	find "$LB_TEST_BUILD" -maxdepth 1 -type f -name 'lb-*' -perm -100 |
		sed 's|.*/||' | sort
}

# Every program, and every verb of it, as a command.
commands_of() {
	for p in $(programs); do
		echo "$p"
		"$p" --describe | jq -r --arg p "$p" '.verbs[]? | "\($p) \(.name)"'
	done
}

# refused TEXT COMMAND... - exit 64, and what is said first.
refused() {
	run --separate-stderr -64 "${@:2}"
	same "$1" "${stderr_lines[0]}"
}

@test "a mistyped option is told in the program's name, with the nearest one" {
	refused "lb-config: there is no option '--josn' (did you mean '--json'?)" \
		lb-config list --josn
	refused "lb-send: there is no option '--recods' (did you mean '--records'?)" \
		lb-send --recods=x stdout
	refused "lb-pick: there is no option '--zzzzzz'" lb-pick --zzzzzz
	refused "lb-pick: there is no option '-Z'" lb-pick -Z
	refused "lb-pick: option '-n' needs a value" lb-pick -n
	refused "lb-pick: option '--limit' needs a value" lb-pick --limit
	refused "lb-pick: option '--strict' takes no value" lb-pick --strict=1
	refused "lb-pick: '--ex' begins several options" lb-pick --ex
	for p in $(programs); do
		refused "$p: there is no option '--versoin' (did you mean '--version'?)" \
			"$p" --versoin
	done
}

@test "a mistyped verb names the nearest one" {
	refused "lb-config: 'lits' is not a verb of lb-config (did you mean 'list'?)" \
		lb-config lits
	refused "lb-config: 'desc' is not a verb of lb-config (did you mean 'describe'?)" \
		lb-config desc
	refused "lb-session: 'shwo' is not a verb of lb-session (did you mean 'show'?)" \
		lb-session shwo
	refused "lb-session: 'nonsense' is not a verb of lb-session" \
		lb-session nonsense
	run --separate-stderr -64 lb-llm modles
	[[ $stderr == *"did you mean 'models'?"* ]]
}

@test "help has no blanks at ends, and two spaces before what an option does" {
	commands_of | while read -r command; do
		$command --help > "$BATS_TEST_TMPDIR/help"
		! grep -n ' $' "$BATS_TEST_TMPDIR/help" || exit 1
		grep -q '^ .*--help  ' "$BATS_TEST_TMPDIR/help" || exit 1
		! grep -nE '^ +(-., )?--[^ ]+ [^ ]' "$BATS_TEST_TMPDIR/help" || exit 1
	done
}

@test "help ends with the name of the manual page, and lb-help opens it" {
	mkdir "$BATS_TEST_TMPDIR/viewers"
	printf '#!/bin/sh\necho "$2"\n' > "$BATS_TEST_TMPDIR/viewers/man"
	chmod +x "$BATS_TEST_TMPDIR/viewers/man"
	commands_of | while read -r program verb; do
		last=$("$program" $verb --help | tail -n 1)
		same "The manual: lb-help ${program#lb-}" "$last" || exit 1
		PATH=$BATS_TEST_TMPDIR/viewers:$PATH
		[[ $(${last#The manual: }) == */"$program.1" ]] || exit 1
	done
}

@test "what verbs do is told with a capital, and the usual one is marked" {
	for p in $(programs); do
		same "" "$("$p" --describe | jq -r '.about, .verbs[]?.about |
			select(test("^[A-Z]") | not)')"
	done
	same chat "$(lb-llm --describe | jq -r .usual)"
	same null "$(lb-config --describe | jq -r .usual)"
}

@test "a full disk is told as what it is, also after output that was lost" {
	for command in lb-help "lb-config describe" "lb-pick --help" \
		"lb-llm --describe"; do
		run --separate-stderr -74 bash -c "$command > /dev/full"
		same "${command%% *}: cannot write output: No space left on device" \
			"$stderr"
	done
}
