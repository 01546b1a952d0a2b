#!/usr/bin/env bats

load helper
load filter

# reply ID TEXT [JSON] - a final reply, with these members.
reply() {
	jq -nc --arg id "$1" --arg text "$2" --argjson with "${3:-{\}}" '{
		kind: "reply", id: $id, bot: "-", session: "-/person_7",
		chain: [{type: "Plain", text: $text}], text: $text,
		part: 1, final: true} + $with'
}

# part ID N TEXT [final] - a part of one.
part() {
	reply "$1" "$3" "{\"part\":$2,\"final\":${4:-false}}"
}

chunk() {
	jq -nc --arg id "$1" --arg text "$2" --argjson seq "${3:-1}" \
		'{kind: "chunk", id: $id, seq: $seq, text: $text}'
}

is() {
	jq -se "$1" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

# ---- jsonl

@test "jsonl: the reply unchanged, then its receipt; all else passes" {
	odd='{ "kind" : "reply" ,"id":"a", "n":0.10,"chain":[{"type":"Plain","text":"\u00e9"}],"model":"m","usage":{"input":1},"bot":"b"}'
	run --separate-stderr -0 lb-send jsonl < <(echo '{"kind":"status"}'
		chunk a x; echo "$odd"; echo '{"kind":"drop","id":"b"}'
		echo '{"kind":"error","id":"c","code":"io"}')
	same "{\"kind\":\"status\"}
$(chunk a x)
$odd
{\"kind\":\"receipt\",\"id\":\"a\",\"n\":0.10,\"bot\":\"b\",\"part\":1,\"final\":true,\"message_ids\":[]}
{\"kind\":\"drop\",\"id\":\"b\"}
{\"kind\":\"error\",\"id\":\"c\",\"code\":\"io\"}" "$output"
	[ -z "$stderr" ]
}

@test "jsonl: a receipt a part, the last one final" {
	run -0 lb-send jsonl < <(part a 1 x; part a 2 y; part a 3 z true)
	is 'map(select(.kind == "receipt") | [.id, .part, .final]) ==
		[["a", 1, false], ["a", 2, false], ["a", 3, true]]'
}

@test "jsonl: a reply that cannot be sent ends in an error with its id" {
	run -0 lb-send jsonl < <(reply a x '{"chain":[{"text":"no type"}]}'; reply b y)
	is 'map(.kind) == ["error", "reply", "receipt"] and (.[0] | .id == "a" and
		.code == "data" and .stage == "lb-send" and .retryable == false and
		.record.kind == "reply" and .sent_parts == 0)'
	run --separate-stderr -65 lb-send jsonl < <(echo '{"kind":"reply","chain":[]}')
	is 'length == 1 and .[0].kind == "error" and .[0].line_number == 1'
	same "lb-send: line 1: field 'id' is missing" "$stderr"
}

# ---- null

@test "null: delivers to nobody, with a receipt that names a message" {
	run -0 lb-send null < <(reply a x; reply b y)
	is 'map([.kind, .id, .part, .final, .message_ids]) == [
		["receipt", "a", 1, true, ["null-1"]],
		["receipt", "b", 1, true, ["null-2"]]]'
}

@test "null: --fail=transient is retryable, --fail=permanent is not" {
	run -0 lb-send null --fail=transient < <(reply a x)
	is 'length == 1 and (.[0] | .kind == "error" and .id == "a" and
		.retryable == true and .code == "overloaded" and .stage == "lb-send" and
		.sent_parts == 0 and .record.text == "x")'
	run -0 lb-send null --fail permanent < <(reply a x)
	is 'length == 1 and (.[0] | .retryable == false and .code == "not_found")'
}

@test "null: a part that fails ends the record, the later ones are not sent" {
	run -0 lb-send null --fail=permanent:2 < <(part a 1 x; part a 2 y
		part b 1 z true; part a 3 z; part a 4 z true; part a 1 again true)
	is 'map([.kind, .id, .part // 0, .sent_parts]) == [
		["receipt", "a", 1, null], ["error", "a", 0, 1],
		["receipt", "b", 1, null], ["receipt", "a", 1, null]]'
	run -0 lb-send null --fail=permanent:2 < <(part a 1 x; part a 2 y true; part a 1 z true)
	is 'map(.kind) == ["receipt", "error", "receipt"]'
}

# ---- stdout

@test "stdout: nothing but the text, each answer on lines of its own" {
	run --separate-stderr -0 lb-send stdout < <(reply a hello; reply b $'x\ny\n'
		echo '{"kind":"status"}'; echo '{"kind":"drop","id":"c"}')
	same 'hello
x
y' "$output"
	[ -z "$stderr" ]
}

@test "stdout: chunks as they come, then only what was not yet printed" {
	run -0 lb-send stdout < <(chunk a '' 0; chunk a 'one ' 1; chunk a 'two' 2
		part a 1 'one two th'; part a 2 'ree' true; reply b four)
	same 'one two three
four' "$output"
	run -0 lb-send stdout < <(chunk a 'one ' 1; chunk a 'two' 2; reply a 'one two')
	same 'one two' "$output"
	# what streamed ends within a later part
	run -0 lb-send stdout < <(chunk a 'one two three' 1; part a 1 'one two '
		part a 2 'three four' true)
	same 'one two three four' "$output"
	# @name and pictures stand outside the text that streamed
	run -0 lb-send stdout < <(chunk a 'one ' 1; reply a x '{"chain":[
		{"type":"At","target":"5","display":"Ann"},{"type":"Plain","text":"one two"}]}')
	same 'one two' "$output"
}

@test "stdout: a chunk is on the screen before the next one is there" {
	coproc lb-send stdout
	chunk a 'one ' >&"${COPROC[1]}"
	run -0 timeout 10 head -c 4 <&"${COPROC[0]}"
	same 'one ' "$output"
	kill "$COPROC_PID"
}

@test "stdout: answers that stream at once do not mix" {
	run -0 lb-send stdout < <(chunk a '' 0; chunk b '' 0; chunk a 'a1 ' 1
		chunk b 'b1 ' 1; reply c 'c'; chunk a 'a2' 2; chunk b 'b2 ' 2
		reply a 'a1 a2'; chunk b 'b3' 3; reply b 'b1 b2 b3'
		chunk b 'again ' 1; reply b 'again and again')
	same 'a1 a2
c
b1 b2 b3
again and again' "$output"
}

@test "stdout: an answer that never ends does not swallow those that waited" {
	run -0 lb-send stdout < <(chunk a 'half'; reply b whole)
	same 'half
whole' "$output"
	run -65 lb-send stdout --strict < <(chunk a 'half'; reply b whole; echo '{')
	[[ $output == *whole* ]]
	# an error is the end of it as well
	run -69 lb-send stdout < <(chunk a half; echo '{"kind":"error","id":"a","code":"auth","message":"m"}'; reply b whole)
	same 'half
lb-send: auth: m
whole' "$output"
}

@test "stdout: what failed is a line on stderr, its words too" {
	run --separate-stderr -75 lb-send stdout < <(
		chunk a 'So far'
		reply a $'So far\n\nTry later.' '{"failed":{"code":"timeout","message":"too slow"}}'
		reply b '' '{"failed":{"code":"rate"}}')
	same 'So far' "$output"
	same 'lb-send: timeout: too slow (the user reads: Try later.)
lb-send: rate: no reason given (the user reads: Request failed.)' "$stderr"
}

@test "stdout: exit 75 when all that failed may pass, else 69" {
	for code in rate overloaded network timeout truncated io lost; do
		run --separate-stderr -75 lb-send stdout <<< "{\"kind\":\"error\",\"id\":\"a\",\"code\":\"$code\",\"message\":\"m\"}"
		same "lb-send: $code: m" "$stderr"
		[ -z "$output" ]
	done
	for code in auth config data limit internal usage novel; do
		run --separate-stderr -69 lb-send stdout < <(
			echo '{"kind":"error","id":"a","code":"io"}'
			reply b '' "{\"failed\":{\"code\":\"$code\"}}")
	done
}

@test "stdout: receipts and all other records go to --records" {
	records=$BATS_TEST_TMPDIR/records
	input() {
		echo '{"kind":"status", "n":0.10}'
		chunk a x
		reply a xy
		echo '{"kind":"drop","id":"d"}'
		echo '{"kind":"error","id":"e","code":"io","message":"m"}'
		reply b y '{"chain":[7]}'
	}
	run --separate-stderr -69 lb-send stdout --records "$records" < <(input)
	same xy "$output"
	[ "$(stat -c %a "$records")" = 600 ]
	run -0 cat "$records"
	[ "${lines[0]}" = '{"kind":"status", "n":0.10}' ]
	is 'map([.kind, .id]) == [["status", null], ["receipt", "a"],
		["drop", "d"], ["error", "e"], ["error", "b"]]'
	cp "$records" "$records.before"
	run -69 bash -c 'lb-send stdout --records=fd:5 5>"$0"' "$records.fd" < <(input)
	cmp "$records" "$records.fd"
	# it is appended to
	run -0 lb-send stdout --records "$records" < <(reply c z)
	[ "$(head -n 5 "$records")" = "$(cat "$records.before")" ]
	[ "$(wc -l < "$records")" -eq 6 ]
}

@test "stdout: records leave with their burst, also when --strict stops" {
	records=$BATS_TEST_TMPDIR/records
	run -65 lb-send stdout --strict --records "$records" < <(reply a x; echo '{')
	run -0 cat "$records"
	is 'map(.kind) == ["receipt", "error"]'
}

@test "stdout: a --records that cannot be written is no success" {
	run --separate-stderr -66 lb-send stdout --records /nowhere/x < /dev/null
	same "lb-send: cannot open '/nowhere/x': No such file or directory" "$stderr"
	run --separate-stderr -74 lb-send stdout --records /dev/full < <(reply a x)
	same "lb-send: cannot write output: No space left on device" "$stderr"
	for bad in fd:77 fd: fd:x fd:-1; do
		run -64 lb-send stdout --records "$bad" < /dev/null
	done
}

@test "stdout: malformed lines are told on stderr and in --records alone" {
	run --separate-stderr -65 lb-send stdout --records fd:5 5> "$BATS_TEST_TMPDIR/r" < <(
		reply a x; echo nonsense; reply b y)
	same 'x
y' "$output"
	[[ $stderr == "lb-send: line 2: column "* ]]
	jq -se 'map(.kind) == ["receipt", "error", "receipt"]' "$BATS_TEST_TMPDIR/r"
}

@test "stdout: control sequences do not reach a terminal, a pipe gets all" {
	need script
	evil=$'\x1b]0;title\x07a\x1b[31mred\x1b[0m\xc2\x9b1mb\x07\rc'
	reply a "$evil" > "$BATS_TEST_TMPDIR/in"
	# cut within a sequence and within a character
	chunk b $'x\x1b[3' 1 >> "$BATS_TEST_TMPDIR/in"
	chunk b $'1my' 2 >> "$BATS_TEST_TMPDIR/in"
	reply b $'x\x1b[31myz' >> "$BATS_TEST_TMPDIR/in"
	run -0 lb-send stdout < "$BATS_TEST_TMPDIR/in"
	same "$evil"$'\nx\x1b[31myz' "$output"
	run -0 script -qec "lb-send stdout < '$BATS_TEST_TMPDIR/in'" /dev/null < /dev/null
	same $'ared1mbc\r\nxyz\r' "$output"
}

@test "stdout: no escape of a peer reaches stderr" {
	run --separate-stderr -75 lb-send stdout < <(reply a $'w\x1b[31m\n\xc2\x9b1m' '{"failed":{"code":"io","message":"m\u001b[0m"}}')
	same 'lb-send: io: m?[0m (the user reads: w?[31m??1m)' "$stderr"
}

@test "without an adapter each bot has its own" {
	cat > "$LB_CONFIG" <<-'END'
		bots:
		  out: {adapter: jsonl}
		  void: {adapter: "null"}
	END
	run --separate-stderr -0 lb-send < <(reply a text; reply b kept '{"bot":"out"}'
		reply c gone '{"bot":"void"}'; reply d '"unknown"' '{"bot":"who"}')
	same text "${lines[0]}"
	same "$(reply b kept '{"bot":"out"}')" "${lines[1]}"
	jq -e '.kind == "receipt" and .id == "b"' <<< "${lines[2]}"
	jq -e '.kind == "receipt" and .id == "c" and (.message_ids[0] | startswith("null-"))' <<< "${lines[3]}"
	same '"unknown"' "${lines[4]}"
}

# ---- what every filter owes

@test "lines of other kinds pass byte for byte" {
	copies_foreign lb-send jsonl
	copies_foreign lb-send null
}

@test "a malformed line is an error record, and the others go on: exit 65" {
	refuses reply lb-send jsonl
	refuses chunk lb-send null
}

@test "--strict stops at the first malformed line" {
	strict_stops reply lb-send jsonl
}

@test "no line is longer than the limit" {
	line_limit reply lb-send jsonl
}

@test "a receipt is no longer than a line may be" {
	line=$(reply a x | jq -c --arg x "$(printf '%01000d' 0)" '.x = $x')
	run -0 lb-send null --max-line=${#line} <<< "$line"
	is '.[0] | .kind == "receipt" and .id == "a" and .final and (has("x") | not)'
	run -0 lb-send null <<< "$line"
	is '.[0] | .kind == "receipt" and has("x")'
}

@test "a lone reply goes out at once" {
	at_once "$(reply a x)" lb-send jsonl
	at_once "$(reply a x)" lb-send stdout
}

@test "a non-blocking input is waited for" {
	nonblocking "$(reply a x)" lb-send stdout
}

@test "a reader that goes away ends it by SIGPIPE" {
	reader_leaves "$(reply a x)" lb-send jsonl
	reader_leaves "$(reply a x)" lb-send stdout
}

@test "a full disk is exit 74" {
	full_disk "$(reply a x)" lb-send jsonl
	full_disk "$(reply a x)" lb-send stdout
	no_output "$(reply a x)" lb-send stdout
}

@test "usage mistakes are exit 64" {
	usage_mistakes lb-send "stdout null" smoke "--nonsense null" \
		"--fail=never null" "--fail=transient: null" \
		"--fail=transient:0 null" "--fail=permanent:2x null" \
		"--fail=transient stdout"
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-send jsonl
}

@test "an adapter that is none is told with those there are" {
	run --separate-stderr -64 lb-send stdot
	same "lb-send: there is no adapter 'stdot' (did you mean 'stdout'?); there are jsonl, null, stdout and telegram" "${stderr_lines[0]}"
	run --separate-stderr -64 lb-send xyzzy
	same "lb-send: there is no adapter 'xyzzy'; there are jsonl, null, stdout and telegram" "${stderr_lines[0]}"
	for later in onebot discord slack line lark dingtalk wecom qq \
		satori matrix irc mail http web; do
		run --separate-stderr -64 lb-send $later
		same "lb-send: adapter '$later' is not in this version; there are jsonl, null, stdout and telegram" "${stderr_lines[0]}"
	done
}

@test "stdout: a name and what it is told stand apart, and a forwarded text is read" {
	run -0 lb-send stdout < <(
		reply a x '{"chain":[{"type":"Quote","origin":[]},{"type":"At","target":"7","display":"Ann"},{"type":"Plain","text":"yes"}]}'
		reply b x '{"chain":[{"type":"At","target":"7"},{"type":"Plain","text":", yes"}]}'
		reply c x '{"chain":[{"type":"At","target":"7"},{"type":"Plain","text":"- one"}]}'
		reply d x '{"chain":[{"type":"Forward","node_list":[{"sender_name":"","message_chain":[{"type":"Plain","text":"long"}]},{"sender_name":"Ann","message_chain":[{"type":"Plain","text":"text"}]}]}]}'
		reply e x '{"chain":[{"type":"File","name":"answer.md","path":"/s/media/a.md"}]}')
	same '@Ann yes
@7, yes
@7
- one
long
Ann: text
[File]answer.md /s/media/a.md' "$output"
}

@test "jsonl: what is around a text stays" {
	line=$(reply a x '{"chain":[{"type":"Quote","id":"1","origin":[]},{"type":"At","target":"7"},{"type":"Forward","node_list":[]}]}')
	run -0 lb-send jsonl <<< "$line"
	same "$line" "${lines[0]}"
}
