#!/usr/bin/env bats
# The keys of the sandbox: what they refuse, and what an import makes of
# LangBot's.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# problems YAML... - what check says of a file of these lines.
problems() {
	printf '%s\n' "$@" > "$LB_CONFIG"
	lb-config check | sed "s|^$LB_CONFIG:||"
}

# settings YAML... - import a LangBot whose config.yaml is this.
settings() {
	export LB_CONFIG=$BATS_TEST_TMPDIR/etc/config.yaml
	rm -rf data etc
	python3 "$BATS_TEST_DIRNAME/langbot.py" data new
	printf '%s\n' "$@" > data/config.yaml
	run --separate-stderr -0 timeout 60 lb-config import \
		--from-langbot --json
}

# said NAME - what the report says of a setting.
said() {
	jq -r --arg n "$1" 'select(.what == "setting" and .name == $n) |
		.result + (if .why then ": " + .why else "" end)' <<< "$output"
}

@test "without a key the sandbox is there, and nothing runs on this machine" {
	unset LB_CONFIG
	same '[true,"local",false,"200000-265535",100000]' "$(lb-config get box |
		jq -c '[.enabled, .backend, .allow_host, ."uid-range",
			.limits.max_workspace_entries]')"
	same '{"profile":"default","image":"","host_root":"","default_workspace":"","skills_root":"","allowed_mount_roots":[]}' \
		"$(lb-config get box.local)"
	same '["all","never","network_extended","{session}"]' \
		"$(lb-config get pipelines.default | jq -c '[."sandbox-mode",
			.elevated, ."elevated-profile",
			.ai."local-agent"."box-session-id-template"]')"
}

@test "sandbox-mode: host needs box.allow_host, and is an error of its line" {
	same "2: pipelines.p.sandbox-mode: host runs what a model says as whoever runs lb: it needs box.allow_host: true" \
		"$(problems 'pipelines:' '  p: {sandbox-mode: host}')"
	run --separate-stderr -78 lb-config get box
	[[ $stderr == "lb-config: $LB_CONFIG:2: pipelines.p.sandbox-mode: host runs "* ]]
	same "" "$(problems 'box: {allow_host: true}' \
		'pipelines: {default: {sandbox-mode: host}}')"
	same "" "$(problems 'pipelines: {default: {sandbox-mode: off}}')"
	same off "$(lb-config get pipelines.default.sandbox-mode)"
	same "1: pipelines.p.sandbox-mode: 'none' is not all, non_default, off or host" \
		"$(problems 'pipelines: {p: {sandbox-mode: none}}')"
}

@test "a session template that would mix up chats is refused where it stands" {
	local key=pipelines.p.ai.local-agent.box-session-id-template
	while IFS='|' read -r template why; do
		same "1: $key: $why" "$(problems \
			"pipelines: {p: {ai: {local-agent: {box-session-id-template: '$template'}}}}")"
	done <<-'END'
		{launcher_tipe}_{launcher_id}|{launcher_tipe} is no variable (did you mean {launcher_type}?)
		{launcher_type}{launcher_id}|'_' or '/' must stand in front of {launcher_id}: else two values could not be told apart
		{bot|a brace that belongs to no variable
	END
	for template in '{global}' '{launcher_type}_{launcher_id}' \
		'{launcher_type}_{launcher_id}_{sender_id}' '{query_id}'; do
		same "" "$(problems "pipelines: {default: {ai: {local-agent: {box-session-id-template: '$template'}}}}")"
	done
	same "1: system.limitation.force_box_session_id_template: {x} is no variable; there are {bot} {pipeline} {session} {launcher_type} {launcher_id} {sender_id} {conversation_id} {query_id} {global}" \
		"$(problems "system: {limitation: {force_box_session_id_template: '{x}'}}")"
}

@test "profiles: what they may not say, and names of none" {
	same "" "$(problems 'box: {local: {profile: mine}, profiles: {mine: {network: on, cpus: 0.5, locked: [network]}}}' \
		'pipelines: {default: {elevated: ask, elevated-profile: mine}}')"
	same "1: box.local.profile: there is no profile 'mine'" \
		"$(problems 'box: {local: {profile: mine}}')"
	same "1: pipelines.p.elevated-profile: there is no profile 'mine'" \
		"$(problems 'pipelines: {p: {elevated: allow, elevated-profile: mine}}')"
	same "1: box.profiles.mine.locked: 'max_timeout_sec' is nothing that a profile can lock" \
		"$(problems 'box: {profiles: {mine: {locked: [cpus, max_timeout_sec]}}}')"
	same "1: box.profiles.mine.cpus: must be more than 0" \
		"$(problems 'box: {profiles: {mine: {cpus: 0}}}')"
	same "1: box.profiles.mine.memory_mb: '31' is not a whole number from 32 to 16777216" \
		"$(problems 'box: {profiles: {mine: {memory_mb: 31}}}')"
	same "1: box.profiles.mine.timeout_sek: unknown key (did you mean 'box.profiles.mine.timeout_sec'?)" \
		"$(problems 'box: {profiles: {mine: {timeout_sek: 3}}}')"
	# one that is built in, changed
	same "" "$(problems 'box: {profiles: {network_extended: {memory_mb: 64}}}')"
}

@test "networks: a profile's hosts, and what may be reached inside" {
	for network in off on '{allow: [a.test, "*.b.test:8443"]}' '[a.test]' '"a.test,b.test"'; do
		same "" "$(problems "box: {profiles: {mine: {network: $network}}}")"
	done
	same "1: box.profiles.mine.network: 'maybe' is not off, on, or a mapping whose allow is a list of hosts such as example.org, *.example.org or example.org:8443" \
		"$(problems 'box: {profiles: {mine: {network: maybe}}}')"
	same "1: box.profiles.mine.network: '*' is no host such as example.org, *.example.org or example.org:8443" \
		"$(problems 'box: {profiles: {mine: {network: {allow: ["*"]}}}}')"
	same "" "$(problems 'box: {network: {allow_private: [10.0.0.0/8, "127.0.0.1:8080", "[::1]:80"]}}')"
	same "1: box.network.allow_private: 'localhost' is no network such as 10.0.0.0/8, nor an address such as 10.1.2.3, 10.1.2.3:8080 or [fd00::1]:8080" \
		"$(problems 'box: {network: {allow_private: [localhost]}}')"
	: > "$LB_CONFIG"
	LB__BOX__PROFILES__DEFAULT__NETWORK=a.test,b.test:81 run -0 lb-config get box.profiles.default.network
	same '{"allow":["a.test","b.test:81"]}' "$(jq -c . <<< "$output")"
	LB__BOX__NETWORK__ALLOW_PRIVATE=10.0.0.1 run -0 lb-config get box.network.allow_private
}

@test "folders that may be mounted are absolute, user ids are a range" {
	same "1: box.local.allowed_mount_roots: './data/box' is no absolute path" \
		"$(problems 'box: {local: {allowed_mount_roots: [/srv, ./data/box]}}')"
	for range in 1-2 2000-1000 5000 a-b 2000-5000000000 2000-3000x; do
		same "1: box.uid-range: is not FIRST-LAST, user ids from 1000 to 4000000000" \
			"$(problems "box: {uid-range: '$range'}")"
	done
	same "" "$(problems 'box: {uid-range: 300000-300100}')"
}

@test "what has no effect in this version is refused, unless it asks for nothing" {
	same "1: box.runtime.endpoint: there is no program to reach over a network: whoever can reach one can run commands; another machine is reached by box.backend: \"exec:ssh HOST lb-exec --records\"" \
		"$(problems 'box: {runtime: {endpoint: http://box:5410}}')"
	same "1: box.skills_mode: 'copy' is not ro, rw or overlay" \
		"$(problems 'box: {skills_mode: copy}')"
	same "" "$(problems 'box: {skills_mode: rw}')"
	same "1: box.limits.max_sessions: '5001' is not a whole number from 0 to 5000" \
		"$(problems 'box: {limits: {max_sessions: 5001}}')"
	same "" "$(problems 'box: {limits: {max_sessions: 0}, session_ttl: none}')"
	same "1: box.enabld: unknown key (did you mean 'box.enabled'?)" \
		"$(problems 'box: {enabld: false}')"
	# LangBot's own file says these
	same "" "$(problems 'box:' '  backend: local' '  runtime: {endpoint: ""}' \
		'  local: {profile: default, image: "", skills_root: skills, workspace_quota_mb: }' \
		'  default_memory_mb: 1536' '  skills_mode: ro' \
		'  docker: {cpu_limit_enabled: true}' \
		'  e2b: {api_key: "", api_url: "", template: ""}' \
		'  limits: {max_sessions: 64, max_managed_processes: 64, max_completed_processes: 256, completed_process_retention_sec: 300, max_rpc_file_bytes: 20971520}')"
	run --separate-stderr -78 env LB__BOX__RUNTIME__ENDPOINT=http://x \
		lb-config get
	[[ $stderr == "lb-config: environment LB__BOX__RUNTIME__ENDPOINT: there is no program to reach over a network"* ]]
}

@test "the environment sets them, as it does others" {
	printf 'box: {enabled: true}\n' > "$LB_CONFIG"
	export BOX__ENABLED=no LB__BOX__LOCAL__HOST_ROOT=/srv/box
	export LB__BOX__LOCAL__ALLOWED_MOUNT_ROOTS=/srv/a,/srv/b
	same '[false,"/srv/box",["/srv/a","/srv/b"]]' "$(lb-config get box |
		jq -c '[.enabled, .local.host_root, .local.allowed_mount_roots]')"
}

@test "check says which keys do nothing while the sandbox is off" {
	problems 'box:' '  enabled: false' '  limits: {max_workspace_entries: 3}' \
		'  local: {skills_root: /srv/skills}' 'pipelines:' \
		'  default: {sandbox-mode: all, elevated: ask, ai: {local-agent: {tools: [exec, x__y]}}}' > out
	cat > want <<-'END'
		3: warning: box.limits.max_workspace_entries: has no effect while box.enabled is false
		6: warning: pipelines.default.sandbox-mode: has no effect while box.enabled is false
		6: warning: pipelines.default.elevated: has no effect while box.enabled is false
		6: warning: pipelines.default.ai.local-agent.tools: 'exec' is not offered while box.enabled is false
	END
	same "$(sort want)" "$(grep -v "providers" out | sort)"
	problems 'box:' '  limits: {max_workspace_entries: 3}' > out
	same "" "$(cat out)"
}

@test "an import takes what LangBot says of its sandbox, narrower where it must" {
	settings 'box:' '  enabled: "no"' '  backend: docker' \
		'  runtime: {endpoint: "http://box:5410"}' \
		'  local: {profile: offline_readonly, image: py, host_root: /srv/box, default_workspace: "", skills_root: skills, allowed_mount_roots: [./data/box, /tmp, /srv/shared, rel], workspace_quota_mb: 100}' \
		'  limits: {max_sessions: 5, max_workspace_entries: 1000}' \
		"system: {limitation: {force_box_session_id_template: '{sender_id}'}}"
	same '{"enabled":false,"local":{"allowed_mount_roots":["/srv/shared"],"profile":"offline_readonly","workspace_quota_mb":100},"limits":{"max_sessions":5,"max_workspace_entries":1000}}' \
		"$(lb-config get box | jq -c '{enabled, local: (.local |
			{allowed_mount_roots, profile, workspace_quota_mb}),
			limits: (.limits | {max_sessions, max_workspace_entries})}')"
	same '{sender_id}' "$(lb-config get system.limitation.force_box_session_id_template)"
	same taken "$(said box.backend)"
	same '"docker" "py"' "$(lb-config get box | jq -c '.backend, .local.image' | paste -sd ' ')"
	[[ $(said box.runtime.endpoint) == "not taken: the sandbox is always on this machine: "* ]]
	[[ $(said box.local.host_root) == "not taken: lb keeps the files "* ]]
	same taken "$(said box.local.image)"
	same "narrowed: /tmp is left out: everybody's files are in it; 'rel' is left out: it is no absolute path" \
		"$(said box.local.allowed_mount_roots)"
	same taken "$(said box.limits.max_workspace_entries)"
	same taken "$(said box.limits.max_sessions)"
	same "" "$(said box.local.skills_root)"
}

@test "an import takes a key of E2B, and its domain as the URL it stands for" {
	settings 'box:' '  backend: e2b' \
		'  e2b: {api_key: e2b_some-key, api_url: box.example.com, template: numbers}'
	same '["e2b","https://api.box.example.com","numbers"]' \
		"$(lb-config get box | jq -c '[.backend, .e2b.api_url, .e2b.template]')"
	grep -q 'api_key: "*e2b_some-key' "$LB_CONFIG"
	same taken "$(said box.e2b.api_key)"
	[[ $output != *e2b_some-key* ]]
	same 600 "$(stat -c %a "$LB_CONFIG")"
	# a stranger's file does not choose what is read or run here
	settings 'box: {backend: e2b, e2b: {api_key: "cmd:touch pwned", api_url: "http://h:1/"}}'
	same "not taken: it would not be read as a key here" "$(said box.e2b.api_key)"
	same http://h:1/ "$(lb-config get box.e2b.api_url)"
	settings 'box: {e2b: {api_url: "a b"}}'
	same "not taken: it is neither a URL nor a domain" "$(said box.e2b.api_url)"
}

@test "a service is at a URL, and a template has a name" {
	same "1: box.e2b.api_url: has to begin with http:// or https:// and a host" \
		"$(problems 'box: {e2b: {api_url: e2b.app}}')"
	same "1: box.e2b.template: '-x' is no name of an image" \
		"$(problems 'box: {e2b: {template: -x}}')"
	same "" "$(problems 'box: {backend: e2b, e2b: {api_key: "env:K", api_url: "https://a.b", template: t1}}')"
}

@test "an import of what LangBot's file says by itself says nothing" {
	settings 'box:' '  enabled: true' '  backend: local' \
		'  runtime: {endpoint: ""}' '  limits: {max_sessions: 64}' \
		'  local: {profile: default, image: "", host_root: ./data/box, default_workspace: "", skills_root: skills, allowed_mount_roots: [./data/box], workspace_quota_mb: }' \
		"system: {limitation: {force_box_session_id_template: ''}}"
	same "" "$(jq -r 'select(.name | startswith("box") or
		startswith("system")) | .name' <<< "$output")"
	settings "system: {limitation: {force_box_session_id_template: '{nobody}'}}"
	same "not taken: {nobody} is no variable; there are {bot} {pipeline} {session} {launcher_type} {launcher_id} {sender_id} {conversation_id} {query_id} {global}; each chat has a sandbox of its own" \
		"$(said system.limitation.force_box_session_id_template)"
}

@test "an import keeps a pipeline's template, or each chat to itself" {
	local name=Sales said
	python3 "$BATS_TEST_DIRNAME/langbot.py" data new
	export LB_CONFIG=$BATS_TEST_TMPDIR/etc/config.yaml
	while IFS='|' read -r template want says; do
		rm -rf etc
		python3 - "$template" <<-'END'
			import json, sqlite3, sys
			db = sqlite3.connect("data/langbot.db")
			for uuid, text in db.execute(
			        "select uuid, config from legacy_pipelines").fetchall():
			    config = json.loads(text)
			    config["ai"]["local-agent"]["box-session-id-template"] = sys.argv[1]
			    db.execute("update legacy_pipelines set config = ? where uuid = ?",
			               (json.dumps(config), uuid))
			db.commit()
		END
		run --separate-stderr -0 timeout 60 lb-config import \
			--from-langbot --json
		same "$want" "$(lb-config get pipelines.$name.ai.local-agent.box-session-id-template)"
		said=$(jq -r 'select(.name == "Sales" and .what == "pipeline") | .why' <<< "$output")
		[[ $said == *"$says"* ]]
	done <<-'END'
		{launcher_type}_{launcher_id}|{session}|
		{launcher_type}_{launcher_id}_{sender_id}|{launcher_type}_{launcher_id}_{sender_id}|
		{global}|{global}|all chats of all bots share one sandbox
		{nobody}|{session}|{nobody} is no variable
		{query_id.__class__}|{session}|each chat has a sandbox of its own
	END
}
