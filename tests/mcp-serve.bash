# tests/mcp-serve.bash - talking to lb-mcp serve, for .bats files.

# What each request of the newer era says of itself.
# shellcheck disable=SC2034 # used where this is loaded
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'

# rq ID METHOD [PARAMS] - a request; note METHOD [PARAMS] - a notification.
rq() {
	printf '{"jsonrpc":"2.0","id":%s,"method":"%s"%s}\n' "$1" "$2" "${3:+,\"params\":$3}"
}

note() {
	printf '{"jsonrpc":"2.0","method":"%s"%s}\n' "$1" "${2:+,\"params\":$2}"
}

# init [VERSION] - how a caller of the older era begins; its id is 0.
init() {
	rq 0 initialize '{"protocolVersion":"'"${1-2025-11-25}"'","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
	note notifications/initialized
}

# exec_of COMMAND - parameters of a call of exec.
exec_of() {
	jq -cn --arg c "$1" '{name: "exec", arguments: {command: $c}}'
}

# of ID JQ [TEXT] - something of the answer to a request, else of $output.
of() {
	jq -rc "select(.id == $1) | $2" <<< "${3-$output}"
}
