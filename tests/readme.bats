#!/usr/bin/env bats
# What README.md promises is there.

load helper

setup() {
	top=$BATS_TEST_DIRNAME/..
	readme=$top/README.md
}

# Its code blocks, each command behind "$ ".
blocks() {
	awk '
	{ match($0, /^ */); at = RLENGTH }
	/^ *$/ { base = 0; print; next }
	at < 4 { base = -1; print; next }
	base == 0 { base = at }
	at == base { print "$ " substr($0, at + 1); next }
	{ print }' "$readme"
}

# The commands that need neither the network nor a bare machine, as commands
# of this tree; the one that shows a failure has to fail as it says.
own() {
	blocks | commands |
		sed -e '/^\.\/bootstrap/d' -e '/^export OPENAI_/d' \
			-e '/^dmesg/d' -e "s|share/lb/examples|$top/&|" \
			-e '/offline:auth/s/$/ || test $? = 69/'
}

@test "its commands run as they are written" {
	own > "$BATS_TEST_TMPDIR/own"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/own")" -ge 7 ]
	grep -q offline:auth "$BATS_TEST_TMPDIR/own"
	run_commands < "$BATS_TEST_TMPDIR/own"
}

@test "the stage it shows changes what the model is told" {
	command=$(own | grep shout.sh | tr '\001' '\n')
	run -0 env -u LB_CONFIG bash --posix -o pipefail -c "$command"
	[[ $output == *"You said (message 1): HI"* ]]
}

@test "the two commands it begins with are what bootstrap offers" {
	for verb in demo check deb; do
		grep -q "^ *./bootstrap $verb" "$readme"
		grep -q "^ *$verb)\|[ |]$verb)\|^$verb()" "$top/bootstrap"
	done
}

@test "it names every program and nothing that is not there" {
	built=$(find "$LB_TEST_BUILD" -maxdepth 1 -type f -name 'lb-*' \
		-perm -100 | sed 's|.*/||' | sort)
	same "$built" "$(sed -n 's/^| `\(lb-[a-z]*\)` |.*/\1/p' "$readme" | sort)"
	for file in $(grep -o ']([^):]*)' "$readme" | tr -d ']()'); do
		[ -e "$top/$file" ] || { echo "no $file"; false; }
	done
	grep -q 'lb-help toolkit' "$readme"
}
