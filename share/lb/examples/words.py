#!/usr/bin/env python3
# words.py - a tool provider in Python: it counts words. lb-provider(7)
import json
import sys

TEXT = {"type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}}}
TOOLS = [{"name": "count", "description": "How many words has a text?",
          "parameters": TEXT}]

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        answer = {"version": 1, "name": "words"}
    elif request["op"] == "list":
        answer = {"id": request["id"], "ok": True, "tools": TOOLS}
    elif request["op"] == "call":
        count = len(request["arguments"]["text"].split())
        answer = {"id": request["id"], "ok": True, "content": str(count)}
    else:
        continue  # cancel, and what later versions may ask
    print(json.dumps(answer), flush=True)  # else it stays in a buffer
