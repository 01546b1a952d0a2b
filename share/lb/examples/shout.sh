#!/bin/sh
# shout.sh - a stage of one's own: messages go on in capitals, and every other
# line as it came. Put it between lb-ingest and lb-pipeline:
#     echo hi | lb-ingest text | shout.sh | lb-pipeline | ...
exec jq -c --unbuffered '
	if .kind == "message" then
		.chain |= map(if .text then .text |= ascii_upcase else . end)
	else . end'
