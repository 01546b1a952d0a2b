#!/bin/sh
# calc.sh - a tool provider in ten lines: it adds and multiplies. lb-provider(7)
two='{type: "object", required: ["a", "b"], properties: {a: {type: "number"}, b: {type: "number"}}}'
answer() { printf '%s\n' "$line" | jq -c "$@"; }
while IFS= read -r line; do
	case $(answer -r .op) in
	hello) echo '{"version":1,"name":"calc"}' ;;
	list) answer "{id, ok: true, tools: [{name: (\"add\", \"multiply\"), description: \"of a and b\", parameters: $two}]}" ;;
	call) answer '.arguments as {$a, $b} | {id, ok: true, content: (if .name == "add" then $a + $b else $a * $b end | tostring)}' ;;
	esac
done
