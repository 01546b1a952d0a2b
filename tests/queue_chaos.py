#!/usr/bin/env python3
"""Kill the programs around a queue at random and hold the outcome against
what must be: for each message exactly one end in the queue, none forgotten by
what was said to be safe, and in each session the order in which they came."""
import argparse
import collections
import json
import os
import random
import signal
import subprocess
import sys
import time

WORKER = r"""
import os, sys
log = os.open("handled", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
for line in sys.stdin:
    mark = line.find('"id":"') + 6
    name = line[mark:line.index('"', mark)]
    os.write(log, (name + "\n").encode())
    sys.stdout.write(line.replace('"kind":"message"', '"kind":"drop"', 1))
    sys.stdout.flush()
"""


def message(i, sessions):
    return json.dumps({
        "kind": "message", "id": "m%05d" % i,
        "session": "b/person_%d" % (i % sessions), "n": i,
        "stage": "chaos", "reason": "handled"}, separators=(",", ":"))


def pids_of(parent):
    """All processes below one."""
    below = collections.defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as f:
                    rest = f.read().rsplit(")", 1)[1].split()
                below[int(rest[1])].append(int(name))
            except OSError:
                pass
    found, at = [], [parent]
    while at:
        for pid in below[at.pop()]:
            found.append(pid)
            at.append(pid)
    return found


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def put_all(lines, rnd, told):
    """Put until each was said to be safe, killing put meanwhile."""
    left = dict((json.loads(line)["id"], line) for line in lines)
    while left:
        batch = list(left.values())[:rnd.randint(1, 60)]
        put = subprocess.Popen(["lb-queue", "put"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
        if rnd.random() < 0.3:
            time.sleep(rnd.random() * 0.01)
            put.kill()
        try:
            out = put.communicate(("\n".join(batch) + "\n").encode())[0]
        except BrokenPipeError:
            out = b""
        for line in out.splitlines(True):
            if line.endswith(b"\n"):
                said = json.loads(line)
                told.add(said["id"])
                left.pop(said["id"], None)
        yield


def work(args):
    return subprocess.Popen(
        ["lb-queue", "work", "-j", "3", "-w", "8"] + args +
        ["--", sys.executable, "-c", WORKER],
        stdout=open("passed", "ab"), stderr=subprocess.DEVNULL)


def storm(a, rnd, told):
    lines = [message(i, a.sessions) for i in range(a.messages)]
    workers = [work([]) for _ in range(2)]
    kills = collections.Counter()
    for _ in put_all(lines, rnd, told):
        which = rnd.randrange(len(workers))
        roll = rnd.random()
        if roll < 0.25:
            kill(workers[which].pid)
            workers[which].wait()
            workers[which] = work([])
            kills["work"] += 1
        elif roll < 0.55:
            below = pids_of(workers[which].pid)
            if below:  # a copy, or the guard
                kill(rnd.choice(below))
                kills["below"] += 1
        time.sleep(rnd.random() * 0.05)
    for w in workers:
        kill(w.pid)
        w.wait()
    work(["--once"]).wait(timeout=120)
    return kills


def sabotage(rows, how):
    if how == "lose":
        rows.pop(3)
    elif how == "double":
        rows.append(rows[3])
    elif how == "swap":
        session = [r for r in rows if r["session"] == rows[0]["session"]]
        session[0]["seen"], session[1]["seen"] = (session[1]["seen"],
                                                  session[0]["seen"])
    return rows


def check(a, told, rows, left):
    problems = []
    ends = collections.Counter(r["key"] for r in rows)
    for i in range(a.messages):
        name = "m%05d" % i
        if ends[name] != 1:
            problems.append("%s has %d ends" % (name, ends[name]))
        if name not in told:
            problems.append("%s was never said to be safe" % name)
    if left:
        problems.append("%d have not ended" % left)
    for r in rows:
        if not r.get("outcome") or r["outcome"]["id"] != r["key"]:
            problems.append("%s ended by something else" % r["key"])
    # Each copy handles in order; a record is handled again only after a
    # death. So the first time of each is in the order of its session.
    before = {}
    for r in sorted((r for r in rows if r["seen"] is not None),
                    key=lambda r: r["record"]["n"]):
        if r["seen"] < before.get(r["session"], -1):
            problems.append("%s overtook in its session" % r["key"])
        before[r["session"]] = r["seen"]
    return problems


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--messages", type=int, default=400)
    p.add_argument("--sessions", type=int, default=20)
    p.add_argument("--sabotage")
    a = p.parse_args()
    print("seed %d" % a.seed)
    for name in ("handled", "passed"):
        if os.path.exists(name):
            os.remove(name)
    told = set()
    os.environ["LB_STATE"] = os.path.abspath(
        "state-%d-%s" % (a.seed, a.sabotage))
    kills = storm(a, random.Random(a.seed), told)
    first = {}
    for at, line in enumerate(open("handled")):
        first.setdefault(line.strip(), at)

    def listed(*options):
        out = subprocess.check_output(["lb-queue", "peek"] + list(options))
        return [json.loads(line) for line in out.splitlines()]

    rows = listed("--done") + listed("--dead")
    for r in rows:
        r["seen"] = first.get(r["key"])
    if a.sabotage:
        rows = sabotage(rows, a.sabotage)
    problems = check(a, told, rows, len(listed()))
    again = len(open("handled").readlines()) - len(first)
    print(json.dumps({"kills": kills, "handled_again": again,
                      "dead": sum(r["state"] == "dead" for r in rows)}))
    if problems:
        print(json.dumps({"problems": problems[:20]}))
    sys.exit(1 if problems else 0)


main()
