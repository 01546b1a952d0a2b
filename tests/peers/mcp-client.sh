#!/bin/sh
# mcp-client.sh ... URL - what the conformance suite of MCP starts as a client:
# lb-mcp, doing what a scenario wants to see. Its last argument is the server.
for url; do :; done
call() {
	lb-mcp call --url "$url" --elicit "$@" < /dev/null
}
case $MCP_CONFORMANCE_SCENARIO in
tools_call) call add_numbers a=5 b=3 ;;
sse-retry) lb-mcp call --url "$url" test_reconnection ;;
elicitation-*) call test_client_elicitation_defaults ;;
http-custom-headers)
	printf '%s\n' "$MCP_CONFORMANCE_CONTEXT" | jq -c '.toolCalls[]' |
		while IFS= read -r one; do
			call "$(printf %s "$one" | jq -r .name)" \
				"$(printf %s "$one" | jq -c .arguments)"
		done ;;
json-schema-2020-12-preservation)
	call json_schema_echo "$(lb-mcp tools --url "$url" |
		jq -c 'select(.name == "json_schema_2020_12_tool") | {schema: .inputSchema}')" ;;
initialize | request-metadata | json-schema-ref-no-deref)
	lb-mcp tools --url "$url" --elicit ;;
*) # each tool, with what it must be given
	lb-mcp tools --url "$url" --elicit | while IFS= read -r tool; do
		call "$(printf %s "$tool" | jq -r .name)" "$(printf %s "$tool" |
			jq -c '.inputSchema | [(.required // [])[] as $k | {key: $k, value: "x"}] | from_entries')"
	done ;;
esac
