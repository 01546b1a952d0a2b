#!/usr/bin/env bats

load helper
load filter
load server

teardown() {
	stop_servers
}

# message N [JSON] - message number N of a person, with these members.
message() {
	jq -nc --argjson n "$1" --argjson with "${2:-{\}}" '{kind: "message",
		id: "01890a5d-ac96-774b-bcce-b302099a\(8000 + $n)",
		time: 1767225600250, bot: "support", platform: "telegram",
		launcher_type: "person", launcher_id: "55", sender_id: "55",
		sender_name: "Ann", message_id: "m\($n)",
		session: "support/person_55",
		chain: [{type: "Plain", text: "hi \($n)"}]} + $with'
}

group='{"launcher_type":"group","launcher_id":"7788","group_name":"Ops","session":"support/group_7788"}'

# messages N - N messages of N sessions.
messages() {
	local n
	for ((n = 0; n < $1; n++)); do
		message "$n" "{\"launcher_id\":\"$n\",\"session\":\"support/person_$n\"}"
	done
}

# hook [LINE...] - the webhook crm at the last server, tried quickly.
hook() {
	printf 'webhooks:\n  crm:\n    url: %s/hook\n    backoff: 5ms\n' \
		"$SERVER_URL" > "$LB_CONFIG"
	printf '    %s\n' "$@" >> "$LB_CONFIG"
}

push() {
	timeout 60 lb-push "$@"
}

ok='on POST /hook
	uses any
	reply 200'

@test "without a webhook all passes, byte for byte" {
	copies_foreign push
	run --separate-stderr -0 push <<< '{"kind":"message", "no":"id", "n":0.10}'
	same '{"kind":"message", "no":"id", "n":0.10}' "$output"
	[ -z "$stderr" ]
}

@test "a message passes byte for byte and its webhook hears of it" {
	serve <<< "$ok"
	hook
	odd='{ "n":[0.10, 1e2] , "kind": "message","id":"01890a5d-ac96-774b-bcce-b302099a8057", "time":1767225600250,"bot":"support","platform":"telegram","launcher_type":"group","launcher_id":"7788","group_name":"Ops","sender_id":"55","sender_name":"Ann","session":"support/group_7788","message_id":"9","chain":[{"type":"Plain","text":"hi\/", "x":1.50}]}'
	run --separate-stderr -0 push <<< "$odd"
	same "$odd" "$output"
	[ -z "$stderr" ]
	same 1 "$(requests 'select(.method)' | wc -l)"
	same '"application/json"' "$(requests '.headers["content-type"]')"
	# the bytes of the chain are the message's own
	[[ $(requests .body) == *'"message\":[{\"type\":\"Plain\",\"text\":\"hi\\/\", \"x\":1.50}]'* ]]
	jq -e '.body | fromjson | .uuid as $u | (.uuid | test(
		"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")) and
		del(.uuid) == {event_type: "bot.group_message", data: {
		bot_uuid: "support", adapter_name: "telegram",
		group: {id: "7788", name: "Ops"}, sender: {id: "55", name: "Ann"},
		message: [{type: "Plain", text: "hi/", x: 1.5}],
		timestamp: 1767225600.25, id: "01890a5d-ac96-774b-bcce-b302099a8057",
		message_id: "9", session_id: "support/group_7788"}}' "$SERVER_LOG"
	jq -e '.headers["webhook-id"] == (.body | fromjson | .uuid)' "$SERVER_LOG"
}

@test "a private message is an event without a group" {
	serve <<< "$ok"
	hook
	push < <(message 1) > /dev/null
	jq -e '.body | fromjson | .event_type == "bot.person_message" and
		(.data | has("group") | not)' "$SERVER_LOG"
}

@test "whatever time a message names, what is posted is JSON" {
	serve <<< "$ok"
	hook
	for time in -1 -1500 -9223372036854775808 9223372036854775807; do
		push < <(message 1 "{\"time\":$time}" | sed "s/\"time\":[^,}]*/\"time\":$time/") > /dev/null
	done
	same '"timestamp":-0.001
"timestamp":-1.500
"timestamp":-9223372036854775.808
"timestamp":9223372036854775.807' \
		"$(jq -r 'select(.method) | .body' "$SERVER_LOG" | grep -o '"timestamp":[^,}]*')"
}

# verify SECRET-AS-PYTHON - the signatures of the log are right.
verify() {
	python3 - "$SERVER_LOG" "$1" <<-'END'
		import base64, hashlib, hmac, json, sys, time
		key = eval(sys.argv[2])
		n = 0
		for line in open(sys.argv[1]):
		    r = json.loads(line)
		    if "method" not in r: continue
		    h = r["headers"]
		    signed = f'{h["webhook-id"]}.{h["webhook-timestamp"]}.{r["body"]}'
		    want = base64.b64encode(hmac.new(key, signed.encode(),
		        hashlib.sha256).digest()).decode()
		    assert h["webhook-signature"] == "v1," + want, h
		    assert abs(time.time() - int(h["webhook-timestamp"])) < 60
		    n += 1
		assert n > 0
	END
}

@test "with a secret each post is signed as Standard Webhooks has it" {
	serve <<< "$ok"
	hook 'secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
	push < <(message 1) > /dev/null
	verify 'base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")'
	: > "$SERVER_LOG"
	hook 'secret: env:HOOK_KEY'
	HOOK_KEY='just a text' push < <(message 1 '{"chain":[{"type":"Plain","text":"é"}]}') \
		> /dev/null
	verify 'b"just a text"'
}

@test "without a secret there is no signature" {
	serve <<< "$ok"
	hook
	push < <(message 1) > /dev/null
	jq -e '.headers | has("webhook-signature") | not' "$SERVER_LOG"
}

@test "what fails for a while is posted again under the same id" {
	for failure in 'reply 500' 'reply 429' 'reply 408' reset close \
		$'header X: y\nclose'; do
		serve <<< "on POST /hook
			uses 2
			$failure
			$ok"
		hook 'secret: x'
		run --separate-stderr -0 push -e < <(message 1)
		same "$(message 1)" "$output"
		[ -z "$stderr" ]
		jq -se 'map(select(.method)) | length == 3 and
			(map(.headers["webhook-id"]) | unique | length) == 1 and
			(map(.body) | unique | length) == 1' "$SERVER_LOG"
		verify 'b"x"'
		stop_servers
	done
}

@test "backoff says how long after a failure, and four times that after another" {
	serve <<< "on POST /hook
		uses 2
		reply 500
		$ok"
	hook
	sed -i 's/5ms/200ms/' "$LB_CONFIG"
	run -0 push < <(message 1)
	jq -se 'map(select(.method).time) | length == 3 and
		.[1] - .[0] >= 190 and .[1] - .[0] < 900 and .[2] - .[1] >= 790' "$SERVER_LOG"
}

@test "the same message has the same delivery id in the next run, others have not" {
	serve <<< "$ok"
	hook
	push < <(message 1) > /dev/null
	push < <(message 1; message 2) > /dev/null
	jq -se 'map(select(.method) | {b: (.body | fromjson).data.id,
		i: .headers["webhook-id"]}) | length == 3 and (unique | length) == 2 and
		(map(.i) | unique | length) == 2' "$SERVER_LOG"
}

@test "what refuses for good is not asked again, and one line says so" {
	for code in 400 401 404 422 301; do
		serve <<< "on POST /hook
			uses any
			reply $code"
		hook
		run --separate-stderr -1 push -e < <(message 1)
		same "$(message 1)" "$output"
		[ "$(wc -l <<< "$stderr")" -eq 1 ]
		[[ $stderr == "lb-push: webhook 'crm': delivery "*" of message 01890a5d-ac96-774b-bcce-b302099a8001 failed: status $code" ]]
		same 1 "$(requests 'select(.method)' | wc -l)"
		stop_servers
	done
}

@test "after all tries a delivery is given up: a line, and its body in --failed" {
	serve <<< 'on POST /hook
		uses any
		reply 503'
	hook 'tries: 3' 'secret: very-secret'
	run --separate-stderr -0 push --failed "$BATS_TEST_TMPDIR/failed" < <(message 1)
	[[ $stderr == *"failed: status 503, after 3 tries" ]]
	same 3 "$(requests 'select(.method)' | wc -l)"
	jq -se 'length == 1 and (.[0] | .webhook == "crm" and .tries == 3 and
		.status == 503 and .why == "status 503, after 3 tries" and
		.body.uuid == .uuid and .body.data.id == .id)' "$BATS_TEST_TMPDIR/failed"
	same 600 "$(stat -c %a "$BATS_TEST_TMPDIR/failed")"
	run -1 grep -r very-secret "$BATS_TEST_TMPDIR/failed"
}

@test "Retry-After is obeyed, and refused when it asks for too much" {
	serve <<< "on POST /hook
		reply 429
		header Retry-After: 1
		$ok"
	hook
	push < <(message 1) > /dev/null
	jq -se 'map(select(.method).time) | .[1] - .[0] >= 990' "$SERVER_LOG"
	stop_servers
	serve <<< 'on POST /hook
		uses any
		reply 429
		header Retry-After: 3600'
	hook
	run --separate-stderr -0 push < <(message 1)
	[[ $stderr == *"failed: status 429, and it asks to wait for 3600s" ]]
}

@test "a webhook that answers 410 is told nothing more" {
	serve <<< 'on POST /hook
		uses any
		reply 410'
	hook
	run --separate-stderr -0 push < <(message 1; sleep 0.3; message 2)
	same "$(message 1; message 2)" "$output"
	[[ $stderr == *"webhook 'crm': answers 410 Gone: it is told nothing more"* ]]
	same 1 "$(requests 'select(.method)' | wc -l)"
}

@test "events, bots and enabled say who hears of what" {
	serve <<< 'on POST *
		uses any
		reply 200'
	cat > "$LB_CONFIG" <<-END
		webhooks:
		  groups: {url: $SERVER_URL/groups, events: [bot.group_message]}
		  other: {url: $SERVER_URL/other, bots: [other, third]}
		  off: {url: $SERVER_URL/off, enabled: false}
		  all: {url: $SERVER_URL/all}
	END
	push < <(message 1; message 2 "$group"; message 3 '{"bot":"other"}') > /dev/null
	same '/all m1
/all m2
/all m3
/groups m2
/other m3' "$(requests 'select(.method)' | jq -r \
	'"\(.path) \(.body | fromjson.data.message_id)"' | sort)"
}

@test "a slow webhook delays no message, and no other webhook" {
	serve <<< 'on POST /hang
		uses any
		hang
		on POST /hook
		uses any
		reply 200'
	cat > "$LB_CONFIG" <<-END
		webhooks:
		  slow: {url: $SERVER_URL/hang}
		  quick: {url: $SERVER_URL/hook}
	END
	mkfifo "$BATS_TEST_TMPDIR/in"
	push --drain 100ms < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" \
		2> "$BATS_TEST_TMPDIR/err" 3>&- &
	exec 8> "$BATS_TEST_TMPDIR/in"
	messages 50 >&8
	for ((i = 0; i < 200; i++)); do
		[ "$(wc -l < "$BATS_TEST_TMPDIR/out")" -lt 50 ] ||
			[ "$(requests 'select(.path == "/hook")' | wc -l)" -lt 50 ] || break
		sleep 0.05
	done
	[ "$(wc -l < "$BATS_TEST_TMPDIR/out")" -eq 50 ]
	[ "$(requests 'select(.path == "/hook")' | wc -l)" -eq 50 ]
	exec 8>&-
	wait $!
	same 50 "$(grep -c "'slow': .* failed: no time is left" "$BATS_TEST_TMPDIR/err")"
}

@test "the reader is told of the end before all is delivered" {
	serve <<< 'on POST /hook
		uses any
		hang'
	hook
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	lb-push --drain 50s > "$BATS_TEST_TMPDIR/pipe" 2> /dev/null < <(message 1) 3>&- &
	pid=$!
	timeout 20 cat "$BATS_TEST_TMPDIR/pipe" > "$BATS_TEST_TMPDIR/out"
	kill -KILL "$pid" # it is still there
	same "$(message 1)" "$(cat "$BATS_TEST_TMPDIR/out")"
}

@test "wait: a webhook that says skip_pipeline drops the message" {
	serve <<-'END'
		on POST /hook
		if-json data.message_id m1
		reply 200
		send {"skip_pipeline": true}
		on POST /hook
		uses any
		reply 200
		send {"skip_pipeline": "true"}
	END
	hook 'wait: true'
	run --separate-stderr -0 push < <(message 1; message 2)
	[ -z "$stderr" ]
	same "$(message 2)" "$(sed -n 2p <<< "$output")"
	same "$(message 1 | jq -c '.kind = "drop" | . + {stage: "lb-push",
		reason: "webhook '"'crm'"' says skip_pipeline"}')" "$(sed -n 1p <<< "$output")"
}

@test "wait: one of several is enough to drop, and only where it is asked for" {
	serve <<-'END'
		on POST /no
		uses any
		reply 200
		send {"skip_pipeline": true}
		on POST /yes
		uses any
		reply 200
		send {}
	END
	printf 'webhooks: {a: {url: "%s/yes", wait: true}, b: {url: "%s/no", wait: true}}\n' \
		"$SERVER_URL" "$SERVER_URL" > "$LB_CONFIG"
	run -0 push < <(message 1)
	same drop "$(jq -r .kind <<< "$output")"
	printf 'webhooks: {a: {url: "%s/yes", wait: true}, b: {url: "%s/no"}}\n' \
		"$SERVER_URL" "$SERVER_URL" > "$LB_CONFIG"
	run -0 push < <(message 1)
	same "$(message 1)" "$output"
}

@test "wait: a webhook that fails is no opinion, at once or when its time is over" {
	for failure in 'reply 500' reset hang $'reply 200\nsend no json' \
		$'reply 200\nsend [true]' $'reply 200\nsend {"skip_pipeline":false,"skip_pipeline":true}' \
		$'reply 200\nheader Content-Length: 99\nsend {"skip_pipeline":true}\nclose' \
		$'reply 200\nrepeat 40 0 {"skip_pipeline":true} and so on, for much too long'; do
		serve <<< "on POST /hook
			uses any
			$failure"
		hook 'wait: true' 'timeout: 300ms' 'tries: 1'
		run --separate-stderr -0 push < <(message 1)
		same "$(message 1)" "$output"
		stop_servers
	done
}

@test "wait: an opinion that never ends is cut off" {
	serve <<< 'on POST /hook
		uses any
		reply 200
		repeat 100000 0 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
	hook 'wait: true'
	run --separate-stderr -0 push -e < <(message 1)
	same "$(message 1)" "$output"
	same "lb-push: webhook 'crm': its answer is no opinion: it is too long" "$stderr"
}

@test "wait: after three silences it is not waited for until it answers" {
	serve <<< 'on POST /hook
		uses any
		hang'
	hook 'wait: true' 'timeout: 400ms' 'tries: 1'
	message 1 | jq -c '. as $m | range(20) | $m + {id: "m\(.)"}' > "$BATS_TEST_TMPDIR/in"
	began=$(date +%s%3N)
	run --separate-stderr -0 push < "$BATS_TEST_TMPDIR/in"
	[ $(($(date +%s%3N) - began)) -lt 6000 ] # and not 20 times 400 ms
	same "$(cat "$BATS_TEST_TMPDIR/in")" "$output"
	same 1 "$(grep -c 'no opinion 3 times in a row' <<< "$stderr")"
	same 20 "$(grep -c 'failed: ' <<< "$stderr")"
}

@test "wait: a session keeps its order, and others go by" {
	serve <<-'END'
		on POST /hook
		if-json data.message_id m1
		reply 200
		pause 400
		send {}
		on POST /hook
		uses any
		reply 200
		send {}
	END
	hook 'wait: true'
	{
		message 1
		echo '{"kind":"edit","session":"support/person_55"}'
		message 2
		message 3 "$group"
		echo '{"kind":"edit","session":"support/group_1"}'
	} > "$BATS_TEST_TMPDIR/in"
	run -0 push < "$BATS_TEST_TMPDIR/in"
	same 'edit m3 m1 edit m2' "$(jq -r '.message_id // .kind' <<< "$output" | paste -sd' ')"
}

@test "a time that a message names is for others to obey" {
	serve <<< "$ok"
	later=$(message 1 "{\"not_before\":$(($(date +%s%3N) + 200000))}")
	never=$(message 2 '{"not_before":99999999999999}')
	for line in 'wait: false' 'wait: true'; do
		hook "$line"
		run --separate-stderr -0 push < <(echo "$later"; echo "$never")
		same "$later
$never" "$output"
	done
}

@test "as many come out as went in, whatever the webhook does" {
	serve <<< 'on POST /hook
		uses 20
		reply 500
		on POST /hook
		uses 20
		reset
		on POST /hook
		uses 20
		reply 200
		send {"skip_pipeline":true}
		on POST /hook
		uses any
		reply 200
		send {}'
	hook 'wait: true' 'tries: 2'
	messages 150 > "$BATS_TEST_TMPDIR/in"
	push < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" 2> /dev/null
	same "$(jq -r .id "$BATS_TEST_TMPDIR/in" | sort)" \
		"$(jq -r 'select(.kind == "message" or .kind == "drop").id' "$BATS_TEST_TMPDIR/out" | sort)"
	[ "$(grep -c '^{"kind":"drop"' "$BATS_TEST_TMPDIR/out")" -gt 0 ]
}

@test "a full queue: what comes is left out, with one line and one when it is over" {
	serve <<< 'on POST /hook
		uses any
		hang'
	hook
	messages 1 | jq -c '. as $m | range(1005) | $m + {id: "m\(.)"}' > "$BATS_TEST_TMPDIR/in"
	run --separate-stderr -0 push --drain 50ms --failed "$BATS_TEST_TMPDIR/failed" \
		< "$BATS_TEST_TMPDIR/in"
	same "$(cat "$BATS_TEST_TMPDIR/in")" "$output"
	same 1 "$(grep -c "'crm': too much waits for it" <<< "$stderr")"
	same 1 "$(grep -c "'crm': 5 deliveries were left out" <<< "$stderr")"
	same 1000 "$(grep -c 'failed: no time is left' <<< "$stderr")"
	same 1005 "$(wc -l < "$BATS_TEST_TMPDIR/failed")"
	same 5 "$(grep -c '"tries":0,"why":"too much waits already"}' "$BATS_TEST_TMPDIR/failed")"
}

@test "when-full: wait holds the flow up until there is room" {
	serve <<< "$ok"
	hook
	echo '  when-full: wait' >> "$LB_CONFIG"
	messages 1 | jq -c '. as $m | range(3000) | $m + {id: "m\(.)"}' > "$BATS_TEST_TMPDIR/in"
	run --separate-stderr -0 push -e < "$BATS_TEST_TMPDIR/in"
	same "$(cat "$BATS_TEST_TMPDIR/in")" "$output"
	[ -z "$stderr" ]
	same 3000 "$(requests 'select(.method).headers["webhook-id"]' | sort -u | wc -l)"
}

@test "no more posts at once than the configuration says" {
	serve <<< 'on POST /hook
		uses any
		reply 200
		pause 50'
	hook
	echo '  max_inflight_requests: 2' >> "$LB_CONFIG"
	messages 10 > "$BATS_TEST_TMPDIR/in"
	push < "$BATS_TEST_TMPDIR/in" > /dev/null
	jq -se 'map(select(.method).connection) | unique | length <= 2' "$SERVER_LOG"
	jq -se 'map(select(.method).time) | max - min >= 190' "$SERVER_LOG"
	: > "$SERVER_LOG"
	{
		echo 'webhooks:'
		for n in 1 2 3; do echo "  h$n: {url: $SERVER_URL/hook}"; done
		echo '  max_inflight_requests: 1'
	} > "$LB_CONFIG"
	push < <(message 1) > /dev/null
	jq -se 'map(select(.method).time) | length == 3 and max - min >= 95' "$SERVER_LOG"
}

@test "a signal: what was read goes out, what is left is said, and it ends by it" {
	serve <<< 'on POST /hook
		uses any
		hang'
	hook 'wait: true' 'timeout: 60s'
	mkfifo "$BATS_TEST_TMPDIR/in"
	lb-push --grace 100ms < "$BATS_TEST_TMPDIR/in" > "$BATS_TEST_TMPDIR/out" \
		2> "$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	exec 8> "$BATS_TEST_TMPDIR/in"
	messages 20 >&8
	message 1 >&8
	for ((i = 0; i < 200; i++)); do
		[ "$(requests 'select(.method)' | wc -l)" -lt 16 ] || break
		sleep 0.05
	done
	kill "$pid"
	code=0
	wait "$pid" || code=$?
	same 143 "$code"
	exec 8>&-
	same 21 "$(jq -r .id "$BATS_TEST_TMPDIR/out" | wc -l)"
	same 21 "$(grep -c 'failed: no time is left' "$BATS_TEST_TMPDIR/err")"
}

@test "what a webhook's URL holds is never shown" {
	printf 'webhooks: {crm: {url: env:HOOK, tries: 1, timeout: 1s}}\n' > "$LB_CONFIG"
	export HOOK=http://127.0.0.1:1/services/T0K3N-IN-PATH
	LB_LOG=debug run --separate-stderr -0 push --failed "$BATS_TEST_TMPDIR/failed" < <(message 1)
	[[ $stderr == *"webhook 'crm': "* ]]
	[[ $stderr != *T0K3N* ]]
	run -1 grep T0K3N "$BATS_TEST_TMPDIR/failed"
}

@test "a webhook that is not understood is a configuration error, with its place" {
	while IFS='|' read -r lines why; do
		printf 'webhooks:\n  crm:\n    url: http://127.0.0.1:1/\n' > "$LB_CONFIG"
		sed -i "3s|.*|    $lines|" "$LB_CONFIG"
		run --separate-stderr -78 push < /dev/null
		same "lb-push: $LB_CONFIG:$why" "$stderr"
		[[ $why == *base64* ]] || run -1 lb-config check
	done <<-END
		url: ftp://x|3: webhooks.crm.url: does not begin with http:// or https:// and a host
		{url: http://x, events: [bot.reply]}|3: webhooks.crm.events: 'bot.reply' is neither bot.person_message nor bot.group_message
		{url: http://x, secret: whsec_%%%}|3: webhooks.crm.secret: it is not base64 behind its prefix
		{url: http://x, timeout: 1h}|3: webhooks.crm.timeout: is more than 10m
		{url: http://x, backoff: none}|3: webhooks.crm.backoff: is more than 5m
		{url: http://x, tries: 0}|3: webhooks.crm.tries: '0' is not a whole number from 1 to 20
		{url: http://x, retries: 3}|3: webhooks.crm.retries: unknown key (did you mean 'webhooks.crm.tries'?)
	END
	printf 'webhooks: {crm: {secret: x}}\n' > "$LB_CONFIG"
	run --separate-stderr -78 push < /dev/null
	same "lb-push: $LB_CONFIG:1: webhooks.crm.url: it has none" "$stderr"
	printf 'webhooks: {crm: {url: env:NO_HOOK}}\n' > "$LB_CONFIG"
	run --separate-stderr -78 push < /dev/null
	same "lb-push: $LB_CONFIG:1: webhooks.crm.url: environment variable 'NO_HOOK' is not set" "$stderr"
}

@test "more webhooks than allowed are refused, not left out" {
	{
		echo 'webhooks:'
		for n in 1 2 3; do echo "  h$n: {url: http://127.0.0.1:1/}"; done
		echo '  max_per_workspace: 2'
	} > "$LB_CONFIG"
	run --separate-stderr -78 push < /dev/null
	same "lb-push: more webhooks are enabled than webhooks.max_per_workspace says: 2" "$stderr"
}

@test "lb-run: a webhook that is enabled makes lb-push the first of the flow" {
	serve <<< "$ok"
	hook 'enabled: false'
	run -0 lb-run flow --print
	[[ $output != *lb-push* ]]
	hook
	run -0 lb-run flow --print
	[[ $output == "lb-push --grace 4000ms --drain 4000ms | lb-pipeline | lb-agent"* ]]
	printf '%s\n' 'bots: {support: {adapter: "null"}}' >> "$LB_CONFIG"
	run --separate-stderr -0 timeout 60 env LB_MODEL=offline lb-run flow --tee "$BATS_TEST_TMPDIR/tee" \
		< <(message 1)
	same 'receipt true' "$(jq -r '"\(.kind) \(.final)"' <<< "$output" | grep -v ^status)"
	same 1 "$(requests 'select(.method)' | wc -l)"
	[ -s "$BATS_TEST_TMPDIR/tee/1-lb-ingest.jsonl" ]
	cmp "$BATS_TEST_TMPDIR/tee/1-lb-ingest.jsonl" "$BATS_TEST_TMPDIR/tee/2-lb-push.jsonl"
	[ -s "$BATS_TEST_TMPDIR/tee/3-lb-pipeline.jsonl" ]
}

@test "lb-run: a webhook that does not answer ends no flow" {
	serve <<< 'on POST /hook
		uses any
		hang'
	hook
	printf '%s\n' 'bots: {support: {adapter: "null"}}' >> "$LB_CONFIG"
	run --separate-stderr -0 timeout 60 env LB_MODEL=offline lb-run flow --grace 3s < <(message 1)
	same 'receipt true' "$(jq -r '"\(.kind) \(.final)"' <<< "$output" | grep -v ^status)"
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
	[[ $stderr == "lb-push: webhook 'crm': delivery "*" failed: no time is left" ]]
}

@test "what a filter owes" {
	serve <<< "$ok"
	hook
	copies_foreign push
	refuses message lb-push
	strict_stops message push
	full_disk "$(message 1)" lb-push
	no_output "$(message 1)" lb-push
	at_once "$(message 1)" lb-push
	nonblocking "$(message 1)" lb-push
	line_limit message lb-push
	usage_mistakes lb-push x --wrong '--drain 0' '--failed -'
}

@test "a reader that leaves ends it" {
	serve <<< "$ok"
	hook
	reader_leaves "$(message 1)" lb-push
	: > "$LB_CONFIG"
	reader_leaves "$(message 1)" lb-push
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-push
}

@test "the manual names every option, and its examples run" {
	documented lb-push.1 lb-push
	examples lb-push.1
}
