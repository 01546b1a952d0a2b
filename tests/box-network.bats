#!/usr/bin/env bats

# The network of a sandbox: what is reached through the proxy, and what never
# is. Names are those of a hosts file of the test's own (nss_wrapper). Run as
# root and as anybody else: both have to hold.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	pids=()
	NAMES=
}

teardown() {
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2> /dev/null || true
	[ -z "$NAMES" ] || rm -f "$NAMES"
}

# hosts LINE... - the names there are. Who looks them up may be another user, to
# whom our folder is closed.
hosts() {
	need nss-wrapper
	NAMES=$(mktemp /tmp/lb-hosts.XXXXXX)
	printf '%s\n' "$@" > "$NAMES"
	chmod 644 "$NAMES"
	local preload=libnss_wrapper.so
	if ldd "$(command -v lb-exec)" | grep -q libasan; then
		preload="$(${CC:-gcc} -print-file-name=libasan.so) $preload"
	fi
	NAMED=(env LD_PRELOAD="$preload" NSS_WRAPPER_HOSTS="$NAMES"
		ASAN_OPTIONS=detect_leaks=0)
}

# web [OPTION...] [FOLDER] - a host; its port is $PORT, its log $LOG.
web() {
	need python3
	[ -p port ] || mkfifo port
	LOG=$BATS_TEST_TMPDIR/log.${#pids[@]}
	: > "$LOG"
	python3 "$BATS_TEST_DIRNAME/doubles/web.py" --log "$LOG" "$@" > port 3>&- &
	pids+=($!)
	read -r -t 30 PORT < port
}

# private ADDRESS... - what may be reached although it is not public.
private() {
	printf 'box: {network: {allow_private: ["%s"]}}\n' \
		"$(printf '%s' "$*" | sed 's/ /", "/g')" > "$LB_CONFIG"
}

# boxed OPTION... - lb-exec, where the names are known.
boxed() {
	"${NAMED[@]}" lb-exec "$@"
}

# bridge_of PID - the process that connects the sandbox of this lb-exec.
bridge_of() {
	local i
	for ((i = 0; i < 500; i++)); do
		pgrep -P "$1" -f -- '--bridge' && return 0
		sleep 0.02
	done
	echo "lb-exec $1 has no bridge" >&2
	return 1
}

# ended PID - that process is no more.
ended() {
	local i
	for ((i = 0; i < 250; i++)); do
		kill -0 "$1" 2> /dev/null || return 0
		sleep 0.02
	done
	echo "$1 is there still"
	return 1
}

# code CURL-ARGUMENT... - inside: the status that curl gets, and of a tunnel's.
code() {
	boxed --network "${NETWORK-on}" -- curl -s -m 20 --noproxy '' -o /dev/null \
		-w '%{http_code} %{http_connect}\n' "$@" 2> err || true
}

@test "pip installs from an index, by its name" {
	need python3
	/usr/bin/python3 -m pip --version > /dev/null 2>&1 || skip 'needs pip'
	mkdir -p index/simple/lb-answer
	python3 - <<'END'
import zipfile
name = "lb_answer-1.0-py3-none-any.whl"
with zipfile.ZipFile("index/simple/lb-answer/" + name, "w") as z:
    z.writestr("lb_answer.py", "value = 6 * 7\n")
    meta = "lb_answer-1.0.dist-info/"
    z.writestr(meta + "METADATA",
               "Metadata-Version: 2.1\nName: lb-answer\nVersion: 1.0\n")
    z.writestr(meta + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
               "Root-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr(meta + "RECORD", "lb_answer.py,,\n" + meta + "METADATA,,\n"
               + meta + "WHEEL,,\n" + meta + "RECORD,,\n")
open("index/simple/lb-answer/index.html", "w").write(
    '<a href="%s">%s</a>' % (name, name))
END
	web index
	hosts '127.0.0.1 index.test'
	private "127.0.0.1:$PORT"
	run -0 boxed --session py --network "index.test:$PORT" -t 60s -- \
		/usr/bin/python3 -m pip install --user --break-system-packages \
		-i "http://index.test:$PORT/simple" --trusted-host index.test lb-answer
	grep -q "^GET /simple/lb-answer/.*whl Host: index.test:$PORT" "$LOG"
	# It stays, and is there without a network.
	run -0 boxed --session py -- \
		/usr/bin/python3 -c 'import lb_answer; print(lb_answer.value)'
	same 42 "$output"
}

@test "npm and curl find the proxy, small letters and large ones" {
	run -0 lb-exec --network on -- env
	for v in HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy \
		PIP_PROXY npm_config_proxy npm_config_https_proxy; do
		grep -qx "$v=http://127.0.0.1:3128" <<< "$output"
	done
	grep -qx 'NO_PROXY=localhost,127.0.0.1,::1' <<< "$output"
	run -0 lb-exec --network on --env HTTP_PROXY=mine -- printenv HTTP_PROXY
	same mine "$output"
	web
	hosts '127.0.0.1 web.test'
	private "127.0.0.1:$PORT"
	run -0 boxed --network on -- curl -sS "http://web.test:$PORT/hello"
	same hello "$output"
	run -0 boxed --network on -- curl -sSp "http://web.test:$PORT/hello"
	same hello "$output"
	run -0 boxed --network on -- /usr/bin/python3 -c \
		"import urllib.request as u; print(u.urlopen('http://web.test:$PORT/hello').read())"
	same "b'hello\\n'" "$output"
}

@test "off is the default, and there is nothing" {
	run -0 lb-exec -- sh -c 'env | grep -i proxy; ls /sys 2> /dev/null; cat /proc/net/tcp | wc -l; cat /proc/net/dev | tail -n +3 | wc -l'
	same $'1\n1' "$output"
	lb-exec -- sleep 20 3>&- &
	pids+=($!)
	until pgrep -P $! > /dev/null; do sleep 0.02; done
	run -1 pgrep -P $! -f -- '--bridge'
	run -0 --separate-stderr lb-exec --json -- true
	same null "$(jq -c .notes <<< "$output")"
}

@test "this machine, its networks and the metadata of clouds are refused" {
	web --bind 0.0.0.0
	hosts '127.0.0.1 loop.test' '169.254.169.254 meta.test' '10.0.0.1 inner.test' \
		'::ffff:127.0.0.1 mapped.test' '64:ff9b::7f00:1 nat64.test' \
		'2002:7f00:1:: sixtofour.test' '::1 six.test'
	for host in loop.test meta.test inner.test mapped.test nat64.test \
		sixtofour.test six.test 127.0.0.1 0.0.0.0 169.254.169.254 10.0.0.1 \
		'[::1]' '[::ffff:127.0.0.1]' '[fd00::1]' \
		"$(hostname -I 2> /dev/null | cut -d' ' -f1 | grep . || echo 127.0.0.2)"; do
		same '403 000' "$(code "http://$host:$PORT/hello")"
		same '000 403' "$(code -p "http://$host:$PORT/hello")"
	done
	# curl would make an address of these by itself.
	for host in 2130706433 0x7f000001 0177.0.0.1 127.1; do
		run -0 boxed --network on -- /usr/bin/python3 -c \
			"import socket; s = socket.create_connection(('127.0.0.1', 3128)); s.sendall(b'CONNECT $host:$PORT HTTP/1.1\\r\\n\\r\\n'); print(s.recv(12).decode())"
		same 'HTTP/1.1 400' "$output"
	done
	same '' "$(cat "$LOG")"
	run -0 --separate-stderr boxed --network on --json -- \
		curl -s "http://loop.test:$PORT/hello"
	same "network: loop.test:$PORT was refused: it is not on the public internet" \
		"$(jq -r '.notes[1]' <<< "$output")"
	run -0 boxed --network on -- curl -s -o /dev/null "http://loop.test:$PORT/hello"
	same "lb-exec: network: loop.test:$PORT was refused: it is not on the public internet ('lb-config describe box.network.allow_private' says what may be reached all the same)" \
		"$output"
}

@test "an address of this machine's own is refused, though it is a public one" {
	need root
	need ip
	mkfifo port
	cat > there <<-'END'
		ip link set lo up
		ip addr add 8.8.4.4/32 dev lo
		ip route add unreachable 8.8.8.8
		python3 "$1" --bind 0.0.0.0 > port &
		read -r port < port
		for to in 8.8.4.4 8.8.8.8; do
			lb-exec --network on -- curl -s -m 20 -o /dev/null \
				-w '%{http_code}\n' "http://$to:$port/hello"
		done
		lb-exec --network on -- curl -s "http://8.8.4.4:$port/hello"
		kill $!
	END
	run -0 --separate-stderr unshare -n sh there "$BATS_TEST_DIRNAME/doubles/web.py" 3>&-
	# The other one is no address of ours, and nobody is there.
	same $'403\n502\nlb: it is not on the public internet' "$output"
}

@test "two sandboxes at once, each with its own list" {
	web
	hosts '127.0.0.1 a.test' '127.0.0.1 b.test' '127.0.0.1 x.b.test'
	private "127.0.0.1:$PORT"
	for one in a b; do
		other=$(tr ab ba <<< "$one")
		boxed --session "$one" --network "$one.test:$PORT,*.$one.test:$PORT" \
			--json -- sh -c "curl -s http://$one.test:$PORT/hello
			curl -s -o /dev/null -w '%{http_code} ' http://$other.test:$PORT/hello
			curl -s -o /dev/null -w '%{http_code} ' http://x.b.test:$PORT/hello
			curl -s -o /dev/null -w '%{http_code}' http://$one.test/hello" \
			> "$one" &
		wait_for+=($!)
	done
	wait "${wait_for[@]}"
	# The port that is not listed is no host's; x.b.test is b's.
	same $'hello\n403 403 403' "$(jq -r .stdout a)"
	same $'hello\n403 200 403' "$(jq -r .stdout b)"
	[[ $(jq -r '.notes[0]' a) == *"only these hosts are reached: a.test:$PORT, *.a.test:$PORT" ]]
	same "network: b.test:$PORT was refused: it is not one of the hosts that may be reached from here" \
		"$(jq -r '.notes[1]' a)"
}

@test "nothing but the proxy: no TCP, UDP or DNS, nor anything of the host's" {
	web
	run -0 lb-exec --network on -- /usr/bin/python3 -c "
import socket
def tried(what):
    try:
        what()
        print('reached')
    except OSError as e:
        print(type(e).__name__)
tried(lambda: socket.create_connection(('1.1.1.1', 80), 2))
tried(lambda: socket.create_connection(('127.0.0.1', $PORT), 2))
tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('1.1.1.1', 53)))
tried(lambda: socket.getaddrinfo('example.org', 80))
"
	same $'OSError\nConnectionRefusedError\nOSError\ngaierror' "$output"
	# What is inside is reached there, past the proxy.
	run -0 lb-exec --network on -- sh -c '/usr/bin/python3 -m http.server 8000 > /dev/null 2>&1 &
		until curl -s -o /dev/null http://localhost:8000/; do sleep 0.05; done; echo inside'
	same inside "$output"
}

@test "200 connections at once are served" {
	web
	hosts '127.0.0.1 web.test'
	private "127.0.0.1:$PORT"
	run -0 boxed --network on -t 60s -- /usr/bin/python3 -c "
import socket
all = [socket.create_connection(('127.0.0.1', 3128)) for i in range(200)]
for s in all:
    s.sendall(b'GET http://web.test:$PORT/hello HTTP/1.1\r\n\r\n')
good = 0
for s in all:
    text = b''
    while True:
        more = s.recv(4096)
        if not more:
            break
        text += more
    good += text.endswith(b'hello\n')
print(good)
"
	same 200 "$output"
}

@test "slow, silent and endless clients hold up nobody" {
	web
	hosts '127.0.0.1 web.test'
	private "127.0.0.1:$PORT"
	run -0 boxed --network on -t 90s -- /usr/bin/python3 -c "
import socket, time
slow = [socket.create_connection(('127.0.0.1', 3128)) for i in range(100)]
for i, s in enumerate(slow):
    s.sendall(b'GET http://web' if i % 2 else b'')
big = socket.create_connection(('127.0.0.1', 3128))
try:
    big.sendall(b'GET http://web.test/ HTTP/1.1\r\n' + b'A: ' + b'x' * 3000000)
except OSError:
    pass
began = time.monotonic()
s = socket.create_connection(('127.0.0.1', 3128))
s.sendall(b'GET http://web.test:$PORT/hello HTTP/1.1\r\n\r\n')
print(s.recv(12).decode(), time.monotonic() - began < 9)
big = socket.create_connection(('127.0.0.1', 3128))
big.sendall(b'GET http://web.test/ HTTP/1.1\r\n' + b'A: ' + b'x' * 60000)
print(big.recv(12).decode())
print(slow[1].recv(12).decode(), 3 < time.monotonic() - began < 40)
"
	same $'HTTP/1.0 200 True\nHTTP/1.1 431\nHTTP/1.1 408 True' "$output"
}

@test "a host that never answers ends with the command's time" {
	web
	hosts '127.0.0.1 web.test'
	private "127.0.0.1:$PORT"
	"${NAMED[@]}" lb-exec --network on -t 4s -- curl -s "http://web.test:$PORT/never" 3>&- &
	pids+=($!)
	bridge=$(bridge_of $!)
	status=0
	wait $! || status=$?
	same 124 "$status"
	ended "$bridge"
}

@test "the command ends while something is loaded, and so does that" {
	web
	hosts '127.0.0.1 web.test'
	private "127.0.0.1:$PORT"
	"${NAMED[@]}" lb-exec --network on -- sh -c "curl -s http://web.test:$PORT/endless > /dev/null &
		sleep 0.5; echo over" > out 3>&- &
	bridge=$(bridge_of $!)
	wait $!
	same over "$(cat out)"
	ended "$bridge"
	until grep -q 'left /endless' "$LOG"; do sleep 0.02; done
}

@test "whoever kills lb-exec ends its proxy, too" {
	lb-exec --network on -- sleep 123.25 3>&- &
	bridge=$(bridge_of $!)
	kill -9 $!
	ended "$bridge"
	gone 'sleep 123.25'
}

@test "a proxy that breaks down is told, and the command goes on" {
	lb-exec --session s --network on --json -- sh -c 'touch begun; while curl -so /dev/null "$HTTP_PROXY"; do sleep 0.05; done; echo on' > out 3>&- &
	pids+=($!)
	until ls "$LB_STATE"/box/workspaces/*/begun > /dev/null 2>&1; do sleep 0.02; done
	kill -9 "$(bridge_of $!)"
	wait "${pids[0]}"
	same on "$(jq -r .stdout out)"
	same 'network: it broke down before the command ended' "$(jq -r '.notes[1]' out)"
}

@test "a proxy ends with its command, not with who started it" {
	mkfifo jobs results
	lb-exec --records < jobs > results 3>&- &
	pids+=($!)
	exec 8> jobs 9< results
	for i in 1 2; do
		echo '{"kind":"exec","cmd":"true","network":"on"}' >&8
		read -r -t 20 -u 9 result
		same true "$(jq .ok <<< "$result")"
		run -1 pgrep -P "${pids[0]}" -f -- --bridge
	done
	exec 8>&-
	wait "${pids[0]}"
}

@test "what goes on in a sandbox has its network, too, and takes it along" {
	keeper=$(lb-box start goes --network a.test -- \
		sh -c 'while read -r l; do curl -s "$l"; done' | jq .pid)
	bridge=$(bridge_of "$(pgrep -P "$keeper" -f -- --service)")
	for i in 1 2; do
		same 'lb: it is not one of the hosts that may be reached from here' \
			"$(echo http://b.test/ | lb-box attach -n 1 goes)"
	done
	lb-box stop goes
	ended "$bridge"
}

@test "the proxy has no rights and no secrets" {
	MY_KEY=hidden-word LB__LLM__X=hidden-word lb-exec --network on -- sleep 20 3>&- &
	pids+=($!)
	bridge=$(bridge_of $!)
	until grep -q 'NoNewPrivs:.1' "/proc/$bridge/status"; do sleep 0.02; done
	[ "$(awk '/^Uid/ { print ($2 == $3 && $3 == $4 && $2 != 0) }' "/proc/$bridge/status")" -eq 1 ]
	run -0 grep -c 'CapEff:.0000000000000000' "/proc/$bridge/status"
	run -1 grep -c hidden-word "/proc/$bridge/environ"
	until grep -q 'Seccomp_filters:.2' "/proc/$bridge/status"; do sleep 0.02; done
	# Nothing of it is inside.
	lb-exec --network on -- sh -c 'ls -d /proc/[0-9]*/ | wc -l; cat /proc/[0-9]*/cmdline' | tr '\0' ' ' > inside
	run -1 grep -e --bridge inside
}

@test "without the helper nothing is run" {
	mkdir alone
	cp "$(command -v lb-tool)" alone/
	cat > "$LB_CONFIG" <<-END
		box: {local: {profile: network_basic}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}
	END
	run alone/lb-tool call --session=s exec '{"command":"echo ran"}'
	[ "$status" -ne 0 ]
	[[ $output != *ran* && $output == *'there is no network for a sandbox'* ]]
	# One that says why, one that says nothing, one that says too much.
	for what in "echo '{\"why\":\"of its own\"}'" true "yes x"; do
		printf '#!/bin/sh\n%s\n' "$what" > alone/lb-exec
		chmod +x alone/lb-exec
		run alone/lb-tool call --session=s exec '{"command":"echo ran"}'
		[ "$status" -ne 0 ]
		[[ $output != *ran* && $output == *'there is no network for a sandbox'* ]]
	done
	run -0 lb-tool call --session=s exec '{"command":"echo ran"}'
	[[ $output == *ran* ]]
}

@test "a model is told what network there is, and the audit says it" {
	cat > "$LB_CONFIG" <<-END
		box: {local: {profile: mine}, profiles: {mine: {network: {allow: [a.test]}, locked: [network]}}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}
	END
	run -0 lb-tool call --session=s exec '{"command":"curl -s http://b.test/"}'
	[[ $output == *'raw TCP, UDP, ping and DNS lookups do not work here; only these hosts are reached: a.test'* ]]
	[[ $output == *'b.test:80 was refused: it is not one of the hosts'* ]]
	run -0 --separate-stderr lb-exec --network on --json -- true
	[[ $(jq -r '.notes[]' <<< "$output") == *'network: "on" was asked for, and profile'*'keeps it {"allow":["a.test"]}'* ]]
	same '[["a.test"],["b.test:80"]]' "$(lb-box audit --json | jq -c '[.limits.hosts, .refused]' | head -n 1)"
	lb-exec --profile network_basic -- true
	lb-exec --profile default -- true
	same $'listed\nlisted\non\noff' "$(lb-box audit --json | jq -r .limits.network)"
}

@test "records ask for a network as the command line does" {
	web
	hosts '127.0.0.1 web.test'
	private "127.0.0.1:$PORT"
	for network in '"on"' "{\"allow\":[\"web.test:$PORT\"]}" '{"allow":[]}' \
		'"off"' '{"allow":["http://web.test"]}'; do
		jq -cn --argjson n "$network" --arg cmd "curl -s http://web.test:$PORT/hello" \
			'{kind: "exec", $cmd, network: $n}'
	done > in
	run -65 --separate-stderr boxed --records -j 1 < in
	same 'hello hello null null data' \
		"$(jq -r 'if .kind == "error" then .code elif .stdout == "" then "null" else .stdout end' <<< "$output" | xargs)"
	run -0 "$LB_TEST_BUILD/tests/unit/validate-record" \
		"$BATS_TEST_DIRNAME/../share/lb/schema" <<< "$(head -n 4 in)"
}

@test "what is no network is refused before anything is run" {
	for bad in maybe 'http://a.test' '*' 'a.test:0' '127.1' '::1' 'a.test,*.'; do
		run -64 --separate-stderr lb-exec --network "$bad" -- echo ran
		same '' "$output"
	done
	echo 'box: {network: {allow_private: [everything]}}' > "$LB_CONFIG"
	run -78 --separate-stderr lb-exec --network on -- echo ran
	same '' "$output"
	[[ $stderr == *"box.network.allow_private"*"'everything' is no network"* ]]
}
