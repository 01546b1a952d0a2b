#!/usr/bin/env bats
# lb-config import --from-langbot: what LangBot keeps becomes configuration.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	rm -f "$LB_CONFIG"
	export LB_CONFIG=$BATS_TEST_TMPDIR/etc/config.yaml
	unset LANGBOT_DATA_ROOT
}

data() {
	python3 "$BATS_TEST_DIRNAME/langbot.py" data "${1-new}"
}

# database STATEMENT... - change LangBot's database.
database() {
	python3 - "$@" <<-'END'
		import sqlite3, sys
		db = sqlite3.connect("data/langbot.db")
		for statement in sys.argv[1:]:
		    db.execute(statement)
		db.commit()
	END
}

import() {
	timeout 60 lb-config import --from-langbot "$@"
}

# checks - there is nothing else to say of it than what LangBot let pass.
checks() {
	run -0 lb-config check
	[[ $output == *": warning: pipelines."*".ai.local-agent.model: reasoning: model "*" has no reasoning level 'low'; there are: "* ]]
	[ "${#lines[@]}" -eq 1 ]
}

# result WHAT NAME - what the report says of an item, from output.
result() {
	jq -r --arg w "$1" --arg n "$2" 'select(.what == $w and .name == $n) |
		.result + (if .why then ": " + .why else "" end)' <<< "$output"
}

get() {
	lb-config get "$1"
}

fingerprint() {
	(cd data && find . -type f -print0 | sort -z | xargs -0 sha256sum &&
		find . | sort && stat -c '%n %Y %a' langbot.db)
}

@test "the whole of it: bots, pipelines, providers, webhooks, settings; and it loads" {
	data
	run --separate-stderr -0 import
	same "lb-config: written: $LB_CONFIG, and what has no place yet: ${LB_CONFIG%/*}/langbot-import.json" "$stderr"
	checks
	same telegram "$(get bots.Shop.adapter)"
	same Sales "$(get bots.Shop.pipeline)"
	same true "$(get bots.Shop.stream)"
	same OpenAI/gpt-4o-mini "$(get pipelines.Sales.ai.local-agent.model.primary)"
	same '{"primary":"OpenAI/gpt-4o-mini","fallbacks":["Local-Llama/llama3"],"reasoning":{"Local-Llama/llama3":"low"}}' \
		"$(get pipelines.Sales.ai.local-agent.model)"
	same openai "$(get providers.OpenAI.preset)"
	same '{"enable_all_skills":false,"mcp_resource_agent_read_enabled":true,"mcp_servers":["files"],"skills":["hello"]}' \
		"$(get pipelines.Sales.extensions_preferences | jq -cS .)"
	same http://127.0.0.1:11435 "$(get providers.Local-Llama.base-url)"
	same https://crm.example.com/h "$(get webhooks.crm.url)"
	same 33 "$(get concurrency.pipeline)"
	same 8 "$(get webhooks.max_inflight_requests)"
}

@test "each item is a line of the report: taken, narrowed and how, or not taken and why" {
	data
	run --separate-stderr -0 import --json
	same taken "$(result provider OpenAI)"
	same "not taken: its requester is not known" "$(result provider Claude)"
	same taken "$(result model gpt-4o-mini)"
	same "narrowed: extra_args are not taken: here they are the provider's" "$(result model llama3)"
	same "not taken: its provider is not taken" "$(result model claude-x)"
	[[ $(result pipeline Sales) == "narrowed: "*"run commands and write files there: admins alone here (sandbox.open-to)"* ]]
	[[ $(result pipeline Sales) == *"fallback model 2 is not taken"* ]]
	[[ $(result pipeline Sales) == *"sensitive words: '(((' is no pattern here, and left out"* ]]
	[[ $(result pipeline Dify) == "not taken: runner 'dify-service-api' is not in this version"* ]]
	same "not taken: adapter 'discord' is not in this version" "$(result bot Discord)"
	same "not taken: it is switched off there" "$(result bot Asleep)"
	same taken "$(result admin person_55)"
	same "not taken: a group is no admin: all its members would be" "$(result admin group_7788)"
	same "not taken: its bot is not taken" "$(result admin person_66)"
	for item in 'plugin/ann/weather' 'knowledge base/handbook' \
		'embedding model/embed-3'; do
		same "not taken: is kept aside: not in this version" \
			"$(result "${item%%/*}" "${item#*/}")"
	done
	for skill in skills/hello box/skills/tenants/ws-1/deep; do
		same "not taken: is noted: lb-skill install data/$skill" \
			"$(result skill "${skill##*/}")"
	done
	[[ $(result pipeline Sales) == *"plugins are not in this version"* ]]
	same "not taken: there is no HTTP API to manage lb" "$(result setting api)"
	[ -z "$(result setting proxy)" ]
	# for people the same, as a table of words
	rm -r etc
	run --separate-stderr -0 import --print
	grep -qx "admin 'group_7788': not taken: a group is no admin: all its members would be" <<< "$stderr"
}

# servers - the table of MCP servers anew: UUID NAME ENABLE MODE EXTRA, a line each.
servers() {
	database "DELETE FROM mcp_servers"
	while IFS='|' read -r uuid name enable mode extra; do
		database "INSERT INTO mcp_servers (uuid, name, enable, mode, extra_args) VALUES
			('$uuid', '$name', $enable, '$mode', '$extra')"
	done
}

@test "MCP servers are those of the configuration, with what of them has a place" {
	data
	servers <<-'END'
		u1|files here|1|stdio|{"command":"npx","args":["-y","srv"],"env":{"KEY":"sek","N":1,"BAD":"cmd:id"},"box":{"network":"on","host_path":"/srv/x","host_path_mode":"rw","memory_mb":256,"image":"i","env":{"A":"b"}},"tool_call_timeout_sec":0}
		u2|remote|0|remote|{"url":"https://mcp.example.com/x","headers":{"Authorization":"Bearer t","X":"env:HOME"},"timeout":20,"trust_env":true,"command":"rm"}
		u3|sse|1|sse|{"url":"https://mcp.example.com/sse","ssereadtimeout":30,"timeout":"soon"}
		u4|-rm "x"|1|http|{"url":"http://127.0.0.1:1/","mode":"stdio","enable":false}
		u5|files:here|1|stdio|{"command":"b"}
	END
	run --separate-stderr -0 import --json
	same "narrowed: env.BAD would not be read as it is here; box.image is not taken: its sandbox is that of box.backend" \
		"$(result 'MCP server' 'files here')"
	same "narrowed: headers.X would not be read as it is here" "$(result 'MCP server' remote)"
	[[ $(result 'MCP server' sse) == "narrowed: timeout: "* ]]
	same taken "$(result 'MCP server' '-rm "x"')"
	same "narrowed: it has a network there: here it has none until box.network says so" \
		"$(result 'MCP server' files:here)"
	same mcp.servers.files_here "$(jq -r 'select(.name == "files here").as' <<< "$output")"
	checks
	same '{"mode":"stdio","command":"npx","args":["-y","srv"],"env":{"KEY":"sek","N":"1"},"tool_call_timeout_sec":0,"box":{"network":"on","host_path":"/srv/x","host_path_mode":"rw","memory_mb":256,"env":{"A":"b"}},"uuid":"u1"}
{"mode":"remote","url":"https://mcp.example.com/x","headers":{"Authorization":"Bearer t"},"timeout":20,"enable":false,"uuid":"u2"}
{"mode":"sse","url":"https://mcp.example.com/sse","ssereadtimeout":30,"uuid":"u3"}
{"mode":"http","url":"http://127.0.0.1:1/","uuid":"u4"}
{"mode":"stdio","command":"b","uuid":"u5"}' "$(lb-config get mcp.servers | jq -c '.[]')"
	same 'files_here remote sse _rm__x_ files_here-2' "$(lb-config get mcp.servers | jq -r 'keys_unsorted | join(" ")')"
	# what is private is private there, too
	same 600 "$(stat -c %a "$LB_CONFIG")"
	# lb-mcp reads them as they are
	same '_rm__x_ http
files_here stdio
files_here-2 stdio
remote remote
sse sse' "$(lb-mcp list --json | jq -r '"\(.name) \(.mode)"' | sort)"
}

@test "an MCP server that cannot be had is kept aside, and said" {
	data
	servers <<-'END'
		u1|a|1|stdio|{"args":["x"]}
		u2|b|1|http|{"url":"cmd:id"}
		u3|c|1|smoke|{}
		u4|d|1|stdio|{"command":"x"
		u5|e|1|stdio|{"command":"x","args":["a",{}]}
	END
	run --separate-stderr -0 import --json
	same "not taken: it has a network there: here it has none until box.network says so; it has no command" \
		"$(result 'MCP server' a)"
	same "not taken: its url is none that can be asked" "$(result 'MCP server' b)"
	same "not taken: its mode 'smoke' is not known" "$(result 'MCP server' c)"
	same "not taken: its extra_args are not JSON" "$(result 'MCP server' d)"
	[[ $(result 'MCP server' e) == "not taken: some of its args are no texts"* ]]
	same 5 "$(jq '.["MCP servers"] | length' "${LB_CONFIG%/*}/langbot-import.json")"
	checks
	same '' "$(lb-mcp list)"
}

@test "a pipeline has the MCP servers and resources that it had" {
	data
	servers <<-'END'
		u1|one|1|stdio|{"command":"x","box":{"network":"off"}}
		u2|two|1|http|{"url":"https://mcp.example.com/"}
	END
	database "UPDATE legacy_pipelines SET extensions_preferences = '$(jq -cn '{
		enable_all_mcp_servers: false, mcp_servers: ["u2", "u9"], mcp_resource_agent_read_enabled: false,
		mcp_resources: [{server_uuid: "u1", uri: "test://a", mode: "pinned", max_tokens: 100, enabled: true},
			{server_name: "two", uri: "test://b"}, {server_uuid: "u9", uri: "test://c"}, 7]}')'
		WHERE name = 'Tools'"
	run --separate-stderr -0 import --json
	[[ $(result pipeline Tools) == *"its MCP server 2 is not taken; its MCP resource 3 is not taken; its MCP resource 4 is not taken"* ]]
	[[ $(result pipeline Tools) != *plugins* ]]
	[[ $(result pipeline Sales) == *"its MCP server 1 is not taken"* ]]
	same '{"enable_all_mcp_servers":false,"mcp_resource_agent_read_enabled":false,"mcp_resources":[{"enabled":"true","max_tokens":"100","mode":"pinned","server_name":"one","uri":"test://a"},{"server_name":"two","uri":"test://b"}],"mcp_servers":["two"]}' \
		"$(get pipelines.Tools.extensions_preferences | jq -cS .)"
	checks
}

@test "programs are switched off as they were" {
	data
	printf 'mcp:\n  stdio:\n    enabled: "yes"\n' >> data/config.yaml
	run --separate-stderr -0 import --json
	same "narrowed: is no boolean, which means no there" "$(result setting mcp.stdio.enabled)"
	same false "$(get mcp.stdio.enabled)"
}

@test "a person is an admin, a group never is" {
	data
	import > /dev/null 2>&1
	same '["Shop:person_55"]' "$(lb-config get admins | jq -c .)"
}

@test "tools are granted as they were there, and those that change something to admins" {
	data
	import > /dev/null 2>&1
	for p in Sales:true:[] Tools:false:'["exec","read"]'; do
		IFS=: read -r name all tools <<< "$p"
		same "$all" "$(get "pipelines.$name.ai.local-agent.enable-all-tools")"
		same "$tools" "$(get "pipelines.$name.ai.local-agent.tools")"
		same admins "$(get "pipelines.$name.sandbox.open-to")"
		grep -q 'enable-all-tools: '"$all" "$LB_CONFIG"
		# Written out, not left to what it is unless told.
		[[ $(lb-config get --origin "pipelines.$name.sandbox.open-to") == *"$LB_CONFIG"* ]]
	done
}

# provide OP SENDER TOOL JSON - what lb-tool says to that one of bot Shop, in
# pipeline Tools.
provide() {
	jq -cn --arg op "$1" --arg s "$2" --arg n "$3" --argjson a "$4" '{op: $op,
		id: "1", name: $n, arguments: $a, context: {id: "r", bot: "Shop",
		pipeline: "Tools", platform: "telegram", sender_id: $s,
		session: "Shop/person_\($s)", launcher_type: "person",
		launcher_id: $s}}' | lb-tool serve
}

@test "a pipeline whose tools are those of the sandbox has them, for admins" {
	needs_sandbox
	data
	import > /dev/null 2>&1
	same 'exec read' "$(provide list 66 '' '{}' | jq -r '[.tools[].name]|join(" ")')"
	same 42 "$(provide call 55 exec '{"command":"echo 42"}' | jq -r '.content|fromjson.stdout')"
	same "denied tool 'exec' is not for who asks (sandbox.open-to of pipeline 'Tools')" \
		"$(provide call 66 exec '{"command":"echo 42"}' | jq -r '"\(.error.code) \(.error.message)"')"
	same "'/workspace/f': No such file or directory" \
		"$(provide call 66 read '{"path":"f"}' | jq -r '.content|fromjson.error' | grep -o "'/work.*")"
	same denied "$(provide call 55 write '{"path":"f","content":"x"}' | jq -r .error.code)"
}

# sent BOT LAUNCHER_TYPE ID TEXT - which pipeline a message goes to.
sent() {
	jq -nc --arg b "$1" --arg t "$2" --arg i "$3" --arg x "$4" '{kind: "message",
		id: "01890a5d-ac96-774b-bcce-b302099a8057", time: 1767225600250,
		bot: $b, platform: "telegram", launcher_type: $t, launcher_id: $i,
		sender_id: "9", sender_name: "Ann", message_id: "1",
		session: "\($b)/\($t)_\($i)", chain: [{type: "Plain", text: $x}]}' |
		lb-pipeline 2> /dev/null | jq -r 'if .kind == "query" then .pipeline else .kind end'
}

@test "routing goes where it went, and what went nowhere is dropped" {
	data
	import > /dev/null 2>&1
	same Tools "$(sent Shop group 1 'hello')"
	same Sales "$(sent Shop person 1 hello)"
	same drop "$(sent Shop person 42 hello)" # its pipeline is not taken
	same drop "$(sent Shop person 1 /x)"
	same drop "$(sent Shop-2 person 1 hello)" # LangBot answers nothing there
	same drop "$(sent Shop-2 group 1 'ai hello')"
	same reply "$(sent Shop person 1 'a badword')" # of sensitive-words.json
	same reply "$(sent Shop person 1 'b4d')"
}

@test "prompts, lists and texts arrive as they are" {
	data
	import > /dev/null 2>&1
	same 'Sell: "much".
Smile ☃' "$(lb-config get pipelines.Sales.ai.local-agent.prompt | jq -r '.[0].content')"
	same '["group_7","1234"]' \
		"$(lb-config get pipelines.Sales.trigger.access-control.blacklist | jq -c .)"
	same '["!","！"]' "$(lb-config get command.prefix | jq -c .)"
}

@test "old databases without workspaces, providers and admins are read, too" {
	data old
	run --separate-stderr -0 import --json
	same taken "$(result provider openai)"
	same 1 "$(jq -s 'map(select(.what == "provider")) | length' <<< "$output")"
	same taken "$(result model gpt-4o)"
	checks
	same openai/gpt-4o "$(get pipelines.Tools.ai.local-agent.model.primary)"
	same Sales "$(sent Shop person 1 hello)"
}

@test "LangBot's files are not changed, and may be where nothing can be written" {
	data
	before=$(fingerprint)
	chmod -R a-w data
	run -0 import --print
	chmod -R u+w data
	same "$before" "$(fingerprint | sed 's/ 444$/ 644/')"
}

@test "a database in use is read with what is in its log" {
	data
	python3 - <<-'END' &
		import os, sqlite3, time
		db = sqlite3.connect("data/langbot.db")
		db.execute("PRAGMA journal_mode=WAL")
		db.execute("PRAGMA wal_autocheckpoint=0")
		db.execute("UPDATE webhooks SET url = 'https://new.example.com/' WHERE name = 'crm'")
		db.commit()
		db.execute("BEGIN IMMEDIATE")
		db.execute("UPDATE webhooks SET url = 'https://not.yet/' WHERE name = 'crm'")
		open("ready", "w").close()
		time.sleep(60)
	END
	pid=$!
	while [ ! -e ready ]; do sleep 0.05; done
	[ -s data/langbot.db-wal ]
	before=$(fingerprint)
	run --separate-stderr -0 import --print
	same "$before" "$(fingerprint)"
	kill "$pid"
	wait "$pid" || true
	[[ $output == *'url: https://new.example.com/'* ]]
}

@test "a copy of the database is made for a while, for nobody else, and goes" {
	data
	mkdir tmp
	TMPDIR=$PWD/tmp run -0 import --print
	[ -z "$(ls -A tmp)" ]
	echo nonsense, and a lot of it > data/langbot.db
	TMPDIR=$PWD/tmp run -65 import --print
	[ -z "$(ls -A tmp)" ]
	TMPDIR=$PWD/none run -74 import --print
	[[ $output == *"cannot make a folder in '$PWD/none': No such file or directory" ]]
}

@test "secrets: files that nobody else reads, and none of them in the report" {
	data
	umask 022
	run -0 import
	for secret in sk-one 123:TELEGRAM plugin-secret DISCORD-TOKEN dify-secret; do
		[[ $output != *$secret* ]]
	done
	same "600 600" "$(stat -c %a "$LB_CONFIG" etc/langbot-import.json | paste -sd' ')"
	same 123:TELEGRAM-TOKEN "$(sed -n 's/^    token: //p' "$LB_CONFIG" | head -1)"
	# kept aside whole; what only LangBot needs is not kept at all
	jq -e '.bots | map(.name) == ["Discord", "Asleep"]' etc/langbot-import.json
	grep -q plugin-secret etc/langbot-import.json
	run -1 grep -rE 'JWT-SECRET|GLOBAL-KEY' etc
}

@test "a secret that would be a command, a file or a variable here is refused" {
	data
	database "UPDATE bots SET adapter_config = '{\"token\": \"cmd:touch pwned\"}' WHERE uuid = 'bot-1'" \
		"UPDATE model_providers SET api_keys = '[\"cmd:touch pwned\", \"file:/etc/passwd\", \"env:HOME\", \"sk-good\"]' WHERE uuid = 'prov-1'" \
		"UPDATE webhooks SET url = 'cmd:touch pwned' WHERE name = 'crm'"
	run --separate-stderr -0 import --json
	same "not taken: it has no token" "$(result bot Shop | head -1)"
	same "not taken: its URL is none that can be asked" "$(result webhook crm)"
	[[ $(result provider OpenAI) == "narrowed: key 1 would not be read as a key here; key 2"* ]]
	run -1 grep -E 'cmd:|file:|env:' "$LB_CONFIG"
	lb-config check
	[ ! -e pwned ]
}

@test "only LangBot's own keys of a pipeline are taken: ours may name commands" {
	data
	database "UPDATE legacy_pipelines SET config = json_set(config,
		'\$.output.long-text-processing.renderer', 'cmd:touch pwned',
		'\$.safety.content-filter.words-file', '/etc/passwd',
		'\$.sandbox', json('{\"open-to\": \"everyone\"}'),
		'\$.tools', json('{\"x\": {\"command\": [\"touch\", \"pwned\"]}}')) WHERE uuid = 'pipe-1'" \
		"UPDATE legacy_pipelines SET config = json_set(config, '\$.ai.runner.runner', 'exec:./pwn') WHERE uuid = 'pipe-3'"
	echo 'command: {hooks: {x: "cmd:touch pwned"}, privilege: {person_1: admin}}' >> data/config.yaml
	sed -i '/^command: {enable/d' data/config.yaml
	run --separate-stderr -0 import --json
	run -1 grep -E 'pwned|passwd|everyone|exec:|[^b]hooks|privilege' "$LB_CONFIG"
	run -0 lb-config check
}

@test "a guard that cannot be one here keeps its pipeline, and its bots, from being taken" {
	data
	database "UPDATE legacy_pipelines SET config = json_set(config, '\$.trigger.access-control.mode', 'greylist') WHERE uuid = 'pipe-1'" \
		"UPDATE legacy_pipelines SET config = json_set(config, '\$.safety.rate-limit.strategy', 7) WHERE uuid = 'pipe-3'"
	run --separate-stderr -0 import --json
	[[ $(result pipeline Sales) == "not taken: trigger.access-control.mode: "* ]]
	[[ $(result pipeline Tools) == "not taken: safety.rate-limit.strategy: "* ]]
	same drop "$(sent Shop person 1 hello)"
	same drop "$(sent Shop group 1 'ai hello')"
}

@test "an empty text in a list: what means nothing there goes, what means all is no guard" {
	data
	database "UPDATE legacy_pipelines SET config = json_set(config,
		'\$.trigger.access-control.blacklist', json('[\"\", \"group_7\"]'),
		'\$.trigger.group-respond-rules.prefix', json('[\"\"]')) WHERE uuid = 'pipe-1'" \
		"UPDATE legacy_pipelines SET config = json_set(config,
		'\$.trigger.ignore-rules.prefix', json('[\"\"]')) WHERE uuid = 'pipe-3'"
	run --separate-stderr -0 import --json
	[[ $(result pipeline Sales) == "narrowed: trigger.group-respond-rules.prefix: has an empty text"* ]]
	[[ $(result pipeline Tools) == "not taken: trigger.ignore-rules.prefix: has an empty text"* ]]
	same '["group_7"]' "$(get pipelines.Sales.trigger.access-control.blacklist)"
	run -0 lb-config check
}

@test "names that are none here, twice the same or special become others" {
	data
	database "UPDATE bots SET name = '-' WHERE uuid = 'bot-1'" \
		"UPDATE legacy_pipelines SET name = 'a/b.c:d' WHERE uuid = 'pipe-1'" \
		"UPDATE legacy_pipelines SET name = '__discard__' WHERE uuid = 'pipe-3'" \
		"UPDATE model_providers SET name = '  ' || char(27) || '[31m' || x'C3' || printf('%.*c', 200, 'n') WHERE uuid = 'prov-1'" \
		"UPDATE model_providers SET name = NULL WHERE uuid = 'prov-2'" \
		"UPDATE webhooks SET name = 'max_inflight_requests'"
	run -0 import
	checks
	same a-b-c-d "$(get bots.imported-bot.pipeline)"
	same imported-webhook-2 "$(sed -n 's/^  \(imported-webhook-2\):/\1/p' "$LB_CONFIG")"
}

@test "beside a configuration that is there it goes into conf.d, with names of its own" {
	data
	mkdir -p etc
	printf 'bots: {Shop: {adapter: text}}\npipelines: {Sales: {}}\nconcurrency: {pipeline: 5}\nadmins: ["Shop:person_1"]\n' > "$LB_CONFIG"
	run --separate-stderr -0 import --json
	[[ $stderr == "lb-config: written: $PWD/etc/conf.d/langbot.yaml, "* ]]
	run -0 lb-config check
	same text "$(get bots.Shop.adapter)"
	same Sales-2 "$(get bots.Shop-2.pipeline)"
	same 5 "$(get concurrency.pipeline)"
	same '["Shop:person_1"]' "$(lb-config get admins | jq -c .)"
}

@test "what the configuration sets already stays, and the report says where" {
	data
	mkdir -p etc
	printf 'concurrency: {pipeline: 5}\nadmins: ["x:person_1"]\n' > "$LB_CONFIG"
	run --separate-stderr -0 import --json
	same "not taken: concurrency.pipeline is set already in $LB_CONFIG:1" \
		"$(result setting concurrency.pipeline)"
	same "not taken: admins is set already in $LB_CONFIG:2" "$(result admin person_55)"
}

@test "nothing is written over, and then nothing is written" {
	data
	import > /dev/null 2>&1
	sum=$(sha256sum etc/*)
	run --separate-stderr -77 import
	same "lb-config: '$PWD/etc/langbot-import.json' is there already" "${stderr/%: */ is there already}" ||
		[[ $stderr == *"is there already"* || $stderr == *"exists"* ]]
	same "$sum" "$(sha256sum etc/*)"
	[ ! -e etc/conf.d/langbot.yaml ]
	rm etc/langbot-import.json
	run --separate-stderr -0 import
	run --separate-stderr -77 import
	same "lb-config: '$PWD/etc/conf.d/langbot.yaml' is there already: move it away to import anew" "$stderr"
}

@test "--print writes nothing" {
	data
	run --separate-stderr -0 import --print
	[ ! -e etc ]
	[[ $output == *"TELEGRAM-TOKEN"* ]]
	lb-config check <(echo "$output") > /dev/null || true
	echo "$output" > printed.yaml
	run -0 lb-config check printed.yaml
}

@test "the folder is DIR, else LANGBOT_DATA_ROOT, else data" {
	data
	mv data other
	run -0 import --print other
	LANGBOT_DATA_ROOT=$PWD/other run -0 import --print
	mkdir -p "$HOME"
	cp -r other "$HOME/lang"
	LANGBOT_DATA_ROOT='~/lang' run -0 import --print
	run --separate-stderr -66 import --print
	same "lb-config: cannot open 'data/langbot.db': No such file or directory" "$stderr"
	# relative paths of the database are as LangBot was started
	mkdir -p home/data home/db
	cp -r other/. home/data
	mv home/data/langbot.db home/db/x.db
	sed -i 's|path: data/langbot.db|path: db/x.db|' home/data/config.yaml
	run -0 import --print home/data
}

@test "databases that are none, damaged or of something else end in one clear line" {
	data
	cp data/langbot.db good.db
	echo this is not a database, whatever its name says > data/langbot.db
	run --separate-stderr -65 import --print
	same "lb-config: 'data/langbot.db' is not a SQLite database" "$stderr"
	: > data/langbot.db
	run --separate-stderr -65 import --print
	same "lb-config: 'data/langbot.db' has no table of LangBot's" "$stderr"
	head -c 9000 good.db > data/langbot.db
	run --separate-stderr -65 import --print
	[[ $stderr == "lb-config: "*"'data/langbot.db'"* ]]
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
	rm data/langbot.db
	mkfifo data/langbot.db
	run --separate-stderr -65 import --print
	same "lb-config: 'data/langbot.db' is not a file" "$stderr"
	rm data/langbot.db
	python3 -c 'import sqlite3; sqlite3.connect("data/langbot.db").execute("CREATE TABLE songs (x)")'
	run --separate-stderr -65 import --print
	same "lb-config: 'data/langbot.db' has no table of LangBot's" "$stderr"
	[ ! -e etc ]
}

@test "columns that lack, are of another type or hold no JSON end in lines of the report" {
	data
	database "ALTER TABLE bots DROP COLUMN adapter_config" \
		"ALTER TABLE llm_models DROP COLUMN extra_args" \
		"UPDATE legacy_pipelines SET config = '{\"ai\": ' WHERE uuid = 'pipe-1'" \
		"UPDATE legacy_pipelines SET config = x'0001FF' WHERE uuid = 'pipe-3'" \
		"UPDATE model_providers SET base_url = 3.5, api_keys = '{\"a\": 1}'" \
		"UPDATE webhooks SET url = 17" \
		"UPDATE bot_admins SET launcher_id = NULL, bot_uuid = 1e300"
	run --separate-stderr -0 import --json
	same "not taken: its config is not JSON" "$(result pipeline Sales)"
	same "not taken: its config is not JSON" "$(result pipeline Tools)"
	[[ $(result bot Shop) == "not taken: its adapter_config is not JSON"* ]]
	same "not taken: its URL is none that can be asked" "$(result webhook crm)"
	run -0 lb-config check
}

@test "no table, no rows: what lacks is no failure" {
	data
	database "DROP TABLE webhooks" "DROP TABLE bot_admins" "DROP TABLE bots" \
		"DROP TABLE llm_models" "DROP TABLE mcp_servers" "DROP TABLE model_providers"
	rm data/config.yaml
	run --separate-stderr -0 import --json
	[[ $(result pipeline Sales) == narrowed:*"its model is not taken: llm.model answers"* ]]
	run -0 lb-config check
}

@test "a schema that runs code, values and rows beyond all bounds are not followed" {
	data
	database "DROP TABLE webhooks" \
		"CREATE VIEW webhooks AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS id, 'https://x/' AS url FROM c"
	run -0 timeout 20 lb-config import --from-langbot --print
	[[ $output != *"webhooks:
  imported"* ]]
	database "UPDATE legacy_pipelines SET description = printf('%.*c', 3000000, 'x')"
	run --separate-stderr -65 import --print
	same "lb-config: table 'legacy_pipelines': 'data/langbot.db' holds a value of more than 1048576 bytes" "$stderr"
	database "DELETE FROM legacy_pipelines" \
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10001) INSERT INTO legacy_pipelines (uuid) SELECT 'u' || n FROM c"
	run --separate-stderr -65 import --print
	same "lb-config: table 'legacy_pipelines': 'data/langbot.db' has more than 10000 rows in a table" "$stderr"
}

@test "texts with control characters and broken bytes become a file that loads" {
	data
	database "UPDATE legacy_pipelines SET name = CAST(x'41FF42' AS TEXT), config = json_set(config,
		'\$.output.misc.failure-hint', 'a' || char(7, 27) || '[31mb' || char(127, 133, 65534, 65535, 128512) || char(10) || '- c: d #',
		'\$.trigger.group-respond-rules.prefix', json_array('- ', 'yes', '1e3', '~', ' ', char(7) || 'x', '\"')) WHERE uuid = 'pipe-1'"
	run --separate-stderr -0 import --json
	checks
	same 'ab😀
- c: d #' "$(sed -n 's/^        failure-hint: //p' "$LB_CONFIG" | head -1 | jq -r .)"
	same '["- ","yes","1e3","~"," ","x","\""]' "$(lb-config get \
		pipelines.A�B.trigger.group-respond-rules.prefix | jq -c .)"
}

@test "where Ollama is told with and without /v1, it is asked there once" {
	data
	for url in http://127.0.0.1:1 http://127.0.0.1:1/ http://127.0.0.1:1/v1 \
		http://127.0.0.1:1/v1/; do
		database "UPDATE model_providers SET base_url = '$url' WHERE uuid = 'prov-2'"
		run -0 import --print
		grep -qx '    base-url: http://127.0.0.1:1' <<< "$output"
	done
	database "UPDATE model_providers SET base_url = 'http://me:secret@127.0.0.1:1' WHERE uuid = 'prov-2'"
	run --separate-stderr -0 import --print
	[[ $output != *secret@* && $stderr != *secret@* ]]
}

@test "LangBot on PostgreSQL, with a broken config.yaml or none of either is said" {
	data
	echo 'database: {use: postgresql}' > data/config.yaml
	run --separate-stderr -78 import --print
	same "lb-config: LangBot keeps its data in postgresql: only SQLite can be read in this version" "$stderr"
	printf 'a: [\n' > data/config.yaml
	run --separate-stderr -65 import --print
	[[ $stderr == "lb-config: data/config.yaml:"* ]]
	printf -- '- a\n' > data/config.yaml
	run --separate-stderr -65 import --print
	same "lb-config: 'data/config.yaml' is not a mapping" "$stderr"
}

@test "usage" {
	run --separate-stderr -64 lb-config import data
	[[ $stderr == "lb-config: say --from-langbot: "* ]]
	run --separate-stderr -64 import a b
	mkdir -p etc
	echo 'nonsense: true' > "$LB_CONFIG"
	data
	run --separate-stderr -78 import
	[[ $stderr == "lb-config: the configuration there is: "* ]]
	documented lb-config.1 lb-config import
}

@test "each of LangBot's 43 requesters is a preset, at its usual address and elsewhere" {
	data
	grep -o '^  requester: .*' "$BATS_TEST_DIRNAME/../share/lb/providers.yaml" |
		sed 's/.*: //' > requesters
	same 43 "$(sort -u requesters | wc -l)"
	database 'DELETE FROM model_providers' 'DELETE FROM llm_models'
	while read -r name; do
		database "INSERT INTO model_providers (uuid, name, requester, base_url, api_keys) VALUES
			('u-$name', '$name', '$name', '', '[\"sk-1\"]'),
			('e-$name', 'own-$name', '$name', 'https://else.where/v9/', '[\"sk-1\"]')"
	done < requesters
	run --separate-stderr -0 import --json
	# the two in its own process, and the library that has no address
	same 'chroma-embedding
litellm-chat
own-chroma-embedding
own-seekdb-embedding
seekdb-embedding' "$(jq -r 'select(.what == "provider" and .result == "not taken").name' \
		<<< "$output" | sort)"
	same "not taken: it is a model inside LangBot's process; ollama has it as all-minilm" \
		"$(result provider chroma-embedding)"
	# what it asks at an address that is none any more is said
	same "narrowed: is asked at https://qianfan.baidubce.com/v2, not at https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop" \
		"$(result provider baidu-chat-completions)"
	same cohere "$(get providers.cohere-rerank.preset)"
	same https://else.where/v9 "$(get providers.own-jina-rerank.base-url)"
	run -0 lb-config check
	[ -z "$output" ]
}
