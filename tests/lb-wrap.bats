#!/usr/bin/env bats

load helper
load filter

# reply [JSON] - a reply that says hello, with these members.
reply() {
	jq -nc --argjson with "${1:-{\}}" '{kind: "reply",
		id: "01890a5d-ac96-774b-bcce-b302099a8057", bot: "-",
		session: "-/person_7", pipeline: "default",
		chain: [{type: "Plain", text: "hello"}], text: "hello",
		part: 1, final: true} + $with'
}

# says TEXT [JSON] - a reply of this text.
says() {
	reply "$(jq -nc --arg t "$1" --argjson with "${2:-{\}}" \
		'{chain: [{type: "Plain", text: $t}], text: $t} + $with')"
}

is() {
	jq -se "$1" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

# failures MODE - how pipeline default and pipeline other tell of failures.
failures() {
	cat > "$LB_CONFIG" <<-END
		pipelines:
		  default:
		    output: {misc: {exception-handling: $1, failure-hint: Try later.}}
	END
}

split() {
	cat > "$LB_CONFIG" <<-END
		pipelines:
		  default:
		    output:
		      long-text-processing: {strategy: split, threshold: $1}
	END
}

failed='{"failed":{"code":"timeout","message":"the model is slow"},"chain":[],"text":""}'

@test "a reply that fits passes byte for byte" {
	odd='{ "n": [0.10, 1e2, 18446744073709551616], "kind" : "reply", "id":"x", "chain":[ {"type":"Plain","text":"\u00e9"}] , "failed":null}'
	run --separate-stderr -0 lb-wrap <<< "$odd"
	same "$odd" "$output"
	[ -z "$stderr" ]
}

@test "show-hint: the user reads the hint of the pipeline" {
	failures show-hint
	run -0 lb-wrap < <(reply "$failed")
	is 'length == 1 and (.[0] | .kind == "reply" and .text == "Try later." and
		.chain == [{type: "Plain", text: .text}] and .part == 1 and .final and
		.failed.code == "timeout")'
}

@test "show-hint without a configuration has words of its own" {
	run -0 lb-wrap < <(reply "$failed")
	is '.[0].text == "Request failed."'
}

@test "show-error: the user reads what failed, or the hint where nothing is said" {
	failures show-error
	run -0 lb-wrap < <(reply "$failed"; reply '{"failed":{"code":"io"},"chain":[],"text":""}')
	is 'map(.text) == ["the model is slow", "Try later."]'
}

@test "words for a failure follow what was streamed already" {
	failures show-hint
	run -0 lb-wrap < <(says "So far" '{"failed":{"code":"truncated"}}')
	is '.[0].text == "So far\n\nTry later." and .[0].chain[0].text == .[0].text'
}

@test "hide: a failure becomes an error that holds the reply" {
	failures hide
	run -0 lb-wrap < <(reply "$failed"; reply)
	is 'map(.kind) == ["error", "reply"] and (.[0] | .code == "timeout" and
		.stage == "lb-wrap" and .message == "the model is slow" and
		.retryable == false and .record.failed.code == "timeout" and
		.id == "01890a5d-ac96-774b-bcce-b302099a8057")'
}

@test "the pipeline is the reply's, else its bot's, else the default" {
	cat > "$LB_CONFIG" <<-'END'
		bots: {support: {adapter: jsonl, pipeline: curt}}
		pipelines:
		  curt: {output: {misc: {failure-hint: No.}}}
		  default: {output: {misc: {failure-hint: Sorry.}}}
	END
	run -0 lb-wrap < <(reply "$failed" | jq -c '.pipeline = "curt"'
		reply "$failed" | jq -c 'del(.pipeline) | .bot = "support"'
		reply "$failed" | jq -c 'del(.pipeline)'
		reply "$failed" | jq -c '.pipeline = "gone"')
	is 'map(.text) == ["No.", "No.", "Sorry.", "Sorry."]'
}

@test "a long text is cut into parts that joined are the text" {
	split 40
	text=$(for i in $(seq 30); do printf 'Sentence %d is here. ' "$i"; done)
	run -0 lb-wrap < <(says "$text" '{"usage":{"input":1},"model":"m","x":0.5}')
	is "length > 5 and (map(.text) | join(\"\")) == $(jq -nc --arg t "$text" '$t') and
		all((.text | length) <= 40 and .chain == [{type: \"Plain\", text: .text}] and
			.id == \"01890a5d-ac96-774b-bcce-b302099a8057\" and .x == 0.5) and
		map(.part) == [range(1; length + 1)] and
		map(.final) == [(range(1; length) | false), true] and
		all(.[:-1][]; has(\"usage\") or has(\"model\") | not) and
		.[-1].usage.input == 1 and .[-1].model == \"m\" and
		all(.[:-1][]; .text | endswith(\" \"))"
}

@test "the threshold counts characters, not bytes" {
	split 10
	for char in 王 🌤; do
		text=$(printf "$char%.0s" $(seq 10))
		run -0 lb-wrap < <(says "$text" | sed 's/"text"/ "text"/g')
		same "$(says "$text" | sed 's/"text"/ "text"/g')" "$output"
		run -0 lb-wrap < <(says "$text$char")
		is 'length == 2 and (.[0].text | length) == 10 and
			(.[1].text | length) == 1'
	done
}

@test "a paragraph, a line, a sentence, a word: the best cut is taken" {
	split 20
	run -0 lb-wrap < <(says $'one two. three\n\nfour five six')
	is '.[0].text == "one two. three\n\n"'
	run -0 lb-wrap < <(says $'one two. th. e\nfour five six')
	is '.[0].text == "one two. th. e\n"'
	run -0 lb-wrap < <(says 'one two thr. four five six')
	is '.[0].text == "one two thr. "'
	run -0 lb-wrap < <(says '一二三四五六七八九十一二。四五六七八九十一二')
	is '.[0].text == "一二三四五六七八九十一二。"'
}

@test "strategies other than split, and components other than Plain, are not cut" {
	cat > "$LB_CONFIG" <<-'END'
		pipelines:
		  default:
		    output: {long-text-processing: {strategy: none, threshold: 10}}
	END
	run -0 lb-wrap < <(says "$(printf '%050d' 0)")
	is 'length == 1'
	split 10
	run -0 lb-wrap < <(says "$(printf '%050d' 0)" | jq -c '.chain += [{type: "Image", url: "u"}]')
	is 'length == 1 and .[0].chain[1].url == "u"'
}

@test "chunks pass, and joined they are a prefix of the parts" {
	split 20
	failures='{"failed":{"code":"truncated","message":"cut"}}'
	streamed='one two three four five six seven'
	run -0 lb-wrap < <(
		echo '{"kind":"chunk","id":"a","seq":0,"text":""}'
		echo '{"kind":"chunk","id":"a","seq":1,"text":"one two three four "}'
		echo '{"kind":"chunk","id":"a","seq":2,"text":"five six seven"}'
		says "$streamed" "$failures")
	is '(map(select(.kind == "chunk").text) | join("")) as $chunks |
		(map(select(.kind == "reply").text) | join("")) as $parts |
		$chunks == "'"$streamed"'" and ($parts | startswith($chunks)) and
		$parts == "'"$streamed"'\n\nRequest failed."'
}

@test "a reply that would be longer than a line may be ends in an error" {
	failures show-hint
	line=$(says "$(printf '%0300d' 0)" '{"failed":{"code":"io"}}' | jq -c 'del(.text)')
	run -0 lb-wrap --max-line=$((${#line} + 10)) <<< "$line"
	is 'length == 1 and .[0].kind == "error" and .[0].code == "limit" and
		.[0].id == "01890a5d-ac96-774b-bcce-b302099a8057"'
}

@test "lines of other kinds pass byte for byte" {
	copies_foreign lb-wrap
}

@test "a malformed line is an error record, and the others go on: exit 65" {
	refuses reply lb-wrap
}

@test "--strict stops at the first malformed line" {
	strict_stops reply lb-wrap
}

@test "no line is longer than the limit" {
	line_limit reply lb-wrap
}

@test "a lone reply comes out at once" {
	at_once "$(reply)" lb-wrap
}

@test "a non-blocking input is waited for" {
	nonblocking "$(reply)" lb-wrap
}

@test "a reader that goes away ends it by SIGPIPE" {
	reader_leaves "$(reply)" lb-wrap
}

@test "a full disk is exit 74" {
	full_disk "$(reply)" lb-wrap
	no_output "$(reply)" lb-wrap
}

@test "usage mistakes are exit 64" {
	usage_mistakes lb-wrap --nonsense operand --max-line=-1
}

@test "on a terminal it says what it waits for" {
	notes_terminal lb-wrap
}
