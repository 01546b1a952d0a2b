#!/usr/bin/env python3
"""An MCP server for tests: right by default, wrong as it is told.

    mcp-server.py [OPTION...]            at its standard input and output
    mcp-server.py --http [OPTION...]     streamable HTTP; prints its port
    mcp-server.py --old-http [OPTION...] HTTP and SSE, as it was before

Each message that it gets is a line of --log FILE, over HTTP with its headers.
"""
import argparse
import json
import os
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

p = argparse.ArgumentParser()
p.add_argument("--log")
p.add_argument("--http", action="store_true")
p.add_argument("--old-http", action="store_true")
p.add_argument("--era", default="legacy", choices=["legacy", "modern", "both"])
p.add_argument("--probe", default="unknown",
               choices=["unknown", "params", "silent", "exit", "odd"])
p.add_argument("--revision", help="what initialize is answered with")
p.add_argument("--refuse", help="refuse other revisions than this one")
p.add_argument("--refuse-text", action="store_true",
               help="over HTTP: refuse by 400 and a text")
p.add_argument("--pages", type=int, default=1, help="of each list")
p.add_argument("--circle", action="store_true", help="pages without an end")
p.add_argument("--noise", action="store_true")
p.add_argument("--strays", action="store_true", help="answers to nothing")
p.add_argument("--wrong-id", action="store_true", help="none is right")
p.add_argument("--start", type=float, default=0, help="seconds it takes")
p.add_argument("--mute", action="store_true", help="never say anything")
p.add_argument("--exit", type=int, help="end at once")
p.add_argument("--die-once", help="end while it is asked, until FILE is there")
p.add_argument("--no-capabilities", action="store_true")
p.add_argument("--linger", action="store_true", help="go on after the input")
p.add_argument("--child", action="store_true", help="leave a child behind")
p.add_argument("--sse", action="store_true", help="answer by event streams")
p.add_argument("--cut", action="store_true", help="cut the stream of a call")
p.add_argument("--no-resume", action="store_true")
p.add_argument("--session", action="store_true")
p.add_argument("--expire", type=int, help="a session after N requests")
p.add_argument("--expired-status", type=int, default=404)
p.add_argument("--status", type=int, help="of every answer")
p.add_argument("--status-of", action="append", default=[],
               help="METHOD=STATUS")
p.add_argument("--token", help="what Authorization has to be")
p.add_argument("--redirect", help="where every request is sent")
p.add_argument("--type", help="content type of answers")
p.add_argument("--tool", action="append", default=[], help="more tools, JSON")
p.add_argument("--text", default="", help="in the answer of `text`")
p.add_argument("--file", action="append", default=[],
               help="URI=PATH: a resource whose text the file is, each time")
o = p.parse_args()
files = dict(one.rsplit("=", 1) for one in o.file)

lock = threading.Lock()
listening = []  # the ids of who wants to hear of changes, in the newer era
waiting = {}  # answers to what we asked, by id
ids = iter(range(1, 10 ** 9))


def log(what):
    if o.log:
        with lock, open(o.log, "a") as f:
            f.write(json.dumps(what) + "\n")


def tool(name, about, properties=None, **more):
    return dict({"name": name, "description": about, "inputSchema": {
        "type": "object", "properties": properties or {}}}, **more)


TOOLS = [
    tool("echo", "Say what it is told\nand more about it", {
        "text": {"type": "string"}, "n": {"type": "integer"},
        "yes": {"type": "boolean"}, "list": {"type": "array"},
        "of": {"type": ["integer", "null"]}}),
    tool("fail", "Fail"),
    tool("refuse", "Be refused"),
    tool("structured", "Structure alone",
         outputSchema={"type": "object"}),
    tool("both", "Text and structure"),
    tool("nothing", "Nothing at all"),
    tool("picture", "A picture"),
    tool("more", "Links, sounds and resources"),
    tool("text", "A text"),
    tool("big", "Many letters", {"n": {"type": "integer"}}),
    tool("slow", "Take a while", {"ms": {"type": "integer"},
                                  "steps": {"type": "integer"}}),
    tool("die", "End"),
    tool("env", "A variable", {"name": {"type": "string"}}),
    tool("sh", "A command", {"command": {"type": "string"}}),
    tool("ask", "Ask the user"),
    tool("sample", "Ask the model"),
    tool("roots", "Where may it work"),
    tool("ping", "Ask whether we live"),
    tool("say", "Write a log"),
    tool("change", "Have other tools"),
    tool("words", "Say something to standard error"),
    tool("header", "Mirror an argument", {
        "place": {"type": "string", "x-mcp-header": "Place"}}),
] + [json.loads(t) for t in o.tool]

FORM = {"mode": "form", "message": "Who?", "requestedSchema": {
    "type": "object", "properties": {
        "name": {"type": "string", "default": "nobody"},
        "old": {"type": "boolean", "default": True},
        "n": {"type": "integer"}}, "required": ["name"]}}


class Refused(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.code, self.data = code, data


def text(s, **more):
    return dict({"content": [{"type": "text", "text": s}]}, **more)


def call(name, a, params, peer):
    """The result of a tool; peer sends, and asks."""
    if name == "echo":
        return text(json.dumps(a, ensure_ascii=False))
    if name == "fail":
        return text("no such row", isError=True)
    if name == "refuse":
        raise Refused(-32602, "unknown tool")
    if name == "structured":
        return {"content": [], "structuredContent": {"answer": 42}}
    if name == "both":
        return text("forty-two", structuredContent={"answer": .142857})
    if name == "nothing":
        return {"content": []}
    if name == "picture":
        return {"content": [{"type": "text", "text": "look:"}, {
            "type": "image", "mimeType": "image/png", "data":
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
            "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}]}
    if name == "more":
        return {"content": [
            {"type": "resource_link", "uri": "test://a", "name": "a"},
            {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
            {"type": "resource", "resource": {
                "uri": "test://b", "mimeType": "text/plain", "text": "bee"}},
            {"type": "resource", "resource": {
                "uri": "test://c", "mimeType": "x/y", "blob": "AAAA"}},
            {"type": "smell"}, 7]}
    if name == "text":
        return text(o.text)
    if name == "big":
        return text("x" * a.get("n", 0))
    if name == "slow":
        steps = a.get("steps", 0)
        token = params.get("_meta", {}).get("progressToken")
        for i in range(steps):
            time.sleep(a.get("ms", 0) / 1000 / steps)
            if token is not None:
                peer.tell("notifications/progress", {
                    "progressToken": token, "progress": i + 1,
                    "total": steps, "message": "step %d" % (i + 1)})
        if not steps:
            time.sleep(a.get("ms", 0) / 1000)
        return text("done")
    if name == "die":
        os._exit(3)
    if name == "env":
        return text(os.environ.get(a.get("name", ""), "(unset)"))
    if name == "sh":
        import subprocess
        done = subprocess.run(["sh", "-c", a["command"]], text=True,
                              capture_output=True, stdin=subprocess.DEVNULL)
        return text(done.stdout + done.stderr)
    if name in ("ask", "sample", "roots", "ping"):
        method, given = {
            "ask": ("elicitation/create", FORM),
            "sample": ("sampling/createMessage", {"messages": []}),
            "roots": ("roots/list", None),
            "ping": ("ping", None)}[name]
        if META + "protocolVersion" in params.get("_meta", {}):
            answers = params.get("inputResponses")
            if not answers:
                return {"resultType": "input_required", "requestState": "s",
                        "inputRequests": {"q": {"method": method,
                                                "params": given or {}}}}
            return text(json.dumps([answers["q"], params["requestState"]]))
        return text(json.dumps(peer.ask(method, given)))
    if name == "say":
        peer.tell("notifications/message", {
            "level": "warning", "logger": "l", "data": {"a": 1}})
        return text("said")
    if name == "change":
        TOOLS.append(tool("new%d" % next(ids), "New"))
        if META + "protocolVersion" not in params.get("_meta", {}):
            peer.tell("notifications/tools/list_changed", None)
        for i, listener in listening:
            listener.tell("notifications/tools/list_changed", {
                "_meta": {META + "subscriptionId": i}})
        return text("changed")
    if name == "words":
        print("something\x1b[31m odd", file=sys.stderr, flush=True)
        return text("said")
    if name == "header":
        return text(json.dumps(a))
    raise Refused(-32602, "unknown tool: " + name)


RESOURCES = [{"uri": "test://a", "name": "a", "mimeType": "text/plain"},
             {"uri": "test://bin", "name": "bin"}]


def page(key, items, params):
    at = int(params.get("cursor", "k0")[1:])
    size = -(-len(items) // o.pages)
    result = {key: items[at * size:(at + 1) * size]}
    if o.circle:
        result["nextCursor"] = "k%d" % (at % 2)
    elif at + 1 < o.pages:
        result["nextCursor"] = "k%d" % (at + 1)
    return result


def capabilities():
    if o.no_capabilities:
        return {}
    return {"tools": {"listChanged": True}, "resources": {}, "prompts": {},
            "logging": {}}


def answer(method, params, peer):
    modern = params.get("_meta", {}).get(META + "protocolVersion")
    if o.era == "modern" and not modern:
        raise Refused(-32602, "this server speaks " + MODERN + " alone")
    if modern and o.era == "legacy":
        raise Refused(-32602 if o.probe == "params" else -32601,
                      "initialize first" if o.probe == "params"
                      else "Method not found")
    if modern and modern != MODERN:
        raise Refused(-32022, "Unsupported protocol version", {
            "supported": [MODERN], "requested": modern})
    if method == "server/discover":
        return {"resultType": "complete", "supportedVersions":
                [MODERN] + (LEGACY if o.era == "both" else []),
                "capabilities": capabilities(), "_meta": {
                    META + "serverInfo": {"name": "double", "version": "1"}}}
    if method == "initialize":
        asked = params["protocolVersion"]
        if o.refuse and asked != o.refuse:
            raise Refused(-32602, "Unsupported protocol version",
                          {"supported": [o.refuse], "requested": asked})
        return {"protocolVersion": o.revision or (
            asked if asked in LEGACY else LEGACY[0]),
            "capabilities": capabilities(),
            "serverInfo": {"name": "double", "version": "1"},
            "instructions": "Be kind."}
    if method in ("ping", "logging/setLevel"):
        return {}
    if method == "tools/list":
        return page("tools", TOOLS, params)
    if method == "resources/list":
        return page("resources", RESOURCES, params)
    if method == "resources/templates/list":
        return page("resourceTemplates", [
            {"uriTemplate": "test://x/{y}", "name": "x"}], params)
    if method == "prompts/list":
        return page("prompts", [{"name": "hi", "description": "Greet"}],
                    params)
    if method == "prompts/get":
        return {"messages": [{"role": "user", "content": {
            "type": "text", "text": "Hi " + params.get("arguments", {}).get(
                "who", "you")}}]}
    if method == "resources/read":
        uri = params["uri"]
        if uri in files:
            with open(files[uri]) as f:
                return {"contents": [{"uri": uri, "mimeType": "text/markdown",
                                      "text": f.read()}]}
        if uri == "test://a":
            return {"contents": [{"uri": uri, "mimeType": "text/plain",
                                  "text": "the text of a"}]}
        if uri == "test://bin":
            return {"contents": [{"uri": uri, "blob": "AAEC"}]}
        raise Refused(-32002, "Resource not found", {"uri": uri})
    if method == "tools/call":
        return call(params["name"], params.get("arguments", {}), params, peer)
    raise Refused(-32601, "Method not found")


class Peer:
    """The other side, by a function that sends a message."""

    def __init__(self, send):
        self.send = send

    def tell(self, method, params):
        m = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            m["params"] = params
        self.send(m)

    def ask(self, method, params):
        i = "s%d" % next(ids)
        waiting[i] = queue.Queue()
        m = {"jsonrpc": "2.0", "id": i, "method": method}
        if params is not None:
            m["params"] = params
        self.send(m)
        got = waiting[i].get(timeout=20)
        return got.get("result", got.get("error"))


def handle(m, peer):
    """What is said to a message: a message, or None."""
    if "method" not in m:
        if m.get("id") in waiting:
            waiting[m["id"]].put(m)
        return None
    if "id" not in m:
        return None
    if m["method"] == "subscriptions/listen" and o.era != "legacy":
        peer.tell("notifications/subscriptions/acknowledged", {
            "_meta": {META + "subscriptionId": m["id"]},
            "notifications": m["params"]["notifications"]})
        listening.append((m["id"], peer))
        if o.http:
            threading.Event().wait()
        return None
    said = {"jsonrpc": "2.0", "id": 4711 if o.wrong_id and
            m["method"] == "tools/call" else m["id"]}
    try:
        said["result"] = answer(m["method"], m.get("params", {}), peer)
        if META + "protocolVersion" in m.get("params", {}).get("_meta", {}):
            said["result"].setdefault("resultType", "complete")
    except Refused as e:
        said["error"] = {"code": e.code, "message": str(e)}
        if e.data:
            said["error"]["data"] = e.data
    return said


def stdio():
    def send(m):
        with lock:
            sys.stdout.write((m if isinstance(m, str) else json.dumps(m))
                             + "\n")
            sys.stdout.flush()

    def one(m):
        said = handle(m, peer)
        if said:
            send(said)

    peer = Peer(send)
    time.sleep(o.start)
    if o.exit is not None:
        print("cannot go on", file=sys.stderr)
        sys.exit(o.exit)
    if o.child:
        import subprocess
        subprocess.Popen(["sleep", "600"])
    if o.noise:
        for line in ("Starting server v1", "42", '"x"', "[]", "",
                     '{"a":1}', "\x1b[2J caf\udce9".encode(
                         "utf-8", "surrogateescape").decode("latin-1")):
            send(line)
    for line in sys.stdin:
        if o.mute:
            continue
        m = json.loads(line)
        log(m)
        if m.get("method") == "server/discover":
            if o.probe == "silent":
                break_now = True
                while break_now:
                    line = sys.stdin.readline()
                    if not line:
                        return
                continue
            if o.probe == "exit":
                sys.exit(1)
            if o.probe == "odd":
                send({"jsonrpc": "2.0", "id": m["id"], "result": {}})
                continue
        if o.die_once and m.get("method") == "tools/list" and \
                not os.path.exists(o.die_once):
            open(o.die_once, "w").close()
            os._exit(4)
        if o.noise:
            send("[db] connected")
        if o.strays:
            send({"jsonrpc": "2.0", "id": 4711, "result": {}})
            send({"jsonrpc": "2.0", "id": "x", "method": "nonsense"})
            send({"jsonrpc": "2.0", "method":
                  "notifications/tools/list_changed"})
        # Slow ones are answered when they are done.
        threading.Thread(target=one, args=(m,), daemon=True).start()
    while o.linger:
        time.sleep(1)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions = {}   # id: requests so far
    streams = {}    # event id: the rest of a stream
    old = {}        # session: queue

    def log_message(self, *a):
        pass

    def say(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        if body:
            self.send_header("Content-Type", o.type or kind)
        for k, v in headers.items():
            self.send_header(k.replace("_", "-"), v)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self, **headers):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        for k, v in headers.items():
            self.send_header(k.replace("_", "-"), v)
        self.end_headers()
        self.close_connection = True

    def event(self, m, name=None, i=None):
        data = m if isinstance(m, str) else json.dumps(m)
        text = ("event: %s\n" % name if name else "") + \
            ("id: %s\n" % i if i else "") + "data: " + data + "\n\n"
        with lock:
            self.wfile.write(text.encode())
            self.wfile.flush()

    def refused(self, m):
        if o.redirect:
            self.say(307, Location=o.redirect)
            return True
        if o.token and self.headers.get("Authorization") != o.token:
            self.say(401, b'{"error":"unauthorized"}')
            return True
        status = o.status
        for one in o.status_of:
            if one.split("=")[0] == (m or {}).get("method"):
                status = int(one.split("=")[1])
        if status:
            self.say(status, b"not here", "text/plain")
            return True
        return False

    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        m = json.loads(raw)
        log({"http": "POST", "path": self.path, "message": m, "headers":
             {k.lower(): v for k, v in self.headers.items()}})
        if self.refused(m):
            return
        if o.mute:
            time.sleep(600)
        if o.old_http:
            self.old_post(m)
            return
        headers = {}
        method = m.get("method")
        if o.refuse_text and method == "initialize" and \
                m["params"]["protocolVersion"] != o.refuse:
            self.say(400, b"Bad Request: Unsupported protocol version "
                     b"(supported versions: " + o.refuse.encode() + b")",
                     "text/plain")
            return
        if o.session and method != "server/discover":
            i = self.headers.get("Mcp-Session-Id")
            if method == "initialize":
                i = "session-%d" % next(ids)
                Handler.sessions[i] = 0
                headers["Mcp_Session_Id"] = i
            elif i not in Handler.sessions:
                self.say(o.expired_status, json.dumps(
                    {"jsonrpc": "2.0", "id": None, "error": {
                        "code": -32001, "message": "No valid session"}}
                ).encode())
                return
            Handler.sessions[i] += 1
            if o.expire and Handler.sessions[i] >= o.expire:
                del Handler.sessions[i]
        modern = META + "protocolVersion" in m.get("params", {}).get(
            "_meta", {})
        if "id" not in m or "method" not in m:
            handle(m, None)
            self.say(202)
        elif (o.sse or m.get("params", {}).get("name") in
              ("ask", "slow", "say", "roots", "sample", "ping", "change")) \
                and method == "tools/call" or \
                method == "subscriptions/listen" and o.era != "legacy":
            self.stream(m, headers)
        else:
            said = handle(m, None)
            status = 200
            if "error" in said and (modern or o.era == "modern"):
                status = 404 if said["error"]["code"] == -32601 else 400
            self.say(status, json.dumps(said).encode(), **headers)

    def stream(self, m, headers):
        self.begin_stream(**headers)
        i = "e%d" % next(ids)
        if o.cut:
            self.event("", i=i)
            self.wfile.write(b"retry: 50\n\n")
            Handler.streams[i] = m
            return
        if o.noise:
            self.event("Starting server v1")
            self.event("42")
        if o.strays:
            self.event({"jsonrpc": "2.0", "id": 4711, "result": {}})
            self.event({"jsonrpc": "2.0", "id": "x", "method": "nonsense"})
        said = handle(m, Peer(self.event))
        self.event(said, "message")

    def do_GET(self):
        log({"http": "GET", "path": self.path, "headers":
             {k.lower(): v for k, v in self.headers.items()}})
        if self.refused(None):
            return
        if o.old_http:
            self.old_stream()
            return
        last = self.headers.get("Last-Event-ID")
        if last in Handler.streams and not o.no_resume:
            m = Handler.streams.pop(last)
            self.begin_stream()
            self.event(handle(m, Peer(self.event)))
        else:
            self.say(405)

    def do_DELETE(self):
        log({"http": "DELETE", "headers":
             {k.lower(): v for k, v in self.headers.items()}})
        Handler.sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        self.say(200)

    def old_stream(self):
        i = "o%d" % next(ids)
        Handler.old[i] = queue.Queue()
        self.begin_stream()
        self.event("/message?session=" + i, "endpoint")
        while True:
            m = Handler.old[i].get()
            if m is None:
                return
            self.event(m, "message")

    def old_post(self, m):
        i = self.path.split("session=")[-1]
        if i not in Handler.old:
            self.say(404)
            return
        q = Handler.old[i]
        self.say(202, b"Accepted", "text/plain")

        def one():
            said = handle(m, Peer(q.put))
            if said:
                q.put(said)
        threading.Thread(target=one, daemon=True).start()


def http():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    os.close(1)
    os.open("/dev/null", os.O_WRONLY)
    server.serve_forever()


if o.http or o.old_http:
    http()
else:
    stdio()
    os._exit(0)
