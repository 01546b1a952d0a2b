#!/usr/bin/env bats
# lb-run with a bot on a network: the double of the Bot API.

load helper
load doubles
load server
load supervised

setup() {
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:text=Yes.
	bot_api
	configure support
	PIDS=()
}

teardown() {
	stop_supervised
	stop_servers
	stop_doubles
}

# configure NAME... - bots of these names, all of the double.
configure() {
	local name
	export TELEGRAM_BOT_TOKEN=$BOT_API_TOKEN
	echo 'bots:' > "$LB_CONFIG"
	for name; do
		cat >> "$LB_CONFIG" <<-END
			  $name:
			    adapter: telegram
			    token: env:TELEGRAM_BOT_TOKEN
			    base-url: $BOT_API
		END
	done
}

answered() {
	[ "$(bot_api_sent .text | wc -l)" -ge "$1" ]
}

@test "a bot: starts in a second, answers, ends within five and leaves nothing" {
	bot_api_say 42 hello
	began=$(date +%s%N)
	start lb-run
	until_true answered 1
	[ $(($(date +%s%N) - began)) -lt 3000000000 ]
	until_true lb-run status
	same '["support","telegram","connected","demo_bot"]' "$(lb-run status |
		jq -c 'select(.adapter) | [.name,.adapter,.state,.self]')"
	[ -z "$(cat out)" ]
	began=$SECONDS
	kill "$RUN"
	ended 143
	[ $((SECONDS - began)) -le 5 ]
	nobody_left
	[ -z "$(ls "$LB_STATE/run" | grep json)" ]
	same '"Yes."' "$(bot_api_sent .text)"
	run ! grep -rF "$BOT_API_TOKEN" err out
}

@test "it is ready in under a second, with no model and nothing but a bot" {
	unset LB_MODEL
	need python3
	cat > listen.py <<-'END'
		import socket
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind("notify")
		print("bound", flush=True)
		print(s.recv(4096).decode(), flush=True)
	END
	python3 listen.py > heard 3>&- &
	until_true grep -q bound heard
	began=$(date +%s%N)
	NOTIFY_SOCKET=$PWD/notify start lb-run
	until_true grep -q READY heard
	[ $(($(date +%s%N) - began)) -lt 1000000000 ]
	grep -q 'no model is configured' err
	bot_api_say 42 hello
	until_true answered 1
	[[ "$(bot_api_sent .text)" == *"offline model"* ]]
}

@test "--once: what has come is answered, then it ends" {
	run --separate-stderr -0 lb-run --once
	[ -z "$output$stderr" ]
	bot_api_say 42 one
	bot_api_say 43 two
	run --separate-stderr -0 lb-run --once --records=-
	same 2 "$(jq -c 'select(.kind == "receipt")' <<< "$output" | wc -l)"
	same $'42\n43' "$(bot_api_sent .chat_id | sort)"
	# Nothing is said again.
	run --separate-stderr -0 lb-run --once
	same 2 "$(bot_api_sent .text | wc -l)"
	nobody_left
}

@test "--once beside one that runs: the second says so, for cron to mail" {
	start lb-run
	until_true lb-run status
	run --separate-stderr -75 lb-run --once
	same "lb-run: it runs already for '$LB_STATE', as process $RUN" "$stderr"
}

@test "what --print prints is a durable bot" {
	run -0 lb-run --print --once
	same 'lb-ingest telegram --bot support --queue in --once; lb-queue work in --once -- lb-run flow' \
		"$output"
	bot_api_say 42 hello
	run -0 sh -c "$output"
	until_true answered 1
	run -0 lb-run --print
	sh -c "$output" > out 2> err < /dev/null 3>&- &
	PIDS+=("$!")
	bot_api_say 42 again
	until_true answered 2
	kill "$(member lb-queue)"
	until_true nobody_left
	configure one two
	run -0 lb-run --print
	sh -n -c "$output"
	[[ $output == *"--bot one "*"--bot two "* ]]
	run -0 lb-run --print --no-queue
	sh -n -c "$output"
}

@test "a token that is refused: which, and it ends; the other bot goes on" {
	export TELEGRAM_BOT_TOKEN=1:wrong
	run --separate-stderr -69 timeout 20 lb-run
	[[ $stderr == *"bot 'support' ended with exit status 69"* ]]
	run ! grep -F 1:wrong <<< "$stderr"
	run --separate-stderr -69 timeout 20 lb-run --once
	nobody_left
	TELEGRAM_BOT_TOKEN=$BOT_API_TOKEN
	export OTHER=1:wrong
	cat >> "$LB_CONFIG" <<-END
		  other:
		    adapter: telegram
		    token: env:OTHER
		    base-url: $BOT_API
	END
	start lb-run
	bot_api_say 42 hello
	until_true answered 1
	until_true grep -q "'other' ended with exit status 69" err
	run -1 lb-run status
	same '["failed","connected"]' "$(lb-run status | jq -sc '
		[map(select(.adapter)) | sort_by(.name) | .[].state]' )"
}

@test "HUP: only the bot whose section changed is started anew" {
	configure one
	start lb-run
	until_true lb-run status
	before=$(lb-run status | jq 'select(.name == "one").pid')
	# Another bot, of another double.
	first=$BOT_API
	bot_api
	cat >> "$LB_CONFIG" <<-END
		  two:
		    adapter: telegram
		    token: env:TELEGRAM_BOT_TOKEN
		    base-url: $BOT_API
	END
	kill -HUP "$RUN"
	until_true eval 'lb-run status && lb-run status | grep -q two'
	same "$before" "$(lb-run status | jq 'select(.name == "one").pid')"
	bot_api_say 7 hello
	until_true answered 1
	two=$(lb-run status | jq 'select(.name == "two").pid')
	sed -i 's/^  one:/&\n    stream: true/' "$LB_CONFIG"
	kill -HUP "$RUN"
	until_true eval '[ "$(lb-run status | jq "select(.name == \"one\").pid")" != "$before" ]'
	until_true lb-run status
	same "$two" "$(lb-run status | jq 'select(.name == "two").pid')"
	# One that is taken away ends; its name is heard no more.
	sed -i '/^  two:/,$d' "$LB_CONFIG"
	kill -HUP "$RUN"
	until_true eval '! lb-run status | grep -q two'
	until_true eval '! kill -0 $two'
	kill "$RUN"
	ended 143
	nobody_left
}

@test "status: people read their own time, programs UTC" {
	need terminal script
	start lb-run
	until_true lb-run status
	at=$(lb-run status | jq -r 'select(.adapter).since')
	[[ $at == ????-??-??T??:??:??.???Z ]]
	TZ=XST-9:30 run -0 timeout 20 script -qec 'lb-run status' /dev/null < /dev/null
	[[ $output == *" $(TZ=XST-9:30 date -d "$at" '+%F %T') "* ]]
	TZ=XST-9:30 run -0 timeout 20 script -qec 'lb-run status --json' /dev/null < /dev/null
	[[ $output == *"\"since\":\"$at\""* ]]
}

@test "status: a platform that is away is a bot that is down" {
	start lb-run
	until_true lb-run status
	bot_api_op '{"op":"fail","how":"502","method":"getUpdates","n":3}'
	bot_api_say 42 wake
	until_true eval '! lb-run status'
	same lost "$(lb-run status | jq -r 'select(.adapter).state')"
	[[ "$(lb-run status | jq -r 'select(.adapter).message')" == *502* ]]
	until_true lb-run status
}

@test "--no-queue: a bot without one; what dies in the flow is told of" {
	bot_api_say 42 hello
	start lb-run --no-queue --records=all
	until_true answered 1
	[ "$(jq -c 'select(.kind == "receipt")' all | wc -l)" -eq 1 ]
	same 0 "$(lb-queue stats in | jq .put | grep . || echo 0)"
	kill -9 "$(member lb-wrap)"
	until_true grep -q 'lb-wrap died' err
	bot_api_say 42 again
	until_true answered 2
	kill "$RUN"
	ended 143
	nobody_left
}

@test "kill -9 of lb-run leaves nobody, and nothing is lost" {
	start lb-run
	until_true lb-run status
	kill -9 "$RUN"
	wait "$RUN" || true
	until_true nobody_left
	bot_api_say 42 hello
	start lb-run
	until_true answered 1
}

@test "what an error ended is sent when it is tried again" {
	bot_api_op '{"op":"fail","how":"cut-after","method":"sendMessage"}'
	bot_api_say 42 hello
	run -0 timeout 60 lb-run --once
	same '"Yes."' "$(bot_api_sent .text)"
	same '["done","lost"]' "$(lb-queue peek --failed |
		jq -c '[.state, .outcome.code]')"
	# it may have arrived: only who says so sends it again
	lb-queue retry --failed > /dev/null
	lb-queue work --once -- lb-run flow > /dev/null
	same lost "$(lb-queue peek --failed | jq -r .outcome.code)"
	answered 1
	run ! answered 2
	lb-queue retry --failed > /dev/null
	lb-queue work --once -- lb-run flow --resend-unknown > /dev/null
	same $'"Yes."\n"Yes."' "$(bot_api_sent .text)"
	same 1 "$(lb-queue peek --done | jq -s 'map(select(.outcome.kind ==
		"receipt")) | length')"
}

@test "ingest and worker: the two halves, beside each other" {
	start lb-run ingest
	ingest=$RUN
	bot_api_say 42 hello
	until_true eval '[ "$(lb-queue stats in | jq .depth)" = 1 ]'
	same 0 "$(bot_api_sent .text | wc -l)"
	start lb-run worker
	until_true answered 1
	until_true lb-run status
	same $'flow\nsupport' "$(lb-run status | jq -r .name | sort)"
	run --separate-stderr -75 lb-run
	kill "$ingest" "$RUN"
	ended 143
	until_true nobody_left
}

@test "a storm that outlasts lb-send: order in its chat, others do not wait" {
	export LB_MODEL=offline
	echo '    limits: {chat-interval: 0, all-interval: 0}' >> "$LB_CONFIG"
	bot_api_op '{"op":"fail","how":"429","method":"sendMessage","chat":42,"n":12,"retry_after":0}'
	for n in {1..6}; do
		for chat in 42 43 44; do bot_api_say $chat "no $n."; done
	done
	start lb-run
	until_true answered 12
	run ! grep -q . <(bot_api_sent 'select(.chat_id == 42)')
	until_true answered 18
	for chat in 42 43 44; do
		same "$(seq -f 'no %g.' 6)" "$(bot_api_sent "select(.chat_id == $chat).text" |
			grep -o 'no [0-9]\.')"
	done
	until_true eval '[ "$(lb-queue stats in | jq .done)" = 18 ]'
	# 12 refusals are two tries of lb-queue, all of the first message
	same 1 "$(bot_api_log 'select(.status == 429).params.text' | sort -u | wc -l)"
	same 2 "$(lb-queue stats in | jq .retried)"
	kill "$RUN"
	ended 143
}

@test "lb-send fails three times, and the model was asked once" {
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		reply 200
		header Content-Type: application/json
		send {"id":"x","object":"chat.completion","created":1,"model":"m",
		send "choices":[{"index":0,"finish_reason":"stop","message":
		send {"role":"assistant","content":"Yes."}}],
		send "usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}
	END
	unset LB_MODEL
	cat >> "$LB_CONFIG" <<-END
		providers:
		  model: {protocol: openai-chat, base-url: "$SERVER_URL/v1"}
		llm: {model: model/m}
	END
	for how in 502 429 503; do
		bot_api_op "{\"op\":\"fail\",\"how\":\"$how\",\"method\":\"sendMessage\",\"n\":1}"
	done
	bot_api_say 42 hello
	start lb-run
	until_true answered 1
	until_true eval '[ "$(lb-queue stats in | jq .done)" = 1 ]'
	stop_servers
	same 1 "$(requests .path | wc -l)"
	same 1 "$(bot_api_sent .text | wc -l)"
	kill "$RUN"
	ended 143
}
