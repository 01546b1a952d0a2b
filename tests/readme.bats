#!/usr/bin/env bats
# What README.md promises is there.

load helper
load doubles
load supervised

setup() {
	top=$BATS_TEST_DIRNAME/..
	readme=$top/README.md
	PIDS=()
}

teardown() {
	stop_supervised
	stop_doubles
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
		sed -e '/^\.\/bootstrap/d' -e '/^export [A-Z]*_/d' \
			-e '/^[0-9*]/d' -e '/telegram/d' -e '/^lb-run  /d' \
			-e '/^lb-run status/d' -e '/^lb-queue/d' \
			-e '/^dmesg/d' -e "s|share/lb/examples|$top/&|" \
			-e '/offline:auth/s/$/ || test $? = 69/'
}

@test "its commands run as they are written" {
	own > "$BATS_TEST_TMPDIR/own"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/own")" -ge 7 ]
	grep -q offline:auth "$BATS_TEST_TMPDIR/own"
	run_commands < "$BATS_TEST_TMPDIR/own"
}

# telegram - the commands of the bot on Telegram, each on a line.
telegram() {
	sed -n '/^## A bot on Telegram/,/^From here/p' "$readme" |
		grep '^       ' | sed 's/^ *//; s/ *#.*//' |
		sed '/^\.\/bootstrap/d; /^PATH=/d'
}

@test "the bot on Telegram: its commands run against a double" {
	cd "$BATS_TEST_TMPDIR"
	unset LB_CONFIG
	bot_api
	commands=$(telegram)
	[ "$(wc -l <<< "$commands")" -ge 14 ]
	export TELEGRAM_BOT_TOKEN=$BOT_API_TOKEN LB_MODEL=offline:text=Yes. \
		LB__BOTS__TELEGRAM__BASE_URL=$BOT_API
	run -0 sh -c "$(grep -- --check <<< "$commands")"
	start lb-run
	bot_api_say 42 hello
	until_true eval '[ "$(bot_api_sent .text)" = "\"Yes.\"" ]'
	run -0 sh -c "$(grep 'run status' <<< "$commands")"
	[[ $output == *connected* ]]
	until_true eval '[ "$(lb-queue stats in | jq .done)" = 1 ]'
	run -0 sh -c "$(grep '^lb-queue peek' <<< "$commands")"
	same '["Ann","receipt"]' "$output"
	kill "$RUN"
	ended 143
	run -0 lb-session list
	[[ $output == *person_42* ]]
	# Written down.
	run -0 sh -ec "$(grep '^lb-config' <<< "$commands")"
	bot_api_op '{"op":"chat","chat":{"id":-1001234567890,"type":"supergroup","title":"g"}}'
	bot_api_say 42 again
	run -0 sh -c "$(grep -o 'lb-run --once' <<< "$commands")"
	run -0 sh -c "$(grep -o "lb-send .*Good.*" <<< "$commands")"
	[ -z "$output" ]
	same '"Good morning."' "$(bot_api_sent .text | tail -n 1)"
	run -0 sh -c "$(grep -- 'lb-run --print' <<< "$commands")"
	[[ $output == "lb-ingest telegram --bot telegram --queue in & "* ]]
	sh -c "$(grep 'tee seen' <<< "$commands")" > out 2>&1 < /dev/null 3>&- &
	PIDS+=("$!")
	bot_api_say 42 'by hand'
	until_true eval '[ "$(bot_api_sent .text | wc -l)" = 4 ]'
	pkill -x -P "$!" lb-ingest || true
	until_true grep -q receipt out
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
