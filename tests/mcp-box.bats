#!/usr/bin/env bats
# MCP servers in sandboxes: what they see, what is put there for them, and what a
# provider makes of those that live and die.

load helper
load mcp

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	chmod 755 "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:tools
	mkdir -p srv
	cp "$BATS_TEST_DIRNAME/doubles/mcp-server.py" srv/server.py
}

teardown() {
	stop_mcp
}

# servers YAML - servers of the configuration, and all tools granted.
servers() {
	cat > "$LB_CONFIG" <<-END
		mcp:
		  servers:
		$(sed 's/^/    /')
		box: {local: {allowed_mount_roots: ["$BATS_TEST_TMPDIR"]}}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}}${1:+, $1}}
	END
}

# ask REQUEST... - of the provider: its answers, by their ids.
ask() {
	printf '%s\n' "$@" | timeout 60 lb-mcp | jq -sc 'sort_by(.id // "")[]'
}

call() {
	jq -cn --arg i "$1" --arg n "$2" --argjson a "${3:-{\}}" --arg p "${4:-}" \
		'{op: "call", id: $i, name: $n, arguments: $a, context: (if $p == "" then {} else {pipeline: $p} end)}'
}

# tiny [SCRIPT] - a package of npm in srv/pkg, which says where it is; SCRIPT runs
# when it is installed.
tiny() {
	mkdir -p srv/pkg
	jq -n --arg s "${1:-true}" '{name: "@x/tiny", version: "1.0.0", bin: {tiny: "s.js", other: "o.js"},
		scripts: {preinstall: $s}}' > srv/pkg/package.json
	cat > srv/pkg/s.js <<-'END'
		#!/usr/bin/env node
		const out = o => console.log(JSON.stringify({jsonrpc: "2.0", ...o}));
		require("readline").createInterface({input: process.stdin}).on("line", l => {
			const m = JSON.parse(l);
			if (m.id === undefined) return;
			if (m.method == "initialize") out({id: m.id, result: {protocolVersion: "2025-06-18", capabilities: {tools: {}}, serverInfo: {name: "tiny", version: "1"}}});
			else if (m.method == "tools/call") out({id: m.id, result: {content: [{type: "text", text: __filename + " " + process.argv.slice(2)}]}});
			else out({id: m.id, error: {code: -32601, message: "no"}});
		});
	END
}

@test "a server in its sandbox has its variables and its project, and no network" {
	echo secret > here
	export KEY=sesame
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"], env: {KEY: "env:KEY"}, box: {env: {MORE: x}}}
	END
	same sesame "$(mcp call s env name=KEY)"
	same x "$(mcp call s env name=MORE)"
	same '(unset)' "$(mcp call s env name=LB_STATE)"
	same '(unset)' "$(mcp call s env name=HTTP_PROXY)" # that of a network
	same 'server.py' "$(mcp call s sh command='ls /mnt/project')"
	same '' "$(mcp call s sh command="cat $PWD/here 2> /dev/null")"
	same 'lo:' "$(mcp call s sh command="grep -o '[a-z0-9]*:' /proc/net/dev")"
	# its lines are whole
	same 15000001 "$(mcp call s big n=15000000 | wc -c)"
	# what it writes stays, and the project does not change
	mcp call s sh command='echo kept > /workspace/note; echo x > /mnt/project/y'
	same kept "$(mcp call s sh command='cat /workspace/note')"
	[ ! -e srv/y ]
}

@test "the server among the examples adds, and says what it cannot" {
	run -0 mcp add sum --project "$BATS_TEST_DIRNAME/../share/lb/examples" -- \
		python3 /mnt/project/mcp-sum.py
	same 5 "$(mcp call sum add a=2 b=3)"
	same 'sum: connected to sum, 2025-11-25 by stdio; 1 tools' "$(mcp test sum)"
	run -0 mcp prompts sum
	same '' "$output"
	run -65 mcp read sum x://y
	[[ $output == *'there is no such method (-32601)' ]]
}

@test "a program that its sandbox does not see is told of, and how it could" {
	cp srv/server.py near.py
	mkdir own
	printf '#!/bin/sh\nexit 0\n' > own/only-here
	chmod +x own/only-here
	local at="'near.py' is a file of this machine, which its sandbox does not see: 'lb-mcp add --project DIR' shows it a folder"
	run -0 mcp add near -- python3 near.py
	run -1 mcp test near
	[[ $output == *"lb-mcp: near: $at"* ]]
	run -1 mcp doctor near
	[[ $(jq -r 'select(.check == "connection").found' <<< "${lines[-1]}") == *"; $at"* ]]
	run -75 mcp tools --stdio 'python3 near.py --x'
	[[ $output == *"the command: $at"* ]]
	run -69 env PATH="$PWD/own:$PATH" lb-mcp tools --stdio only-here
	[[ $output == *"it exited 127: there is no such program"*"'only-here' is '$PWD/own/only-here' here, and its sandbox has the programs of /usr alone"* ]]
	run -0 mcp add abs -- "$PWD/own/only-here"
	run -69 mcp tools abs
	[[ $output == *"'$PWD/own/only-here' is a file of this machine"* ]]
	# where that is not why, nothing is said
	run -75 mcp tools --stdio 'python3 -c "raise SystemExit(2)"'
	[[ $output != *'its sandbox'* ]]
	run -69 mcp tools --stdio 'not-anywhere'
	[[ $output != *'its sandbox'* ]]
}

@test "a server that is removed leaves what it wrote, and that is told" {
	run -0 mcp add s -- python3 "$PWD/srv/server.py"
	mcp call s sh command='echo kept > /workspace/note'
	run -0 mcp rm s
	same "lb-mcp: the sandbox of 's' stays, with what it wrote there; 'lb-box delete mcp/s' removes it" "$output"
	run -0 lb-box delete mcp/s
	run -0 mcp add s -- python3 "$PWD/srv/server.py"
	run -0 mcp rm s
	same '' "$output"
}

@test "the keys of a server stand in no list of processes" {
	export KEY=a-key-that-is-long
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"], env: {KEY: "env:KEY"}}
	END
	run -0 mcp call s sh command='cat /proc/*/cmdline | tr "\0" " "'
	[[ $output != *a-key-that-is-long* ]]
	lb-mcp call s slow ms=60000 3>&- &
	local pid=$!
	for _ in {1..200}; do
		pgrep -f "$PWD/srv:/mnt/project" > /dev/null && break
		sleep 0.05
	done
	pgrep -f "$PWD/srv:/mnt/project"
	run pgrep -f a-key-that-is-long
	same '' "$output"
	kill $pid
	wait $pid || true
}

@test "each server has a sandbox of its own" {
	servers <<-END
		one: {command: python3, args: ["$PWD/srv/server.py"], env: {KEY: sesame}}
		two: {command: python3, args: ["$PWD/srv/server.py"]}
	END
	mcp call one sh command='echo mine > /workspace/note'
	same '' "$(mcp call two sh command='cat /workspace/note 2> /dev/null')"
	run -0 ask "$(call 1 one__slow '{"ms":1500}')" \
		"$(call 2 two__sh '{"command":"cat /proc/*/environ | tr \"\\0\" \"\\n\" | grep -c KEY="}')"
	same '0' "$(jq -r 'select(.id == "2").content' <<< "$output")"
}

@test "box.network says what a server reaches when it runs" {
	servers <<-END
		off: {command: python3, args: ["$PWD/srv/server.py"]}
		on: {command: python3, args: ["$PWD/srv/server.py"], box: {network: on}}
		one: {command: python3, args: ["$PWD/srv/server.py"], box: {network: {allow: [a.invalid]}}}
	END
	cat > srv/get.py <<-'END'
		import urllib.request, urllib.error
		for host in "a", "b":
		    try:
		        urllib.request.urlopen("http://%s.invalid/" % host, timeout=9)
		    except urllib.error.HTTPError as e:
		        print(host, e.code)
		    except OSError:
		        print(host, "none")
	END
	# There is no such host, says the proxy; or that it may not be reached.
	for name in off on one; do
		mcp -q call $name sh command='python3 /mnt/project/get.py' > $name
	done
	same 'a none b none|a 502 b 502|a 502 b 403' \
		"$(xargs < off)|$(xargs < on)|$(xargs < one)"
}

@test "a package of npm is installed into the sandbox once, and started from there" {
	need npm
	tiny
	servers <<-END
		s: {command: npx, args: [-y, /mnt/project/pkg, a, b], box: {host_path: "$PWD/srv"}}
		none: {command: npx, args: [-y, /mnt/project/none], box: {host_path: "$PWD/srv"}}
	END
	run -0 --separate-stderr mcp call s where
	same '/workspace/.mcp/npm/node_modules/@x/tiny/s.js a,b' "$output"
	rm srv/pkg/s.js # it is not looked at again
	run -0 --separate-stderr mcp call s where
	same '/workspace/.mcp/npm/node_modules/@x/tiny/s.js a,b' "$output"
	run -1 --separate-stderr mcp test none --json
	jq -e '.error_phase == "dep_install" and (.error_message | contains("package.json"))' <<< "$output"
	same 1 "$(mcp logs none | grep -c 'code ENOENT')"
	# of what was said last, whole lines
	[[ $(jq -r .error_message <<< "$output") =~ ^"what it needs cannot be installed: "(npm|lb-exec) ]]
	[[ $(jq -r .error_message <<< "$output") != *'; ' ]]
}

@test "a file of others keeps a sandbox with what its servers need" {
	need npm
	tiny
	servers < /dev/null
	echo '{"mcpServers":{"s":{"command":"node","args":["'"$PWD/srv/pkg/s.js"'","c"]}}}' > their.json
	cp their.json other.json
	run -0 --separate-stderr mcp call --from their.json s where
	same '/workspace/.mcp/app/s.js c' "$output"
	run -0 lb-box sessions --json
	same 1 "${#lines[@]}"
	made=$(jq -r .files <<< "$output")
	[[ $made -gt 2 ]]
	run -0 --separate-stderr mcp call --from their.json s where
	same '/workspace/.mcp/app/s.js c|' "$output|$stderr"
	run -0 --separate-stderr mcp call --from other.json s where
	same 2 "$(lb-box sessions --json | wc -l)"
}

@test "a project of Python gets its environment, whatever its interpreter is here" {
	[ -x /usr/bin/python3 ] && /usr/bin/python3 -c 'import ensurepip' || skip 'needs python3 with venv'
	mkdir -p srv/.venv/bin
	ln -s /nowhere/python3 srv/.venv/bin/python3
	: > srv/requirements.txt
	servers <<-END
		s: {command: "$PWD/srv/.venv/bin/python3", args: ["$PWD/srv/server.py"]}
	END
	run -0 --separate-stderr mcp call s sh command='echo $VIRTUAL_ENV; command -v python3; pwd'
	same '/workspace/.mcp/venv
/workspace/.mcp/venv/bin/python3
/mnt/project' "$output"
	stamp=$(mcp call s sh command='cat /workspace/.mcp/stamp; stat -c %Y /workspace/.mcp/venv')
	same "$stamp" "$(mcp call s sh command='cat /workspace/.mcp/stamp; stat -c %Y /workspace/.mcp/venv')"
	touch -d '1 hour ago' srv/server.py
	[ "$stamp" != "$(mcp call s sh command='cat /workspace/.mcp/stamp; stat -c %Y /workspace/.mcp/venv')" ]
}

@test "what cannot be installed in time is ended" {
	need npm
	mkdir srv/pkg
	echo '{"name":"slow","version":"1.0.0","bin":"s.js"}' > srv/pkg/package.json
	servers <<-END
		s: {command: npx, args: [-y, /mnt/project/pkg], box: {host_path: "$PWD/srv", install_timeout_sec: 0.01}}
	END
	run -1 --separate-stderr mcp test s --json
	jq -e '.error_phase == "dep_install" and (.error_message | startswith("what it needs was not installed within 0.01 s"))' <<< "$output"
}

@test "the time that a command has ends no server, and no installation" {
	need npm
	tiny 'sleep 2'
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"]}
		pkg: {command: npx, args: [-y, /mnt/project/pkg], box: {host_path: "$PWD/srv"}}
	END
	sed -i 's/^box: {/&profiles: {default: {timeout_sec: 1, max_timeout_sec: 1}}, /' "$LB_CONFIG"
	lb-config check
	run -124 lb-exec -- sleep 20
	same 'unlimited' "$(mcp call s sh command='ulimit -t')"
	same 'done' "$(mcp call s slow ms=2500)"
	run -0 --separate-stderr mcp call pkg where
	same '/workspace/.mcp/npm/node_modules/@x/tiny/s.js ' "$output"
}

@test "a path in a command shows no other folder than the project's" {
	[ -x /usr/bin/python3 ] || skip 'needs /usr/bin/python3'
	mkdir other
	echo x > other/data
	servers <<-END
		s: {command: /usr/bin/python3, args: ["$PWD/srv/server.py", --text, "$PWD/other/data", --file, /etc/passwd=/usr/share]}
	END
	same 'server.py' "$(mcp call s sh command='ls /mnt/project')"
	same "$PWD/other/data" "$(mcp call s text)"
	same '' "$(mcp call s sh command="cat $PWD/other/data 2> /dev/null")"
}

@test "in a workspace a server begins in no empty folder: it is told what there is not" {
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"]}
		pkg: {command: npx, args: [-y, /workspace/pkg]}
	END
	sed -i 's/^box: {/&workspace: shop, /' "$LB_CONFIG"
	run -1 --separate-stderr mcp test s --json
	same "session_create in workspace 'shop' no folder of this machine is mounted" \
		"$(jq -r '"\(.error_phase) \(.error_message)"' <<< "$output")"
	run -1 --separate-stderr mcp test pkg --json
	same dep_install "$(jq -r .error_phase <<< "$output")"
	[[ $(jq -r .error_message <<< "$output") == *"there is none in workspace 'shop'"* ]]
}

@test "without a sandbox a server is refused, and never run here" {
	servers <<-END
		s: {command: touch, args: [/tmp/$$-ran]}
	END
	LB__BOX__ENABLED=false run -1 --separate-stderr mcp test s --json
	same box_unavailable "$(jq -r .error_phase <<< "$output")"
	[ ! -e /tmp/$$-ran ]
	servers <<-END
		s: {command: python3, args: [x], box: {host_path: /etc}}
	END
	run -1 --separate-stderr mcp test s --json
	same session_create "$(jq -r .error_phase <<< "$output")"
}

@test "an agent uses a program in its sandbox and a URL in one turn" {
	mcp_http --http --session
	servers <<-END
		near: {command: python3, args: ["$PWD/srv/server.py", --text, near]}
		far: {url: "$MCP_URL"}
	END
	jq -cn '{kind: "query", id: "q1", bot: "-", platform: "text", session: "-/s",
		launcher_type: "person", launcher_id: "s", sender_id: "s", pipeline: "default",
		runner: "local-agent", prompt: [], user: {role: "user", content: [{type: "text", text:
		"call near__text {}\nand far__echo {\"text\":\"x\"}\nsay {results}"}]}}' > query
	run -0 --separate-stderr timeout 60 lb-agent < query
	same 'near {"text": "x"}' "$(jq -r 'select(.kind == "reply").text' <<< "$output")"
}

@test "a pipeline has the servers it names, at list and at call" {
	servers '' <<-END
		one: {command: python3, args: ["$PWD/srv/server.py"]}
		two: {command: python3, args: ["$PWD/srv/server.py"], uuid: u-2}
	END
	sed -i '/^pipelines/d' "$LB_CONFIG"
	cat >> "$LB_CONFIG" <<-'END'
		pipelines:
		  default: {extensions_preferences: {mcp_servers: [one]}}
		  all: {}
		  none: {extensions_preferences: {mcp_servers: []}}
		  byid: {extensions_preferences: {mcp_servers: [u-2], enable_all_mcp_servers: false}}
	END
	lb-config check
	run -0 ask '{"op":"hello","version":1}' \
		'{"op":"list","id":"1","context":{"pipeline":"default"}}' \
		'{"op":"list","id":"2","context":{"pipeline":"all"}}' \
		'{"op":"list","id":"3","context":{"pipeline":"none"}}' \
		'{"op":"list","id":"4","context":{"pipeline":"byid"}}' \
		"$(call 5 two__echo '{}' default)" "$(call 6 one__echo '{}' default)" \
		"$(call 7 mcp_read_resource '{"server_name":"two","uri":"test://a"}' default)" \
		"$(call 8 one__echo '{}' none)"
	same '["mcp","one"] ["mcp","one","two"] [] ["mcp","two"]' "$(jq -sr '[.[] | select(.tools) |
		[.tools[].name | split("_")[0]] | unique | tojson] | join(" ")' <<< "$output")"
	same '5 denied
7 denied
8 denied' "$(jq -r 'select(.ok == false) | "\(.id) \(.error.code)"' <<< "$output")"
	same true "$(jq 'select(.id == "6").ok' <<< "$output")"
}

@test "a server that dies is begun again, and says how it is" {
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"]}
		bad: {command: nope, host: true}
	END
	mkfifo in out
	lb-mcp < in > out 2> err 3>&- &
	local pid=$!
	exec 5> in 6< out
	printf '%s\n' '{"op":"hello","version":1}' '{"op":"list","id":"1","context":{}}' >&5
	read -r -t 20 _ <&6
	read -r -t 20 line <&6
	jq -e '.id == "1" and ([.tools[].name] | index("s__echo"))' <<< "$line"
	same 'bad error process_start 1
s connected null 0' "$(lb-mcp list | jq -r '"\(.name) \(.status) \(.error_phase) \(.retry_count)"' | sort)"
	call 2 s__die >&5
	while read -r -t 20 line <&6; do [[ $line != *'"id":"2"'* ]] || break; done
	jq -e '.error.code == "unavailable"' <<< "$line"
	# it comes back after two seconds
	for _ in {1..40}; do
		call 3 s__echo '{"a":1}' >&5
		while read -r -t 20 line <&6; do [[ $line != *'"id":"3"'* ]] || break; done
		[[ $line != *'"ok":true'* ]] || break
		sleep 0.25
	done
	jq -e '.content == "{\"a\": 1}"' <<< "$line"
	grep -q "MCP server 's': it exited 3 (runtime); it is tried again in 2 s" err
	exec 5>&- 6<&-
	wait $pid
	gone "$PWD/srv:/mnt/project"
}

@test "where the sandbox comes back, a server begins, and that was no retry" {
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"]}
	END
	sed -i 's/^box: {/&enabled: false, /' "$LB_CONFIG" # lb-exec reads it anew
	mkfifo in
	lb-mcp provide < in > out 2> err 3>&- &
	local pid=$!
	exec 5> in
	printf '%s\n' '{"op":"hello","version":1}' >&5
	until_true eval 'lb-mcp list | jq -e ".error_phase == \"box_unavailable\""'
	call 1 s__echo '{"a":1}' >&5
	until_true eval 'jq -e "select(.id == \"1\") | .error.code == \"unavailable\"" out'
	# it looks several times, says so once, and stays what it is
	for _ in 1 2; do
		touch mark
		until_true eval '[ -n "$(find "$LB_STATE/mcp" -type f -name s -newer mark)" ]'
		same 'box_unavailable 0' "$(lb-mcp list | jq -r '"\(.error_phase) \(.retry_count)"')"
	done
	same 1 "$(grep -c 'box_unavailable' err)"
	grep -q "(box_unavailable); it begins as soon as there is a sandbox" err
	sed -i 's/enabled: false, //' "$LB_CONFIG"
	until_true eval 'lb-mcp list | jq -e ".status == \"connected\""'
	same 'null 0' "$(lb-mcp list | jq -r '"\(.error_phase) \(.retry_count)"')"
	call 2 s__echo '{"a":1}' >&5
	until_true eval 'jq -e "select(.id == \"2\").ok" out'
	exec 5>&-
	wait $pid
	gone "$PWD/srv:/mnt/project"
}

@test "resources are tools, results keep their pictures, and failures their words" {
	servers <<-END
		s: {command: python3, args: ["$PWD/srv/server.py"]}
	END
	run -0 ask "$(call 1 mcp_list_resources '{"server_name":"s"}')" \
		"$(call 2 mcp_read_resource '{"server_name":"s","uri":"test://a"}')" \
		"$(call 3 mcp_read_resource '{"server_name":"x","uri":"test://a"}')" \
		"$(call 4 s__picture)" "$(call 5 s__fail)" "$(call 6 s__nothing)" "$(call 7 x__y)"
	same '"test://a - a\ntest://bin - bin\n"
"the text of a"
usage
["text","image"]
tool no such row
""
not_found' "$(jq -r 'if .ok then (.content | if type == "array" then [.[].type] | tojson else tojson end)
		else .error.code + (if .error.code == "tool" then " " + .error.message else "" end) end' <<< "$output")"
}
