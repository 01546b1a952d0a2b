#!/usr/bin/env python3
"""naive.py - a launcher as one would write it in an hour: bubblewrap with its
arguments on the command line, our environment and descriptors, no limits, no
filter. It takes the options of lb-exec that run.py uses, so that can-fail.sh
can prove that run.py sees what is wrong with it. It serves no other end."""
import argparse
import base64
import json
import os
import subprocess
import sys
import time

parser = argparse.ArgumentParser()
for option in ("--session", "--memory", "--pids", "--cpus", "--max-out",
               "--skill", "--quota"):
    parser.add_argument(option, default="")
parser.add_argument("--network", default="off")
parser.add_argument("--timeout", type=float, default=30)
parser.add_argument("--json", action="store_true")
parser.add_argument("--records", action="store_true")
parser.add_argument("command", nargs=argparse.REMAINDER)
options = parser.parse_args()

workspace = os.path.join(os.environ["HOME"], ".local/state/lb/box/workspaces",
                         options.session or "none")
os.makedirs(workspace, exist_ok=True)
os.chmod(workspace, 0o700)
BWRAP = """bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-uts
 --uid 1000 --gid 1000 --hostname sandbox --die-with-parent --new-session
 --cap-drop ALL --ro-bind /usr /usr --symlink usr/bin /bin
 --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64
 --proc /proc --dev /dev --tmpfs /tmp --dir /run --clearenv
 --setenv PATH /usr/bin:/bin --chdir /workspace""".split()
BWRAP += ["--bind", workspace, "/workspace"]
if options.network == "off":
    BWRAP.append("--unshare-net")
if options.skill:
    name, _, path = options.skill.partition("=")
    BWRAP += ["--ro-bind", path, "/workspace/.skills/" + name]


def run(command, given):
    began = time.monotonic()
    result = {"status": "completed", "exit_code": None}
    with subprocess.Popen(BWRAP + command, stdin=given, close_fds=False,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        try:
            streams = p.communicate(timeout=options.timeout)
            result["exit_code"] = p.returncode
        except subprocess.TimeoutExpired:
            p.kill()
            streams = p.communicate()
            result["status"] = "timed_out"
    for name, data in zip(("stdout", "stderr"), streams):
        result[name] = base64.b64encode(data).decode()
        result[name + "_encoding"] = "base64"
    result.update(kind="result", backend="naive", isolated=True, quota="none",
                  limits_backend="none",
                  duration_ms=int((time.monotonic() - began) * 1000))
    print(json.dumps(result, separators=(",", ":")), flush=True)


if options.records:
    for line in sys.stdin:
        run(["sh", "-c", json.loads(line)["cmd"]], subprocess.DEVNULL)
else:
    run(options.command[1:], sys.stdin)
