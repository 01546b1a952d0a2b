#!/usr/bin/env bats
# lb-cookbook(7): each section does what it says, from its first command to its
# last.

load helper

# section TITLE - its commands run, one after the other.
section() {
	page lb-cookbook.7 | awk -v t="   $1" '
		$0 == t { on = 1; next }
		/^(   )?[A-Z]/ { on = 0 }
		on' | commands > commands
	[ -s commands ] || { echo "no section '$1'"; return 1; }
	run_commands < commands
}

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
}

@test "a CSV in, a picture out" {
	needs_sandbox
	need python3
	section 'A CSV in, a picture out'
	# They are checked, not just run.
	sed 's/plot.png/plot.txt/; s/PNG/XYZ/' commands > wrong
	run -1 run_commands < wrong
	[[ $output == *'exit 1 of: head -c 8'* ]]
}

@test "the life of a skill: preview, install, verify, activate, run, update, remove" {
	needs_sandbox
	section 'The life of a skill'
	for verb in validate preview install verify index update rm; do
		grep -q "lb-skill $verb" commands
	done
	# They are checked, not just run: what they look for is not always there.
	sed 's/seq 10/seq 11/' commands > wrong
	run -1 run_commands < wrong
	[[ $output == *'exit 1 of: ask'* ]]
}

@test "each section is tested" {
	same "$(sed -n 's/^\.Ss //p' "$LB_TEST_MAN/lb-cookbook.7")" \
		"$(sed -n "s/^\tsection '\(.*\)'$/\1/p" "$BATS_TEST_FILENAME")"
}
