#!/bin/sh
# chat.sh - a bot in the shell: each line that is typed is answered, and the
# records of the day are kept in DAY (default day.jsonl), to look at with jq:
#     chat.sh [DAY]
# LB_MODEL says who answers.
lb-ingest text | lb-pipeline | lb-agent | lb-wrap | tee -a "${1:-day.jsonl}" |
	lb-send stdout
