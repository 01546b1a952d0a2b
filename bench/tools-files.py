# Called by tools-files.sh: makes the tree, takes the times.
import json
import os
import random
import statistics
import subprocess
import sys
import resource

tool, tree = sys.argv[1:]
FILES, RUNS = 5000, 15


def make():
    draw = random.Random(1)
    words = ("int return static const char struct if else for while size_t "
             "buffer length error value name path node list next prev open "
             "close read write parse handle context config message").split()
    for i in range(FILES):
        folder = f"{tree}/d{i % 50}/e{i % 7}"
        os.makedirs(folder, exist_ok=True)
        lines = []
        for _ in range(draw.randrange(100, 300)):
            lines.append("\t" * draw.randrange(3) + " ".join(
                draw.choice(words) for _ in range(draw.randrange(2, 12))) + ";")
        if i % 100 == 0:
            lines.insert(len(lines) // 2, f"\tneedle_{i}(ABCDE{i:04});")
        ext = ("c", "h", "py", "md")[i % 4]
        with open(f"{folder}/file{i}.{ext}", "w") as f:
            f.write("\n".join(lines) + "\n")


# Processor time of a command and of what it starts, ms, and what it printed.
def took(argv):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(argv, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime -
            before.ru_stime) * 1000, out


# In turns, so that what else runs here hits both.
def compare(name, arguments, rg):
    ours, theirs = [], []
    call = [tool, "call", "-w", tree, name.split("_")[0], json.dumps(arguments)]
    for _ in range(RUNS):
        a, out = took(call)
        b, lines = took(rg)
        ours.append(a)
        theirs.append(b)
    result = json.loads(out)
    same = result["total"] == len(lines.splitlines())
    a, b = statistics.median(ours), statistics.median(theirs)
    good = same and a <= 2 * b
    print(json.dumps({"bench": "tools-files", "bound": name,
                      "value": round(a / b, 2), "at_most": 2, "ok": good,
                      "ms": round(a, 1), "rg_ms": round(b, 1),
                      "total": result["total"]}), flush=True)
    return good


def grep(name, pattern):
    return compare("grep_" + name, {"pattern": pattern},
                   ["rg", "-n", "--no-config", pattern, tree])


make()
good = [
    grep("literal", "needle_"),
    grep("regex", r"needle_\d+\("),
    grep("class", r"[A-Z]{5}\d{4}\)"),
    grep("nocase", r"(?i)NEEDLE_\d"),
    compare("glob", {"pattern": "**/*.py"},
            ["rg", "--files", "--no-config", "-g", "**/*.py", tree]),
]
sys.exit(0 if all(good) else 1)
