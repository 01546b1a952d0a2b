#!/usr/bin/env python3
"""Have the platform misbehave in every way at random while people write to a
durable bot, then have it be well, and hold the outcome against what must be.

    platform_chaos.py --api URL --token T [--seconds N] [--seed N]

Nothing is killed. At the end, for each message, what flow_chaos.py says of
one: it is in the queue once and has one end, its answer arrived once (at most
once where it is `lost`), the model was asked once, and the answers of a chat
are in the order of its messages. The token is in no file."""
import argparse
import json
import os
import random
import socketserver
import sys
import threading
import time

sys.dont_write_bytecode = True
import flow_chaos as flow  # noqa: E402

# What may go wrong with a call that asks, and with one that sends: the first
# word is the fault of the double, the rest its parameters.
ANY = [
    {"how": "429", "retry_after": 1}, {"how": "500"}, {"how": "502"},
    {"how": "503"}, {"how": "504"}, {"how": "cut"}, {"how": "cut-after"},
    {"how": "hang"}, {"how": "hang-after"}, {"how": "bytes"},
    {"how": "slow", "ms": 700}, {"how": "garbage"}, {"how": "truncated"},
    {"how": "body", "body": ""}, {"how": "body", "body": "null"},
    {"how": "body", "body": "[]"}, {"how": "body", "body": '{"ok":true}'},
    {"how": "body", "body": '{"ok":"yes","result":[]}'},
    {"how": "body", "body": '{"ok":false}'},
    {"how": "body", "body": '{"ok":true,"result":{"update_id":1}}'},
    {"how": "body", "body": "[" * 5000},
    {"how": "body", "body": '{"ok":true,"ok":true,"result":[]}'},
    {"how": "502", "body": "x" * 100000}, {"how": "huge", "mib": 24},
]
# Of a send this would be a lie: it was performed.
POLL = [
    {"how": "body", "body": '{"ok":false,"error_code":429,"parameters":'
                            '{"retry_after":"soon"}}'},
    {"how": "409"},
    {"how": "body", "body": '{"ok":true,"result":[{"update_id":-1}]}'},
    {"how": "body", "body": '{"ok":true,"result":'
                            '[{"update_id":9223372036854775807}]}'},
    {"how": "body", "body": '{"ok":true,"result":[7,null,"x"]}'},
]
RUBBISH = [
    {"message": 7}, {"message": {}}, {"message": None}, {"poll": {}},
    {"message": {"message_id": 1, "chat": {"type": "private"}}},
    {"message": {"message_id": 1, "date": -1, "chat": [], "text": "x"}},
    {"edited_message": {"chat": {"id": 1.5}}}, {"callback_query": {"id": 7}},
    {"x" * 1000: {"message": {}}}, {},
]


def trouble(api, rnd):
    """One more thing that goes wrong; some time later it is over."""
    # After some failures a bot asks seldom: then nothing happens any more.
    method = rnd.choice(["getUpdates"] + ["sendMessage"] * 8 +
                        ["sendChatAction"] * 2 + ["deleteWebhook"])
    fault = dict(rnd.choice(ANY + (POLL if method == "getUpdates" else [])))
    flow.control(api, dict(fault, op="fail", method=method,
                           n=rnd.randint(1, 2), skip=rnd.randint(0, 2)))
    if rnd.random() < 0.3:
        flow.control(api, {"op": rnd.choice(["again", "twice",
                                             "backwards"])})


def write(api, rnd, n, sessions):
    """People write; n is the number of the first. Returns that of the next."""
    updates = []
    for _ in range(rnd.randint(1, 5)):
        updates.append(flow.update(n, 1000 + n % sessions))
        n += 1
        if rnd.random() < 0.2:
            updates.append(dict(rnd.choice(RUBBISH)))
    flow.control(api, {"op": "push", "updates": updates})
    return n


def run_all(args, rnd):
    bot, n, healed = flow.Bot(), 1, time.monotonic()
    bot.keep()
    end = healed + args.seconds
    # What is falsified has to be one that arrived, of a chat with several.
    least = 2 * args.sessions if args.sabotage else 0
    while time.monotonic() < end or n <= least:
        n = write(args.api, rnd, n, args.sessions)
        if rnd.random() < 0.7 and not args.sabotage:
            trouble(args.api, rnd)
        if time.monotonic() - healed > 1.5:
            flow.control(args.api, {"op": "heal"})
            healed = time.monotonic()
        time.sleep(rnd.random() * 0.2)
    flow.control(args.api, {"op": "heal"})
    end = time.monotonic() + args.limit
    while flow.done()[0] < n - 1 and time.monotonic() < end:
        time.sleep(0.1)
    bot.keep()
    bot.stop()
    return n - 1


def with_token(token):
    """Files of this run that the token is in."""
    found = []
    for folder, _, names in os.walk("."):
        for name in names:
            path = os.path.join(folder, name)
            # the log of the double is not ours
            if os.path.isfile(path) and "bot-api" not in path:
                with open(path, "rb") as f:
                    if token.split(":")[1].encode() in f.read():
                        found.append(path)
    return found


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--api", required=True)
    p.add_argument("--token", required=True)
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--sessions", type=int, default=20)
    p.add_argument("--limit", type=float, default=150)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--sabotage", choices=["double", "lose", "swap", "ask"],
                   help="falsify what was seen, to see it noticed; the "
                        "platform is well meanwhile")
    args = p.parse_args()
    rnd = random.Random(args.seed)
    socketserver.TCPServer.allow_reuse_address = True
    model = flow.Server(("127.0.0.1", 0), flow.Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    flow.configure(args, model.server_address[1])
    began = time.monotonic()
    args.messages = run_all(args, rnd)
    problems, kinds = flow.check(args)
    problems += ["the token is in %s" % x for x in with_token(args.token)]
    print(json.dumps({
        "seed": args.seed, "messages": args.messages, "ends": kinds,
        "seconds": round(time.monotonic() - began, 1),
        "problems": problems[:20], "n_problems": len(problems)}))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
