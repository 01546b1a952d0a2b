#!/usr/bin/env python3
"""e2b.py - a double of E2B: its API, and what runs commands in its machines.

    e2b.py FOLDER

Prints its port, then serves both there, by the Host of a request: machine ID is
49983-ID.localhost:PORT. A machine is FOLDER/ID with a workspace; its commands run
on this machine, with /workspace and /tmp/.lb- replaced by folders there, and
leave only what they write there. FOLDER/log has a line a request, FOLDER/state
is {ID: "running" or "paused"}, FOLDER/asked what machines were asked for.

It refuses what the service refuses: no or another key (401), a template it does
not know (404), values of a wrong type and a time of more than an hour (400), a
machine that is gone (404, inside 502), another's access token (401). A machine
is there a moment before there is a way to it. A command goes on when whoever
started it leaves, and of one whose time is over only the first process ends.

FOLDER/faults makes it fail otherwise: a list of {match, do, times, ...}, where
match is the beginning of "METHOD PATH":

    status    answer {status, message, retry_after}
    close     close the connection without an answer
    hang      answer nothing
    late      do it a second later
    drop      (Start) close it in the middle of a message
    huge      (Start) output without an end
    raw       (Start) these bytes, `hex`, and the end of the body
    no-close  (CloseStdin) as versions that do not know it
"""
import base64
import http.server
import json
import os
import re
import secrets
import shutil
import signal
import socketserver
import subprocess
import sys
import threading
import time

KEY = "e2b_key-of-the-double"
TEMPLATES = ("base", "numbers")
HOUR = 3600
FOLDER = os.path.realpath(sys.argv[1])
machines = {}
lock = threading.RLock()
counts = {}


class Machine:
    def __init__(self, asked):
        self.id = "i" + secrets.token_hex(9)
        self.token = "token-" + secrets.token_hex(8)
        self.folder = os.path.join(FOLDER, self.id)
        self.state = "running"
        self.asked = asked
        self.not_yet = 2
        self.commands = {}
        os.makedirs(os.path.join(self.folder, "tmp"))

    def inside(self, text):
        text = text.replace("/workspace", self.folder + "/workspace")
        return text.replace("/tmp/.lb-", self.folder + "/tmp/.lb-")

    def end(self):
        for command in list(self.commands.values()):
            kill(-command.pid)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                at = os.readlink("/proc/%s/cwd" % pid)
            except OSError:
                continue
            if at == self.folder or at.startswith(self.folder + "/"):
                kill(int(pid))
        shutil.rmtree(self.folder, ignore_errors=True)


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def put_state():
    with open(FOLDER + "/state.new", "w") as f:
        json.dump({m.id: m.state for m in machines.values()}, f)
    os.rename(FOLDER + "/state.new", FOLDER + "/state")


def fault_for(what):
    try:
        with open(FOLDER + "/faults") as f:
            faults = json.load(f)
    except (OSError, ValueError):
        return None
    for fault in faults:
        name = json.dumps(fault)
        with lock:
            if not what.startswith(fault["match"]):
                continue
            counts[name] = counts.get(name, 0) + 1
            if counts[name] <= fault.get("times", 1 << 30):
                return fault
    return None


def envelope(text, flags=0):
    return bytes([flags]) + len(text).to_bytes(4, "big") + text


class Refused(Exception):
    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status = status
        self.body = {"code": code or status, "message": message}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, value=None, headers=()):
        text = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, of in headers:
            self.send_header(name, of)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def fail_as_told(self, fault):
        if fault["do"] == "status":
            after = fault.get("retry_after")
            self.answer(fault["status"],
                        {"code": fault["status"],
                         "message": fault.get("message", "no")},
                        [("Retry-After", str(after))] if after else [])
        elif fault["do"] == "close":
            self.close_connection = True
        else:
            self.rfile.read(1)  # until who asked leaves
            self.close_connection = True

    def serve(self):
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        what = "%s %s" % (self.command, self.path)
        host = self.headers.get("Host", "")
        inside = re.match(r"49983-([^.]+)\.localhost:\d+$", host)
        with lock:
            with open(FOLDER + "/log", "a") as f:
                f.write("%s%s\n" % ("in " if inside else "", what))
        fault = fault_for(what)
        try:
            if fault and fault["do"] == "late":
                time.sleep(1)
            if fault and fault["do"] in ("status", "close", "hang"):
                self.fail_as_told(fault)
            elif inside:
                self.serve_inside(inside.group(1), fault)
            else:
                self.serve_api()
        except Refused as refused:
            self.answer(refused.status, refused.body)
        except OSError:
            self.close_connection = True

    do_GET = do_POST = do_DELETE = serve

    # The API.

    def asked(self, **types):
        try:
            body = json.loads(self.body)
        except ValueError:
            raise Refused(400, "request body has an error: no JSON")
        for name, kind in types.items():
            if not isinstance(body.get(name), kind) or (
                    kind is int and isinstance(body[name], bool)):
                raise Refused(400, "request body has an error: doesn't match "
                              "schema: Error at \"/%s\"" % name)
        if body["timeout"] > HOUR:
            raise Refused(400, "Timeout cannot be greater than 1 hours")
        if body["timeout"] < 0:
            raise Refused(400, "number must be at least 0")
        return body

    def serve_api(self):
        if self.headers.get("X-API-Key") != KEY:
            raise Refused(401, "Invalid API key" if self.headers.get(
                "X-API-Key") else "authorization header is missing")
        path = self.path.partition("?")[0]
        named = re.match(r"/sandboxes/([^/]+)(/connect|/pause)?$", path)
        if self.command == "GET" and path == "/v2/sandboxes":
            self.answer(200, [{"sandboxID": m} for m in machines][:1])
        elif self.command == "POST" and path == "/sandboxes":
            self.make()
        elif named:
            with lock:
                self.serve_machine(*named.groups())
        else:
            raise Refused(404, "no such route")

    def make(self):
        asked = self.asked(templateID=str, timeout=int, autoPause=bool,
                           secure=bool, allow_internet_access=bool,
                           metadata=dict)
        if asked["templateID"] not in TEMPLATES:
            raise Refused(404, "template '%s' not found" % asked["templateID"])
        with lock:
            m = Machine(asked)
            machines[m.id] = m
            put_state()
            with open(FOLDER + "/asked", "a") as f:
                f.write(json.dumps(asked) + "\n")
        self.answer_machine(201, m)

    def answer_machine(self, status, m):
        self.answer(status, {
            "sandboxID": m.id, "templateID": m.asked["templateID"],
            "clientID": "c", "envdVersion": "0.2.4",
            "envdAccessToken": m.token,
            "domain": "localhost:%d" % server.server_address[1]})

    def serve_machine(self, name, verb):
        m = machines.get(name)
        if not m:
            raise Refused(404, "sandbox \"%s\" doesn't exist or you don't have "
                          "access to it" % name)
        if self.command == "DELETE" and not verb:
            del machines[name]
            m.end()
            put_state()
            self.answer(204)
        elif self.command == "POST" and verb == "/connect":
            self.asked(timeout=int)
            was = m.state
            m.state = "running"
            put_state()
            self.answer_machine(200 if was == "running" else 201, m)
        elif self.command == "POST" and verb == "/pause":
            m.state = "paused"
            put_state()
            self.answer(204)
        else:
            raise Refused(404, "no such route")

    # What runs in a machine.

    def serve_inside(self, name, fault):
        m = machines.get(name)
        if self.headers.get("X-API-Key"):
            raise Refused(400, "the key is not for machines")
        with lock:
            gone = not m or m.state != "running"
            if not gone and m.not_yet > 0:
                m.not_yet -= 1
                gone = True
        if gone:
            self.answer(502, {"sandboxId": name, "code": 502,
                              "message": "The sandbox was not found"})
            return
        if self.path == "/health":
            self.answer(204)
            return
        if self.headers.get("X-Access-Token") != m.token:
            raise Refused(401, "unauthorized access, please provide a valid "
                          "access token")
        path = self.path.partition("?")[0]
        if path == "/files":
            self.take_file(m)
        elif path == "/process.Process/Start":
            self.start(m, fault)
        elif path in ("/process.Process/SendInput",
                      "/process.Process/CloseStdin"):
            self.feed(m, path, fault)
        else:
            raise Refused(404, "no such route")

    def take_file(self, m):
        path = re.search(r"[?&]path=([^&]*)", self.path).group(1)
        boundary = re.search("boundary=(.*)", self.headers["Content-Type"])
        part = self.body.split(b"--" + boundary.group(1).encode())[1]
        with open(m.inside(path), "wb") as f:
            f.write(part.partition(b"\r\n\r\n")[2][:-2])
        self.answer(200, [{"name": os.path.basename(path), "type": "file",
                           "path": path}])

    def user(self):
        text = self.headers.get("Authorization", "").partition("Basic ")[2]
        user = base64.b64decode(text).decode()
        if user not in ("user:", "root:"):
            raise Refused(401, "invalid username: '%s'" % user,
                          "unauthenticated")
        return user[:-1]

    def feed(self, m, path, fault):
        self.user()
        asked = json.loads(self.body)
        command = m.commands.get(int(asked["process"]["pid"]))
        if fault and fault["do"] == "no-close":
            raise Refused(501, "CloseStdin is not implemented",
                          "unimplemented")
        if not command or not command.stdin:
            raise Refused(404, "process not found", "not_found")
        try:
            if path.endswith("CloseStdin"):
                command.stdin.close()
            else:
                command.stdin.write(base64.b64decode(asked["input"]["stdin"]))
                command.stdin.flush()
        except OSError:
            raise Refused(500, "error writing to stdin", "internal")
        self.answer(200, {})

    def put(self, data):
        with self.putting:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()

    def event(self, **of):
        self.put(envelope(json.dumps({"event": of}).encode()))

    def last(self, **of):
        self.put(envelope(json.dumps(of).encode(), 2))
        self.wfile.write(b"0\r\n\r\n")

    def begin(self):
        self.putting = threading.Lock()
        self.send_response(200)
        self.send_header("Content-Type", "application/connect+json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def start(self, m, fault):
        if self.headers.get("Content-Type") != "application/connect+json":
            raise Refused(415, "unsupported media type")
        if self.headers.get("Connect-Protocol-Version") != "1":
            raise Refused(400, "missing required header")
        user = self.user()
        flags, length = self.body[0], int.from_bytes(self.body[1:5], "big")
        assert flags == 0 and length == len(self.body) - 5
        asked = json.loads(self.body[5:])
        assert not set(asked) - {"process", "pty", "tag", "stdin"}
        how = fault["do"] if fault else ""
        if user == "user" and how in ("drop", "huge", "raw"):
            self.start_wrongly(how, fault)
            return
        process = asked["process"]
        assert not set(process) - {"cmd", "args", "envs", "cwd"}
        command = subprocess.Popen(
            [process["cmd"]] + [m.inside(a) for a in process["args"]],
            stdin=subprocess.PIPE if asked.get("stdin", True)
            else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            start_new_session=True,
            env={"PATH": FOLDER + "/bin:/usr/local/bin:/usr/bin:/bin",
                 "HOME": "/home/" + user})
        m.commands[command.pid] = command
        self.begin()
        self.event(start={"pid": command.pid})
        readers = [threading.Thread(target=self.copy, args=(name, stream))
                   for name, stream in (("stdout", command.stdout),
                                        ("stderr", command.stderr))]
        for reader in readers:
            reader.start()
        self.follow(command, readers)

    def copy(self, name, stream):
        while True:
            text = stream.read1(32768)
            if not text:
                break
            try:
                self.event(data={name: base64.b64encode(text).decode()})
            except OSError:
                pass  # it goes on without who started it

    def follow(self, command, readers):
        ms = self.headers.get("Connect-Timeout-Ms")
        try:
            command.wait(int(ms) / 1000 if ms else None)
        except subprocess.TimeoutExpired:
            kill(command.pid)
            self.last(error={"code": "deadline_exceeded",
                             "message": "context deadline exceeded"})
            self.close_connection = True
            return
        for reader in readers:
            reader.join()
        code = command.returncode
        end = {"exited": True, "status": "exit status %d" % code}
        if code > 0:
            end["exitCode"] = code
        if code < 0:
            end = {"exitCode": -1, "status": "signal: killed",
                   "error": "signal: killed"}
        self.event(end=end)
        self.last()

    def start_wrongly(self, how, fault):
        self.begin()
        self.event(start={"pid": 1 << 22})
        if how == "huge":
            text = base64.b64encode(bytes(24576)).decode()
            text = json.dumps({"event": {"data": {"stdout": text}}}).encode()
            while True:
                self.put(envelope(text))
        self.event(data={"stdout": base64.b64encode(b"begun\n").decode()})
        if how == "raw":
            self.put(bytes.fromhex(fault["hex"]))
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.put(envelope(bytes(1000))[:100])
        self.close_connection = True


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *args):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*args)


def stop(*_):
    for machine in list(machines.values()):
        machine.end()
    os._exit(0)


os.makedirs(FOLDER + "/bin", exist_ok=True)
with open(FOLDER + "/bin/chown", "w") as stub:
    stub.write("#!/bin/sh\n")
os.chmod(FOLDER + "/bin/chown", 0o755)
signal.signal(signal.SIGTERM, stop)
put_state()
server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1])
sys.stdout.flush()
server.serve_forever()
