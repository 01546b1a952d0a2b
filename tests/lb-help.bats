#!/usr/bin/env bats

load helper

setup() {
	build=${LB_BUILD:-$BATS_TEST_DIRNAME/..}
	bin=$BATS_TEST_TMPDIR/prefix/bin
	man=$BATS_TEST_TMPDIR/prefix/share/man
	mkdir -p "$bin" "$man/man1" "$man/man5" "$man/man7"
	cp "$build/lb-help" "$bin"
	printf '.Dd January 1, 2026\n.Dt LB-X 1\n.Os\n.Sh NAME\n.Nm lb-x\n.Nd the first\n' > "$man/man1/lb-x.1"
	printf '.Dd January 1, 2026\n.Dt LB-X 5\n.Os\n.Sh NAME\n.Nm lb-x\n.Nd the fifth\n' > "$man/man5/lb-x.5"
	printf '.Dd January 1, 2026\n.Dt LB-TOUR 7\n.Os\n.Sh NAME\n.Nm lb-tour\n.Nd the seventh\n' > "$man/man7/lb-tour.7"
	# what shows a page, whatever is installed
	mkdir "$BATS_TEST_TMPDIR/viewers"
	printf '#!/bin/sh\necho "man $*"\n' > "$BATS_TEST_TMPDIR/viewers/man"
	chmod +x "$BATS_TEST_TMPDIR/viewers/man"
}

# program NAME LINE... - a program beside lb-help that prints these lines.
program() {
	printf '#!/bin/sh\n' > "$bin/$1"
	printf 'echo %q\n' "${@:2}" >> "$bin/$1"
	chmod +x "$bin/$1"
}

@test "lists the programs of its own folder with what they say they do" {
	program lb-one '{"name":"lb-one","about":"Do one thing"}'
	program lb-two 'what?'
	program lb-three '{"name":"other","about":"Not ours"}'
	program lb-four.sh '{"name":"lb-four.sh","about":"No program"}'
	program other '{"name":"other","about":"Not ours"}'
	: > "$bin/lb-five"
	run --separate-stderr -0 "$bin/lb-help"
	same '{"name":"lb-help","about":"List the programs, or open the manual page of NAME"}
{"name":"lb-one","about":"Do one thing"}' "$output"
	[ -z "$stderr" ]
}

@test "on a terminal the other pages are named below the list" {
	need terminal script
	run -0 script -qec lb-help /dev/null < /dev/null
	for page in "lb-toolkit(7) *.*: lb-help toolkit" "lb-cookbook(7) .*: lb-help cookbook" "lb-records(7) .*: lb-help records" \
		"lb-security(7) .*: lb-help security" \
		"lb-config(5) .*: lb-help 5 config"; do
		grep -q "^  $page" <<< "$output"
	done
	run -1 grep -F '(7)' <(lb-help)
}

@test "lists every program of the build" {
	run -0 lb-help
	for program in lb-config lb-help; do
		jq -se --arg p $program 'any(.name == $p and .about != "")' <<< "$output"
	done
}

@test "opens pages of sections 1, 7 and 5, with and without lb-" {
	PATH=$BATS_TEST_TMPDIR/viewers:$PATH
	pages=$bin/../share/man
	same "man -l $pages/man1/lb-x.1" "$("$bin/lb-help" x)"
	same "man -l $pages/man1/lb-x.1" "$("$bin/lb-help" lb-x)"
	same "man -l $pages/man5/lb-x.5" "$("$bin/lb-help" 5 x)"
	same "man -l $pages/man7/lb-tour.7" "$("$bin/lb-help" tour)"
	gzip "$man/man7/lb-tour.7"
	same "man -l $pages/man7/lb-tour.7.gz" "$("$bin/lb-help" tour)"
}

@test "the pages of a build are those of its man folder" {
	PATH=$BATS_TEST_TMPDIR/viewers:$PATH
	same "man -l $(realpath -s "$build")/man/lb-help.1" "$(lb-help help)"
	same "man -l $(realpath -s "$build")/man/lb-config.5" "$(lb-help 5 config)"
}

@test "mandoc and groff will do; with none the page's file is named: exit 69" {
	empty=$BATS_TEST_TMPDIR/empty
	mkdir "$empty"
	run --separate-stderr -69 env PATH="$empty" "$bin/lb-help" x
	same "lb-help: there is no man, mandoc or groff to show '$bin/../share/man/man1/lb-x.1'" "$stderr"
	printf '#!/bin/sh\necho "groff $1"\n' > "$empty/groff"
	chmod +x "$empty/groff"
	run -0 env PATH="$empty" "$bin/lb-help" x
	same "groff -mandoc" "$output"
	printf '#!/bin/sh\necho "mandoc"\n' > "$empty/mandoc"
	chmod +x "$empty/mandoc"
	run -0 env PATH="$empty" "$bin/lb-help" x
	same mandoc "$output"
}

@test "a page that is not there is exit 66 and the nearest is named" {
	run --separate-stderr -66 "$bin/lb-help" tor
	same "lb-help: no page 'lb-tor' (did you mean 'lb-help tour'?)" "$stderr"
	run --separate-stderr -66 "$bin/lb-help" something
	same "lb-help: no page 'lb-something'; 'lb-help' lists the programs" "$stderr"
	run -66 "$bin/lb-help" 7 x
	run -66 "$bin/lb-help" ../man1/lb-x
}

@test "usage mistakes are exit 64 and say how to get help" {
	for bad in "--nonsense" "9 x" "1 x y"; do
		run --separate-stderr -64 lb-help $bad
		[[ $stderr == *"lb-help --help"* ]]
	done
}

@test "a full disk is exit 74, not silence" {
	run --separate-stderr -74 bash -c 'lb-help > /dev/full'
	[[ $stderr == "lb-help: cannot write output: "* ]]
}

@test "every option in --help is in the man page" {
	page="$BATS_TEST_DIRNAME/../man/lb-help.1"
	lb-help --help | grep -o -- '--[a-z-]*' | while read -r option; do
		grep -q -e "Fl -${option#--}" "$page" || { echo "missing: $option"; false; }
	done
}
