#!/usr/bin/env bats

# box.workspace: two tenants who try to reach each other, and what a caller may
# ask for in one.

load helper

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	export USER=op
	box=$LB_STATE/box
	printf 'pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' > "$LB_CONFIG"
	a=(--workspace a)
	b=(--workspace b)
}

teardown() {
	local of name at
	for of in a b; do
		for name in $(lb-box ps --workspace $of 2> /dev/null |
			jq -r 'select(.status == "running").name'); do
			lb-box stop --workspace $of --kill "$name" || true
		done
	done
	# Workspaces that root made may be mounted.
	while read -r _ at _; do
		[[ $at != "$BATS_TEST_TMPDIR"/* ]] || umount -l "$at"
	done < /proc/mounts
}

# asks WORKSPACE MEMBERS - the answer to an exec record with these members.
asks() {
	jq -cn --argjson more "$2" '{kind: "exec", session_id: "s", cmd: "true"} + $more' |
		lb-exec --records --workspace "$1" 2> /dev/null |
		jq -r '.kind + " " + (.message // .stdout)'
}

# calls WORKSPACE TOOL ARGUMENTS [CONTEXT] - what lb-tool answers an agent.
calls() {
	jq -cn --arg tool "$2" --argjson arguments "$3" --argjson more "${4:-{\}}" '
		{op: "hello", version: 1},
		{op: "call", id: "1", name: $tool, arguments: $arguments,
		context: ({id: "1", bot: "b", pipeline: "default",
		session: "b/person_ann", sender_id: "ann", launcher_type: "person",
		deadline_ms: 60000} + $more)}' |
		lb-tool serve --workspace "$1" | tail -n 1 |
		jq -r '(.content | strings | fromjson | .error // .stdout // .content) // .error.message'
}

# secret - tenant b has a file, in several sessions.
secret() {
	local s
	for s in s 'x/y' b/person_ann global; do
		lb-exec "${b[@]}" --session "$s" -- sh -c 'echo secret-of-b > f; chmod 644 f'
	done
}

@test "one name is one session in each workspace, and in none" {
	lb-exec --session s -- sh -c 'echo none > f'
	lb-exec "${a[@]}" --session s -- sh -c 'echo of-a > f; echo home-a > ~/h'
	lb-exec "${b[@]}" --session s -- sh -c 'echo of-b > f'
	same none "$(lb-exec --session s -- cat f)"
	same $'of-a\nhome-a' "$(lb-exec "${a[@]}" --session s -- sh -c 'cat f ~/h')"
	same of-b "$(lb-exec "${b[@]}" --session s -- cat f)"
	# The same by the other ways to say it.
	same of-a "$(LB__BOX__WORKSPACE=a lb-exec --session s -- cat f)"
	same of-b "$(env LB__BOX__WORKSPACE=a BOX__WORKSPACE=a LB__box__workspace=a lb-exec "${b[@]}" --session s -- cat f)"
	echo 'box: {workspace: a}' > c.yaml
	same of-a "$(lb-exec -c c.yaml --session s -- cat f)"
	same of-b "$(lb-exec -c c.yaml "${b[@]}" --session s -- cat f)"
	same of-a "$(lb-tool call "${a[@]}" --session s read '{"path":"f"}' | jq -r .content)"
	# Whoever looks sees his own.
	lb-exec "${a[@]}" --session only-a -- true
	same 'only-a s' "$(lb-box sessions "${a[@]}" | jq -r .session | sort | xargs)"
	same s "$(lb-box sessions "${b[@]}" | jq -r .session | xargs)"
	same s "$(lb-box sessions | jq -r .session | xargs)"
	same '["a","b"]' "$(lb-box status | jq -c .workspaces)"
	same '"a" null' "$(lb-box status "${a[@]}" | jq -c '.workspace, .workspaces' | xargs -d '\n')"
}

@test "no name is another's, however it is written" {
	for n in a A a/ /a ../a a.. . .. '' % %41 'a b' é "$(printf 'é' | iconv -t latin1 2> /dev/null || true)"; do
		run lb-exec --workspace "$n" --session s -- sh -c '[ ! -e f ] && echo "$1" > f' sh "$n"
		case $n in
		'' | $'\xe9') same 64 "$status" ;;
		*) same 0 "$status" ;;
		esac
	done
	same 12 "$(find "$box/tenants" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -u | wc -l)"
	same '%25 %2541 %2E %2E. %2E.%2Fa %2Fa' "$(find "$box/tenants" -mindepth 1 -maxdepth 1 -name '%2*' -printf '%f\n' | sort | xargs)"
	for n in a A a/ /a ../a . .. % %41 'a b' é; do
		same "$n" "$(lb-exec --workspace "$n" --session s -- cat f)"
	done
	same '["%","%41",".","..","../a","/a","A","a","a b","a..","a/","é"]' "$(lb-box status | jq -c '.workspaces | sort')"
	long=$(printf '%064d' 1)
	run -0 lb-exec --workspace "$long" -- true
	run --separate-stderr -64 lb-exec --workspace "${long}1" -- true
	same 'lb-exec: a workspace is called by at most 64 bytes of text without control characters' "$stderr"
	run -64 lb-exec --workspace $'a\nb' -- true
	LB__BOX__WORKSPACE="${long}1" run -78 lb-exec -- true
	[[ $output == *"box.workspace: a workspace is called by at most 64 bytes"* ]]
}

@test "no session's name leads to another workspace" {
	secret
	for s in ../../b/sessions/s ../b/s tenants/b/s b/s '%2E%2E/b/s' '../../tenants/b/workspaces/s' \
		x/y x%2Fy x%2fy '{global}' global; do
		run lb-exec "${a[@]}" --session "$s" -- cat f
		same "cat: f: No such file or directory" "$output"
		run lb-tool call "${a[@]}" --session "$s" read '{"path":"f"}'
		[[ $output == *'no such file'* || $output == *'No such file'* ]]
		same 'result ' "$(asks a "$(jq -cn --arg s "$s" '{session_id: $s, cmd: "cat f 2> /dev/null"}')")"
		run -66 lb-box delete "${a[@]}" nobody "$s-x"
	done
	# By whatever the template of a pipeline makes of a context.
	for t in '{global}' '{session}' '{launcher_type}_{launcher_id}'; do
		printf 'pipelines: {default: {ai: {local-agent: {enable-all-tools: true, box-session-id-template: "%s"}}, sandbox: {open-to: everyone}}}\n' "$t" > "$LB_CONFIG"
		same '' "$(calls a exec '{"command":"cat f 2> /dev/null"}')"
		[[ $(calls a read '{"path":"f"}') != *secret* ]]
	done
	same secret-of-b "$(calls b exec '{"command":"cat f"}' '{"session":"b/person_ann"}' || true)" ||
		printf 'system: {limitation: {force_box_session_id_template: "{global}"}}\n' > "$LB_CONFIG"
	printf 'system: {limitation: {force_box_session_id_template: "{global}"}}\npipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' > "$LB_CONFIG"
	same secret-of-b "$(calls b exec '{"command":"cat f"}')"
	same '' "$(calls a exec '{"command":"cat f 2> /dev/null"}')"
}

@test "no path and no link leads out of it" {
	secret
	lb-exec "${a[@]}" --session s -- true
	there=$box/tenants/b/workspaces/s
	here=$box/tenants/a/workspaces/s
	[ -e "$there/f" ]
	lb-exec "${a[@]}" --session s -- sh -c 'ln -s "$1/f" direct; ln -s ../../../b/workspaces/s up
		ln -s /proc/1/root proc; ln "$1/f" hard' sh "$there" 2> /dev/null || true
	for path in direct up/f proc/"$there"/f ../s/f ../../../b/workspaces/s/f "$there/f" hard; do
		run lb-exec "${a[@]}" --session s -- cat "$path"
		[[ $status != 0 && $output != *secret* ]]
		for tool in read grep glob; do
			run lb-tool call "${a[@]}" --session s $tool \
				"$(jq -cn --arg p "$path" '{path: $p, pattern: "secret"}')"
			[[ $output != *secret-of* ]]
		done
		run lb-tool call "${a[@]}" --session s write "$(jq -cn --arg p "$path" '{path: $p, content: "from a"}')"
	done
	same secret-of-b "$(cat "$there/f")"
	[ -L "$here/direct" ]
	# By what is mounted, whoever asks and however.
	for m in '{"host_path": "'"$there"'"}' \
		'{"extra_mounts": [{"host_path": "'"$there"'", "mount_path": "/mnt/b", "mode": "ro"}]}' \
		'{"host_path": "'"$box"'"}'; do
		same "error in workspace 'a' no folder of this machine is mounted" "$(asks a "$m")"
	done
	# Nor from outside of both.
	for path in "$there" "$box/tenants/b" "$box/tenants"; do
		run -77 lb-exec --mount "$path:/mnt/b:ro" -- cat /mnt/b/f
		run ! grep secret-of <<< "$(jq -cn --arg p "$path" '{kind: "exec", cmd: "cat f", host_path: $p}' |
			lb-exec --records 2> /dev/null)"
	done
	printf 'box: {local: {default_workspace: "%s/elsewhere"}}\n' "$PWD" > "$LB_CONFIG"
	lb-exec "${b[@]}" --session s -- sh -c 'echo secret-of-b > f'
	[ -e elsewhere/.tenants/b/s/f ]
	run -77 lb-exec -w elsewhere/.tenants/b/s -- cat f
	run -77 lb-exec --mount "elsewhere/.tenants/b:/mnt/b:ro" -- cat /mnt/b/s/f
	run lb-exec "${a[@]}" --session s -- cat f
	same "cat: f: No such file or directory" "$output"
}

@test "no two tenants have one user id" {
	need root
	for i in 1 2 3; do
		lb-exec "${a[@]}" --session s$i -- sh -c 'echo > f'
		lb-exec "${b[@]}" --session s$i -- sh -c 'echo > f'
		lb-exec --session s$i -- sh -c 'echo > f'
	done
	same 9 "$(find "$box" -name f -printf '%U\n' | sort -u | wc -l)"
	# What one forgets is not the other's.
	lb-box delete "${a[@]}" s1 s2 s3
	same 6 "$(ls "$box/uids" | wc -l)"
	ln -s a/gone "$box/uids/222222"
	ln -s b/gone "$box/uids/222223"
	same '{"ended":"user","name":"222222"}' "$(lb-box reap "${a[@]}")"
	same '{"ended":"user","name":"222223"}' "$(lb-box reap)"
	same 6 "$(ls "$box/uids" | wc -l)"
}

@test "processes are those of one workspace" {
	lb-box start "${b[@]}" p --session s -- sh -c 'echo secret-of-b >&2; cat' > info
	lb-box ps "${a[@]}" > listed
	[ ! -s listed ]
	for verb in attach logs stop; do
		for n in p ../b/p ../../b/processes/p b/p; do
			run lb-box $verb "${a[@]}" $n
			[[ $status == 66 || $status == 64 ]]
			[[ $output != *secret* ]]
		done
		run -66 lb-box $verb p
	done
	same running "$(lb-box ps "${b[@]}" | jq -r .status)"
	same x "$(echo x | lb-box attach "${b[@]}" -n 1 p)"
	# The same name is another process.
	lb-box start "${a[@]}" p --session s -- cat > info
	lb-box stop "${a[@]}" p
	same running "$(lb-box ps "${b[@]}" | jq -r .status)"
	lb-box stop "${b[@]}" p
}

@test "quotas are counted for each" {
	printf 'box: {quota: {namespace: {execs_per_day: 1}, sender: {execs_per_day: 1}, session: {execs_per_day: 1}}}\n' > "$LB_CONFIG"
	for w in a b 'a b' ''; do
		run -0 lb-exec ${w:+--workspace "$w"} --session s -- true
		run -77 lb-exec ${w:+--workspace "$w"} --session s -- true
	done
	# Names that are put together in another way.
	run -0 lb-exec --workspace 'namespace a' -- true
}

@test "how many may be alive is counted for each" {
	printf 'box: {limits: {max_sessions: 1}}\n' > "$LB_CONFIG"
	lb-exec "${b[@]}" --session s -- sh -c 'echo > up; sleep 60' 3>&- &
	until [ -s "$box/tenants/b/workspaces/s/up" ]; do sleep 0.02; done
	run -75 lb-exec "${b[@]}" --session other -- true
	run -0 lb-exec "${a[@]}" --session other -- true
	kill $!
	wait $! || true
}

@test "the audit, failures and numbers are those of one workspace" {
	lb-exec "${a[@]}" --session s -- true
	lb-exec "${b[@]}" --session s -- echo secret-of-b
	lb-exec --session s -- echo none
	run -77 lb-exec "${b[@]}" --session s --network on -- echo secret-of-b
	same 'true' "$(lb-box audit "${a[@]}" --session s | jq -r .command)"
	same 2 "$(lb-box audit "${b[@]}" --session s | wc -l)"
	same 'a b b null' "$(lb-box audit --session s | jq -r '.workspace' | sort | xargs)"
	same '' "$(lb-box errors "${a[@]}")"
	same denied "$(lb-box errors "${b[@]}" | jq -r .class)"
	[[ $(lb-box metrics "${a[@]}") == *$'\nlb_box_calls{tool="exec"} 1\n'* ]]
	same "null" "$(LB__BOX__WORKSPACE=c lb-box audit | jq -c . | grep . || echo null)"
}

@test "what one was allowed is not allowed to the other" {
	printf 'pipelines: {default: {elevated: ask, ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' > "$LB_CONFIG"
	want='{"command":"echo done","elevated":true}'
	[[ $(calls a exec "$want") == "an operator must allow this first"* ]]
	[[ $(calls b exec "$want") == "an operator must allow this first"* ]]
	id=$(lb-box pending "${a[@]}" | jq -r .id)
	same a "$(lb-box pending "${a[@]}" | jq -r .workspace)"
	same 2 "$(lb-box pending | wc -l)"
	[ "$id" != "$(lb-box pending "${b[@]}" | jq -r .id)" ]
	run -1 lb-box approve "${b[@]}" "$id"
	same "lb-box: no request '$id' waits" "$output"
	run -1 lb-box deny "${b[@]}" "$id"
	lb-box approve "${a[@]}" "$id"
	[[ $(calls b exec "$want") == "an operator must allow this first"* ]]
	same done "$(calls a exec "$want")"
}

@test "sessions end, and files go, of one workspace; without one, of all" {
	for w in a b; do
		lb-exec --workspace $w --session s -- true
		touch -d '1 hour ago' "$box/tenants/$w/sessions/s/use"
	done
	same '{"ended":"session","name":"s"}' "$(lb-box reap "${a[@]}")"
	[ -e "$box/tenants/b/alive/s" ]
	same '{"ended":"session","name":"s"}' "$(lb-box reap)"
	[ ! -e "$box/tenants/b/alive/s" ]
	printf 'box: {workspace_retention_days: 7}\n' > "$LB_CONFIG"
	for w in a b; do
		touch -d '9 days ago' "$box/tenants/$w/sessions/s/use"
	done
	same '{"ended":"files","name":"s"}' "$(lb-box gc "${a[@]}")"
	[ -e "$box/tenants/b/workspaces/s" ]
	same 1 "$(lb-run gc | jq -r 'select(.what == "workspaces").removed')"
	[ ! -e "$box/tenants/b/workspaces/s" ]
	lb-exec "${b[@]}" --session s -- true
	run -66 lb-box delete "${a[@]}" s
	lb-box delete "${b[@]}" s
}

@test "what came with messages and is old goes, of one workspace; without one, of all" {
	old() {
		touch -d '30 days ago' "$1"
	}
	expired() {
		lb-run gc "$@" | jq 'select(.what == "attachments").removed'
	}
	for w in a b; do
		lb-exec --workspace $w --session s -- mkdir -p inbox/x
		old "$box/tenants/$w/workspaces/s/inbox/x"
	done
	same 1 "$(expired "${a[@]}")"
	[ ! -e "$box/tenants/a/workspaces/s/inbox/x" ]
	[ -e "$box/tenants/b/workspaces/s/inbox/x" ]
	same 1 "$(expired)"
	# A tenant of that name is no session's inbox.
	printf 'box: {local: {default_workspace: "%s/elsewhere"}}\n' "$PWD" > "$LB_CONFIG"
	lb-exec --workspace inbox --session s -- sh -c 'echo kept > f'
	lb-exec --session s -- true
	old elsewhere/.tenants/inbox/s
	same 0 "$(expired)"
	same kept "$(lb-exec --workspace inbox --session s -- cat f)"
}

@test "what is the host's, no record sets" {
	for f in workspace profile plan subscription managed_sandbox entitlement \
		entitlement_revision max_sessions max_managed_processes backend; do
		for v in '"b"' 1 true '[]'; do
			same "error field '$f' is the host's: in workspace 'a' nobody else may set it" \
				"$(asks a "{\"$f\": $v}")"
		done
		same 'result ' "$(asks a "{\"$f\": null}")"
		# No model either.
		[[ $(calls a exec "{\"command\":\"true\",\"$f\":\"b\"}") == *"'$f'"* ]]
	done
	same denied "$(jq -cn '{kind: "exec", cmd: "true", plan: "pro"}' |
		lb-exec --records "${a[@]}" 2> /dev/null | jq -r .code)"
	# Elsewhere it is a member like any that we do not know.
	same result "$(jq -cn '{kind: "exec", cmd: "true", plan: "pro"}' | lb-exec --records | jq -r .kind)"
}

@test "there is no network, whoever asks" {
	for n in '"on"' '{"allow": ["example.org"]}' '{"allow": []}' '" on "' 1; do
		same "error field 'network': there is none in workspace 'a'" "$(asks a "{\"network\": $n}")"
	done
	same 'result ' "$(asks a '{"network": "off"}')"
	run --separate-stderr -77 lb-exec "${a[@]}" --network on -- true
	same "lb-exec: --network: there is none in workspace 'a'" "$stderr"
	# The profile has one: nobody asked, and he is told.
	run --separate-stderr -0 lb-exec "${a[@]}" --profile network_basic -- sh -c 'env | grep -ci proxy; true'
	same 0 "$output"
	same "lb-exec: network: profile 'network_basic' has one, and workspace 'a' has none" "$stderr"
}

@test "nothing is mounted, and the workspace is where it is" {
	mkdir mine
	[ "$(id -u)" -ne 0 ] || chown 65534:65534 mine
	no="in workspace 'a' no folder of this machine is mounted"
	for o in "-w mine" "--mount mine:/mnt/m:ro"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -77 lb-exec "${a[@]}" $o -- true
		same "lb-exec: $no" "$stderr"
	done
	for m in '{"host_path": "/tmp"}' '{"host_path": "/tmp", "host_path_mode": "none"}' \
		'{"extra_mounts": [{"host_path": "/tmp", "mount_path": "/mnt/x", "mode": "ro"}]}'; do
		same "error $no" "$(asks a "$m")"
	done
	same "error in workspace 'a' files are at /workspace, and nowhere else" "$(asks a '{"mount_path": "/workspace/x"}')"
	for d in /tmp /mnt/x /workspace/../tmp /workspacex; do
		same "error in workspace 'a' commands begin in or below /workspace" "$(asks a "{\"workdir\": \"$d\"}")"
	done
	same 'result ' "$(asks a '{"workdir": "/workspace/sub"}')"
	# Skills are the operator's.
	run --separate-stderr -77 lb-exec "${a[@]}" --session s --skill x=mine -- true
	same "lb-exec: skill 'x': in workspace 'a' only skills of the store are mounted, read-only" "$stderr"
	mkdir -p "$LB_STATE/skills/x"
	echo it > "$LB_STATE/skills/x/f"
	chmod -R a+rX "$LB_STATE/skills"
	run -0 lb-exec "${a[@]}" --session s --skill x="$LB_STATE/skills/x" -- cat /workspace/.skills/x/f
	same it "$output"
	ln -s "$PWD/mine" "$LB_STATE/skills/y"
	run -77 lb-exec "${a[@]}" --session s --skill y="$LB_STATE/skills/y" -- true
}

@test "limits are the profile's, and whoever asks for others is told" {
	printf 'box: {profiles: {default: {cpus: 1, memory_mb: 128, pids_limit: 32, max_timeout_sec: 2}}}\n' > "$LB_CONFIG"
	run -0 bash -c 'echo "{\"kind\":\"exec\",\"cmd\":\"true\",\"cpus\":4,\"memory_mb\":4096,\"pids_limit\":9999,\"read_only_rootfs\":false,\"workspace_quota_mb\":9,\"timeout_sec\":60}" |
		lb-exec --records --workspace a'
	same 'cpus memory_mb pids_limit read_only_rootfs timeout_sec workspace_quota_mb' \
		"$(jq -r '.notes[]' <<< "$output" | grep -o '^[a-z_]*' | sort | xargs)"
	[[ $output == *"timeout_sec: 60 was asked for, and profile 'default' allows at most 2"* ]]
	same '[2000,1,128,32,0]' "$(lb-box audit "${a[@]}" | jq -c '.limits | [.timeout_ms, .cpus, .memory_mb, .pids_limit, .quota_mb]')"
	same timed_out "$(jq -cn '{kind: "exec", cmd: "sleep 20", timeout_sec: 60}' |
		lb-exec --records "${a[@]}" | jq -r .status)"
	# What the operator says for all profiles holds.
	printf 'box: {local: {workspace_quota_mb: 7}}\n' > "$LB_CONFIG"
	lb-exec "${a[@]}" --session s -- true
	same 7 "$(lb-box audit "${a[@]}" -n 1 | jq -r .limits.quota_mb)"
	# A model hears of it, too.
	printf 'pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' > "$LB_CONFIG"
	jq -cn '{op: "hello", version: 1}, {op: "call", id: "1", name: "exec",
		arguments: {command: "true", timeout_sec: 999},
		context: {id: "1", bot: "b", pipeline: "default", session: "b/person_ann",
		sender_id: "ann", launcher_type: "person", deadline_ms: 600000}}' |
		lb-tool serve "${a[@]}" | tail -n 1 > answer
	[[ $(jq -r '.content | fromjson | .notes[0]' answer) == "timeout_sec: 999 was asked for"* ]]
	same b/person_ann "$(lb-box audit "${a[@]}" -n 1 | jq -r .session)"
}

@test "nothing runs outside of a sandbox" {
	printf 'box: {allow_host: true}\npipelines: {default: {sandbox-mode: host, ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' > "$LB_CONFIG"
	run --separate-stderr -0 lb-exec --host -- true
	run --separate-stderr -77 lb-exec "${a[@]}" --host -- true
	[[ $stderr == *"in workspace 'a' commands run in a sandbox alone" ]]
	same "in workspace 'a' commands run in a sandbox alone" "$(calls a exec '{"command":"echo x"}')"
	run --separate-stderr -77 env LB__BOX__BACKEND=host lb-exec "${a[@]}" -- true
	[[ $stderr == *"in workspace 'a' commands run in a sandbox alone" ]]
	# Nor by one that knows nothing of workspaces.
	printf '%s\n' '#!/bin/sh' 'unset LB__BOX__BACKEND; exec lb-exec --records' > far
	chmod +x far
	run --separate-stderr -0 env LB__BOX__BACKEND="exec:$PWD/far" LB__BOX__WORKSPACE= lb-exec -- true
	run --separate-stderr -77 env LB__BOX__BACKEND="exec:$PWD/far" lb-exec "${a[@]}" -- true
	same "lb-exec: in workspace 'a' commands run on this machine: another one knows of no workspaces" "$stderr"
}

@test "no skill is made of what a tenant's model wrote" {
	printf 'pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}}}\n' > "$LB_CONFIG"
	asks='{op: "hello", version: 1}, {op: "list", id: "0", context: {bot: "b", pipeline: "default"}},
		{op: "call", id: "1", name: "register_skill", arguments: {path: "k", name: "k",
		description: "d", instructions: "i"}, context: {id: "1", bot: "b",
		pipeline: "default", session: "b/person_ann", sender_id: "ann",
		launcher_type: "person", deadline_ms: 60000}}'
	lb-exec "${a[@]}" --session b/person_ann -- mkdir k
	lb-exec --session b/person_ann -- mkdir k
	jq -cn "$asks" | LB__BOX__WORKSPACE=a lb-skill serve > out
	[[ $(jq -r 'select(.id == "1") | .error.message' out) == "skills are the operator's: none is registered from workspace 'a'" ]]
	run ! grep '"register_skill"' out
	jq -cn "$asks" | lb-skill serve > out
	grep -q '"register_skill"' out
	same true "$(jq -r 'select(.id == "1") | .ok' out)"
}

@test "lb-run hands it on to what it starts" {
	cat > "$LB_CONFIG" <<-END
		llm: {model: offline}
		pipelines: {default: {ai: {local-agent: {enable-all-tools: true}}, sandbox: {open-to: everyone}, tools: {providers: [mine]}}}
		tools: {providers: {mine: {command: ["$PWD/mine"]}}}
	END
	cat > mine <<-'END'
		#!/bin/sh
		echo "$LB__BOX__WORKSPACE $LB_OWNER" > "$LB_STATE/handed"
		read -r hello
		echo '{"version":1,"name":"mine"}'
		while read -r l; do :; done
	END
	chmod +x mine
	echo hello | lb-run "${a[@]}" > /dev/null
	until [ -s "$LB_STATE/handed" ]; do sleep 0.02; done
	[[ $(cat "$LB_STATE/handed") =~ ^a\ [0-9]+:[0-9]+$ ]]
	run -0 lb-run --workspace 'a b' --print
	[[ $output == "export LB__BOX__WORKSPACE='a b'; "* ]]
	run -0 lb-run flow --workspace 'a b' --print
	[[ $output == "export LB__BOX__WORKSPACE='a b'; "* ]]
	run -64 lb-run --workspace '' --print
}
