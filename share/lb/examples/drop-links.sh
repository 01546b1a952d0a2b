#!/bin/sh
# drop-links.sh - a stage that says no: a message with a link in it ends here
# as a drop record, with the reason. Put it between lb-ingest and lb-pipeline.
exec jq -c --unbuffered 'if .kind == "message" and
	any(.chain[]; (.text? // "") | tostring | test("https?://"))
	then .kind = "drop" | .stage = "drop-links" | .reason = "it has a link" else . end'
