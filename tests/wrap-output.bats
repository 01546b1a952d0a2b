#!/usr/bin/env bats
# lb-wrap: what is taken out of an answer, put around it, and made of it when it
# is long; streamed and whole.

load helper

id=01890a5d-ac96-774b-bcce-b302099a8057

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -m 700 "$LB_STATE"
}

# output YAML - the pipeline's `output`.
output() {
	printf 'pipelines: {default: {output: {%s}}}\n' "$1" > "$LB_CONFIG"
}

# reply TEXT [JSON] - of person 7 at bot tg.
reply() {
	jq -nc --arg id $id --arg t "$1" --argjson with "${2:-{\}}" '{
		kind: "reply", id: $id, bot: "tg", session: "tg/person_7",
		pipeline: "default", launcher_type: "person", launcher_id: "7",
		sender_id: "7", time: 5,
		chain: (if $t == "" then [] else [{type: "Plain", text: $t}] end),
		text: $t, part: 1, final: true} + $with'
}

# streamed TEXT... - chunk 0, a chunk a text.
streamed() {
	jq -nc --arg id $id '["", $ARGS.positional[]] | to_entries[] | {
		kind: "chunk", id: $id, bot: "tg", session: "tg/person_7",
		pipeline: "default", launcher_type: "person", launcher_id: "7",
		sender_id: "7", seq: .key, text: .value}' --args "$@"
}

is() {
	jq -se "$1" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

# whole - what the chunks say, and the reply, is this text; seq counts.
whole() {
	is "(map(select(.kind == \"chunk\")) | map(.text) | add) == $(jq -nc --arg t "$1" '$t') and
		(map(select(.kind == \"chunk\").seq) | . == [range(length)])"
	is "map(select(.kind == \"reply\")) | length == 1 and .[0].text == $(jq -nc --arg t "$1" '$t') and
		(.[0].chain | map(select(.type == \"Plain\").text) | add) == .[0].text"
}

group='{"launcher_type":"group","launcher_id":"-100","sender_name":"Ann","message_id":"-100:5","reply_to":{"chat":"-100","message":"5"}}'

@test "what a model thinks is taken out, blocks in any number" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(reply $'<think>a\nb</think>\n\nYes.<think>c</think> No.')
	is '.[0].text == "Yes.No." and .[0].chain == [{type: "Plain", text: "Yes.No."}]'
	run -0 lb-wrap < <(reply 'one </think> two')
	is '.[0].text == "two"'
	output 'misc: {remove-think: no}'
	run -0 lb-wrap < <(reply '<think>a</think>Yes.')
	is '.[0].text == "<think>a</think>Yes."'
}

@test "of a stream only what may be a tag is held back" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(streamed 'Hel' 'lo' ' <' 'b> <th' 'ink>no' '</thin' 'k> yes')
	is '.[1].text == "Hel" and .[2].text == "lo" and .[3].text == " " and .[4].text == "<b> "'
	is 'map(.text) | add == "Hello <b> yes"'
}

@test "chunks that think, and a reply, say the same" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(streamed '<thi' 'nk>hm' '</think>' ' The answer <' 'b' ' is <'
		reply '<think>hm</think> The answer <b is <')
	whole 'The answer <b is <'
	run -0 lb-wrap < <(streamed 'a ' 'b</think> ' 'c'; reply 'a b</think> c')
	whole 'a bc'
	run -0 lb-wrap < <(streamed '' '' ''; reply '<think>a</think>b')
	is 'map(select(.kind == "chunk").text) == ["", "", "", ""] and .[-1].text == "b"'
	run -0 lb-wrap < <(streamed a | jq -c '.reasoning = "because"')
	is 'all(has("reasoning") | not)'
}

@test "streamed text passes the word filter like any other" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {default: {safety: {content-filter: {words: [secret]}}}}
	END
	run -0 lb-wrap < <(streamed 'It is a s' 'ec' 'ret, of a sec' 'ond kind, sec'
		reply 'It is a secret, of a second kind, sec')
	whole 'It is a ******, of a second kind, sec'
	is '.[1].text == "It is a " and .[2].text == "" and .[3].text == "******, of a "'
	run -0 lb-wrap < <(reply 'No SECRET here')
	is '.[0].text == "No ****** here"'
}

@test "what a provider says of a failure passes the word filter, too" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {default: {output: {misc: {exception-handling: show-error}},
			safety: {content-filter: {words: [secret]}}}}
	END
	run -0 lb-wrap < <(reply '' '{"failed":{"code":"bad_request","message":"no secret model"}}'
		reply 'half' '{"failed":{"code":"truncated","message":"secret"}}')
	is 'map(.text) == ["no ****** model", "half\n\n******"]'
	is '.[0].chain == [{type: "Plain", text: "no ****** model"}]'
}

@test "scope and check-sensitive-words say whether what goes out is looked at" {
	filter() {
		echo "pipelines: {default: {safety: {content-filter: {words: [secret], $1}}}}" \
			> "$LB_CONFIG"
		run -0 lb-wrap < <(streamed 'a sec' 'ret'; reply 'a secret')
	}
	for off in 'scope: income-msg' 'check-sensitive-words: false'; do
		filter "$off"
		whole 'a secret'
	done
	for on in 'scope: output-msg' 'scope: all'; do
		filter "$on"
		whole 'a ******'
	done
}

@test "what a model thinks cannot hide a word, nor a tag be made of what is left" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {default: {output: {misc: {remove-think: yes}},
			safety: {content-filter: {words: [secret]}}}}
	END
	run -0 lb-wrap < <(streamed 'sec<think>x</think>' 'ret'; reply 'sec<think>x</think>ret')
	whole '******'
}

@test "a failure has words behind what was streamed, which stays" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {default: {output: {misc: {remove-think: yes}},
			safety: {content-filter: {words: [secret]}}}}
	END
	run -0 lb-wrap < <(streamed '<think>x</think>One sec'
		reply '<think>x</think>One sec' '{"failed":{"code":"truncated"}}')
	is '(.[1].text == "One ") and .[2].text == "One sec\n\nRequest failed." and .[2].failed.code == "truncated"'
}

@test "a stream whose beginning is not known is not given out, its reply is" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(streamed a b | tail -n +2; reply ab)
	is 'map(.text) == ["", "", "ab"]'
}

@test "a stream that begins anew is said anew" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(streamed a '<think>b'; streamed '' 'c d'; reply 'c d')
	is 'map(.text) == ["", "a", "", "", "", "c d", "c d"]'
}

@test "a reply of another session does not get what was streamed here" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(streamed 'a' '<think>b'; reply 'mine' '{"session":"tg/person_8"}'
		reply 'a<think>b</think>c')
	is 'map(select(.kind == "reply").text) == ["mine", "ac"] and
		(map(select(.kind == "chunk").text) | add) == "ac"'
}

@test "a reply that is not what its chunks said is taken as it is" {
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(streamed 'Hello <'; reply 'Good <think>bye</think>bye')
	is '.[-1].text == "Good bye" and length == 3'
}

@test "an empty answer is a failure that somebody hears of" {
	run -0 lb-wrap < <(reply ''; reply $' \n'; reply '' '{"chain":[{"type":"Image","url":"u"}]}')
	is 'map(.text) == ["Request failed.", "Request failed.", ""] and
		.[0].failed == {code: "malformed", message: "the answer is empty"} and
		(.[2] | has("failed") | not)'
	output 'misc: {remove-think: yes, exception-handling: hide}'
	run -0 lb-wrap < <(reply '<think>nothing else')
	is '.[0].kind == "error" and .[0].code == "malformed"'
}

@test "the hint is in the language of the system, or the pipeline's own" {
	printf '%s\n' 'system: {language: zh_Hans}' > "$LB_CONFIG"
	run -0 lb-wrap < <(reply '' '{"failed":{"code":"io"}}')
	is '.[0].text == "请求失败。"'
	output 'misc: {failure-hint: Oh.}'
	run -0 lb-wrap < <(reply '' '{"failed":{"code":"io"}}')
	is '.[0].text == "Oh."'
}

@test "in a group who asked is named and the message quoted, in person only that" {
	run -0 lb-wrap < <(reply Yes "$group"; reply Yes '{"message_id":"7:5"}'; reply Yes)
	is '.[0].chain == [{type: "Quote", id: "-100:5", sender_id: "7", origin: []},
		{type: "At", target: "7", display: "Ann"}, {type: "Plain", text: "Yes"}] and
		.[0].text == "Yes"'
	is '(.[1].chain | map(.type)) == ["Quote", "Plain"] and .[2].chain == [{type: "Plain", text: "Yes"}]'
	output 'misc: {at-sender: no}'
	run -0 lb-wrap < <(reply Yes "$group")
	is '.[0].chain | map(.type) == ["Quote", "Plain"]'
	output 'misc: {quote-origin: no}'
	run -0 lb-wrap < <(reply Yes "$group")
	is '.[0].chain | map(.type) == ["At", "Plain"]'
	output 'misc: {quote-origin: no, at-sender: no}'
	run -0 lb-wrap < <(reply Yes "$group")
	same "$(reply Yes "$group")" "$output"
}

@test "what goes to somebody else names and quotes nobody" {
	line=$(reply Yes "$(jq -c '. + {target: "group:-5"}' <<< "$group")")
	run -0 lb-wrap <<< "$line"
	same "$line" "$output"
}

@test "the first chunk says what will be around the text, the others pass" {
	run -0 lb-wrap < <(streamed Yes | jq -c ". + $group"; reply Yes "$group")
	is '.[0].head == .[2].chain[:2] and .[0].text == "" and (.[0].head | length) == 2'
	same "$(streamed Yes | jq -c ". + $group" | tail -n 1)" "${lines[1]}"
}

@test "only the first part has them, and pictures stay where they are" {
	output 'long-text-processing: {strategy: split, threshold: 5}'
	run -0 lb-wrap < <(reply 'one two' "$group")
	is 'map(.chain | map(.type)) == [["Quote", "At", "Plain"], ["Plain"]]'
	output 'misc: {remove-think: yes}'
	run -0 lb-wrap < <(reply x '{"chain":[{"type":"Image","url":"u","n":1e2},{"type":"Plain","text":"<think>a</think>b"}]}')
	is '.[0].chain == [{type: "Image", url: "u", n: 100}, {type: "Plain", text: "b"}] and .[0].text == "b"'
}

@test "an answer waits once, and so does the first chunk that shows something" {
	output 'force-delay: {min: 20, max: 20}'
	now=$(date +%s%3N)
	run -0 lb-wrap < <(reply Yes)
	is ".[0].not_before - $now | . >= 20000 and . < 60000"
	run -0 lb-wrap < <(streamed '' a b; reply ab)
	is 'map(has("not_before")) == [false, false, true, false, true] and
		.[2].not_before == .[4].not_before'
	output 'long-text-processing: {strategy: split, threshold: 5}, force-delay: {min: 30, max: 10}'
	run -0 lb-wrap < <(reply 'one two')
	is 'map(has("not_before")) == [true, false]'
	is ".[0].not_before - $now | . >= 10000 and . < 90000"
	output 'force-delay: {min: 0, max: 1}'
	run -0 lb-wrap < <(reply Yes '{"not_before":99999999999999}')
	is '.[0].not_before == 99999999999999'
}

@test "a long text is forwarded as one message" {
	output 'long-text-processing: {strategy: forward, threshold: 5}'
	run -0 lb-wrap < <(reply 'one two' "$group"; reply 'one')
	is '.[0].chain | map(.type) == ["Quote", "At", "Forward"]'
	is '.[0].chain[2] | .display.title == "Chat history" and .display.preview == ["one two"] and
		.display.summary == "View 1 forwarded message" and
		.node_list == [{sender_id: "", sender_name: "", message_id: 0,
			message_chain: [{type: "Plain", text: "one two"}]}]'
	is '.[0].text == "one two" and .[0].final and .[1].chain[0].type == "Plain"'
}

@test "a long text is a file below media, for the owner alone" {
	output 'long-text-processing: {strategy: file, threshold: 5}'
	run -0 lb-wrap < <(reply 'one **two**')
	is '.[0].chain | length == 1 and (.[0] | .type == "File" and .name == "answer.md" and .size == 11)'
	path=$(jq -r '.chain[0].path' <<< "$output")
	[[ $path == "$LB_STATE"/media/??/*.md ]]
	same 'one **two**' "$(cat "$path")"
	same 600 "$(stat -c %a "$path")"
	rm -r "$LB_STATE/media"
	: > "$LB_STATE/media"
	run --separate-stderr -0 lb-wrap < <(reply 'one two')
	is 'map(.text) == ["one ", "two"]'
	[[ $stderr == "lb-wrap: a long answer is cut instead: "* ]]
}

png='\211PNG\r\n\032\n\000\000\000\rIHDRxyz\000\000\000\000IEND\256B\140\202'

@test "a long text is a picture that an outside program makes" {
	export SECRET_KEY=1
	cat > render <<-END
		cat > text
		env > env
		printf '$png'
	END
	output "long-text-processing: {strategy: image, threshold: 5, renderer: \"cmd:sh $PWD/render\"}"
	run --separate-stderr -0 lb-wrap < <(reply 'one two')
	is '.[0].chain | length == 1 and (.[0] | .type == "Image" and .mime == "image/png")'
	same 'one two' "$(cat text)"
	[ -z "$stderr" ]
	path=$(jq -r '.chain[0].path' <<< "$output")
	# shellcheck disable=SC2059
	cmp "$path" <(printf "$png")
	run ! grep -q 'SECRET\|LB_' env
}

@test "a renderer that fails, or writes something else, is not waited for in vain" {
	for bad in 'exit 3' 'echo no picture' 'exec cat /dev/zero' 'kill -9 $$' \
		"printf '${png%IEND*}'" "printf '${png/IHDR/}'"; do
		echo "$bad" > render
		output "long-text-processing: {strategy: image, threshold: 5, renderer: \"cmd:sh $PWD/render\"}"
		run --separate-stderr -0 lb-wrap < <(reply 'one two')
		is '.[0].chain | map(.type) == ["Forward"]'
		same 1 "$(grep -c '^lb-wrap: a long answer is forwarded instead: ' <<< "$stderr")"
	done
	output "long-text-processing: {strategy: image, threshold: 5}"
	run --separate-stderr -0 lb-wrap < <(reply 'one two')
	is '.[0].chain | map(.type) == ["Forward"]'
	[[ $stderr == *"'default'"*"renderer is no cmd:COMMAND"* ]]
	output "long-text-processing: {strategy: image, threshold: 5, renderer: \"cmd:sh $PWD/render\"}"
	run --separate-stderr -0 lb-wrap < <(reply "$(seq 300)")
	is '.[0].chain | map(.type) == ["Forward"]'
	[[ $stderr == *'too long for a picture' ]]
}

@test "a renderer that takes its time holds up its own session, and no other" {
	mkfifo go in
	printf "read line < go; printf '%s'\n" "$png" > render
	output "long-text-processing: {strategy: image, threshold: 5, renderer: \"cmd:sh $PWD/render\"}"
	lb-wrap < in > out 3>&- &
	wrap=$!
	exec 4> in
	{
		streamed 'one' ' two'
		reply 'one two'
		reply behind '{"id":"b","text":"b","chain":[{"type":"Plain","text":"b"}]}'
		reply c '{"session":"tg/person_8"}'
	} >&4
	until grep -q person_8 out; do sleep 0.01; done
	same '["one"," two","c"]' "$(jq -c .text out | jq -sc '.[1:]')"
	echo > go
	exec 4>&-
	wait "$wrap"
	same '[[null,"c"],["Image","one two"],["Plain","b"]]' "$(jq -sc \
		'map(select(.kind == "reply"))[:3] | [[null, .[0].text], [.[1].chain[0].type, .[1].text],
			[.[2].chain[0].type, .[2].text]]' out)"
}

@test "a stream that becomes long is made into something else once, at its end" {
	output 'long-text-processing: {strategy: forward, threshold: 5}'
	run -0 lb-wrap < <(streamed 'one' ' two' ' three'; reply 'one two three')
	is 'map(select(.kind == "chunk").text) == ["", "one", " two", " three"] and
		(map(select(.kind == "reply")) | length) == 1 and (.[-1].chain | map(.type)) == ["Forward"]'
}

@test "which tools are called is said in the answer, where the pipeline wants it" {
	called='{"tools":{"list":[{"name":"exec"},{"name":"read"}]}}'
	run -0 lb-wrap < <(reply Done "$called")
	is '.[0].text == "Done"'
	output 'misc: {track-function-calls: yes}'
	run -0 lb-wrap < <(reply Done "$called"; reply Done '{"tools":{"list":[{"name":"e<b>\n"},7]}}'; reply Done)
	is 'map(.text) == ["Call exec.read...\n\nDone", "Call eb...\n\nDone", "Done"]'
	run -0 lb-wrap < <(streamed 'I look.' | jq -c .
		streamed '' '' | tail -n 1 | jq -c '.calls = ["read"]'
		streamed '' '' '' $'\n\nFound.' | tail -n 1 | jq -c '.seq = 3'
		reply $'I look.\n\nFound.' '{"tools":{"list":[{"name":"read"}]}}')
	is 'map(.text)[:4] | add == "I look.\n\nCall read...\n\nFound."'
	is '.[-1].text == "I look.\n\nCall read...\n\nFound." and length == 5'
}

@test "a strategy or a mode that is none is refused at the start, with its line" {
	for bad in 'long-text-processing: {strategy: banana}' \
		'misc: {exception-handling: shrug}' 'force-delay: {min: -1}' \
		'long-text-processing: {threshold: 0}'; do
		output "$bad"
		run --separate-stderr -78 lb-wrap < /dev/null
		[[ $stderr == *"config.yaml:1: pipelines.default.output."* ]] || {
			echo "$bad: $stderr"
			return 1
		}
	done
}

@test "words that are no pattern are refused at the start" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines: {other: {safety: {content-filter: {words: ["a("]}}}}
	END
	run --separate-stderr -78 lb-wrap < /dev/null
	[[ $stderr == *config.yaml:1* ]]
}

@test "many streams at once are many states, and the oldest is forgotten" {
	output 'misc: {remove-think: yes}'
	many() {
		jq -nc --argjson from "$1" --argjson to "$2" --argjson seq "$3" --arg t "$4" '
			range($from; $to) | {kind: "chunk", id: "\(.)", session: "s",
				pipeline: "default", seq: $seq, text: $t}'
	}
	run -0 lb-wrap < <(many 0 2001 0 ''; many 0 2001 1 'a')
	is 'map(select(.seq == 1)) | map(.text) | .[0] == "" and (.[1:] | all(. == "a"))'
}
