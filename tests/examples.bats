#!/usr/bin/env bats
# The examples that are more than a stage: cron, a script, units.

load helper
load doubles

SHELF=$BATS_TEST_DIRNAME/../share/lb/examples

setup() {
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:text=Yes.
	bot_api
	cat > "$LB_CONFIG" <<-END
		bots:
		  support:
		    adapter: telegram
		    token: env:TELEGRAM_BOT_TOKEN
		    base-url: $BOT_API
	END
	export TELEGRAM_BOT_TOKEN=$BOT_API_TOKEN
}

teardown() {
	stop_doubles
}

# line PATTERN - the command of a crontab's line.
line() {
	sed -n "s/^[0-9*][^ ]*\( [^ ]*\)\{4\} \(.*$1.*\)/\2/p" "$SHELF/crontab"
}

@test "the crontab: each line does what it says" {
	same 5 "$(grep -c '^[0-9*]' "$SHELF/crontab")"
	bot_api_op '{"op":"chat","chat":{"id":-1001234567890,"type":"supergroup","title":"g"}}'
	bot_api_say 42 hello
	run -0 sh -c "$(line 'lb-run --once')"
	[ -z "$output" ] # cron mails what is said
	same '[42,"Yes."]' "$(bot_api_sent '[.chat_id,.text]')"
	run --separate-stderr -0 sh -c "$(line Good)"
	[ -z "$output$stderr" ]
	same '[-1001234567890,"Good morning."]' \
		"$(bot_api_sent '[.chat_id,.text]' | tail -n 1)"
	run --separate-stderr -0 sh -c "$(line weekend)"
	[ -z "$output" ]
	same '[42,"Yes."]' "$(bot_api_sent '[.chat_id,.text]' | tail -n 1)"
	# A disk that is not full, then one that is.
	mkdir bin
	printf '#!/bin/sh\necho Use%%\necho " 17%%"\n' > bin/df
	chmod +x bin/df
	PATH=$PWD/bin:$PATH run --separate-stderr -0 sh -c "$(line 'df ')"
	[ -z "$output" ]
	same 3 "$(bot_api_sent .text | wc -l)"
	sed -i s/17/97/ bin/df
	PATH=$PWD/bin:$PATH run --separate-stderr -0 sh -c "$(line 'df ')"
	[ -z "$output" ]
	same '"The disk is 97% full."' "$(bot_api_sent .text | tail -n 1)"
	run -0 sh -c "$(line gc)"
	[ -z "$output" ]
}

@test "flow.sh: the durable bot as a script; it ends when told to" {
	"$SHELF/flow.sh" telegram support > ends 2> err < /dev/null 3>&- &
	pid=$!
	bot_api_say 42 hello
	bot_api_wait 'any(.method == "sendMessage" and .performed)'
	for ((i = 0; i < 200; i++)); do
		! grep -q '"kind":"receipt"' ends || break
		sleep 0.02
	done
	kill "$pid"
	wait "$pid" || true
	same '["receipt",true]' "$(jq -c 'select(.kind == "receipt") |
		[.kind,.final]' ends)"
	same 0 "$(lb-queue stats in | jq .depth)"
	for ((i = 0; i < 500; i++)); do
		pgrep -f "lb-ingest telegram --bot support --queue in" > /dev/null ||
			break
		sleep 0.02
	done
	run ! pgrep -f "lb-ingest telegram --bot support --queue in"
	# One that the platform refuses is not tried for ever.
	TELEGRAM_BOT_TOKEN=1:wrong run ! "$SHELF/flow.sh" telegram support
}

@test "the plans say what they are for, and hold" {
	for plan in "$SHELF"/plans/*.yaml; do
		run -0 lb-config check "$plan"
	done
	of() {
		LB_CONFIG=$SHELF/plans/$1.yaml lb-config get box |
			jq -c '.local.profile as $p | .profiles[$p] |
				[.cpus, .memory_mb, .network, .host_path_mode]'
	}
	same '[0.5,256,"off","ro"]' "$(of free)"
	same '[1,512,"off","rw"]' "$(of pro)"
	same '[2,1024,"off","rw"]' "$(of enterprise)"
	needs_sandbox
	export LB_CONFIG=$SHELF/plans/free.yaml
	run -2 --separate-stderr lb-exec --session s --memory 4G --cpus 8 --json -- sh -c 'echo x > f'
	same false "$(jq .ok <<< "$output")"
	same '[0.5,256]' "$(lb-box audit | jq -c '.limits | [.cpus, .memory_mb]')"
	for _ in {2..10}; do
		lb-exec -- true
	done
	run -77 lb-exec -- true
	[[ $output == *"the 10 commands a day of one sender are used up"* ]]
}

@test "the units are right, hardened, and name what is there" {
	need systemd systemd-analyze
	mkdir units
	for unit in "$SHELF"/systemd/*; do
		sed "s#/usr/bin/lb-\(run\|box\)#$LB_TEST_BUILD/lb-\1#" "$unit" \
			> "units/${unit##*/}"
	done
	run -0 systemd-analyze verify --man=no units/*
	[ -z "$output" ]
	for unit in lb-run lb-once; do
		run -0 systemd-analyze security --offline=true --threshold=20 \
			"units/$unit.service"
		# What it runs is understood.
		command=$(sed -n 's/^ExecStart=//p' "units/$unit.service")
		command=${command/'/etc/lb/config.yaml'/$LB_CONFIG}
		run -0 sh -c "$command --print"
		[[ $output == *"lb-ingest telegram --bot support"* ]]
	done
	run -0 systemd-analyze security --offline=true --threshold=20 \
		units/lb-box-reap.service
	while read -r command; do
		run -0 sh -c "${command/'/etc/lb/config.yaml'/$LB_CONFIG}"
	done < <(sed -n 's/^ExecStart=//p' units/lb-box-reap.service)
	grep -q '^Type=notify' units/lb-run.service
	grep -q '^OnCalendar=' units/lb-once.timer
	run -0 systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' \
		units/lb-once.timer)"
}
