#!/bin/sh
# mcp.sh - lb-mcp against what a server takes by itself. Prints a JSON line a
# bound and ends 1 when one is missed.
#
#   known    `lb-mcp tools` to its end, where the server's era is known, against
#            the bare server's start and answer (baseline-mcp.c): at most 1.1 times
#   answers  the same at first contact, of a server that answers the probe
#   ends     the same, of one that ends at the probe: at most 2.2 times
#   silent   the same, of one that says nothing to it, without the 2 s for which
#            it is waited for: at most 2.2 times
#   cpu_ms   our own time in `known`: at most 30 ms
#   calls    10,000 over one connection: at least 2,500 a second, and no growth
#
# Both sides take turns, and medians are compared. The server of `known` and
# `answers` is that of npm (server-everything) where tests/peers.bats installed
# it; the others are a small one in Python that takes 0.3 s to start.
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export LB_STATE="$work/state" LB_CONFIG="$work/config.yaml" LC_ALL=C
unset LB_LOG LB_LOG_FORMAT
make -s -C "$build" bench/baseline-mcp || exit 99
cat > "$work/small.py" <<'END'
import sys, time
probed = sys.argv[1]
time.sleep(float(sys.argv[2]))
for line in sys.stdin.buffer:
    at = line.find(b'"id":')
    if at < 0:
        continue
    n = line[at + 5:line.index(b",", at)]
    if b'"server/discover"' in line and probed != "answers":
        if probed == "ends":
            break
        for _ in sys.stdin.buffer:
            pass
        break
    if b'"tools/call"' in line:
        r = b'"result":{"content":[{"type":"text","text":"x"}]}'
    elif b'"initialize"' in line:
        r = b'"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}'
    elif b'"tools/list"' in line:
        r = b'"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}'
    else:
        r = b'"error":{"code":-32601,"message":"no"}'
    sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":' + n + b"," + r + b"}\n")
    sys.stdout.buffer.flush()
END
cat > "$LB_CONFIG" <<END
mcp: {servers: {s: {command: python3, args: ["$work/small.py", answers, "0"], host: true}}}
END
python3 - "$build" "$work" <<'END'
import json, os, shutil, statistics, subprocess, sys, time

build, work = sys.argv[1:]
mcp = build + "/lb-mcp"
peers = build + "/tests/peers/node_modules/"
real = peers + "@modelcontextprotocol/server-everything/dist/index.js"
null = subprocess.DEVNULL
bad = False


def small(probed):
    return ["python3", work + "/small.py", probed, "0.3"]


def bound(name, value, ok, **more):
    global bad
    bad = bad or not ok
    print(json.dumps(dict(bench="mcp", bound=name, value=round(value, 2), ok=ok,
                          **more)), flush=True)


def bare(server):
    p = subprocess.run([build + "/bench/baseline-mcp"] + server, check=True,
                       stdout=subprocess.PIPE)
    return float(p.stdout)


def worked_ms(pid):
    """Without its children; in nanoseconds, where the kernel counts those."""
    try:
        return int(open("/proc/%d/schedstat" % pid).read().split()[0]) / 1e6
    except OSError:
        stat = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
        return (int(stat[11]) + int(stat[12])) * 1e3 / os.sysconf("SC_CLK_TCK")


def ours(server):
    """Milliseconds until it is gone, and how many of them it worked."""
    begun = time.perf_counter()
    p = subprocess.Popen([mcp, "tools", "--host", "--stdio",
                          "exec " + " ".join(server)],
                         stdout=subprocess.PIPE, stderr=null)
    said = p.stdout.read()
    os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
    took = time.perf_counter() - begun
    worked = worked_ms(p.pid)
    p.wait()
    if b'"inputSchema"' not in said:
        sys.exit("mcp.sh: lb-mcp lists no tool")
    return took * 1e3, worked


def forget():
    shutil.rmtree(os.environ["LB_STATE"], ignore_errors=True)


def against(name, server, runs, most, known=False, waits=0):
    theirs, mine, worked = [], [], []
    if known:
        ours(server)
    for _ in range(runs):
        if not known:
            forget()
        theirs.append(bare(server))
        took, cpu = ours(server)
        mine.append(took - waits)
        worked.append(cpu)
    theirs, mine = statistics.median(theirs), statistics.median(mine)
    bound(name, mine / theirs, mine / theirs <= most, at_most=most,
          ms=round(mine, 1), bare_ms=round(theirs, 1))
    return statistics.median(worked)


server = [peers + ".bin/node", real] if os.path.exists(real) \
    else small("answers")
cpu = against("known", server, 25, 1.1, known=True)
bound("cpu_ms", cpu, cpu <= 30, at_most=30)
against("answers", server, 25, 1.1)
against("ends", small("ends"), 5, 2.2)
against("silent", small("silent"), 3, 2.2, waits=2000)

p = subprocess.Popen([mcp, "provide"], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, stderr=null)


def send(**request):
    p.stdin.write(json.dumps(request).encode() + b"\n")
    p.stdin.flush()


def memory():
    return int([l for l in open("/proc/%d/status" % p.pid)
                if l.startswith("VmRSS")][0].split()[1])


send(op="hello", version=1)
send(op="list", id="l", context={})
while b'"id":"l"' not in p.stdout.readline():
    pass
kib = 0
begun = time.perf_counter()
for i in range(10000):
    send(op="call", id=str(i), name="s__t", arguments={}, context={})
    if b'"ok":true' not in p.stdout.readline():
        sys.exit("mcp.sh: a call failed")
    if i == 1000:
        kib = memory()
rate = 10000 / (time.perf_counter() - begun)
grown = memory() - kib
p.stdin.close()
p.wait()
bound("calls_per_s", rate, rate >= 2500, at_least=2500)
bound("calls_growth_kib", grown, grown <= 512, at_most=512)
sys.exit(bad)
END
