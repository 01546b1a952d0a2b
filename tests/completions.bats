#!/usr/bin/env bats
# The bash function is driven as bash drives it: COMP_WORDS in, COMPREPLY out.

load helper

# complete_words WORD... - what is offered for the last of the words.
complete_words() {
	bash -c 'source "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_lb "$1"
		printf "%s\n" "${COMPREPLY[@]}"' \
		"$BATS_TEST_DIRNAME/../share/completions/bash/lb" "$@"
}

@test "the verbs of a program are offered" {
	run -0 complete_words lb-session ""
	same $'list\nshow\nreset\nexport' "$output"
	run -0 complete_words lb-session re
	same reset "$output"
}

@test "the options of the verb in use and the common ones are offered" {
	run -0 complete_words lb-session reset --
	for want in --pipeline= --json --help --version --quiet; do
		grep -qx -e "$want" <<< "$output"
	done
	run -1 grep -x -e --all <<< "$output"
	run -0 complete_words lb-session list --a
	same --all "$output"
}

@test "before a verb only the common options are offered" {
	run -0 complete_words lb-session --
	grep -qx -e --help <<< "$output"
	run -1 grep -x -e --pipeline= <<< "$output"
}

@test "what the person types as a value is not taken for an option" {
	run -0 complete_words lb-session reset --pipeline ""
	[ -z "$output" ]
	run -0 complete_words lb-session reset --pipeline = ""
	[ -z "$output" ]
}

@test "options and files of a program that was written elsewhere" {
	cat > "$BATS_TEST_TMPDIR/lb-other" <<- 'END'
	#!/bin/sh
	echo '{"name":"lb-other","version":"1","about":"x","operands":"FILE...","options":[{"name":"output","help":"say \"{where}\", not [how]","arg":"FILE","repeat":false},{"name":"dry-run","help":"x","repeat":false}],"common":[{"name":"help","help":"x","repeat":false}]}'
	END
	chmod +x "$BATS_TEST_TMPDIR/lb-other"
	cd "$BATS_TEST_TMPDIR"
	touch here.txt
	run -0 complete_words ./lb-other --
	same $'--output=\n--dry-run\n--help' "$output"
	run -0 complete_words ./lb-other --output he
	same here.txt "$output"
	run -0 complete_words ./lb-other he
	same here.txt "$output"
}

@test "a program that is not there offers nothing and complains of nothing" {
	run --separate-stderr -0 complete_words lb-nowhere ""
	[ -z "$output$stderr" ]
}

@test "programs found in PATH are wired to the function" {
	run -0 bash -c 'source "$0"; complete -p lb-session' \
		"$BATS_TEST_DIRNAME/../share/completions/bash/lb"
	same "complete -F _lb lb-session" "$output"
}

@test "zsh offers verbs and options" {
	need zsh
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_TEST_DIRNAME/../share/completions/zsh/_lb" .
	# The function itself, with zsh's helpers replaced by what prints.
	run -0 zsh -fc '_describe() { print -l ${(P)2} }
		_arguments() { shift; print -l -- "$@" }
		words=(lb-session reset --) CURRENT=3 PREFIX=--
		f() { source ./_lb }; f
		words=(lb-session "") CURRENT=2 PREFIX=; f'
	[[ $output == *"--pipeline="* && $output == *"--help["* ]]
	[[ $output != *"--all"* ]]
	[[ $output == *"list:List the conversations"* ]]
}
