#!/usr/bin/env python3
"""Kill the programs of a durable bot at random while people write to it, and
hold the outcome against what must be.

    flow_chaos.py --api URL --token T [--messages N] [--sessions N] [--seed N]
        [--kills N] [--storms N]

--api is a double of the Bot API; the model is one of our own, here. lb-run
runs the bot and is started again when it was killed, as a service manager
would. A storm is a chat whose messages the platform refuses for a while, longer
than lb-send tries, or all chats for a moment. At the end, for each message:

  - it has exactly one terminal record in the queue;
  - a receipt means that its answer arrived exactly once, an error of code
    lost that it arrived at most once, and that something was killed;
  - the model was asked once, or once more for each kill in between;
  - in each chat the answers are in the order of the questions."""""
import argparse
import collections
import ctypes
import http.client
import json
import os
import random
import re
import signal
import socketserver
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

VICTIMS = ["lb-ingest", "lb-queue", "lb-run", "lb-pipeline", "lb-agent",
           "lb-wrap", "lb-send", "lb-guard"]
asked = collections.defaultdict(list)  # question: when the model was asked
kills = []                             # (when, program)
storms = []                            # chats
lock = threading.Lock()


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = body["messages"][-1]["content"]
        question = re.search(r"c\d+ m\d+", json.dumps(said)).group(0)
        with lock:
            asked[question].append(time.monotonic())
        time.sleep(random.random() * 0.02)
        answer = json.dumps({
            "id": "x", "object": "chat.completion", "model": "m", "created": 1,
            "choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": "re: " + question}}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1,
                      "total_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass  # they are killed while they ask


def control(api, op=None, path="/_control"):
    at = urlsplit(api)
    link = http.client.HTTPConnection(at.hostname, at.port, timeout=30)
    link.request("POST" if op else "GET", path,
                 json.dumps(op) if op else None)
    answer = link.getresponse()
    text = answer.read().decode()
    link.close()
    if answer.status != 200:
        sys.exit("control: %s" % text)
    return [json.loads(x) for x in text.splitlines() if x.startswith("{")]


def update(n, chat):
    return {"message": {
        "message_id": n, "date": 1700000000 + n,
        "text": "c%d m%d" % (chat, n),
        "chat": {"id": chat, "type": "private", "first_name": "A"},
        "from": {"id": chat, "is_bot": False, "first_name": "A"}}}


def ours():
    """Programs of this state folder."""
    mark = ("LB_STATE=" + os.environ["LB_STATE"]).encode()
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as f:
                if mark not in f.read().split(b"\0"):
                    continue
            with open("/proc/%s/comm" % name) as f:
                found.append((int(name), f.read().strip()))
        except OSError:
            pass
    return [x for x in found if x[1] in VICTIMS]


def kill_one(rnd):
    names = sorted({name for _, name in ours()})
    if not names:
        return
    name = rnd.choice(names)
    pid = rnd.choice([p for p, n in ours() if n == name] or [0])
    if not pid:
        return
    kills.append((time.monotonic(), name))
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def storm(args, rnd):
    chat = 1000 + len(storms) * 7 % args.sessions
    storms.append(chat)
    if len(storms) % 4:
        control(args.api, {"op": "fail", "how": "429", "retry_after": 0,
                           "method": "sendMessage", "chat": chat,
                           "n": rnd.randint(5, 9)})
    else:
        control(args.api, {"op": "fail", "how": "502",
                           "method": "sendMessage", "n": rnd.randint(1, 2)})


def with_us():
    """In the child: to end when this script does (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Bot:
    def __init__(self):
        self.log = open("lb-run.log", "ab")
        self.run = None

    def keep(self):
        if self.run is None or self.run.poll() is not None:
            self.run = subprocess.Popen(
                ["lb-run"], stdin=subprocess.DEVNULL,
                stdout=self.log, stderr=self.log, preexec_fn=with_us)

    def stop(self):
        self.run.send_signal(signal.SIGTERM)
        self.run.wait(30)


def verb(*words):
    out = subprocess.run(["lb-queue", *words], stdout=subprocess.PIPE,
                         check=True, text=True).stdout
    return [json.loads(x) for x in out.splitlines()]


def done():
    rows = verb("stats", "in")
    return (rows[0]["done"] + rows[0]["dead"], rows[0]["depth"]) if rows \
        else (0, 0)


def run_all(args, rnd):
    """People write, something is killed; until all has its end."""
    bot, n, last = Bot(), 0, time.monotonic()
    calm = None
    end = time.monotonic() + args.limit
    while time.monotonic() < end:
        bot.keep()
        if n < args.messages:
            k = min(rnd.randint(1, args.burst), args.messages - n)
            control(args.api, {"op": "push", "updates": [
                update(i, 1000 + i % args.sessions)
                for i in range(n + 1, n + k + 1)]})
            n += k
        elif calm is None and done()[0] > args.messages * 0.95:
            calm = time.monotonic()  # let it come to rest
        if calm is None and len(kills) < args.kills and \
                time.monotonic() - last > args.every:
            kill_one(rnd)
            last = time.monotonic()
        if len(storms) < args.storms * n // args.messages:
            storm(args, rnd)
        if calm is not None:
            finished, depth = done()
            if finished >= args.messages and depth == 0:
                break
        time.sleep(0.03)
    bot.keep()
    bot.stop()
    return n


def sent(args):
    """What arrived; and what this script says when it is to lie."""
    rows = control(args.api, path="/_sent")
    if args.sabotage == "double":
        rows.append(rows[len(rows) // 2])
    elif args.sabotage == "lose":
        del rows[len(rows) // 2]
    elif args.sabotage == "swap":
        chat = [i for i, m in enumerate(rows)
                if m["chat_id"] == rows[0]["chat_id"]]
        a, b = chat[0], chat[-1]
        rows[a], rows[b] = rows[b], rows[a]
    elif args.sabotage == "ask":
        kills.clear()
        asked["c%d m1" % (1000 + 1 % args.sessions)].append(time.monotonic())
    return rows


def check_one(row, answers, problems):
    record, outcome = row["record"], row.get("outcome") or {}
    question = record["chain"][-1]["text"]
    times = answers[question]
    kind = outcome.get("kind")
    if kind == "receipt" and outcome.get("final"):
        if len(times) != 1:
            problems.append("%s: receipt, and %d answers arrived"
                            % (question, len(times)))
    elif kind == "error" and outcome.get("code") == "lost":
        if len(times) > 1:
            problems.append("%s: lost, and %d answers arrived"
                            % (question, len(times)))
    else:
        problems.append("%s: ended as %s" % (question, json.dumps(outcome)))
    when = asked[question]
    if not when:
        problems.append("%s: the model was never asked" % question)
    for a, b in zip(when, when[1:]):
        if not any(a - 0.5 <= t <= b for t, _ in kills):
            problems.append("%s: asked twice, and nothing was killed"
                            % question)
    return question, kind


def check(args):
    problems, kinds = [], collections.Counter()
    answers, order = collections.defaultdict(list), \
        collections.defaultdict(list)
    for i, m in enumerate(sent(args)):
        text = m["text"].replace("re: ", "")
        answers[text].append(i)
        order[m["chat_id"]].append(int(text.split("m")[1]))
    rows = verb("peek", "--done", "in") + verb("peek", "--dead", "in")
    rows = [r for r in rows if r["record"]["kind"] == "message"]
    seen = collections.Counter()
    for row in rows:
        question, kind = check_one(row, answers, problems)
        seen[question] += 1
        kinds[kind] += 1
    for n in range(1, args.messages + 1):
        question = "c%d m%d" % (1000 + n % args.sessions, n)
        if seen[question] != 1:
            problems.append("%s: %d ends" % (question, seen[question]))
    for chat, numbers in order.items():
        if numbers != sorted(numbers):
            problems.append("chat %d: answers out of order" % chat)
    left = ours()
    if left:
        problems.append("still there: %s" % left)
    return problems, kinds


def configure(args, port):
    with open(os.environ["LB_CONFIG"], "w") as f:
        f.write("""
bots:
  support:
    adapter: telegram
    token: env:TELEGRAM_BOT_TOKEN
    base-url: %s
    limits: {chat-interval: 0, group-interval: 0, all-interval: 0}
providers:
  model: {protocol: openai-chat, base-url: "http://127.0.0.1:%d/v1"}
llm: {model: model/m}
concurrency: {pipeline: 32}
pipelines: {default: {safety: {rate-limit: {limitation: 1000000}}}}
""" % (args.api, port))
    os.environ["TELEGRAM_BOT_TOKEN"] = args.token


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--api", required=True)
    p.add_argument("--token", required=True)
    p.add_argument("--messages", type=int, default=2000)
    p.add_argument("--sessions", type=int, default=60)
    p.add_argument("--burst", type=int, default=20)
    p.add_argument("--every", type=float, default=0.4)
    p.add_argument("--limit", type=float, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--kills", type=int, default=60)
    p.add_argument("--storms", type=int, default=0)
    p.add_argument("--sabotage", choices=["double", "lose", "swap", "ask"],
                   help="falsify what was seen, to see it noticed; nothing "
                        "is killed or refused, so that nothing is lost")
    args = p.parse_args()
    if args.sabotage:
        args.kills = args.storms = 0
    rnd = random.Random(args.seed)
    model = Server(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    configure(args, model.server_address[1])
    began = time.monotonic()
    n = run_all(args, rnd)
    problems, kinds = check(args)
    extra = sum(len(x) - 1 for x in asked.values())
    print(json.dumps({
        "seed": args.seed, "messages": n, "seconds":
        round(time.monotonic() - began, 1), "kills": len(kills),
        "storms": len(storms), "ends": kinds, "asked_again": extra,
        "problems": problems[:20], "n_problems": len(problems)}))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
