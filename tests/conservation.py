#!/usr/bin/env python3
"""conservation.py - every message that goes in comes out as one ending.

    conservation.py [--seeds A-B] [--jobs N] [--first]
    conservation.py --seed N [--keep DIR]

A seed makes a configuration and a stream of lines (conservation_stream.py),
which goes through lb-pipeline | lb-agent | lb-wrap | lb-send, sometimes behind
lb-push, lb-aggregate or both, sometimes with a foreign stage between two of
them; the model and the webhooks are tests/server/lb-test-server.
Then what came out is held against what had to come, in the order of each
session: one terminal record a message, of the right kind and code; the texts
of chunks and of parts; foreign lines byte for byte; an error record for each
malformed line; the exit status of each program; no line over the limit.

Programs come from --build (else $LB_BUILD); --over DIR holds some that take
their place. A failure names its seed. Exit status: 0, or 1 when one failed.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import conservation_stream as stream

TIME_LIMIT = 60  # seconds for one seed; a hang is a failure
PROGRAMS = ("lb-push", "lb-aggregate", "lb-pipeline", "lb-agent", "lb-wrap",
            "lb-send")
options = None


class Wrong(Exception):
    """What came out is not what had to."""


def must(fact, *what):
    if not fact:
        raise Wrong(" ".join(str(w)[:600] for w in what))


# ---- one run -----------------------------------------------------------


def environment(folder, s):
    env = {k: v for k, v in os.environ.items()
           if k in ("PATH", "HOME", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                    "LSAN_OPTIONS", "LD_LIBRARY_PATH")}
    env.update(LC_ALL="C", LB_STATE=str(folder / "state"),
               LB_CONFIG=str(folder / "config.yaml"), NO_PROXY="*",
               LB_SHARE=os.path.join(options.build, "share", "lb"))
    if s.limit != stream.LIMIT:
        env["LB_MAX_LINE"] = str(s.limit)
    return env


def commands(folder, s):
    """The stages: name, argv."""
    arguments = {"lb-agent": ["-j", str(s.jobs)], "lb-send": [s.sink]}
    if s.fail:
        arguments["lb-send"].append("--fail=" + s.fail)
    out = []
    for name in s.front + list(PROGRAMS[2:]):
        path = os.path.join(options.over or "", name)
        if not options.over or not os.path.exists(path):
            path = os.path.join(options.build, name)
        out.append((name, [path] + arguments.get(name, [])))
        if name == "lb-" + (s.tee or ""):
            out.append(("tee", ["tee", str(folder / "tee")]))
    return out


def run(folder, s):
    """Run the pipe; returns {name: exit status}."""
    provider = os.path.join(options.build, "tests", "unit", "echo-provider")
    (folder / "config.yaml").write_text(s.config(options.server, provider))
    text = b"\n".join(s.lines) + (b"\n" if s.last_newline else b"")
    (folder / "in").write_bytes(text)
    env, stages = environment(folder, s), []
    source = open(folder / "in", "rb")
    for name, argv in commands(folder, s):
        last = name == "lb-send"
        with open(folder / (name + ".err"), "wb") as err:
            sink = open(folder / "out", "wb") if last else subprocess.PIPE
            p = subprocess.Popen(argv, stdin=source, stdout=sink, stderr=err,
                                 env=env, cwd=folder)
        source.close()
        source = sink if last else p.stdout
        stages.append((name, p))
    source.close()
    try:
        return {name: p.wait(TIME_LIMIT) for name, p in stages}
    except subprocess.TimeoutExpired:
        raise Wrong("it does not end: ", [n for n, p in stages
                                          if p.poll() is None])
    finally:
        for _, p in stages:
            p.kill()
            p.wait()


# ---- what came out -----------------------------------------------------


class Walk:
    """One pass over the output of a stage, against what must be in it."""

    def __init__(self, s, at):
        self.s, self.at = s, at
        self.foreign = {w.raw: w for w in s.wants if w.sort == "foreign"}
        self.queues = collections.defaultdict(collections.deque)
        for w in s.wants:
            w.chunks, w.replies, w.receipts, w.joined = [], [], [], []
            self.queues[w.session].append(w)

    def front(self, session, what):
        queue = self.queues.get(session)
        must(queue, "nothing more is due in", session, "but:", what)
        return queue[0]

    def over(self, text):
        for n, raw in enumerate(text.split(b"\n"), 1):
            if raw or n == 1:
                self.line(raw)
        for session, queue in self.queues.items():
            must(not queue, "lost in %r:" % session, list(queue)[:3])

    def line(self, raw):
        if raw in self.foreign:
            want = self.foreign[raw]
            due = self.front(want.session, raw)
            must(due is want, "out of order or doubled:", raw, "due:", due)
            self.queues[want.session].popleft()
            return
        due = self.front(None, raw) if self.queues.get(None) else None
        if due and due.sort == "bad" and not self.reached(due) and \
                raw == due.line:
            self.queues[None].popleft()
            return
        must(len(raw) <= self.s.limit, "longer than a line may be:", len(raw),
             raw)
        try:
            o = json.loads(raw)
            raw.decode()
            must(isinstance(o, dict), "no object:", raw)
        except ValueError as e:
            raise Wrong("no foreign line and no record: ", e, raw)
        self.record(o, raw)

    def reached(self, bad):
        return PROGRAMS.index(bad.stage) <= PROGRAMS.index(self.at)

    def record(self, o, raw):
        if o.get("kind") == "error" and "line" in o:
            self.bad_line(o)
            return
        kind = o["kind"]
        if kind == "drop" and "into" in o:
            self.join(o)
            return
        due = self.front(o.get("session"), raw)
        must(due.sort == "message" and o.get("id") == due.id,
             "out of order, doubled or unknown:", raw, "due:", due)
        if kind == "message" and not due.joined:
            must(self.at in self.s.front, "a message came through:", raw)
            mended = b"\xef\xbf\xbd" in raw or b"\\ufffd" in raw
            must(raw == due.line or mended, "it was changed:", raw, due.line)
            self.queues[due.session].popleft()
            return
        must(raw.startswith(b'{"kind":"'), "kind is not first:", raw)
        if kind == "chunk":
            due.chunks.append(o)
        elif kind == "reply" and (self.at == "lb-send" or not o["final"]):
            due.replies.append(o)
        elif kind == "receipt" and not o["final"]:
            due.receipts.append(o)
        else:
            if kind == "reply":
                due.replies.append(o)
            elif kind == "receipt":
                due.receipts.append(o)
            elif kind == "message":
                must(self.at == "lb-aggregate", "a message came through:", raw)
            elif kind == "query":
                must(self.at == "lb-pipeline", "a query came through:", raw)
            else:
                must(kind in ("drop", "error"), "what is this:", raw)
            self.queues[due.session].popleft()
            Ending(self.s, self.at, due.whole(), o).check()

    def join(self, o):
        """A drop that says: it is a part of the one before it."""
        due = self.front(o.get("session"), o)
        must(self.s.merges and o["stage"] == "lb-aggregate" and
             due.sort == "message" and o["into"] == due.id,
             "into what is not next:", o, "due:", due)
        mine = [w for w in self.queues[due.session] if w.sort == "message" and
                w.sender == due.sender and w.stage != "lb-push"]
        must(len(mine) > 1 and mine[1].id == o["id"] and
             mine[1].flow is due.flow,
             "a part of another:", o, "of:", due, "not:", mine[1:])
        part = mine[1]
        self.queues[due.session].remove(part)
        due.joined.append(part)
        must(len(due.joined) < 10, "too many in one:", due)

    def bad_line(self, o):
        due = self.front(None, o)
        must(due.sort == "bad", "an error for no malformed line:", o,
             "due:", due)
        must(o["stage"] == due.stage and o["code"] == "data" and
             o["retryable"] is False and "id" not in o, "not so:", o)
        kept = due.line[:4096].decode(errors="replace")
        must(o["line"] == kept, "not the line:", o["line"], kept)
        must(o["line_number"] == due.number if due.stage == self.s.first
             else o["line_number"] >= 1, "not its number:", o, due.number)
        self.queues[None].popleft()


class Ending:
    """One message and all that came of it; `last` ended it."""

    def __init__(self, s, at, want, last):
        self.s, self.at, self.w, self.last = s, at, want, last

    def must(self, fact, why):
        must(fact, "%s: %r ended by %.400s" % (why, self.w, self.last),
             "chunks:", self.w.chunks[:3], "replies:", self.w.replies[:2])

    def check(self):
        w, kind = self.w, self.last["kind"]
        if w.near and kind == "error" and self.last["code"] == "limit":
            return self.must(not self.last["retryable"], "limits stay")
        if kind == "drop":
            self.must(w.fate in ("drop", "refused", "any"), "dropped")
            return self.must("into" not in self.last and
                             self.last["stage"] == w.stage and
                             self.last["reason"], "no word on why")
        if kind == "message":
            return self.parts()
        if kind == "query":
            return self.must(w.fate in ("answer", "failed", "any") or
                             w.fate == "command" and "command" in self.last,
                             "asked")
        if w.fate in ("command", "refused"):
            self.must(not w.chunks and not self.last.get("failed"), "asked")
            self.must(kind != "query" or w.fate == "command", "asked")
            return self.must(kind in ("error", "receipt", "reply", "query")
                             and (kind != "error" or self.at == "lb-send"),
                             "how")
        if w.fate == "any":
            return self.must(kind in ("error", "receipt", "reply"), "how")
        if w.fate in ("drop", "error"):
            self.must(kind == w.fate, "not its end")
            self.must(self.last["code"] == w.code and
                      self.last["retryable"] is False, "not its code")
            return self.must(self.last["record"]["kind"] == "message",
                             "not kept")
        self.answered()

    def parts(self):
        """What lb-aggregate made of several."""
        text = "".join(c.get("text", "") for c in self.last["chain"])
        self.must(text.count("\n") >= len(self.w.joined), "not joined")
        for part in [self.w] + self.w.joined:
            if part.fate == "answer" and "\ufffd" not in part.text:
                self.must(part.text in text, "a part is missing")

    def answered(self):
        """It was asked, with or without success."""
        w, flow = self.w, (self.w.first if self.w.replayed else self.w).flow
        if self.at == "lb-agent":
            self.must(self.last["kind"] == "reply", "no reply")
            self.texts(None)
        elif w.fate == "failed" and flow["handling"] == "hide":
            self.must(self.last["kind"] == "error" and
                      self.last["stage"] == "lb-wrap" and
                      self.last["code"] == w.code and
                      self.last["retryable"] is False, "not hidden")
            self.must(not w.replies and not w.receipts, "hidden, but sent")
            self.streamed(None, flow)
        elif self.at == "lb-wrap":
            self.must(self.last["kind"] == "reply", "no reply")
            self.texts(flow)
        else:
            self.delivered(flow)

    def parts_of(self, flow):
        """How many parts there must be: 1, 2 for more, None for who knows."""
        w = self.w
        said = w.first.said if w.replayed else w.said
        if not flow["threshold"]:
            return 1
        if said is None or w.near:
            return None
        n = len(said)
        if w.fate == "failed":
            if flow["handling"] == "show-error":
                return None
            n += (2 if n else 0) + len(stream.HINT)
        return 1 if n <= flow["threshold"] else 2

    def delivered(self, flow):
        """lb-send's receipts and the error of a delivery that fails."""
        w, parts = self.w, self.parts_of(flow)
        how, _, which = (self.s.fail or "").partition(":")
        failing = int(which or 1) if how else None
        if failing and parts is None:
            parts = len(w.receipts) + (self.last["kind"] == "error")
        got = [r["part"] for r in w.receipts]
        self.must(got == list(range(1, len(got) + 1)), "parts of receipts")
        for r in w.receipts:
            self.must(r["final"] is (r is self.last) and r["message_ids"] and
                      "text" not in r or self.s.sink == "jsonl", "receipt")
        if failing and parts >= failing:
            wanted = ("overloaded", True) if how == "transient" else \
                ("not_found", False)
            self.must(self.last["kind"] == "error" and
                      self.last["stage"] == "lb-send", "it must fail")
            self.must((self.last["code"], self.last["retryable"]) == wanted
                      and self.last["sent_parts"] == failing - 1 ==
                      len(got), "not so")
        else:
            self.must(self.last["kind"] == "receipt", "no receipt")
            self.must(parts is None or min(len(got), 2) == parts,
                      "number of parts")
        if self.s.sink == "jsonl":
            self.must([r["part"] for r in w.replies] == got, "replies")
            self.texts(flow)

    def texts(self, flow):
        """Parts joined are the answer, and so are the chunks."""
        w = self.w
        said = stream.hidden(flow, w.first.said if w.replayed else w.said)
        whole = "".join(r["text"] for r in w.replies)
        for r in w.replies:
            plain = "".join(c["text"] for c in r["chain"]
                            if c["type"] == "Plain")
            self.must(plain == r["text"], "chain and text")
            self.must(not flow or not flow["threshold"] or
                      len(r["text"]) <= flow["threshold"], "part too long")
            self.must(bool(r.get("replayed")) == w.replayed, "replayed?")
        self.files()
        failed = w.replies[-1].get("failed")
        if w.fate == "answer" and not (w.near and failed):
            self.must(not failed and whole == said, "not the answer")
        elif w.near:  # a line had no room for more
            self.must(failed["code"] in (w.code, "limit"), "not its failure")
            self.must(w.stream or flow or not whole, "text of a failure")
        elif w.fate == "failed":
            self.must(failed and failed["code"] == w.code, "not its failure")
            self.words(whole, flow)
        self.streamed(whole, flow)

    def files(self):
        """Those of a sandbox are with the answer, and are there."""
        w = self.w.first if self.w.replayed else self.w
        files = [c for r in self.w.replies for c in r["chain"]
                 if c["type"] == "File"]
        sent = w.boxed and w.marker == "#box"
        self.must([f["name"] for f in files] == ["a.txt"] * sent, "files")
        for f in files:
            with open(f["path"], "rb") as it:
                self.must(it.read() == b"hi\n", "another file")

    def words(self, whole, flow):
        """What is said of a failure, behind what was said before."""
        spoken = [self.w.said] if self.w.said is not None else \
            ["", stream.HALF]
        if not flow:
            return self.must(whole in spoken, "not what was said")
        for said in spoken:
            said = stream.hidden(flow, said)
            begin = said + "\n\n" if said else ""
            rest = whole[len(begin):]
            if whole.startswith(begin) and rest and (
                    flow["handling"] != "show-hint" or rest == stream.HINT):
                return None
        return self.must(False, "not the words")

    def streamed(self, whole, flow):
        """Chunks in order; whole is the final text, None when there is none."""
        w = self.w
        if w.replayed:
            return self.must(not w.chunks, "chunks of a replay")
        if self.s.sink == "null" and self.at == "lb-send":
            return self.must(not w.chunks, "chunks to nobody")
        self.must([c["seq"] for c in w.chunks] == list(range(len(w.chunks)))
                  and w.chunks and w.chunks[0]["text"] == "", "seq")
        text = "".join(c["text"] for c in w.chunks)
        if not w.stream:
            return self.must(text == "" and len(w.chunks) == 1, "streamed")
        self.must(whole is None or whole.startswith(text), "no prefix")
        if w.near:
            return self.must(text in (stream.hidden(
                flow, (w.first if w.replayed else w).said) or text), "chunks")
        if w.fate == "failed" and flow and flow["words"]:  # some is held back
            return self.must(w.said is None or stream.hidden(
                flow, w.said).startswith(text), "chunks")
        if w.fate == "failed":
            return self.must(w.said is None or text == w.said, "chunks")
        return self.must(text == whole, "chunks joined")


def check(folder, s, status):
    """Everything that can be said of one run."""
    for name in s.front + list(PROGRAMS[2:]):
        err = (folder / (name + ".err")).read_text(errors="replace")
        wanted = 65 if s.bad[name] else 0
        must(status[name] == wanted, name, "exits", status[name], "not",
             wanted, err)
        must(err.count("line ") >= s.bad[name] and
             err.count(name + ": line ") == s.bad[name],
             name, "names not each of", s.bad[name], "bad lines:", err)
        for w in s.wants:
            if w.sort == "bad" and w.stage == name == s.first:
                must("line %d: " % w.number in err, "not named:", w.number)
    if s.tee:
        Walk(s, "lb-" + s.tee).over((folder / "tee").read_bytes())
    Walk(s, "lb-send").over((folder / "out").read_bytes())


def one_seed(seed):
    """Returns what is wrong, or None."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=options.folder,
                                           prefix="seed-%d-" % seed))
    s = stream.Stream(seed)
    try:
        check(folder, s, run(folder, s))
    except Wrong as e:
        return "seed %d: %s" % (seed, e)
    except Exception as e:  # a record of a shape that nobody expects
        return "seed %d: %s: %s" % (seed, type(e).__name__, e)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return None


# ---- all of them -------------------------------------------------------


def serve(folder):
    """Start the model; it ends with us."""
    path = os.path.join(options.build, "tests", "server", "lb-test-server")
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as f:
        f.write(stream.script() + stream.hooks())
    p = subprocess.Popen([path, "--until-eof", script], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    options.server = "http://127.0.0.1:%d" % int(p.stdout.readline())
    return p


def has_sandbox():
    try:
        return subprocess.run(
            ["bwrap", "--unshare-user", "--unshare-net", "--unshare-pid",
             "--ro-bind", "/", "/", "true"], stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def parse():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--seed", type=int, help="this one alone")
    p.add_argument("--seeds", default="1-500", help="from-to")
    p.add_argument("--jobs", type=int, default=6, help="seeds at once")
    p.add_argument("--first", action="store_true", help="stop at a failure")
    p.add_argument("--keep", help="leave all files in this folder")
    p.add_argument("--build", default=os.environ.get("LB_BUILD", "."))
    p.add_argument("--over", help="programs that take the place of ours")
    o = p.parse_args()
    o.build = os.path.abspath(o.build)
    o.over = o.over and os.path.abspath(o.over)
    low, _, high = o.seeds.partition("-")
    o.range = [o.seed] if o.seed is not None else \
        range(int(low), int(high or low) + 1)
    return o


def main():
    global options
    options = parse()
    folder = options.keep or tempfile.mkdtemp(prefix="lb-conservation-")
    os.makedirs(folder, exist_ok=True)
    options.folder = os.path.abspath(folder)
    # Programs that take the place of ours have no others beside them.
    stream.BOX = not options.over and has_sandbox()
    server = serve(folder)
    bad = done = 0
    try:
        with multiprocessing.Pool(options.jobs) as pool:
            for wrong in pool.imap_unordered(one_seed, options.range):
                done += 1
                if wrong:
                    bad += 1
                    print(wrong, flush=True)
                if wrong and options.first:
                    break
    finally:
        server.stdin.close()
        server.wait()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print("%d seeds, %d failed" % (done, bad))
    return 1 if bad or not done else 0


if __name__ == "__main__":
    sys.exit(main())
