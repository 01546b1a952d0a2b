# pipeline.bash - what the suites of lb-pipeline's rules share.

# config - standard input becomes the configuration.
config() {
	cat > "$LB_CONFIG"
}

# message [JQ] - a message of person 7 that says hi, with these members.
message() {
	jq -nc '{kind: "message", id: "01890a5d-ac96-774b-bcce-b302099a8057",
		time: 1767225600123, bot: "-", launcher_type: "person",
		launcher_id: "7", sender_id: "7",
		chain: [{type: "Plain", text: "hi"}]} + '"${1:-{\}}"
}

# is FILTER - the one record of $output.
is() {
	jq -se "length == 1 and (.[0] | $1)" <<< "$output" > /dev/null || {
		echo "not $1:"
		echo "$output"
		return 1
	}
}

# decide JQ KIND - what becomes of a message in group 7 of bot b with these.
decide() {
	run -0 lb-pipeline < <(message '{"bot":"b","launcher_type":"group"} + '"$1")
	is ".kind == \"$2\"" || { echo "decided: $1"; return 1; }
}
