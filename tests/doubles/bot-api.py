#!/usr/bin/env python3
"""bot-api.py - a Telegram Bot API of our own, for tests.

    bot-api.py [--token T] [--id N] [--username NAME] [--log FILE]
        [--reads-all]

listens on a free port of 127.0.0.1, prints it on a line, and serves until it
is killed. Methods come by GET and by POST, as JSON, urlencoded or multipart,
to /botTOKEN/METHOD; files are at /file/botTOKEN/PATH. --log gets a JSON line
for each request before it is answered:
{"n","time","method","http","params","files","status","fault"?,"performed"}.

What a test says goes to POST /_control, an object {"op":OP,...} or a list:

    push      updates: [{...}]; an update_id is given where there is none
    again     the next answer of getUpdates has what was confirmed, too
    twice     ... has each update twice
    backwards ... has them in reverse
    file      file_id, and base64, text or bytes (that many); path? size?
    chat      chat: {...}: one that may be sent to. Chats of updates are such
    block     chat: who blocked the bot        unblock
    move      chat, to: a group became a supergroup
    pace      n, window: more messages a chat within it, in s, is a 429
    fail      how, and how often (n, default 1), for calls of a method
              (default: any) after `skip` of them, of a `chat` (default: any)
    heal      no more of that, and what hangs ends
    begin     forget all, and the log: it is as if it had just been started

`how` of fail: "429" (retry_after, default 1), a status such as "502", "cut"
(the connection ends with the request unanswered and not performed),
"cut-after" (performed), "hang" and "hang-after" (no byte of an answer comes),
"bytes" (an answer a byte at a time), "slow" (after ms, default 1000), "garbage",
"truncated" (half of the body that was announced), "huge" (mib), "body" (body:
this one), "file-rest" (a download ends in its middle).

GET /_sent is the messages accepted, a line each, as last edited; GET /_actions
and GET /_state say more.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import sys
import time
from urllib.parse import parse_qsl, unquote, urlsplit

sys.dont_write_bytecode = True
import bot_api_methods as api  # noqa: E402

BODY_MAX, HEAD_MAX = 64 << 20, 64 << 10
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized",
           403: "Forbidden", 404: "Not Found", 409: "Conflict",
           413: "Request Entity Too Large", 429: "Too Many Requests"}


CONFLICTS = {
    "conflict": "Conflict: terminated by other getUpdates request; make sure "
                "that only one bot instance is running",
    "hook": "Conflict: terminated by setWebhook request",
}


class Cut(Exception):
    """The connection is to end."""


class Fault:
    def __init__(self, spec):
        self.spec = spec
        self.left = spec.get("n", 1)
        self.skip = spec.get("skip", 0)
        self.how = str(spec["how"])

    def takes(self, method, params):
        want = self.spec.get("method")
        if self.left <= 0 or want and want.lower() != method:
            return False
        if "chat" in self.spec and \
                str(params.get("chat_id")) != str(self.spec["chat"]):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.left -= 1
        return True


def multipart(body, kind):
    mark = kind.split("boundary=", 1)[1].split(";")[0].strip('" ')
    values, files = {}, {}
    for part in body.split(b"--" + mark.encode())[1:-1]:
        head, _, data = part[2:].partition(b"\r\n\r\n")
        data = data[:-2]
        headers = {}
        for line in head.decode("utf-8", "replace").split("\r\n"):
            key, _, value = line.partition(":")
            headers[key.strip().lower()] = value.strip()
        names = {}
        for piece in headers.get("content-disposition", "").split(";")[1:]:
            key, _, value = piece.strip().partition("=")
            names[key] = value.strip('"')
        if "filename" in names:
            files[names.get("name", "")] = {
                "data": data, "name": names["filename"],
                "mime": headers.get("content-type")}
        else:
            values[names.get("name", "")] = data.decode("utf-8", "replace")
    return values, files


def parameters(query, headers, body):
    """(values, files); ValueError for what is no request."""
    values, files = dict(parse_qsl(query, keep_blank_values=True)), {}
    kind = headers.get("content-type", "")
    if not body:
        pass
    elif kind.startswith("application/json"):
        more = json.loads(body)
        if not isinstance(more, dict):
            raise ValueError("not an object")
        values.update(more)
    elif kind.startswith("application/x-www-form-urlencoded"):
        values.update(parse_qsl(body.decode(), keep_blank_values=True))
    elif kind.startswith("multipart/form-data"):
        if "boundary=" not in kind:
            raise ValueError("no boundary")
        more, files = multipart(body, kind)
        values.update(more)
    return values, files


class Server:
    def __init__(self, args):
        self.args = args
        self.token = args.token
        self.log = open(args.log, "a", buffering=1) if args.log else None
        self.healed = asyncio.Event()
        self.arrived = asyncio.Event()
        self.poller = None     # the getUpdates that waits
        self.begin()

    def begin(self):
        """As if it had just been started."""
        self.service = api.Service(self.args.id, self.args.username,
                                   not self.args.reads_all)
        self.methods = self.service.methods()
        self.n = 0
        self.faults, self.shape = [], set()

    def heal(self):
        self.faults = []
        self.healed.set()
        self.healed = asyncio.Event()

    # -- what a test says --------------------------------------------------

    def control(self, order):
        op, s = order.get("op"), self.service
        if op == "push":
            for update in order["updates"]:
                s.push(update)
            self.arrived.set()
        elif op in ("again", "twice", "backwards"):
            self.shape.add(op)
            self.arrived.set()
        elif op == "file":
            if "base64" in order:
                data = base64.b64decode(order["base64"])
            elif "bytes" in order:
                data = bytes(range(256)) * (order["bytes"] // 256 + 1)
                data = data[:order["bytes"]]
            else:
                data = order["text"].encode()
            s.add_file(order["file_id"], data, order.get("path"),
                       order.get("size"))
        elif op == "chat":
            s.add_chat(order["chat"])
        elif op == "block":
            s.blocked.add(order["chat"])
        elif op == "unblock":
            s.blocked.discard(order["chat"])
        elif op == "move":
            s.moved[order["chat"]] = order["to"]
            s.add_chat({"id": order["to"], "type": "supergroup",
                        "title": "moved"})
        elif op == "pace":
            s.pace = order["n"], order["window"]
        elif op == "fail":
            self.faults.append(Fault(order))
        elif op == "heal":
            self.heal()
        elif op == "begin":
            self.heal()
            self.begin()
            if self.log:
                self.log.truncate(0)
        else:
            raise ValueError("no such op")

    def state(self):
        s = self.service
        return {"pending": len(s.updates), "webhook": s.webhook,
                "requests": self.n, "sent": len(s.sent),
                "polling": self.poller is not None, "queries": s.queries}

    # -- HTTP --------------------------------------------------------------

    async def request(self, reader):
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        verb, target, _ = lines[0].split(" ", 2)
        headers = {}
        for line in lines[1:]:
            key, _, value = line.partition(":")
            headers[key.strip().lower()] = value.strip()
        body = b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            while True:
                size = int((await reader.readline()).split(b";")[0], 16)
                body += (await reader.readexactly(size + 2))[:-2]
                if size == 0:
                    break
                if len(body) > BODY_MAX:
                    raise Cut
        else:
            size = int(headers.get("content-length") or 0)
            if size > BODY_MAX:
                raise Cut
            body = await reader.readexactly(size)
        return verb, target, headers, body

    @staticmethod
    def head(status, length, kind="application/json"):
        return ("HTTP/1.1 %d %s\r\nContent-Type: %s\r\n"
                "Content-Length: %d\r\n\r\n" %
                (status, REASONS.get(status, "Error"), kind,
                 length)).encode()

    async def serve(self, reader, writer):
        try:
            while True:
                request = await self.request(reader)
                await self.one(reader, writer, request)
                if request[2].get("connection", "").lower() == "close":
                    break
        except (Cut, asyncio.IncompleteReadError, ConnectionError,
                asyncio.LimitOverrunError, ValueError):
            pass
        finally:
            writer.close()

    async def one(self, reader, writer, request):
        verb, target, headers, body = request
        url = urlsplit(target)
        path = unquote(url.path)
        if path.startswith("/_"):
            status, out = self.own(path, body)
            writer.write(self.head(status, len(out)) + out)
            await writer.drain()
        elif path.startswith("/file/bot"):
            await self.download(writer, path[len("/file/bot"):])
        elif path.startswith("/bot") and "/" in path[4:]:
            token, _, method = path[4:].partition("/")
            await self.method(reader, writer, token, method,
                              (verb, url.query, headers, body))
        else:
            await self.answer(writer, *self.refusal(404, "Not Found"))

    def own(self, path, body):
        s = self.service
        if path == "/_sent":
            return 200, "".join(json.dumps(m) + "\n"
                                for m in s.sent).encode()
        if path == "/_actions":
            return 200, "".join(json.dumps(m) + "\n"
                                for m in s.actions).encode()
        if path == "/_state":
            return 200, json.dumps(self.state()).encode() + b"\n"
        try:
            orders = json.loads(body)
            for order in orders if isinstance(orders, list) else [orders]:
                self.control(order)
        except (ValueError, KeyError, TypeError, AttributeError) as why:
            return 400, ("%s: %s\n" % (type(why).__name__, why)).encode()
        return 200, b""

    def note(self, **entry):
        self.n += 1
        if self.log:
            entry = {"n": self.n, "time": round(time.time(), 3), **entry}
            self.log.write(json.dumps(
                {k: v for k, v in entry.items() if v is not None}) + "\n")

    @staticmethod
    def refusal(code, description, parameters_=None):
        out = {"ok": False, "error_code": code, "description": description}
        if parameters_:
            out["parameters"] = parameters_
        return code, json.dumps(out).encode()

    def token_refused(self, token):
        if token == self.token:
            return None
        number, _, rest = token.partition(":")
        if number.isdigit() and rest:
            return self.refusal(401, "Unauthorized")
        return self.refusal(404, "Not Found")

    # -- the methods -------------------------------------------------------

    async def method(self, reader, writer, token, method, raw):
        verb, query, headers, body = raw
        refused = self.token_refused(token)
        if refused:
            self.note(method=method, http=verb, status=refused[0])
            return await self.answer(writer, *refused)
        try:
            values, files = parameters(query, headers, body)
        except (ValueError, UnicodeDecodeError):
            self.note(method=method, http=verb, status=400)
            return await self.answer(writer, *self.refusal(
                400, "Bad Request: can't parse the request"))
        fault = next((f for f in self.faults
                      if f.takes(method.lower(), values)), None)
        how = fault.how if fault else None
        shown = {"method": method, "http": verb, "params": values,
                 "fault": how, "files": [
                     {"field": k, "name": f["name"], "size": len(f["data"]),
                      "sha256": hashlib.sha256(f["data"]).hexdigest()}
                     for k, f in files.items()] or None}
        if how and (how.isdigit() or how in ("cut", "hang")):
            self.note(**shown, status=int(how) if how.isdigit() else None,
                      performed=False)
            return await self.unperformed(writer, fault)
        if method.lower() == "getupdates":
            self.note(**shown)
            answer = await self.get_updates(reader, values)
        else:
            status, out = self.perform(method.lower(), api.Params(values, files))
            if self.service.webhook and self.poller:
                self.poller.set_result("hook")
                self.poller = None
            self.note(**shown, status=status, performed=status == 200)
            answer = status, out
        await self.answer(writer, *answer, fault)

    async def unperformed(self, writer, fault):
        if fault.how == "429":
            wait = fault.spec.get("retry_after", 1)
            return await self.answer(writer, *self.refusal(
                429, "Too Many Requests: retry after %d" % wait,
                {"retry_after": wait}))
        if fault.how == "hang":
            await self.healed.wait()
            raise Cut
        if fault.how == "cut":
            raise Cut
        text = fault.spec.get("body")
        if text is not None:
            return await self.answer(writer, int(fault.how), text.encode())
        await self.answer(writer, *self.refusal(
            int(fault.how), REASONS.get(int(fault.how),
                                        "Internal Server Error")))

    def perform(self, method, p):
        run = self.methods.get(method)
        if not run:
            return self.refusal(404, "Not Found: method not found")
        try:
            result = run(p, self.n + 1)
        except api.Refused as why:
            return self.refusal(why.code, why.description, why.parameters)
        return 200, json.dumps({"ok": True, "result": result}).encode()

    async def get_updates(self, reader, values):
        p, s = api.Params(values, {}), self.service
        try:
            offset, limit = p.integer("offset"), p.integer("limit", 100)
            timeout = p.integer("timeout")
            allowed = p.structure("allowed_updates", list, "allowed_updates")
        except api.Refused as why:
            return self.refusal(why.code, why.description)
        if s.webhook:
            return self.refusal(
                409, "Conflict: can't use getUpdates method while webhook is "
                "active; use deleteWebhook to delete the webhook first")
        if allowed is not None:
            s.allowed = set(allowed) or None
        s.confirm(offset)
        if self.poller:        # the one that came first goes
            self.poller.set_result("conflict")
            self.poller = None
        if not s.updates and not self.shape and timeout > 0:
            why = await self.wait(reader, min(timeout, 50))
            if why == "gone":
                raise Cut
            if why:
                return self.refusal(409, CONFLICTS[why])
        return 200, json.dumps({"ok": True, "result": self.batch(
            max(1, min(limit, 100)))}).encode()

    async def wait(self, reader, timeout):
        """For updates; else why there are none: see CONFLICTS, or "gone"."""
        mine = self.poller = asyncio.get_running_loop().create_future()
        end = time.monotonic() + timeout
        gone = asyncio.ensure_future(reader.read(1))
        try:
            while not self.service.updates and not self.shape:
                self.arrived.clear()
                news = asyncio.ensure_future(self.arrived.wait())
                await asyncio.wait({mine, gone, news},
                                   timeout=max(0, end - time.monotonic()),
                                   return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                if mine.done():
                    return mine.result()
                if gone.done():
                    return "gone"
                if time.monotonic() >= end:
                    break
        finally:
            if self.poller is mine:
                self.poller = None
            gone.cancel()
            await asyncio.wait({gone})
        return None

    def batch(self, limit):
        s, shape = self.service, self.shape
        out = s.updates[:limit]
        if "again" in shape:
            out = s.confirmed[-limit:] + out
        if "twice" in shape:
            out = [u for u in out for _ in (1, 2)]
        if "backwards" in shape:
            out = out[::-1]
        self.shape = set()
        return out

    # -- answers -----------------------------------------------------------

    async def answer(self, writer, status, out, fault=None):
        how = fault.how if fault else ""
        spec = fault.spec if fault else {}
        if how == "cut-after":
            raise Cut
        if how == "hang-after":
            await self.healed.wait()
            raise Cut
        if how == "slow":
            await asyncio.sleep(spec.get("ms", 1000) / 1000)
        if how == "garbage":
            out = b"<html>\xff\x00 no JSON at all"
        if how == "body":
            out = spec["body"].encode()
        if how == "huge":
            out = b'{"ok":true,"result":["' + \
                b"x" * (spec.get("mib", 64) << 20) + b'"]}'
        data = self.head(status, len(out)) + out
        if how == "truncated":
            writer.write(data[:-(len(out) // 2 + 1)])
            await writer.drain()
            raise Cut
        if how == "bytes":
            for i in range(len(data)):
                writer.write(data[i:i + 1])
                await writer.drain()
                await asyncio.sleep(0)
            return
        writer.write(data)
        await writer.drain()

    async def download(self, writer, rest):
        token, _, path = rest.partition("/")
        refused = self.token_refused(token)
        found = next((f for f in self.service.files.values()
                      if f["path"] == path), None)
        fault = next((f for f in self.faults if f.takes("file", {})), None)
        status = refused[0] if refused else 200 if found else 404
        self.note(method="file", http="GET", params={"path": path},
                  status=status, fault=fault.how if fault else None)
        if refused or not found:
            return await self.answer(writer, *(
                refused or self.refusal(404, "Not Found")))
        if fault and fault.how != "file-rest":
            if fault.how.isdigit() or fault.how in ("cut", "hang"):
                return await self.unperformed(writer, fault)
            return await self.answer(writer, 200, found["bytes"], fault)
        data = found["bytes"]
        writer.write(self.head(200, len(data), "application/octet-stream"))
        if fault:
            data = data[:len(data) // 2]
        for i in range(0, len(data), 1 << 16):
            writer.write(data[i:i + (1 << 16)])
            await writer.drain()
        if fault:
            raise Cut


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--token", default="4242:TEST-token_of-the-double")
    parser.add_argument("--username", default="demo_bot")
    parser.add_argument("--id", type=int, default=4242)
    parser.add_argument("--reads-all", action="store_true")
    parser.add_argument("--log")
    server = Server(parser.parse_args())
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0,
                                          limit=HEAD_MAX)
    print(listener.sockets[0].getsockname()[1], flush=True)
    async with listener:
        await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
