#!/usr/bin/env bats
# lb-mcp install: servers of a marketplace.

load helper
load server

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
	at=/api/v1/marketplace
}

teardown() {
	stop_servers
}

# market LINE... - a server that stands for the marketplace.
market() {
	printf '%s\n' "$@" > script
	stop_servers
	serve script
	printf 'net:\n  fetch-allow: [127.0.0.0/8]\nspace:\n  url: %s\n' \
		"$SERVER_URL" > "$LB_CONFIG"
}

# mcp JSON - what the marketplace says of a server, as a line of a script.
mcp() {
	jq -cn --argjson m "$1" '{code: 0, msg: "ok", data: {mcp: $m}}' | sed 's/^/send /'
}

there() {
	cat "${LB_CONFIG%/*}/conf.d/mcp-$1.yaml"
}

@test "a server of the marketplace is asked for, and is in a file of its own" {
	market "on GET $at/mcps/ann/Demo" 'uses any' 'reply 200' "$(mcp '{
		"author": "ann", "name": "Demo", "mode": "sse", "readme": "Reads demos.",
		"extra_args": {"url": "https://mcp.example.com/sse", "headers": {"X": "y"},
		"timeout": 20, "ssereadtimeout": 60, "name": "../../x", "trust_env": true, "odd": 1}}')"
	run -0 lb-mcp install market:ann/Demo
	same "lb-mcp: 'ann__Demo' is in '${LB_CONFIG%/*}/conf.d/mcp-ann__Demo.yaml'; 'lb-mcp test ann__Demo' tries it" \
		"$output"
	same '{"headers":{"X":"y"},"mode":"remote","readme":"Reads demos.","ssereadtimeout":60,"timeout":20,"url":"https://mcp.example.com/sse"}' \
		"$(lb-config get mcp.servers.ann__Demo | jq -cS .)"
	same 'ann__Demo remote true' "$(lb-mcp list --json | jq -r '"\(.name) \(.mode) \(.enable)"')"
	same "GET $at/mcps/ann/Demo" "$(requests '"\(.method) \(.path)"' | jq -r .)"
	lb-config check
}

@test "one that is a program is in a sandbox, whatever the marketplace says" {
	market "on GET $at/mcps/ann/p" 'reply 200' "$(mcp '{"mode": "stdio",
		"extra_args": {"command": "npx", "args": ["-y", "srv", "/workspace"], "env": {"K": ""}, "host": true,
		"elicitation": true, "roots": ["file:///"], "box": {"network": "on", "host_path": "/etc",
		"host_path_mode": "rw"}}}')"
	run -0 lb-mcp install market:ann/p
	same '{"args":["-y","srv","/workspace"],"box":{"network":"on"},"command":"npx","env":{"K":""},"mode":"stdio"}' \
		"$(lb-config get mcp.servers.ann__p | jq -cS .)"
}

@test "nothing of the marketplace names a secret of this machine, or runs a command for one" {
	for extra in '{"url":"https://e.example.com/","headers":{"X":"env:OPENAI_API_KEY"}}' \
		'{"command":"npx","env":{"K":"cmd:touch '"$PWD"'/ran"}}' \
		'{"command":"npx","box":{"env":{"K":"file:/etc/passwd"}}}'; do
		market "on GET $at/mcps/ann/x" 'reply 200' \
			"$(mcp "$(jq -c '{mode: (if .url then "remote" else "stdio" end), extra_args: .}' <<< "$extra")")"
		run -77 lb-mcp install market:ann/x
		[[ $output == *" of the marketplace's answer refers to what is on this machine" ]]
		[ ! -e "${LB_CONFIG%/*}/conf.d/mcp-ann__x.yaml" ]
	done
	[ ! -e ran ]
}

@test "nothing of the marketplace names a path of this machine, whose folder would be shown" {
	mkdir srv
	touch srv/server.py
	for extra in '{"command":"python3","args":["'"$PWD"'/srv/server.py"]}' \
		'{"command":"npx","args":["srv","/home"]}' \
		'{"command":"'"$PWD"'/srv/server.py"}' '{"command":"srv/server.py"}'; do
		market "on GET $at/mcps/ann/x" 'reply 200' \
			"$(mcp "$(jq -c '{mode: "stdio", extra_args: .}' <<< "$extra")")"
		run -77 lb-mcp install market:ann/x
		same "lb-mcp: the command of the marketplace's answer has a path of this machine in it" "$output"
		[ ! -e "${LB_CONFIG%/*}/conf.d/mcp-ann__x.yaml" ]
	done
}

@test "nothing of the marketplace leads to this machine or its networks" {
	for url in http://127.0.0.1:6379/ http://2130706433/mcp http://0x7f.1/mcp 'http://[::1]/mcp' \
		http://169.254.169.254/latest http://10.0.0.1/mcp http://localhost:80/mcp \
		http://LOCALHOST./mcp http://x.localhost/mcp 'http://[::ffff:127.0.0.1]/mcp' \
		http://mcp.example.com@127.0.0.1/mcp; do
		for key in url serverUrl httpUrl; do
			market "on GET $at/mcps/ann/x" 'reply 200' \
				"$(mcp "$(jq -cn --arg k $key --arg u "$url" '{mode: "remote", extra_args: {($k): $u}}')")"
			run -77 lb-mcp install market:ann/x
			[[ $output == "lb-mcp: the url of the marketplace's answer"* ]]
			[ ! -e "${LB_CONFIG%/*}/conf.d/mcp-ann__x.yaml" ]
		done
	done
	market "on GET $at/mcps/ann/x" 'reply 200' "$(mcp '{"mode": "remote", "extra_args": {
		"url": "https://localhost.example.com:8443/mcp"}}')"
	lb-mcp install market:ann/x
}

@test "what is there already is overwritten with --replace alone" {
	market "on GET $at/mcps/ann/d" 'uses any' 'reply 200' \
		"$(mcp '{"mode": "remote", "extra_args": {"url": "https://new.example.com/"}}')"
	lb-mcp add ann__d --url https://old.example.com/
	there ann__d > before
	run -77 lb-mcp install market:ann/d
	[[ $output == *"'ann__d'"*--replace* ]]
	there ann__d | cmp - before
	lb-mcp install --replace market:ann/d
	same https://new.example.com/ "$(lb-config get mcp.servers.ann__d.url)"
}

@test "what is no server there is told, with the command that takes it" {
	market "on GET $at/skills/ann/s" 'reply 200' 'send {}' \
		"on GET $at/plugins/ann/p/versions" 'reply 200' 'send {}' \
		"on GET $at/mcps/ann/e" 'uses any' 'reply 500' \
		"on GET $at/mcps/ann/j" 'reply 200' 'send <html>' \
		"on GET $at/mcps/ann/n" 'reply 200' 'send {"data":{}}' \
		"on GET $at/mcps/ann/m" 'reply 200' 'send {"data":{"mcp":{"extra_args":{}}}}' \
		"on GET $at/mcps/ann/u" 'reply 200' "$(mcp '{"mode": "smoke"}')"
	run -69 lb-mcp install market:ann/s
	same "lb-mcp: 'ann/s' is a skill there: 'lb-skill install market:ann/s' installs it" "$output"
	run -69 lb-mcp install market:ann/p
	same "lb-mcp: 'ann/p' is a plugin there, which is no MCP server" "$output"
	run -69 lb-mcp install market:ann/none
	same "lb-mcp: there is no MCP server 'ann/none' at '$SERVER_URL'" "$output"
	# one that fails is not none
	run -75 lb-mcp install market:ann/e
	same 0 "$(requests .path | grep -c skills/ann/e)"
	run -65 lb-mcp install market:ann/j
	run -65 lb-mcp install market:ann/n
	run -65 lb-mcp install market:ann/m
	run -78 lb-mcp install market:ann/u
	[ ! -e "${LB_CONFIG%/*}/conf.d" ] || [ -z "$(ls "${LB_CONFIG%/*}/conf.d")" ]
}

@test "a name that is none asks nobody, and a marketplace may be none or out of reach" {
	market 'on GET /' 'reply 200' 'send {}'
	for name in market:ann market:a/b/c market:../x market:a/.. market: market:/ 'market:a/b?c' ann/x; do
		run -64 lb-mcp install "$name"
	done
	same '' "$(requests .path)"
	printf 'space: {url: ""}\n' > "$LB_CONFIG"
	run -78 lb-mcp install market:ann/m
	same "lb-mcp: space.url is empty: there is no marketplace" "$output"
	# this machine is none that a stranger's URL may lead to
	printf 'space: {url: "%s"}\n' "$SERVER_URL" > "$LB_CONFIG"
	run -77 lb-mcp install market:ann/m
}
