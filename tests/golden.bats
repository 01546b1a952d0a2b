#!/usr/bin/env bats
# What each preset of share/lb/providers.yaml is asked, byte for byte: method,
# URL, headers without the key, and body. tests/data/llm/golden has a file each.
# LB_GOLDEN=write makes them anew; read the difference before it is kept.

load helper

golden=$BATS_TEST_DIRNAME/data/llm/golden

setup() {
	cd "$BATS_TEST_TMPDIR"
	exec < /dev/null
	lb-llm models --json | jq -c 'select(.from == "preset")' > presets
}

# asked NAME - the requests to a preset, by what they are for.
asked() {
	local can
	can=$(jq -c --arg n "$1" 'select(.name == $n).can' presets)
	jq -nc --arg n "$1" --argjson can "$can" '
		if $can | index("llm") then
			{text: {stream: true, messages: [
				{role: "system", content: "Be brief."},
				{role: "user", content: "What is a pipe?"}]},
			tools: {stream: true, messages: [
				{role: "user", content: [
					{type: "text", text: "What is it?"},
					{type: "image_base64", image_base64: "data:image/png;base64,iVBORw0KGgo="}]},
				{role: "assistant", content: "I will look.", tool_calls: [
					{id: "call_a", type: "function", function: {name: "look", arguments: "{\"at\":\"x\"}"}},
					{id: "call_b", type: "function", function: {name: "look", arguments: "{}"}}]},
				{role: "tool", tool_call_id: "call_a", content: "a file"},
				{role: "tool", tool_call_id: "call_b", content: "nothing", is_error: true}],
				tools: [{type: "function", function: {name: "look",
					description: "Look at a thing",
					parameters: {type: "object", properties: {at: {type: "string"}}, required: []}}}]}}
		else {} end +
		if $can | index("embedding") then
			{embedding: {input: ["What is a pipe?"]}} else {} end +
		if $can | index("rerank") then
			{rerank: {query: "What is a pipe?", documents: ["a file", "a cat"], top: 1}} else {} end |
		to_entries[] | {kind: "request", id: .key,
			model: (if .key == "embedding" or .key == "rerank"
				then $n + "/" + .key + "-1" else $n end)} + .value' > requests
	lb-llm --records --dry-run < requests > shown 2> stderr || return 1
	[ ! -s stderr ] || { cat stderr; return 1; }
	jq -n --slurpfile r requests --slurpfile s shown \
		'[$r, $s] | transpose | map({(.[0].id): .[1]}) | add'
}

@test "each preset is asked what its service wants, and its key is nowhere" {
	local name
	same 41 "$(jq -r 'select(.not_offered | not).name' presets | wc -l)"
	for name in $(sed -n 's/.*key-env: //p' "$BATS_TEST_DIRNAME/../share/lb/providers.yaml"); do
		export "$name=sk-marked-$name"
	done
	for name in $(jq -r 'select(.not_offered | not).name' presets); do
		asked "$name" > is
		! grep -q 'sk-marked' is || { echo "$name shows its key"; false; }
		[ "${LB_GOLDEN-}" != write ] || cp is "$golden/$name.json"
		diff -u "$golden/$name.json" is
	done
}

@test "there is a golden file for each preset and no other" {
	same "$(jq -r 'select(.not_offered | not).name' presets | sort)" \
		"$(cd "$golden" && printf '%s\n' *.json | sed 's/.json$//' | sort)"
	same 'chroma
seekdb' "$(jq -r 'select(.not_offered).name' presets)"
}

@test "no preset's address has a doubled version, and its key has one owner" {
	run -0 jq -r '.base_url // empty' presets
	run ! grep -E '/v[0-9][a-z0-9]*/v[0-9]|//[^/]*//' <<< "$output"
	same '' "$(jq -r '.[].url' "$golden"/*.json |
		grep -E '/v[0-9]+/v[0-9]|/api/api|openai:|[^:]//' || true)"
}

@test "a preset is found by LangBot's name of it, and asked the same" {
	local name alias
	for name in $(sed -n 's/.*key-env: //p' "$BATS_TEST_DIRNAME/../share/lb/providers.yaml"); do
		export "$name=sk-marked-$name"
	done
	awk '/^[a-z"0-9]/ { gsub(/[":]/, ""); name = $1 }
		/^  requester:/ { print name, $2 }' \
		"$BATS_TEST_DIRNAME/../share/lb/providers.yaml" > names
	same 43 "$(wc -l < names)"
	while read -r name alias; do
		jq -e --arg n "$name" 'select(.name == $n) | .can | index("llm")' \
			presets > /dev/null || continue
		same "$(lb-llm --dry-run -m "$name/m" x)" \
			"$(lb-llm --dry-run -m "$alias/m" x)"
	done < names
}

@test "a key that the operator puts into a header is not shown either" {
	printf '%s\n' 'providers:' '  p:' '    base-url: "http://h/v1"' \
		'    extra-args: {extra_headers: {X-Api-Key: sk-marked, X-Title: lb}}' \
		> "$LB_CONFIG"
	run -0 lb-llm --dry-run -m p/m x
	[[ $output != *sk-marked* && $output == *'"X-Title":"lb"'* ]]
}
