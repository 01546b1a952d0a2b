"""Clients of an HTTP server that mean no good, or have odd manners.

    mcp_hostile.py PORT NAME [ARGUMENT]

Each says on standard output what came of it.
"""

import json
import socket
import sys
import time

PORT = int(sys.argv[1])


def connect():
    s = socket.create_connection(("127.0.0.1", PORT), timeout=20)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def head(method="POST", path="/mcp", host="localhost", more=""):
    return (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n"
        f"Content-Type: application/json\r\n{more}"
    ).encode()


def post(body, more=""):
    if isinstance(body, dict):
        body = json.dumps(body)
    body = body.encode()
    return head(more=f"{more}Content-Length: {len(body)}\r\n\r\n") + body


def read_answer(s, buf=b""):
    """Status and body of one answer, and what came behind it."""
    while b"\r\n\r\n" not in buf:
        more = s.recv(65536)
        if not more:
            return ("closed", buf.decode(), b"")
        buf += more
    top, buf = buf.split(b"\r\n\r\n", 1)
    length = 0
    for line in top.split(b"\r\n")[1:]:
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(buf) < length:
        more = s.recv(65536)
        if not more:
            break
        buf += more
    return (top.split()[1].decode(), buf[:length].decode(), buf[length:])


INIT = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}},
}


def raw(text):
    """Bytes as they are, with \\r and \\n; all statuses until it closes."""
    s = connect()
    s.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
    seen, rest = [], b""
    try:
        while True:
            status, _, rest = read_answer(s, rest)
            if status == "closed":
                break
            seen.append(status)
    except TimeoutError:
        seen.append("silence")
    print(" ".join(seen))


def pipelined():
    s = connect()
    s.sendall(b"".join(post(dict(INIT, id=i)) for i in range(20)))
    ids, rest = [], b""
    for _ in range(20):
        _, body, rest = read_answer(s, rest)
        ids.append(json.loads(body)["id"])
    print("in order" if ids == list(range(20)) and not rest else ids)


def piecemeal():
    s = connect()
    for byte in post(INIT):
        s.sendall(bytes([byte]))
    print(read_answer(s)[0])


def chunked():
    s = connect()
    text = json.dumps(INIT)
    s.sendall(head(more="Transfer-Encoding: chunked\r\n\r\n"))
    for i in range(0, len(text), 7):
        part = text[i : i + 7]
        s.sendall(f"{len(part):x};a=b\r\n{part}\r\n".encode())
    s.sendall(b"0\r\nX: y\r\n\r\n")
    print(read_answer(s)[0])


def giant(size):
    """Says that much is coming, and sends as much as is taken."""
    s = connect()
    s.sendall(head(more=f"Content-Length: {size}\r\n\r\n"))
    sent = 0
    try:
        while sent < min(int(size), 64 << 20):
            sent += s.send(b" " * 65536)
    except OSError:
        pass
    try:
        print(read_answer(s)[0], "early" if sent < 8 << 20 else "late")
    except OSError:
        print("reset")


def giant_chunked():
    s = connect()
    s.sendall(head(more="Transfer-Encoding: chunked\r\n\r\n"))
    sent = 0
    try:
        while sent < 64 << 20:
            s.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
            sent += 65536
    except OSError:
        pass
    try:
        print(read_answer(s)[0], "early" if sent < 40 << 20 else "late")
    except OSError:
        print("reset")


def expect():
    s = connect()
    text = json.dumps(INIT)
    s.sendall(head(more=f"Expect: 100-continue\r\nContent-Length: {len(text)}\r\n\r\n"))
    first = s.recv(100)
    s.sendall(text.encode())
    print(first.split(b"\r\n")[0].decode(), read_answer(s)[0])


def crowd(n):
    """That many who say nothing, or never end; and one who asks."""
    all_of_them = []
    for i in range(int(n)):
        s = connect()
        if i % 3:
            s.sendall(b"POST /mcp HTTP/1.1\r\nHost: a" + b"b" * (i % 50))
        all_of_them.append(s)
    begun = time.monotonic()
    s = connect()
    s.sendall(post(INIT))
    status = read_answer(s)[0]
    print(status, "soon" if time.monotonic() - begun < 5 else "late")


def slow():
    """A byte now and then: until when?"""
    s = connect()
    begun = time.monotonic()
    text = "POST /mcp HTTP/1.1\r\n" + "A: b\r\n" * 1000
    status = "never"
    s.settimeout(0.2)
    for byte in text.encode():
        if time.monotonic() - begun > 20:
            break
        try:
            s.sendall(bytes([byte]))
            got = s.recv(100)
            status = got.split()[1].decode() if got else "closed"
            break
        except TimeoutError:
            continue
        except OSError:
            status = "reset"
            break
    took = time.monotonic() - begun
    print(status, "in time" if 8 < took < 14 else took)


def unread(session, body):
    """Asks for much, again and again, and reads none of it."""
    s = connect()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(2)
    request = post(body, f"Mcp-Session-Id: {session}\r\n")
    sent = 0
    try:
        for _ in range(200000):
            s.sendall(request)
            sent += 1
    except OSError:
        pass
    print("held up" if sent < 200000 else "took all")


def hoard(session, body):
    """Many ask for much at once, and none of them reads it."""
    request = post(body, f"Mcp-Session-Id: {session}\r\n")
    all_of_them, lost = [], 0
    for _ in range(100):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.settimeout(20)
        s.connect(("127.0.0.1", PORT))
        s.sendall(request)
        all_of_them.append(s)
    for s in all_of_them:
        # One that was let go says so, once what came before it was read.
        try:
            status, text, _ = read_answer(s)
            lost += status == "closed" or len(text) < 1000000
        except OSError:
            lost += 1
    print("some were let go" if 0 < lost < 100 else lost)


globals()[sys.argv[2]](*sys.argv[3:])
