#!/usr/bin/env bats
# The least that must work, in a second or two.

load helper

# The programs that were built.
built() {
	find "$LB_TEST_BUILD" -maxdepth 1 -type f -name 'lb-*' -perm -100 |
		sed 's|.*/||' | sort
}

@test "one message travels the whole way, with no configuration at all" {
	run --separate-stderr -0 bash -o pipefail -c 'echo hi | lb-ingest text |
		lb-pipeline | lb-agent | lb-wrap | lb-send stdout'
	[ -n "$output" ]
	[ -z "$stderr" ]
}

@test "every program tells its version, its use and its options" {
	[ -n "$(built)" ]
	for p in $(built); do
		run --separate-stderr -0 "$p" --version
		[[ $output == "$p "[0-9]* ]]
		run --separate-stderr -0 "$p" --help
		[[ ${lines[0]} == "usage: $p "* ]]
		run --separate-stderr -0 "$p" --describe
		[[ $output == "{\"name\":\"$p\",\"version\":"* ]]
		run --separate-stderr -64 "$p" --no-such-option
	done
}

@test "every program has a manual page" {
	for p in $(built); do
		[ -e "$LB_TEST_MAN/$p.1" ] || { echo "no page for $p"; false; }
	done
}

@test "a program that needs no network links none" {
	need ldd
	for p in lb-pick lb-pipeline lb-wrap lb-session; do
		[ -x "$LB_TEST_BUILD/$p" ] || continue
		run -0 ldd "$LB_TEST_BUILD/$p"
		[[ $output != *libcurl* && $output != *libcrypto* ]]
	done
}

# Which of the two a program gets would be a matter of the order of archives.
@test "no two rooms have a function of one name" {
	need nm
	run -0 bash -c 'for a in "$LB_TEST_BUILD"/lib/*.a; do
		nm -g --defined-only "$a"
	done | awk '"'"'$2 ~ /[TDBR]/ { print $3 }'"'"' | sort | uniq -d'
	[ -z "$output" ]
}

@test "a stage of one's own fits into the pipe" {
	run --separate-stderr -0 bash -o pipefail -c 'echo hi | lb-ingest text |
		"$0" | lb-pipeline' \
		"$BATS_TEST_DIRNAME/../share/lb/examples/shout.sh"
	jq -e '.kind == "query" and .chain[0].text == "HI"' <<< "$output"
}

@test "data files: LB_SHARE, else the build, else beside the installed program" {
	cd /
	# Uninstalled, from any directory.
	run -0 lb-llm models
	[[ $output == *'"openai"'* ]]
	mkdir -p "$BATS_TEST_TMPDIR/mine" "$BATS_TEST_TMPDIR/usr/bin" \
		"$BATS_TEST_TMPDIR/usr/share/lb"
	echo 'mine: {base-url: "http://m/v1"}' > "$BATS_TEST_TMPDIR/mine/providers.yaml"
	LB_SHARE=$BATS_TEST_TMPDIR/mine run -0 lb-llm models
	same 'offline
mine' "$(jq -r .name <<< "$output")"
	# A copy elsewhere has no build around it.
	cp "$LB_TEST_BUILD/lb-llm" "$BATS_TEST_TMPDIR/usr/bin/"
	echo 'beside: {base-url: "http://b/v1"}' \
		> "$BATS_TEST_TMPDIR/usr/share/lb/providers.yaml"
	run -0 "$BATS_TEST_TMPDIR/usr/bin/lb-llm" models
	same 'offline
beside' "$(jq -r .name <<< "$output")"
}
