#!/usr/bin/env bats

load helper
load filter

setup() {
	export USER=ann
}

# is FILTER - the one record of $output.
is() {
	jq -se "length == 1 and (.[0] | $1)" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

uuid7='^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'

@test "text: each line is a message of \$USER to bot -" {
	before=$(date +%s%3N)
	run --separate-stderr -0 lb-ingest text < <(printf 'hi\n\n  \nthere\r\nlast')
	after=$(date +%s%3N)
	[ -z "$stderr" ]
	jq -se --argjson before "$before" --argjson after "$after" --arg id "$uuid7" '
		map(.chain) == [[{type: "Plain", text: "hi"}],
			[{type: "Plain", text: "there"}],
			[{type: "Plain", text: "last"}]] and
		all(.kind == "message" and .bot == "-" and
			.platform == "text" and .launcher_type == "person" and
			.launcher_id == "ann" and .sender_id == "ann" and
			.session == "-/person_ann" and (.id | test($id)) and
			$before <= .time and .time <= $after) and
		(map(.id) | unique | length) == 3' <<< "$output"
	[[ ${lines[0]} == '{"kind":"message",'* ]]
}

@test "text: the id begins with the time of the message" {
	run -0 lb-ingest text <<< hi
	ms=$(jq -r '.id | .[0:8] + .[9:13]' <<< "$output")
	same "$(jq .time <<< "$output")" $((16#$ms))
}

@test "text: without \$USER it is the name of the user id" {
	run -0 env -u USER lb-ingest text <<< hi
	is ".sender_id == \"$(id -un)\""
	run -0 env USER=$'\xff' lb-ingest text <<< hi
	is ".sender_id == \"$(id -un)\""
}

@test "text: options say who speaks to what" {
	run -0 lb-ingest text --bot help --person 7 --pipeline curt <<< hi
	is '.bot == "help" and .launcher_type == "person" and
		.launcher_id == "7" and .sender_id == "7" and
		.session == "help/person_7" and .pipeline == "curt"'
	run -0 lb-ingest text --group 88 --sender 5 <<< hi
	is '.launcher_type == "group" and .launcher_id == "88" and
		.sender_id == "5" and .session == "-/group_88"'
	run -0 lb-ingest text --group=-100#42 <<< hi
	is '.launcher_id == "-100#42" and .sender_id == "ann"'
	run -0 lb-ingest text --sender 5 <<< hi
	is '.launcher_id == "5" and .sender_id == "5"'
	run -0 lb-ingest text --bot 'a"b\' <<< hi
	is '.bot == "a\"b\\"'
}

@test "text: --whole makes one message of all of the input" {
	run -0 lb-ingest text --whole < <(printf ' a\n\nb\tc\r\n\n')
	is '.chain == [{type: "Plain", text: " a\n\nb\tc"}]'
	run -0 lb-ingest text --whole < /dev/null
	[ -z "$output" ]
	run --separate-stderr -65 lb-ingest text --whole --max-line 10 <<< 0123456789
	same "lb-ingest: the input is longer than 10 bytes" "$stderr"
}

@test "text: bad bytes and NUL are repaired, controls are escaped" {
	run -0 lb-ingest text < <(printf 'a\xff\xed\xa0\x80\0b\x1b"\\\x7f\n')
	is '.chain[0].text == "a\ufffd\ufffd\ufffd\ufffd\ufffdb\u001b\"\\\u007f"'
	[[ $output != *$'\x1b'* && $output != *$'\x7f'* ]]
}

@test "text: a line too long is refused by its number, the others go on" {
	run --separate-stderr -65 lb-ingest text --max-line 600 < <(
		echo one; printf '%0700d\n' 0; printf '%0500d\n' 0; echo four)
	same "lb-ingest: line 2: longer than 600 bytes
lb-ingest: line 3: too long as a record" "$stderr"
	jq -se 'map(.kind) == ["message", "error", "error", "message"] and
		map(.line_number) == [null, 2, 3, null] and
		all(.[1:3][]; .code == "data" and .stage == "lb-ingest" and
		(.line | test("^0+$")))' <<< "$output"
}

@test "jsonl: text is enough; the rest is filled in" {
	run --separate-stderr -0 lb-ingest jsonl <<< '{"text":"hi"}'
	is '.kind == "message" and .bot == "-" and .platform == "jsonl" and
		.launcher_type == "person" and .launcher_id == "anonymous" and
		.sender_id == "anonymous" and .session == "-/person_anonymous" and
		.chain == [{type: "Plain", text: "hi"}] and (.time | type) == "number" and
		(.id | test("'"$uuid7"'")) and (has("text") | not)'
	[ -z "$stderr" ]
}

@test "jsonl: sender, group, names, time and message_id are taken" {
	run -0 lb-ingest jsonl --bot web < <(printf '%s\n' '{"text":"hi","sender":"5","group":"88","sender_name":"Ann","group_name":"Ops","time":1700000000000,"message_id":"m1"}')
	is '.launcher_type == "group" and .launcher_id == "88" and
		.sender_id == "5" and .sender_name == "Ann" and .bot == "web" and
		.group_name == "Ops" and .time == 1700000000000 and
		.message_id == "m1" and .session == "web/group_88"'
	run -0 lb-ingest jsonl < <(echo '{"text":"hi","sender":{"id":5,"name":"Ann"},"group":{"id":-88,"name":"Ops"}}')
	is '.launcher_id == "-88" and .sender_id == "5" and
		.sender_name == "Ann" and .group_name == "Ops"'
}

@test "jsonl: ids are texts, whatever their size" {
	run -0 lb-ingest jsonl < <(echo '{"text":"a","sender":1610521604143693812,"group":18446744073709551617,"message_id":-1001234567890123}')
	is '.sender_id == "1610521604143693812" and
		.launcher_id == "18446744073709551617" and
		.message_id == "-1001234567890123"'
	for odd in 1.5 1e3 true null '""' '[]' '{}' '{"id":1.5}'; do
		run -0 lb-ingest jsonl <<< "{\"text\":\"a\",\"sender\":$odd,\"message_id\":$odd}"
		is '.sender_id == "anonymous" and (has("message_id") | not)'
	done
}

@test "jsonl: a valid id is kept, any other replaced" {
	id=01890a5d-ac96-774b-bcce-b302099a8057
	run -0 lb-ingest jsonl <<< "{\"text\":\"a\",\"id\":\"$id\"}"
	is ".id == \"$id\""
	for bad in '"x"' 7 null '"01890a5d-ac96-474b-bcce-b302099a8057"' \
		'"01890A5D-AC96-774B-BCCE-B302099A8057"' "\"${id}0\"" \
		'"01890a5d-ac96-774b-ccce-b302099a8057"'; do
		run -0 lb-ingest jsonl <<< "{\"text\":\"a\",\"id\":$bad}"
		is ".id != $bad and (.id | test(\"$uuid7\"))"
	done
}

@test "jsonl: what a caller may not say is not copied" {
	run -0 lb-ingest jsonl < <(echo '{"text":"hi","pipeline":"p","session":"s","prompt":[],"variables":{},"reply_to":"r","path":"/etc/passwd","bot":"other","platform":"x","launcher_id":"1","stream":true,"runner":"r","kind":"query","user":{},"command":{},"thread":"t","target":"t","not_before":1,"trust":1}')
	is '(keys - ["kind", "id", "time", "bot", "platform", "launcher_type",
		"launcher_id", "sender_id", "session", "chain"]) == [] and
		.kind == "message" and .bot == "-" and .platform == "jsonl" and
		.session == "-/person_anonymous"'
}

@test "jsonl: a chain passes byte for byte, without path at any depth" {
	run -0 lb-ingest jsonl < <(printf '%s\n' '{"chain":[ {"type":"X", "n":[0.10,1e2,18446744073709551616],"path":"/etc/passwd","s":"path \u00e9"},{"p\u0061th":{"a":[1]},"type":"Quote","origin":[{"type":"Image","path":"/x"  ,"q":1,"path2":2}]} ,{"path":1, "type":"Y"},{"type":"Z","o":{"path":"only"}}]}')
	[[ $output == *',"chain":[ {"type":"X", "n":[0.10,1e2,18446744073709551616],"s":"path \u00e9"},{"type":"Quote","origin":[{"type":"Image"  ,"q":1,"path2":2}]} ,{ "type":"Y"},{"type":"Z","o":{}}]}' ]]
	jq -e . <<< "$output"
	# a name spelled with escapes is the same name
	run -0 lb-ingest jsonl <<< '{"ch\u0061in":[{"type":"Plain","text":"a"}]}'
	is '.chain == [{type: "Plain", text: "a"}]'
}

@test "jsonl: what is not an object with text or chain is refused" {
	run --separate-stderr -65 lb-ingest jsonl < <(printf '%s\n' '{"text":"ok"}' \
		'[]' '{"a":1}' '{"text":7}' '{"chain":"x"}' '{"chain":[{}]}' \
		'{"text":"a","text":"b"}' '{' '"text"' '{"text":"ok"}')
	jq -se 'map(.kind) == ["message"] + [range(8) | "error"] + ["message"] and
		(map(select(.kind == "error")) | map(.line_number) == [range(2; 10)] and
		all(.code == "data" and .stage == "lb-ingest" and
		(.line | type) == "string"))' <<< "$output"
	[ "$(wc -l <<< "$stderr")" -eq 8 ]
	[[ ${stderr%%$'\n'*} == "lb-ingest: line 2: not an object" ]]
	[[ $stderr == *"lb-ingest: line 3: neither 'text' nor 'chain'"* ]]
}

@test "jsonl: a malformed line is kept up to 4 KiB and to whole characters" {
	printf '{"text":"a%s' "$(printf '\xe7\x8e\x8b%.0s' $(seq 2000))" > "$BATS_TEST_TMPDIR/in"
	run --separate-stderr -65 lb-ingest jsonl < "$BATS_TEST_TMPDIR/in"
	is '(.line | length) == 10 + (4096 - 10 - (4086 % 3)) / 3 and
		(.line | contains("\ufffd") | not)'
}

@test "jsonl: broken text is repaired, a message too long is refused" {
	run -0 lb-ingest jsonl < <(printf '{"text":"a\xff\\ud800\\u0000"}\n')
	is '.chain[0].text == "a\ufffd\ufffd\ufffd"'
	run --separate-stderr -65 lb-ingest jsonl --max-line 150 <<< "{\"text\":\"$(printf '%0100d' 0)\"}"
	same "lb-ingest: line 1: too long as a record" "$stderr"
	is '.kind == "error" and .line_number == 1'
}

@test "a message comes out at once" {
	at_once hi lb-ingest text
	at_once '{"text":"hi"}' lb-ingest jsonl
}

@test "a non-blocking input is waited for" {
	nonblocking hi lb-ingest text
	nonblocking hi lb-ingest text --whole
	nonblocking '{"text":"hi"}' lb-ingest jsonl
}

@test "a reader that goes away ends it by SIGPIPE" {
	reader_leaves hi lb-ingest text
	reader_leaves '{"text":"hi"}' lb-ingest jsonl
}

@test "a full disk is exit 74" {
	full_disk hi lb-ingest text
	full_disk '{"text":"hi"}' lb-ingest jsonl
	no_output hi lb-ingest text
}

@test "usage mistakes are exit 64" {
	usage_mistakes lb-ingest "" "text jsonl" smoke "--nonsense text" \
		"--person a --group b text" "--bot= text" \
		"--person="$'\xff'" text" "--max-line=1e3 text"
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-ingest text
}

@test "jsonl: an event that is named and dated has the same id each time" {
	event='{"text":"x","message_id":7,"time":1767225600000}'
	# 48 bits of time, then of SHA-256("-", NUL, "7"), version and variant set.
	same 019b76da-a800-731a-aa8b-dcad5383058a \
		"$(lb-ingest jsonl <<< "$event" | jq -r .id)"
	same 1 "$(lb-ingest jsonl <<< "$event
$event" | jq -r .id | sort -u | wc -l)"
	same 4 "$( (
		lb-ingest jsonl <<< "$event"
		lb-ingest jsonl --bot b <<< "$event"
		lb-ingest jsonl <<< '{"text":"x","message_id":8,"time":1767225600000}'
		lb-ingest jsonl <<< '{"text":"x","message_id":7,"time":1767225600001}'
	) | jq -r .id | sort -u | wc -l)"
	# Without a time nobody can tell the event from another.
	same 2 "$(lb-ingest jsonl <<< '{"text":"x","message_id":7}
{"text":"x","message_id":7}' | jq -r .id | sort -u | wc -l)"
}

@test "jsonl: media inside a record are at most 256 KiB" {
	image() {
		printf '{"chain":[{"type":"Image","base64":"data:image/png;base64,'
		head -c "$1" /dev/zero | base64 -w 0
		printf '"}]}\n'
	}
	run -0 bash -c 'lb-ingest jsonl | jq -r .kind' < <(image 262144)
	same message "$output"
	run --separate-stderr -65 lb-ingest jsonl < <(image 263000)
	same '["error","data"]' "$(jq -c '[.kind,.code]' <<< "$output")"
	[[ $stderr == *"256 KiB"* ]]
}

@test "an adapter that is none is told with those there are" {
	run --separate-stderr -64 lb-ingest txt
	same "lb-ingest: there is no adapter 'txt' (did you mean 'text'?); there are jsonl, telegram and text" "${stderr_lines[0]}"
	run --separate-stderr -64 lb-ingest xyzzy
	same "lb-ingest: there is no adapter 'xyzzy'; there are jsonl, telegram and text" "${stderr_lines[0]}"
	for later in onebot discord slack line lark dingtalk wecom qq \
		satori matrix irc mail http web; do
		run --separate-stderr -64 lb-ingest $later
		same "lb-ingest: adapter '$later' is not in this version; there are jsonl, telegram and text" "${stderr_lines[0]}"
	done
}

@test "--queue: the records are in the queue, and nothing is written" {
	printf '%s\n' one two '' three > in
	run --separate-stderr -0 lb-ingest text --queue q < in
	[ -z "$output$stderr" ]
	same $'one\ntwo\nthree' "$(lb-queue peek q |
		jq -r '.record.chain[0].text')"
	run --separate-stderr -65 lb-ingest jsonl --queue q <<< '[]'
	[ -z "$output" ]
	same error "$(lb-queue peek q | jq -r '.record.kind' | tail -n 1)"
	run -0 lb-queue work q --once -- sed -u 's/"kind":"message"/"kind":"drop"/'
	same $'drop\ndrop\ndrop\nerror' "$(jq -r .kind <<< "$output" | sort)"
}

@test "--queue: what is named and dated is put once, however often it comes" {
	for i in 1 2; do
		lb-ingest jsonl --queue in --bot b <<< \
			'{"text":"hi","time":1767225600000,"message_id":"7"}'
	done
	same 1 "$(lb-queue peek | wc -l)"
}

@test "--queue: a burst is in the queue whole or not at all" {
	yes '{"text":"hi"}' | head -n 9000 > in
	run bash -c 'ulimit -f 400; lb-ingest jsonl --queue in < in'
	same 74 "$status"
	[[ $output == *"queue.db"* ]]
	[ "$(lb-queue peek | wc -l)" -lt 9000 ]
	mkdir "$BATS_TEST_TMPDIR/none"
	printf '%08192d' 0 > "$BATS_TEST_TMPDIR/none/queue.db"
	LB_STATE=$BATS_TEST_TMPDIR/none run --separate-stderr -65 \
		lb-ingest jsonl --queue in < in
	[[ $stderr == *"is damaged"* ]]
	run -64 lb-ingest text --queue a/b < in
}
