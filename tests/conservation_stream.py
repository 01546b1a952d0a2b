"""What goes in: streams of lines made from a seed, and what must come of them.

Used by conservation.py. Every line that goes in becomes a Want, which says
what has to come out; a stream is as hostile as a seed can make it.
"""
import collections
import copy
import json
import random
import re

LIMIT = 16 << 20
HINT = "Nothing came of it."
# What an answer must not say: the first is cut by any stream.
WORDS = ["you said", "hello", "\u597d"]

LONG = ("A long answer, on purpose. It has sentences! Has it? It has.\n"
        "Lines too, and \u4e00\u4e9b\u4e2d\u6587\u3002\u8fd8\u6709\uff01"
        "\U0001f600\n\nAnd paragraphs. ") * 12
HALF = "Half of an ans"

# What the scripted model does when a text ends with the marker: the code of
# the failure, and what was said of it before when the answer is streamed.
FAILURES = {
    "#429": ("rate", ""),
    "#500": ("overloaded", ""),
    "#401": ("auth", ""),
    "#error": ("overloaded", ""),
    "#cut": ("truncated", HALF),
    "#empty": ("malformed", ""),
    "#page": ("malformed", ""),
    "#silent": ("timeout", ""),
    "#stall": ("timeout", None),
}
SLOW = {"#silent", "#stall"}

# The model calls tools first, and answers then as it always does: one that
# works, with another that there is none of, and one that kills its provider.
TOOLS = {
    "#tool": ['call e__echo {"text":"found"}', "call e__who {}"],
    "#none": ["call nowhere {}", 'call e__echo {"text":7}'],
    "#die": ["call e__die {}", 'call e__later {"text":"x","ms":20}'],
}

# Files of a message come into a sandbox, one of an answer goes out of it, and
# one each is refused, where there is a sandbox.
BOX = False
OUTBOX = ('call exec {"command":"cd $LB_OUTBOX; echo hi > a.txt; : > e; '
          'truncate -s 10485761 big"}')
FILES = [{"type": "File", "name": "../x", "base64": "aGkK"},
         {"type": "File", "name": "big", "ref": "R", "size": 99999999}]
LEFT = "\n\n(Not sent: big, larger than 10 MiB; e, empty)"

# No model is asked: answered by lb-pipeline, by lb-agent, and refused.
COMMANDS = ["!version", "!help", "!usage", "!reset", "!undo", "!list 1", "!stop",
            "!pause"]
HOOKS = {"pause": "cmd:sleep 0.02"}


def script():
    """The exchanges of lb-test-server."""
    out = []

    def on(marker, stream, *lines):
        out.append("on POST /v1/chat/completions")
        # The last message ends the list: a marker in the history is none.
        out.append('if-body %s"}]' % marker)
        if stream is not None:
            out.append('if-json stream true')
        out.extend(("uses any",) + lines)

    def event(text):
        return 'event {"choices":[{"index":0,"delta":{"content":"%s"}}]}' % text

    refusal = 'send {"error":{"message":"%s","type":"%s","code":%s}}'
    # Its folder is told behind it.
    out.extend(("on POST /v1/chat/completions", "if-body #box", "uses any",
                "openai strict sk-test", OUTBOX, "answer You said: {last}"))
    on("#429", None, "reply 429", "header Retry-After: 0",
       refusal % ("slow down", "requests", '"rate_limit_exceeded"'))
    on("#500", None, "reply 500", "send oh no")
    on("#401", None, "reply 401",
       refusal % ("who are you", "auth", '"invalid_api_key"'))
    on("#error", None, "reply 200", "header Content-Type: application/json",
       refusal % ("not today", "server", "500"))
    stream = "header Content-Type: text/event-stream"
    on("#cut", True, "reply 200", stream, "until-close", event("Half of"),
       event(" an ans"))
    on("#stall", True, "reply 200", stream, "chunked", event("Half of"),
       event(" an ans"), "hang")
    on("#empty", True, "reply 200", stream, "send data: [DONE]\\n\\n")
    whole = "header Content-Type: application/json"
    on("#cut", None, "reply 200", whole, 'send {"choices":[{"message":{"con',
       "close", 'send tent":"x"}}]}')
    on("#stall", None, "reply 200", whole, 'send {"choices":[', "hang",
       "send ]}")
    on("#empty", None, "reply 200", whole,
       'send {"choices":[{"message":{"content":""},"finish_reason":"stop"}]}')
    on("#page", None, "reply 200", "header Content-Type: text/html",
       "send <html>not a model</html>")
    on("#silent", None, "hang")
    on("#long", None, "openai strict sk-test",
       "answer " + LONG.replace("\n", "\\n") + "{last}")
    for marker, calls in TOOLS.items():
        on(marker, None, "openai strict sk-test", *calls)
        out.append("answer You said: {last}")
    out += ["on POST /dead/*", "uses any", "reply 503", "send no"]
    out += ["on POST /v1/chat/completions", "uses any",
            "openai strict sk-test", "answer You said: {last}"]
    return "\n".join(out) + "\n"


def hooks():
    """The webhooks that lb-push asks and tells."""
    asked = "on POST /asked"
    return "\n".join([
        asked, "if-body #skip", "uses any", "reply 200",
        'send {"skip_pipeline":true}',
        asked, "if-body #429", "uses any", "reply 500", "send not now",
        asked, "uses any", "reply 200", "send {}",
        "on POST /told", "if-body #500", "uses any", "reply 410",
        "on POST /told", "uses any", "reply 204"]) + "\n"


def hidden(flow, text):
    """What lb-wrap leaves of a text."""
    for word in flow["words"] if flow and text else []:
        text = re.sub(re.escape(word), "*" * len(word), text, flags=re.I)
    return text


class Want:
    """What must come of one line."""

    def __init__(self, sort, session=None, **more):
        self.sort = sort        # foreign, bad, message
        self.session = session  # the key of order; None for a line without
        self.boxed = False      # with files
        self.near = False       # close to the line limit: may be an error
        self.stage = "prepare"  # of a drop
        self.__dict__.update(more)
        # What was seen of it so far.
        self.chunks, self.replies, self.receipts = [], [], []
        self.joined = []  # what lb-aggregate made a part of it

    def whole(self):
        """What must come of it together with what it became one with."""
        if not self.joined:
            return self
        all_ = [self] + self.joined
        w = copy.copy(self)
        if all(m.fate in ("answer", "failed") for m in all_):
            w.marker = all_[-1].marker
            Stream.answer(w, "\n".join(m.text for m in all_))
        else:
            w.fate = "any"
        return w

    def __repr__(self):
        keys = ("sort", "id", "session", "fate", "code", "raw")
        return " ".join("%s=%.200r" % (k, self.__dict__[k]) for k in keys
                        if k in self.__dict__)


class Stream:
    """One seed: a configuration, lines, and a Want for each."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        self.seed = seed
        # Errors keep 64 KiB of a record, so a limit is not below 200 kB here.
        self.limit = r.choice([200000, 256 << 10]) if seed % 10 == 3 else LIMIT
        self.huge = seed % 125 == 77
        self.jobs = r.choice([1, 2, 5, 20, 64])
        self.sink = r.choice(["jsonl", "jsonl", "null"])
        self.fail = r.choice([None, "permanent:2", "permanent", "transient",
                              "transient:2"]) if self.sink == "null" else None
        # A stage of somebody's own, and between which two.
        self.tee = r.choice([None, None, "pipeline", "agent", "wrap"])
        # Programs before lb-pipeline; drawn apart from all else.
        self.own = random.Random("front %d" % seed)
        self.front = [p for p, every in (("lb-push", 6), ("lb-aggregate", 5))
                      if self.own.random() * every < 1]
        self.merges = "lb-aggregate" in self.front
        if self.front and self.tee is None:
            self.tee = self.front[-1][3:]
        self.boxed = BOX and seed % 8 == 5 and self.limit == LIMIT and \
            not self.merges
        self.flows = self.make_flows()
        self.lines, self.wants = [], []
        self.number = 0
        self.answered = {}  # (session, id): the Want that was answered first
        self.ids = []
        self.first = (self.front + ["lb-pipeline"])[0]
        self.bad = collections.Counter()
        # lb-test-server waits 0.15 s for each of these.
        self.slow_left = 1 if r.random() < 0.15 else 0
        # A provider that died starts again after a second.
        self.deaths_left = 1 if seed % 20 == 7 else 0
        self.chats = self.make_chats()
        for _ in range(r.randint(15, 40)):
            r.choice([self.message] * 12 + [self.foreign] * 5 +
                     [self.malformed, self.blank, self.again])()
        if self.huge:
            self.huge_lines()
        self.last_newline = r.random() < 0.8

    def make_flows(self):
        r, flows = self.r, {}
        for name in ("default", "slow", "one", "two"):
            flows[name] = {
                "handling": r.choice(["show-hint", "show-error", "hide"]),
                "threshold": r.choice([None, None, 20, 60, 300]),
                "rounds": r.choice([0, 1, 10]),
                "words": r.choice([[], [], WORDS]),
            }
        if self.boxed:
            flows["boxed"] = {"handling": "show-hint", "threshold": None,
                              "rounds": 0, "words": []}
        return flows

    def make_chats(self):
        r = self.r
        bots = [("alpha", "default", False), ("beta", "one", True),
                ("gamma", "two", True), ("-", "default", False)]
        return [(r.choice(bots), r.choice(["person", "group"]),
                 str(r.randint(1, 4)) + r.choice(["", "#7", " \u00e4"]))
                for _ in range(r.randint(1, 8))]

    def config(self, url, provider_of_tools):
        provider = {"protocol": "openai-chat", "base-url": url + "/v1",
                    "api-keys": ["sk-test"]}
        slow = dict(provider, **{"first-byte-timeout": "150ms",
                                 "idle-timeout": "150ms"})
        # no cool-down: who is always dead is always asked, and never last
        dead = dict(provider, **{"base-url": url + "/dead"})
        pipelines = {}
        for name, f in self.flows.items():
            model = ("slow" if name == "slow" else "test") + "/m"
            if self.own.random() < 0.4:
                model = {"primary": "dead/m", "fallbacks": [model]}
            long_text = {"strategy": "split", "threshold": f["threshold"]} \
                if f["threshold"] else {"strategy": "none"}
            pipelines[name] = {
                "safety": {"content-filter": {
                    "scope": "output-msg", "words": f["words"]}},
                "ai": {"local-agent": {
                    "model": model,
                    "max-round": f["rounds"],
                    "enable-all-tools": True,
                    "speakers": False}},
                "output": {"long-text-processing": long_text,
                           "misc": {"exception-handling": f["handling"],
                                    "failure-hint": HINT}}}
            if name == "boxed":
                pipelines[name]["sandbox"] = {"open-to": "everyone"}
            pipelines[name]["trigger"] = {
                "message-aggregation": {
                    "enabled": self.merges and name != "two", "delay": 10},
                "ignore-rules": {"prefix": ["#ignore"]},
                "access-control": {"blacklist": ["*_banned"]}}
        # nobody may ask it anything, and each chat is told so once
        pipelines["closed"] = {"safety": {"rate-limit": {
            "limitation": 0, "window-length": 31536000}}}
        bots = {"alpha": {"pipeline": "default"},
                "beta": {"pipeline": "one", "stream": True},
                "gamma": {"pipeline": "two", "stream": True},
                "-": {"stream": False}}
        told = {"url": url + "/told", "tries": 1, "enabled": True}
        asked = dict(told, url=url + "/asked", wait=True, timeout="20s")
        return json.dumps({"bots": bots, "pipelines": pipelines,
                           "tools": {"providers": {"e": {"command": [
                               provider_of_tools]}}},
                           "command": {"hooks": HOOKS},
                           "llm": {"retry": {"tries": self.own.choice([1, 2]),
                                             "backoff": "1ms",
                                             "cool-down": "none"}},
                           "webhooks": {"told": told, "asked": asked}
                           if "lb-push" in self.front else {},
                           "providers": {"test": provider, "slow": slow,
                                         "dead": dead}})

    # ---- lines ---------------------------------------------------------

    def put(self, raw, want):
        self.number += 1
        self.lines.append(raw)
        if want is None:
            return
        want.number, want.line = self.number, raw
        if len(raw) > self.limit:
            want = Want("bad", stage=self.first, line=raw,
                        number=self.number)
        if want.sort == "bad":
            self.bad[want.stage] += 1
        self.wants.append(want)

    def blank(self):
        self.put(self.r.choice([b"", b"  ", b"\t\r"]), None)

    def some_text(self):
        r = self.r
        words = ["hello", "\u4f60\u597d", "\U0001f680 up", "a\"b\\c", "tab\there",
                 "two\nlines", "\u00e9t\u00e9", "<b>", "{last}", "%s", "NUL"]
        text = " ".join(r.choice(words) for _ in range(r.randint(1, 8)))
        if r.random() < 0.06:
            text += " " + "long text. " * r.randint(20, 200)
        return text

    def new_id(self):
        r = self.r
        head = "%08x-%04x-7%03x-8%03x-" % (r.getrandbits(32), r.getrandbits(16),
                                           r.getrandbits(12), r.getrandbits(12))
        return head + "%012x" % r.getrandbits(48)

    def message(self, chat=None, id_=None):
        r = self.r
        (bot, flow, stream), kind, launcher = chat or r.choice(self.chats)
        session = "%s/%s_%s" % (bot, kind, launcher)
        marker = r.choice(["", "", "", "", "#long"] +
                          [m for m in FAILURES if m not in SLOW])
        named = None
        if r.random() < 0.15:
            marker = r.choice(["#tool", "#tool", "#none"])
        elif self.deaths_left:
            self.deaths_left, marker = 0, "#die"
        if self.slow_left and r.random() < 0.3:
            self.slow_left -= 1
            marker, named = r.choice(sorted(SLOW)), "slow"
        boxed = self.boxed and not id_ and self.own.random() < 0.3
        if boxed:
            marker, named = self.own.choice(["", "#box"]), "boxed"
        m = {"kind": "message", "id": id_ or self.new_id(),
             "time": 1700000000000 + self.number, "bot": bot,
             "platform": "test", "launcher_type": kind,
             "mentioned_me": True,
             "launcher_id": launcher, "sender_id": "7", "session": session}
        self.ids.append((m["id"], ((bot, flow, stream), kind, launcher)))
        want = Want("message", session, id=m["id"], fate="answer",
                    code=None, said="", stream=stream, marker=marker)
        text = self.some_text() + marker
        if self.merges:
            m["sender_id"] = self.own.choice("778")
        m["chain"] = self.chain_of(text)
        if self.limit < LIMIT and r.random() < 0.3:
            m["pad"] = "z" * (self.limit - r.randint(200, 3000) -
                              r.choice([0, 0, len(LONG) * 3]))
        elif r.random() < 0.3:
            m["extra"] = r.choice([0.1, 1e2, [1, {"b": None}], "x", {}])
        odd = r.random()
        if odd < 0.04:
            m["chain"] = r.choice([[], [{"type": "Plain", "text": ""}],
                                   [{"type": "Source", "id": 3}]])
            want.fate = "drop"
        elif odd < 0.07:
            named = "nowhere"
            want.fate, want.code = "error", "config"
        elif odd < 0.10:
            del m[r.choice(["bot", "launcher_type", "launcher_id", "chain"])]
            want.fate, want.code = "error", "data"
        elif odd < 0.14 and not named:
            named = r.choice(["one", "two"])
        elif odd < 0.18 and not id_:
            m["chain"] = self.chain_of(r.choice(COMMANDS))
            want.fate = "command"
            self.forget(want)  # nobody asks it again
        elif odd < 0.24 and not id_:
            self.refuse(m, want)
            named = m.pop("pipeline", None)
            self.forget(want)
        if named:
            m["pipeline"] = named
        want.flow = self.flows.get(named or flow)
        want.text = text
        want.sender = m["sender_id"] if kind == "group" else ""
        if self.merges and id_:
            want.fate = "any"  # whether it is the first is not known here
        if "lb-push" in self.front and self.own.random() < 0.1:
            self.skip(m, want)
        want.boxed = boxed and want.fate == "answer"
        if want.boxed:
            m["chain"] = m["chain"] + FILES
        self.decide(want, text)
        self.put(self.spell(m, want), want)

    def refuse(self, m, want):
        """A rule of the pipeline ends it: in silence, or with a notice."""
        want.stage = self.r.choice(["filter", "access", "limit"])
        want.fate = "refused" if want.stage == "limit" else "drop"
        if want.stage == "filter":
            m["chain"] = self.chain_of("#ignore this")
        elif want.stage == "access":
            m["sender_id"] = "banned"
        else:
            m["pipeline"] = "closed"

    def skip(self, m, want):
        """A webhook that is asked before says no, if it is asked."""
        if want.fate == "error" and want.code == "data":
            return
        m["chain"] = [{"type": "Plain", "text": "please #skip me"}]
        m.pop("pad", None)
        want.fate, want.stage = "drop", "lb-push"
        self.forget(want)

    def chain_of(self, text):
        r = self.r
        chain = [{"type": "Plain", "text": text}]
        if r.random() < 0.2:
            at = r.randint(0, len(text) - 5) if len(text) > 5 else 0
            chain = [{"type": "Plain", "text": text[:at]},
                     {"type": "Plain", "text": text[at:]}]
        if r.random() < 0.1:
            chain.insert(0, {"type": "Source", "id": "5"})
        return chain

    def decide(self, want, text):
        """What the model and the store make of it."""
        want.replayed = False
        if want.fate != "answer":
            return
        key = (want.session, want.id)
        if key in self.answered:
            want.replayed = True
            want.first = self.answered[key]
            return
        self.answer(want, text)
        if want.fate == "answer":
            self.answered[key] = want

    @staticmethod
    def answer(want, text):
        """What the model says."""
        want.fate = "failed" if want.marker in FAILURES else "answer"
        if want.fate == "failed":
            want.code, said = FAILURES[want.marker]
            want.said = said if want.stream else ""
            return
        want.said = (LONG if want.marker == "#long" else "You said: ") + text
        if want.boxed:
            want.said += (
                "[big]\n[Files of this message:\n/workspace/inbox/%s/x (file, 3 "
                "bytes)\nbig: not in the sandbox, it has more than 10 MiB]"
                "\n[Files for the user go into /workspace/outbox/%s]%s" %
                (want.id, want.id, LEFT if want.marker == "#box" else ""))

    def spell(self, m, want):
        """The object as bytes, in one of the ways that people write JSON."""
        r = self.r
        if r.random() < 0.1:  # kind somewhere else
            m = dict(list(m.items())[1:] + [("kind", "message")])
        spaced = r.random() < 0.1
        raw = json.dumps(m, ensure_ascii=r.random() < 0.5,
                         separators=(", ", " : ") if spaced else (",", ":"))
        raw = raw.encode()
        dirt = r.random()
        if dirt < 0.06 and want.fate == "answer" and not want.replayed and \
                b"NUL" in raw and \
                raw.count(b"NUL") == want.text.count("NUL"):  # none is cut
            bad = r.choice([b"\\u0000", b"\\ud83d", b"\\udc00", b"\xff"])
            raw = raw.replace(b"NUL", bad)
            want.said = want.said.replace("NUL", "\ufffd")
            want.text = want.text.replace("NUL", "\ufffd")
        # A query holds the text three times, and the prompt.
        want.near = 4 * len(raw) + 3000 > self.limit
        if want.near:
            self.forget(want)
        return raw

    def forget(self, want):
        """It is not asked again, if it could have been."""
        if self.ids and self.ids[-1][0] == want.id:
            self.ids.pop()

    def again(self):
        """An id that was there already: same session, or another."""
        if not self.ids:
            return
        id_, chat = self.r.choice(self.ids)
        if self.r.random() < 0.3:
            chat = self.r.choice(self.chats)
        self.message(chat, id_)

    def foreign(self):
        r = self.r
        kind = r.choice(["edit", "delete", "callback", "feedback", "status",
                         "queued", "exec", "result", "request", "x-own_9"])
        session = None
        o = {"mark": self.number, "n": r.choice([1, 0.1, "\u00fc"])}
        if r.random() < 0.6:
            (bot, _, _), sort, launcher = r.choice(self.chats)
            session = o["session"] = "%s/%s_%s" % (bot, sort, launcher)
        body = json.dumps(o, ensure_ascii=r.random() < 0.5)[1:].encode()
        raw = b'{"kind":"%s",' % kind.encode() + body
        how = r.random()
        if how < 0.1:
            raw = b'{ "kind" :\t"%s" , ' % kind.encode() + body + b" \r"
        elif how < 0.2:  # nobody parses it
            raw = b'{"kind":"%s","mark":%d,,\xff nonsense' % (
                kind.encode(), self.number)
            session = None
        elif how < 0.3:
            raw = b'{"a":1.50,"kind":"%s",' % kind.encode() + body
        elif how < 0.35:
            raw = b'{"no_kind":1e2,' + body
        out = raw
        if how >= 0.2 and how < 0.35 and r.random() < 0.3:
            raw = raw[:-1] + b',"s":"<\\ud800>"}'
            out = raw.replace(b"\\ud800", b"\\ufffd")  # mended when parsed
        self.put(raw, Want("foreign", session, raw=out))

    def malformed(self):
        r = self.r
        number = self.number + 1
        first = [b"not json", b'{"kind":"message","id":', b"[1,2]", b'"text"',
                 b'{"a":1,"a":2}', b'{"kin\\u0064":"message"}', b"{}x",
                 b'{"kind":"message","a":1e400}', b"\xff\xfe", b"null",
                 b'{"kind":"message","x":"' + b"y" * 5000]
        later = [("lb-agent", b'{"kind":"query","id":"x"'),
                 ("lb-wrap", b'{"kind":"reply","id":"x"]'),
                 ("lb-wrap", b'{"kind":"chunk",}')]
        stage, raw = self.first, r.choice(first)
        if r.random() < 0.3:
            stage, raw = r.choice(later)
            raw = raw.replace(b"x", b"x%d" % r.getrandbits(30))
        elif r.random() < 0.6:  # the beginning of a good one
            raw = json.dumps({"kind": "message", "id": self.new_id(),
                              "session": "alpha/person_1", "chain": [],
                              "time": number}).encode()
            raw = raw[:r.randint(1, len(raw) - 1)]
        self.put(raw, Want("bad", stage=stage, line=raw,
                           number=number if stage == self.first else None))

    def huge_lines(self):
        """Lines of 16 MiB: as long as may be, and a byte longer."""
        def fill(head, tail, size):
            return head + b"z" * (size - len(head) - len(tail)) + tail

        raw = fill(b'{"kind":"edit","s":"', b'"}', LIMIT)
        self.put(raw, Want("foreign", raw=raw))
        raw = fill(b'{"kind":"edit","s":"', b'"}', LIMIT + 1)
        self.put(raw, Want("bad"))
        for size, text, unknown in ((LIMIT, b"", True), (LIMIT, b"hi", True),
                                    (LIMIT, b"", False),
                                    (LIMIT - 8000, b"hi", True),
                                    (LIMIT - 8000, b"#429", True),
                                    (5 << 20, b"#429", False),
                                    (5 << 20, b"", False),
                                    (LIMIT + 1, b"", False)):
            id_ = self.new_id()
            session = "beta/person_huge"
            head = json.dumps({"kind": "message", "id": id_, "time": 5,
                               "bot": "beta", "platform": "test",
                               "launcher_type": "person",
                               "launcher_id": "huge", "session": session,
                               })[:-1].encode()
            chain = b',"chain":[{"type":"Plain","text":"%s%s"}]'
            if unknown:
                raw = fill(head + chain % (b"", text) + b',"u":"', b'"}', size)
            else:
                part = (chain % (b"|", text)).split(b"|")
                raw = fill(head + part[0], part[1] + b"}", size)
            want = Want("message", session, id=id_, said=None, stream=True,
                        flow=self.flows["one"], code=None, marker="",
                        fate="any", replayed=False, sender=None)
            want.near = True
            self.put(raw, want)
