#!/usr/bin/env python3
"""run.py - try to get out of the sandbox, in every way of catalogue.json.

Each test is a call of lb-exec in a session of its own; what it printed, what
the host looks like afterwards, and what the host itself did meanwhile decide.
Set-ups: `root` (started by root), `user` (by somebody without rights),
`user-cgroup` (the same, control groups delegated), each with its files below a
home of mode 0700 and nothing configured. By name alone: `podman` and `docker`
(by root, in containers of an image made from what this machine has). A failure that is not in
expected.json, or a test there that does not fail, fails the run. TAP.

    run.py [--setup NAME]... [--tests ID,ID...] [--launcher COMMAND]
           [--expected FILE] [--slower N] [-v]

--slower N: each may take N times as long, on a machine that is emulated.
"""
import argparse
import concurrent.futures
import json
import os
import platform
import random
import shlex
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import judge  # noqa: E402
import probes  # noqa: E402
import setups  # noqa: E402
from host import Host  # noqa: E402

AT_ONCE = 4
QUOTA_MB = 256


class Call:
    """One run of lb-exec."""

    def __init__(self, run, test, part, session, variables, more=None):
        text = part.get("sh", part.get("py"))
        for name, value in variables.items():
            text = text.replace("${%s}" % name, value)
        # A command that did not run has shown nothing.
        self.token = "RAN-%08x" % random.getrandbits(32)
        if "py" in part:
            argv = ["python3", "-c", "%simport os\nos.write(2, b'%s\\n')\n%s" % (
                run.prelude, self.token, text)]
        else:
            text = "echo %s >&2\n%s" % (self.token, text)
            argv = ["sh", "-c", text]
        self.records = test.get("records")
        self.limit = test.get("timeout", 10) * run.slower
        command = run.launcher + [
            "--session", session, "--timeout", str(self.limit),
            "--memory", "256M", "--pids", "64",
            "--cpus", str(test.get("cpus", 1)), "--max-out", str(1 << 20),
            "--skill", "demo=" + os.path.join(run.host.skills, "demo")]
        if test.get("quota"):
            command += ["--quota", "%dM" % QUOTA_MB]
        if "network" in test:
            command += ["--network", test["network"]]
        given = b"x" * test.get("stdin_bytes", 0)
        if self.records:
            command.append("--records")
            # A command that read its neighbour's job would lose it.
            given = b"".join(
                json.dumps({"kind": "exec", "id": i, "cmd": cmd}).encode()
                + b"\n" for i, cmd in (("1", text), ("2", "echo SECOND")))
        else:
            command += ["--json", "--"] + argv
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(run.host.environment(), **more or {}),
            pass_fds=(9,), start_new_session=True, cwd=run.host.dir)
        self.future = run.feeders.submit(self.finish, given)

    def finish(self, given):
        try:
            out, err = self.process.communicate(given, self.limit + 20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise judge.Broken("lb-exec did not end") from None
        self.wall = time.monotonic() - self.began
        lines = out.splitlines()
        if len(lines) != (2 if self.records else 1):
            raise judge.Broken("lb-exec exited %d with %d lines: %.300r" % (
                self.process.returncode, len(lines), err))
        got = [judge.read(line, self.records) for line in lines]
        if self.records and got[1]["stdout"] != b"SECOND\n":
            raise judge.Broken("the next job was lost")
        if self.token.encode() not in got[0]["stderr"]:
            raise judge.Broken("it did not run: %.300r" % got[0]["stderr"])
        return got[0]

    def ended(self):
        return self.future.done()

    def wait(self):
        return self.future.result()


class Run:
    """All tests in one set-up."""

    def __init__(self, name, options, catalogue, launcher):
        self.launcher = launcher
        self.prelude = catalogue["prelude_py"]
        self.verbose = options.verbose
        self.slower = options.slower
        self.host = Host(setups.cgroup_for(name), setups.engine_for(name))
        self.feeders = concurrent.futures.ThreadPoolExecutor(4 * AT_ONCE)

    def one(self, test):
        """What is wrong, or None."""
        try:
            return self.steps(test)
        except (judge.Broken, OSError) as e:
            return str(e)
        except Exception as e:  # pylint: disable=broad-except
            return repr(e)  # a mistake of ours must not look like success

    def steps(self, test):
        variables = self.host.variables(test["id"])
        session = "escape-" + test["id"]
        # So that the workspace is there and has a name; by what starts fastest,
        # as it is the same for all.
        Call(self, {k: test[k] for k in ("quota",) if k in test},
             {"sh": "true"}, session, variables,
             {"LB__BOX__BACKEND": "bubblewrap"}).wait()
        workspace = self.host.workspace(session)
        if workspace is None:
            return "the session has no workspace"
        variables["WS"] = workspace
        wrong = []
        call = Call(self, test, test, session, variables)
        if "other" in test:
            time.sleep(0.5)
            self.judge(wrong, test["other"]["expect"], Call(
                self, test, test["other"], session + "-other", variables))
        if "host_py" in test:
            args = [self.expand(a, variables)
                    for a in test.get("host_args", [])]
            wrong.append(probes.ALL[test["host_py"]](
                variables, args, call))
        self.judge(wrong, test["expect"], call)
        most = test.get("max_wall", 1000) * self.slower
        if call.wall > most + self.host.start:
            wrong.append("it took %.1f s" % call.wall)
        if "then" in test:
            self.judge(wrong, test["then"]["expect"], Call(
                self, test, test["then"], session, variables))
        if "host_check" in test:
            check = subprocess.run(
                ["bash", "-c", self.expand(test["host_check"], variables)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False)
            if check.returncode:
                wrong.append("the check on the host failed")
        return "; ".join(w for w in wrong if w) or None

    @staticmethod
    def expand(text, variables):
        for name, value in variables.items():
            text = text.replace("${%s}" % name, value)
        return text

    def judge(self, wrong, expect, call):
        result = call.wait()
        if result.get("isolated") is not True:
            wrong.append("it was not isolated")
        why = judge.differs(expect, result)
        wrong.append(why)
        if why and self.verbose:
            print("#   %r" % {
                k: result[k][-700:] if k in ("stdout", "stderr") else
                result[k] for k in result}, flush=True)

    def all(self, tests):
        """(test, what is wrong) as they end, those apart at the end."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            pending = {pool.submit(self.one, t): t
                       for t in tests if not t.get("alone")}
            for future in concurrent.futures.as_completed(pending):
                yield pending[future], future.result()
        for test in tests:
            if test.get("alone"):
                yield test, self.one(test)

    def close(self):
        self.feeders.shutdown()
        self.host.close()


def run_setup(name, options, catalogue, launcher, number):
    """Print a line a test; how many were wrong."""
    listed = {e["id"]: e["reason"] for e in options.listed
              if e["setup"] == name}
    bad = failures = 0
    run = Run(name, options, catalogue, launcher)
    try:
        for test, wrong in run.all(catalogue["tests"]):
            title = "%s %s: %s" % (name, test["id"], test["title"])
            title = title.replace("#", "")
            failures += wrong is not None
            right = (wrong is not None) == (test["id"] in listed)
            bad += not right
            if wrong and not right:
                print("# " + wrong.replace("\n", "\n# "))
            elif wrong:
                title += " (fails as listed: %s)" % listed[test["id"]]
            elif not right:
                title += " (listed as a failure, and it does not fail)"
            print("%sok %d - %s" % ("" if right else "not ", number, title),
                  flush=True)
            number += 1
    finally:
        run.close()
    print("# %s: %d of %d held" % (name, len(catalogue["tests"]) - failures,
                                   len(catalogue["tests"])), flush=True)
    return bad


def choose(catalogue, ids):
    """The tests wanted that mean something on this machine."""
    known = {t["id"] for t in catalogue["tests"]}
    if ids and set(ids) - known:
        sys.exit("run.py: no test '%s'" % "', '".join(set(ids) - known))
    catalogue["tests"] = [
        t for t in catalogue["tests"]
        if (not ids or t["id"] in ids)
        and t.get("arch", platform.machine()) == platform.machine()]


def launcher_of(options):
    if options.launcher:
        return shlex.split(options.launcher)
    build = os.environ.get("LB_BUILD", os.path.dirname(os.path.dirname(HERE)))
    return [os.path.join(build, "lb-exec")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--setup", action="append")
    parser.add_argument("--tests", type=lambda s: s.split(","), default=[])
    parser.add_argument("--launcher")
    parser.add_argument("--expected",
                        default=os.path.join(HERE, "expected.json"))
    parser.add_argument("--slower", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    with open(os.path.join(HERE, "catalogue.json")) as f:
        catalogue = json.load(f)
    with open(options.expected) as f:
        options.listed = json.load(f)
    choose(catalogue, options.tests)
    per = len(catalogue["tests"])
    launcher = launcher_of(options)
    wanted = options.setup or setups.possible()
    print("1..%d" % (per * len(wanted)), flush=True)
    bad = 0
    for n, name in enumerate(wanted):
        first = n * per + 1
        bad += setups.enter(
            name, launcher, lambda real, command, first=first: run_setup(
                real, options, catalogue, command, first),
            lambda why, name=name, first=first: setups.skip_all(
                name, catalogue["tests"], first, why))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
