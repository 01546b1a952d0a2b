#!/usr/bin/env python3
# mcp-sum.py - an MCP server in Python, with one tool: it adds numbers. lb-mcp(1)
import json
import sys

NUMBER = {"type": "number"}
TOOLS = [{"name": "add", "description": "Adds two numbers",
          "inputSchema": {"type": "object", "required": ["a", "b"],
                          "properties": {"a": NUMBER, "b": NUMBER}}}]


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "sum", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        numbers = params["arguments"]
        text = str(numbers["a"] + numbers["b"])
        return {"content": [{"type": "text", "text": text}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue  # a notification
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    result = answer(message["method"], message.get("params"))
    if result is None:
        reply["error"] = {"code": -32601, "message": "there is no such method"}
    else:
        reply["result"] = result
    print(json.dumps(reply), flush=True)
