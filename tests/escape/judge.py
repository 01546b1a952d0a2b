"""Is the result of a call what its test expects?"""
import base64
import json
import re


class Broken(Exception):
    """No result at all: the test proves nothing."""


def read(line, records):
    """One line of lb-exec, with its streams as bytes."""
    try:
        r = json.loads(line.decode("utf-8", errors="strict"))
        if records and r["kind"] != "result":
            raise Broken("not a result: %.200r" % line)
        for name in ("stdout", "stderr"):
            text = r[name]
            r[name] = base64.b64decode(text) \
                if r.get(name + "_encoding") == "base64" else text.encode()
        r["status"], r["exit_code"], r["limits_backend"], r["quota"]
    except (ValueError, KeyError, TypeError) as e:
        raise Broken("no result (%s): %.300r" % (e, line)) from e
    return r


def differs(expect, r):
    """What is not as expected; None."""
    text = (r["stdout"] + r["stderr"]).decode(errors="replace")
    timed_out = r["status"] == "timed_out"
    if timed_out != bool(expect.get("timed_out")):
        return "it did%s time out" % ("" if timed_out else " not")
    if "out" in expect and not re.search(expect["out"], text):
        return "no /%s/" % expect["out"]
    if "not_out" in expect and re.search(expect["not_out"], text):
        return "there is %r" % re.search(expect["not_out"], text).group()
    if "exit" in expect and r["exit_code"] != expect["exit"]:
        return "exit status %s" % r["exit_code"]
    if "exit_in" in expect and r["exit_code"] not in expect["exit_in"]:
        return "exit status %s" % r["exit_code"]
    if "capped" in expect and r.get("killed_by") != "output":
        return "it was not ended for its output"
    if "killed_or" in expect and r.get("killed_by") != "quota" and \
            not re.search(expect["killed_or"], text):
        return "neither killed nor /%s/" % expect["killed_or"]
    if "bytes" in expect and \
            not r["stdout"].startswith(bytes.fromhex(expect["bytes"])):
        return "other bytes: %r" % r["stdout"][:32]
    if "limits" in expect and r["limits_backend"] != expect["limits"]:
        return "not enforced, limits_backend is %s" % r["limits_backend"]
    if "quota" in expect and r["quota"] not in ("hard", "soft"):
        return "quota is %s" % r["quota"]
    return None
