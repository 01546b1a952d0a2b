#!/usr/bin/env bats
# The manual is whole, says what the programs do, and its examples run.

load helper

# The programs that were built, and whatever comes later.
programs() {
	find "$LB_TEST_BUILD" -maxdepth 1 -type f -name 'lb-*' -perm -100 |
		sed 's|.*/||' | sort
}

pages() {
	(cd "$LB_TEST_MAN" && printf '%s\n' lb-*.[1-8])
}

@test "every page is clean under mandoc -T lint" {
	need mandoc
	[ "$(pages | wc -l)" -ge "$(programs | wc -l)" ]
	for page in $(pages); do
		run -0 mandoc -T lint -W warning "$LB_TEST_MAN/$page"
		[ -z "$output" ]
	done
}

@test "every option and verb of every program is in its page" {
	[ -n "$(programs)" ]
	for program in $(programs); do
		documented "$program.1" "$program"
		for verb in $(lb_verbs "$program"); do
			documented "$program.1" "$program" "$verb"
			grep -q "^\.\(It \)\?Cm $verb\b" "$LB_TEST_MAN/$program.1" ||
				{ echo "$program.1 does not name $verb"; false; }
		done
	done
}

# lb_verbs PROGRAM - its verbs, as --describe has them.
lb_verbs() {
	"$1" --describe | jq -r '.verbs[]?.name'
}

@test "no page tells of an option that no program has" {
	for program in $(programs); do
		"$program" --describe | jq -r '.. | .name? // empty' |
			sort -u > "$BATS_TEST_TMPDIR/names"
		for option in $(grep -o '^\.It Fl .*' "$LB_TEST_MAN/$program.1" |
			grep -o 'Fl -[a-z-]*' | sed 's/Fl -//'); do
			grep -qx -e "$option" "$BATS_TEST_TMPDIR/names" ||
				{ echo "$program has no --$option"; false; }
		done
	done
}

@test "letters of options in the page are those of the program" {
	for program in $(programs); do
		"$program" --describe | jq -r '.. | objects | select(.letter) |
			"\(.letter) \(.name)"' | sort -u |
			while read -r letter name; do
				grep -q "^\.It Fl $letter .*Fl -$name\b" \
					"$LB_TEST_MAN/$program.1" ||
					{ echo "$program.1: -$letter, --$name"; exit 1; }
			done
	done
}

@test "sections stand in the order that all pages share" {
	printf '%s\n' NAME SYNOPSIS DESCRIPTION KINDS RULES KEYS RECIPES ENVIRONMENT \
		FILES 'EXIT STATUS' EXAMPLES DIAGNOSTICS 'SEE ALSO' STANDARDS \
		'SECURITY CONSIDERATIONS' > "$BATS_TEST_TMPDIR/order"
	for page in $(pages); do
		sed -n 's/^\.Sh //p' "$LB_TEST_MAN/$page" > "$BATS_TEST_TMPDIR/has"
		same "$(cat "$BATS_TEST_TMPDIR/has")" "$(grep -xF \
			-f "$BATS_TEST_TMPDIR/has" "$BATS_TEST_TMPDIR/order")"
	done
	for program in $(programs); do
		for section in SYNOPSIS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
			grep -q "^\.Sh $section\$" "$LB_TEST_MAN/$program.1"
		done
	done
}

@test "pages of programs that meet strangers have security considerations" {
	for program in lb-agent lb-ingest lb-llm lb-send; do
		grep -q '^\.Sh SECURITY CONSIDERATIONS' "$LB_TEST_MAN/$program.1"
	done
}

@test "every page that is referred to is there" {
	for page in $(pages); do
		for to in $(sed -n 's/.*Xr \(lb-[a-z-]*\) \([1-8]\).*/\1.\2/p' \
			"$LB_TEST_MAN/$page"); do
			[ -e "$LB_TEST_MAN/$to" ] ||
				{ echo "$page refers to $to"; false; }
		done
	done
}

@test "every page is installed" {
	for page in $(pages); do
		grep -q "man/$page\b" "$BATS_TEST_DIRNAME/../Makefile.am"
	done
}

@test "the tour names every program, status and variable" {
	tour=$LB_TEST_MAN/lb-toolkit.7
	for program in $(programs); do
		grep -q "^\.It Xr $program 1" "$tour"
	done
	for status in $(sed -n 's/^\tLB_[A-Z]* = \([0-9]*\),.*/\1/p' \
		"$BATS_TEST_DIRNAME/../lib/base/error.h"); do
		grep -q "^\.It $status Ta" "$tour"
	done
	for name in $(lb-config env --json | jq -r .name); do
		grep -q "^\.It Ev .*\b$name\b" "$tour" || { echo "$name"; false; }
	done
}

@test "lb-records(7) names every code" {
	for code in $(jq -r '.properties.code.enum[]' \
		"$BATS_TEST_DIRNAME/../share/lb/schema/error.json"); do
		grep -q "\[LB_CODE_[A-Z_]*\] = {\"$code\"" \
			"$BATS_TEST_DIRNAME/../lib/record/code.c"
		grep -q "^\.It $code[*]\? Ta" "$LB_TEST_MAN/lb-records.7"
	done
	same "$(grep -c '^	\[LB_CODE' "$BATS_TEST_DIRNAME/../lib/record/code.c")" \
		"$(jq '.properties.code.enum | length' \
			"$BATS_TEST_DIRNAME/../share/lb/schema/error.json")"
}

@test "lb-llm(1) names all that the offline model plays" {
	for how in text= stream $(sed -n \
		's/^\t{"\([a-z-]*\)", LB_CODE.*/\1/p' \
		"$BATS_TEST_DIRNAME/../lib/llm/offline.c"); do
		grep -q "^\.It Cm offline:$how" "$LB_TEST_MAN/lb-llm.1"
	done
}

@test "every example of every program's page runs" {
	need mandoc
	for program in $(programs); do
		examples "$program.1"
	done
}

@test "an example can be copied from a terminal of 80 columns" {
	need mandoc
	for page in lb-box.1 lb-exec.1 lb-tool.1; do
		page "$page" | commands > "$BATS_TEST_TMPDIR/wide"
		mandoc -T ascii -O width=78 "$LB_TEST_MAN/$page" |
			sed 's/.\x08//g' | commands > "$BATS_TEST_TMPDIR/narrow"
		[ -s "$BATS_TEST_TMPDIR/wide" ]
		diff "$BATS_TEST_TMPDIR/wide" "$BATS_TEST_TMPDIR/narrow"
	done
}

@test "every example of the tour and of lb-records(7) runs" {
	need mandoc
	examples lb-toolkit.7
	examples lb-records.7
}

@test "an example that fails is not passed over" {
	need mandoc
	LB_TEST_MAN=$BATS_TEST_TMPDIR
	printf '.Dd January 1, 2026\n.Dt LB-X 1\n.Os\n.Sh EXAMPLES\n.Dl $ %s\n' \
		'true' > "$LB_TEST_MAN/lb-x.1"
	examples lb-x.1
	for bad in 'false' 'false | cat' 'no-such-program' 'echo $(' 'cat < none'; do
		printf '.Sh EXAMPLES\n.Dl $ true\n.Dl $ %s\n' "$bad" \
			> "$LB_TEST_MAN/lb-x.1"
		run ! examples lb-x.1
	done
	printf '.Sh EXAMPLES\n.Dl true\n' > "$LB_TEST_MAN/lb-x.1"
	run ! examples lb-x.1
}

@test "the example scripts run, and what they let through is answered" {
	shelf=$BATS_TEST_DIRNAME/../share/lb/examples
	cd "$BATS_TEST_TMPDIR"
	unset LB_CONFIG
	printf '%s\n' hi 'see https://x.example' |
		lb-ingest text | "$shelf/drop-links.sh" > out
	same $'message\ndrop' "$(jq -r .kind out)"
	same drop-links "$(jq -r 'select(.kind == "drop").stage' out)"
	run -0 "$LB_TEST_BUILD/tests/unit/validate-record" \
		"$BATS_TEST_DIRNAME/../share/lb/schema" < out
	run -0 bash -o pipefail -c 'printf "%s\n" one two | LB_MODEL=offline:text=Yes. "$0"' \
		"$shelf/chat.sh"
	same $'Yes.\nYes.' "$output"
	same 2 "$(jq -c 'select(.kind == "reply")' day.jsonl | wc -l)"
	same HI "$(lb-ingest text <<< hi | "$shelf/shout.sh" | jq -r '.chain[0].text')"
}

@test "what the examples of failure and of loops print is what is meant" {
	need mandoc
	run -0 bash -c "$(page lb-agent.1 | sed -n 's/^ *\$ \(.*jq -c .failed\)$/\1/p')"
	same auth "$(jq -rs '.[0].code' <<< "$output")"
	run -0 bash -c "$(page lb-toolkit.7 | commands | tr '\001' '\n' |
		sed -n '/Oslo Lima/,/done/p')"
	[[ $output == *"Where is Oslo?"*"Where is Lima?"* ]]
}

@test "the tests that lb-security(7) names are there, and under these names" {
	local file= line n=0
	while IFS= read -r line; do
		case $line in
		.Pa\ tests/*)
			file=$(cut -d' ' -f2 <<< "$line")
			[ -e "$BATS_TEST_DIRNAME/../$file" ]
			;;
		.Dq\ *)
			line=${line#.Dq }
			line=${line% [;.]}
			grep -qF "@test \"$line\"" "$BATS_TEST_DIRNAME/../$file" ||
				{ echo "$file has no '$line'"; return 1; }
			n=$((n + 1))
			;;
		[A-Z][0-9][0-9]*)
			for id in ${line%[;.]}; do
				jq -e --arg id "$id" 'any(.. | objects; .id? == $id)' \
					"$BATS_TEST_DIRNAME/../$file" > /dev/null ||
					{ echo "$file has no $id"; return 1; }
				n=$((n + 1))
			done
			;;
		esac
	done < <(sed -n '/^What a platform/,/^\.Ss Secrets/p' "$LB_TEST_MAN/lb-security.7" |
		sed 's/^\([A-Z][0-9].*\) \.$/\1/')
	[ "$n" -gt 40 ]
}
