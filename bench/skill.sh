#!/bin/sh
# skill.sh - skills against the tools that people have for the same files, each
# the best of ten runs. Prints a JSON line a bound and ends 1 when one is missed.
#
#   install  a zip of 200 files: at most 2 times unzip and cp -r of it
#   list     500 skills: at most 3 times cat of their files
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
command -v unzip > /dev/null || {
	echo 'skill.sh: unzip is needed and not there' >&2
	exit 99
}

export LB_STATE="$work/state" LB_CONFIG="$work/config.yaml" LC_ALL=C
: > "$LB_CONFIG"
unset LB_LOG LB_LOG_FORMAT
python3 - "$build/lb-skill" "$work" <<'END'
import json, os, shutil, subprocess, sys, time, zipfile

skill, work = sys.argv[1:]
quiet = dict(stdout=subprocess.DEVNULL, check=True)
md = "---\nname: %s\ndescription: What it does, in a line that is as long as " \
    "such lines are, and when to use it.\nmetadata:\n  version: 1\n---\n\n# Use\n\n%s"
bad = False


def best(command, before=lambda: None):
    times = []
    for _ in range(10):
        before()
        begun = time.perf_counter()
        subprocess.run(command, cwd=work, **quiet)
        times.append(time.perf_counter() - begun)
    return min(times)


def bound(name, ours, theirs, most):
    global bad
    value = round(ours / theirs, 2)
    bad = bad or value > most
    print(json.dumps(dict(bench="skill", bound=name, value=value, at_most=most,
                          ours_ms=round(ours * 1000, 1),
                          theirs_ms=round(theirs * 1000, 1), ok=value <= most)))


def remove(*names):
    for n in names:
        shutil.rmtree(os.path.join(work, n), ignore_errors=True)


with zipfile.ZipFile(work + "/big.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("big/SKILL.md", md % ("big", "x\n"))
    for i in range(199):
        z.writestr("big/d%d/f%d.md" % (i % 10, i), "some text %d\n" % i * 200)
ours = best([skill, "install", "big.zip"], lambda: remove("state"))
theirs = best(["sh", "-c", "unzip -q big.zip -d u && cp -r u v"],
              lambda: remove("u", "v"))
bound("install", ours, theirs, 2)

remove("state")
for i in range(500):
    os.makedirs(work + "/src/s%03d" % i)
    with open(work + "/src/s%03d/SKILL.md" % i, "w") as f:
        f.write(md % ("s%03d" % i, "What to do.\n" * 60))
subprocess.run([skill, "install", "--all", "./src"], cwd=work, **quiet)
theirs = best(["sh", "-c", "cat state/skills/*/SKILL.md"])
bound("list", best([skill, "list"]), theirs, 3)
sys.exit(bad)
END
