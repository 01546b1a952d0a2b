#!/bin/sh
# mcp.sh - lb-mcp against what a server takes by itself. Prints a JSON line a
# bound and ends 1 when one is missed.
#
#   tools   a list, against the bare server's start and answer, when its era is
#           known: at most 1.1 times
#   cpu     ours in that: at most 30 ms
#   calls   10,000 over one connection: at least 2,500 a second, and no growth
#
# The server is that of npm (server-everything) where tests/peers has it, else a
# small one in Python.
build=${LB_BUILD:-$(cd "$(dirname "$0")/.." && pwd)}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
export LB_STATE="$work/state" LB_CONFIG="$work/config.yaml" LC_ALL=C
unset LB_LOG LB_LOG_FORMAT
cat > "$work/small.py" <<'END'
import sys
for line in sys.stdin.buffer:
    at = line.find(b'"id":')
    if at < 0:
        continue
    n = line[at + 5:line.index(b",", at)]
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
mcp: {servers: {s: {command: python3, args: ["$work/small.py"], host: true}}}
END
python3 - "$build" "$work" <<'END'
import json, os, resource, subprocess, sys, time

build, work = sys.argv[1:]
mcp = build + "/lb-mcp"
peers = build + "/tests/peers/node_modules/"
real = peers + "@modelcontextprotocol/server-everything/dist/index.js"
server = [peers + ".bin/node", real] if os.path.exists(real) \
    else ["python3", work + "/small.py"]
null = subprocess.DEVNULL
bad = False


def bound(name, value, ok, **more):
    global bad
    bad = bad or not ok
    print(json.dumps(dict(bench="mcp", bound=name, value=round(value, 2), ok=ok,
                          **more)))


def bare():
    begun = time.perf_counter()
    p = subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=null)

    def ask(i, method, **params):
        p.stdin.write(json.dumps(dict({"jsonrpc": "2.0", "method": method,
                                       "params": params},
                                      **({"id": i} if i else {}))).encode() + b"\n")
        p.stdin.flush()
        while i and json.loads(p.stdout.readline()).get("id") != i:
            pass
    ask(1, "initialize", protocolVersion="2025-06-18", capabilities={},
        clientInfo={"name": "b", "version": "1"})
    ask(None, "notifications/initialized")
    ask(2, "tools/list")
    took = time.perf_counter() - begun
    p.kill()
    p.wait()
    return took


def ours(command):
    begun = time.perf_counter()
    p = subprocess.Popen([mcp, "tools", "--host", "--stdio", command],
                         stdout=subprocess.PIPE, stderr=null)
    first = p.stdout.readline()
    took = time.perf_counter() - begun
    if b'"inputSchema"' not in first:
        sys.exit("mcp.sh: lb-mcp lists no tool")
    p.stdout.read()
    p.wait()
    return took


line = " ".join(server)
ours(line)
theirs, known = min(bare() for _ in range(5)), min(ours(line) for _ in range(5))
bound("tools", known / theirs, known / theirs <= 1.1, at_most=1.1)

# Our own time, in system calls and out of them: the server is not our child's.
p = subprocess.Popen([mcp, "tools", "--host", "--stdio", line],
                     stdout=subprocess.PIPE, stderr=null)
p.stdout.readline()
stat = open("/proc/%d/stat" % p.pid).read().rsplit(")", 1)[1].split()
ms = (int(stat[11]) + int(stat[12])) * 1000 / os.sysconf("SC_CLK_TCK")
p.stdout.read()
p.wait()
bound("cpu_ms", ms, ms <= 30, at_most=30)

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
    p.stdout.readline()
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
