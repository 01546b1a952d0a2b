#!/usr/bin/env python3
"""An MCP server that means harm: mcp-hostile.py WHAT [N]

    many    N tools
    large   a tool whose description has N bytes
    schema  a tool whose schema has N bytes
    changes other tools at each look, and says so; how often it was looked is in
            the file N
    bytes   a result with pictures of N bytes that are no UTF-8
    orphan  it ends, and leaves somebody who writes to its standard error for
            ever, in a session of his own; his process is in the file N
    retry   HTTP; prints its port. A stream of its own that ends at once, and is
            to be taken up after a millisecond; how often it was is in the file N
"""
import json
import os
import sys

what = sys.argv[1]
text = sys.argv[2] if len(sys.argv) > 2 else "0"


def tool(name, about="", **properties):
    return {"name": name, "description": about, "inputSchema": {
        "type": "object", "properties": properties}}


def tools():
    n = int(text) if text.isdigit() else 0
    if what == "many":
        return [tool("t%05d" % i) for i in range(n)]
    if what == "large":
        return [tool("large", "x" * n)]
    if what == "schema":
        return [tool("schema", a={"description": "x" * n}), tool("small")]
    if what == "changes":
        with open(text, "a+") as f:
            f.write("again\n")
            f.seek(0)
            return [tool("t%d" % len(f.readlines()))]
    return [tool("t")]


def answer(m):
    """The result of a request; None: it is refused."""
    if m["method"] == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"}}
    if m["method"] == "tools/list":
        return {"tools": tools()}
    if m["method"] == "tools/call":
        return {"content": [{"type": "image", "mimeType": "image/png",
                             "data": "@@"} for _ in range(4)]}
    return None


def reply(m):
    result = answer(m)
    out = {"jsonrpc": "2.0", "id": m["id"]}
    if result is None:
        out["error"] = {"code": -32601, "message": "no"}
    else:
        out["result"] = result
    line = json.dumps(out).encode()
    if what == "changes" and m["method"] == "tools/list":
        line += b'\n{"jsonrpc":"2.0","method":' \
                b'"notifications/tools/list_changed"}'
    if what == "bytes":
        line = line.replace(b"@@", b"\xff" * int(text))
    return line


def serve_lines():
    for line in sys.stdin.buffer:
        m = json.loads(line)
        if "id" in m:
            sys.stdout.buffer.write(reply(m) + b"\n")
            sys.stdout.buffer.flush()


def leave():
    if os.fork() > 0:
        return
    os.setsid()
    with open(text + ".new", "w") as f:
        f.write(str(os.getpid()))
    os.rename(text + ".new", text)
    os.dup2(2, 1)
    os.execvp("yes", ["yes", "noise"])


def serve_http():
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args):
            pass

        def do_GET(self):
            with open(text, "a") as f:
                f.write("again\n")
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"retry: 1\nid: 1\ndata: \n\n")
            self.close_connection = True

        def do_DELETE(self):
            self.send_response(204)
            self.end_headers()

        def do_POST(self):
            m = json.loads(self.rfile.read(
                int(self.headers["Content-Length"])))
            body = reply(m) if "id" in m else b""
            self.send_response(200 if body else 202)
            self.send_header("Content-Type", "application/json")
            self.send_header("Mcp-Session-Id", "s")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if what == "orphan":
    leave()
elif what == "retry":
    serve_http()
else:
    serve_lines()
