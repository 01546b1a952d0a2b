#!/usr/bin/env bats

# Who may have which tool of the sandbox run, where, and with what: through the
# whole flow, with a model that calls what it is told to.

load helper
load server

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
	export LB_MODEL=offline:tools
}

teardown() {
	stop_servers
}

# pipeline KEYS [MORE] - the pipeline default has these, MORE are whole lines.
# Bot shop and bot other vouch for their senders, boss is the admin of both.
pipeline() {
	cat > "$LB_CONFIG" <<-END
		admins: ["shop:person_boss", "other:person_boss"]
		bots: {shop: {adapter: jsonl, trust-sender: true}, other: {adapter: jsonl, trust-sender: true}}
		pipelines: {default: {$1}}
		${2-}
	END
}

GRANTS='ai: {local-agent: {tools: [exec, read, write]}}'

# as WHO[@BOT] TEXT - what the model tells who says that; the log is in log.
as() {
	local bot=shop
	[[ $1 != *@* ]] || bot=${1#*@}
	jq -cn --arg s "${1%@*}" --arg t "$2" '{text: $t, sender: $s}' |
		lb-ingest --bot "$bot" jsonl | lb-pipeline | lb-agent 2> log |
		jq -r 'select(.kind == "reply").text'
}

# here TEXT - the same of the person at this machine.
here() {
	lb-ingest text <<< "$1" | lb-pipeline | lb-agent 2> log |
		jq -r 'select(.kind == "reply").text'
}

# exec_call COMMAND [MEMBERS] - what a model is told to call.
exec_call() {
	jq -cn --arg c "$1" --argjson more "${2:-{\}}" '{command: $c} + $more' |
		sed 's/^/call exec /'
}

# ran WHO COMMAND [MEMBERS] - where it ran, and what it said.
ran() {
	as "$1" "$(exec_call "$2" "${3-}")" > said
	jq -r '"\(.backend) \(.stdout)\(.error // "")"' said || cat said
}

# rows JQ - of what is audited.
rows() {
	lb-box audit | jq -c "$1"
}

sql() {
	python3 - "$LB_STATE/lb.db" "$@" <<-'END'
		import sqlite3, sys
		c = sqlite3.connect(sys.argv[1])
		for line in c.execute(sys.argv[2], sys.argv[3:]):
		    print(*line, sep="|")
		c.commit()
	END
}

@test "sandbox-mode: all, for every bot" {
	pipeline "$GRANTS"
	same 'bubblewrap hi' "$(ran boss 'echo hi')"
	same true "$(jq .isolated said)"
	pipeline "$GRANTS, sandbox-mode: all" 'box: {allow_host: true}'
	same 'bubblewrap hi' "$(ran boss 'echo hi')"
	same '' "$(cat log)"
}

@test "sandbox-mode: off is no command, and the files stay" {
	pipeline "$GRANTS, sandbox-mode: off"
	same "error: there is no tool 'exec'; there are: read, write" \
		"$(as boss "$(exec_call true)")"
	same true "$(as boss 'call write {"path":"a","content":"b"}' | jq .ok)"
	same '"b"' "$(as boss 'call read {"path":"a"}' | jq .content)"
	same '' "$(cat log)"
}

@test "sandbox-mode: host runs here, and nobody overlooks it" {
	pipeline "$GRANTS, sandbox-mode: host" 'box: {allow_host: true}'
	same "host $(id -u)" "$(ran boss 'id -u')"
	same false "$(jq .isolated said)"
	grep "native: lb-tool: pipeline 'default' runs commands of a model WITHOUT a sandbox, on this machine (sandbox-mode: host)" log
	same 1 "$(wc -l < log)"
	same '"host"' "$(rows .backend)"
	# It is for admins all the same.
	[[ $(as ann "$(exec_call id)") == "error: there is no tool 'exec'"* ]]
	pipeline "$GRANTS, sandbox-mode: host"
	run -1 lb-config check
	run -78 lb-agent
	[[ $output == *'needs box.allow_host: true'* ]]
}

@test "sandbox-mode: non_default is the host for the person here alone" {
	pipeline "$GRANTS, sandbox-mode: non_default" 'box: {allow_host: true}'
	same 'bubblewrap hi' "$(ran boss 'echo hi')"
	same host "$(here 'call exec {"command":"id -u"}' | jq -r .backend)"
	grep 'WITHOUT a sandbox' log
	pipeline "$GRANTS, sandbox-mode: non_default"
	same bubblewrap "$(here 'call exec {"command":"id -u"}' | jq -r .backend)"
	same '' "$(cat log)"
}

@test "with no key nobody gets anything" {
	pipeline ''
	for who in boss ann; do
		same "error: there is no tool 'exec'; there are none" "$(as $who "$(exec_call id)")"
		same "error: there is no tool 'read'; there are none" "$(as $who 'call read {"path":"a"}')"
	done
	same "error: there is no tool 'exec'; there are none" "$(here 'call exec {"command":"id"}')"
	same '' "$(rows .)"
}

@test "enable-all-tools: what changes something stays with admins" {
	pipeline 'ai: {local-agent: {enable-all-tools: true}}'
	same 'bubblewrap hi' "$(ran boss 'echo hi')"
	same "error: there is no tool 'exec'; there are: read, glob, grep" \
		"$(as ann "$(exec_call true)")"
	same true "$(as ann 'call glob {"pattern":"*"}' | jq .ok)"
	pipeline 'ai: {local-agent: {enable-all-tools: true}}, tools: {deny: [exec, "w*"]}'
	same "error: there is no tool 'exec'; there are: read, edit, glob, grep, register_skill" \
		"$(as boss "$(exec_call true)")"
	pipeline 'ai: {local-agent: {enable-all-tools: true}}, tools: {allow: [exec, read], deny: [read]}'
	same "error: there is no tool 'read'; there are: exec" "$(as boss 'call read {}')"
}

@test "sandbox.open-to: admins, the listed, everyone" {
	local who
	pipeline "$GRANTS, sandbox: {open-to: admins, listed: ['shop:person_ann']}"
	same 'bubblewrap hi' "$(ran boss 'echo hi')"
	for who in ann joe boss@other; do
		[ "$who" = boss@other ] ||
			same "error: there is no tool 'exec'; there are: read" \
				"$(as $who "$(exec_call id)")"
	done
	pipeline "$GRANTS, sandbox: {open-to: listed, listed: ['shop:person_ann']}"
	same 'bubblewrap hi' "$(ran ann 'echo hi')"
	same 'bubblewrap hi' "$(ran boss 'echo hi')"
	same "error: there is no tool 'exec'; there are: read" "$(as joe "$(exec_call id)")"
	same "error: there is no tool 'exec'; there are: read" "$(as ann@other "$(exec_call id)")"
	pipeline "$GRANTS, sandbox: {open-to: everyone}"
	same 'bubblewrap hi' "$(ran joe 'echo hi')"
	# A bot that vouches for nobody has no admins.
	sed -i 's/trust-sender: true/trust-sender: false/g; s/everyone/admins/' "$LB_CONFIG"
	same "error: there is no tool 'exec'; there are: read" "$(as boss "$(exec_call id)")"
}

# provider_call SENDER NAME JSON - what lb-tool answers who did not look at its list.
provider_call() {
	jq -cn --arg s "$1" --arg n "$2" --argjson a "$3" '{op: "call", id: "1",
		name: $n, arguments: $a, context: {id: "r-1", bot: "shop",
		pipeline: "default", platform: "jsonl", sender_id: $s,
		session: "shop/person_\($s)", launcher_type: "person"}}' |
		lb-tool serve
}

@test "lb-tool refuses by itself what it did not offer" {
	pipeline "$GRANTS"
	same 'denied tool '\''exec'\'' is not for who asks (sandbox.open-to of pipeline '\''default'\'')' \
		"$(provider_call ann exec '{"command":"touch x"}' | jq -r '"\(.error.code) \(.error.message)"')"
	same "denied pipeline 'default' grants no tool 'edit'" \
		"$(provider_call boss edit '{}' | jq -r '"\(.error.code) \(.error.message)"')"
	same denied "$(provider_call boss exec '{"command":"id","elevated":true}' | jq -r .error.code)"
	same '["denied","r-1","shop","default","shop/person_ann","ann","exec","touch x"]
["denied","r-1","shop","default","shop/person_boss","boss","edit",null]
["denied","r-1","shop","default","shop/person_boss","boss","exec","id"]' \
		"$(rows '[.decision,.id,.bot,.pipeline,.session,.sender,.tool,.command]')"
	same '' "$(find "$LB_STATE/box" -name x)"
}

@test "elevated: never is what it is unless told" {
	local keys
	for keys in "$GRANTS" "$GRANTS, elevated: never"; do
		pipeline "$keys"
		# It is not even among the arguments that are offered.
		run as boss "$(exec_call id '{"elevated":true}')"
		[[ $output == *elevated* ]]
		[[ $output != *bubblewrap* ]]
		same 'bubblewrap hi' "$(ran boss 'echo hi')"
	done
	same '[null,0]' "$(rows '[.reason,.exit_code]' | sort -u)"
}

MINE='box: {profiles: {mine: {timeout_sec: 2, max_timeout_sec: 2, memory_mb: 64, locked: [memory_mb, network]}}}'

@test "elevated: allow runs it by the other profile, never on the host" {
	pipeline "$GRANTS, elevated: allow, sandbox-mode: host" 'box: {allow_host: true}'
	same "bubblewrap 1000" "$(ran boss 'id -u' '{"elevated":true}')"
	same '"network_extended"' "$(rows .profile)"
	pipeline "$GRANTS, elevated: allow, elevated-profile: mine" "$MINE"
	ran boss 'sleep 9' '{"elevated":true,"timeout_sec":100}' > /dev/null
	same '["timed_out",true]' "$(jq -c '[.status,.duration_ms < 8000]' said)"
	same '["mine","timeout"]' "$(rows '[.profile,.killed_by]' | tail -n 1)"
	eat='python3 -c "bytearray(200 << 20); print(1)"'
	same 'bubblewrap 1' "$(ran boss "$eat")"
	ran boss "$eat" '{"elevated":true}' > /dev/null
	# Memory as a whole is bounded by control groups alone; the result says
	# which there are.
	[ "$(jq -r .limits_backend said)" != cgroup ] || same false "$(jq .ok said)"
	same 64 "$(rows .limits.memory_mb | tail -n 1)"
	# Others get no more by it.
	[[ $(as ann "$(exec_call id '{"elevated":true}')") == "error: there is no tool 'exec'"* ]]
}

# pending - the id that a call waits as, which is all that it was told.
pending() {
	ran "$@" > out
	same 'false approval_pending' "$(jq -r '"\(.ok) \(.status)"' said)" >&2 || return
	jq -r .approval_id said
}

@test "elevated: ask waits for a person, and runs that call, once" {
	pipeline "$GRANTS, elevated: ask, elevated-profile: mine" "$MINE"
	id=$(pending boss 'echo hi > made; cat made' '{"elevated":true}')
	same '' "$(find "$LB_STATE/box" -name made)"
	same "$id" "$(lb-box pending | jq -r .id)"
	same 'shop shop/person_boss boss' "$(lb-box pending | jq -r '"\(.bot) \(.session) \(.sender)"')"
	# Asking again waits as the same.
	same "$id" "$(pending boss 'echo hi > made; cat made' '{"elevated":true}')"
	lb-box approve "$id"
	same 'bubblewrap hi' "$(ran boss 'echo hi > made; cat made' '{"elevated":true}')"
	again=$(pending boss 'echo hi > made; cat made' '{"elevated":true}')
	[ "$id" != "$again" ]
	lb-box deny "$again"
	[[ $(ran boss 'echo hi > made; cat made' '{"elevated":true}') == *"an operator denied this (request $again)"* ]]
	same '["pending",null] ["pending",null] ["allowed",0] ["pending",null] ["denied",null]' \
		"$(rows '[.decision,.exit_code]' | paste -sd' ')"
	# What needs nobody runs all the while.
	same 'bubblewrap hi' "$(ran boss 'cat made')"
}

@test "an approval is for that command, folder, environment and session" {
	pipeline "$GRANTS, elevated: ask, sandbox: {open-to: everyone}"
	id=$(pending boss 'echo $X' '{"elevated":true,"env":{"X":"1"},"workdir":"/workspace/a"}')
	lb-box approve "$id"
	other() {
		[ "$(pending "$@")" != "$id" ] || { echo "runs: $*"; return 1; }
	}
	other boss 'echo  $X' '{"elevated":true,"env":{"X":"1"},"workdir":"/workspace/a"}'
	other boss 'echo $X' '{"elevated":true,"env":{"X":"2"},"workdir":"/workspace/a"}'
	other boss 'echo $X' '{"elevated":true,"env":{"X":"1","Y":"1"},"workdir":"/workspace/a"}'
	other boss 'echo $X' '{"elevated":true,"env":{"X":"1"},"workdir":"/workspace"}'
	other ann 'echo $X' '{"elevated":true,"env":{"X":"1"},"workdir":"/workspace/a"}'
	other boss@other 'echo $X' '{"elevated":true,"env":{"X":"1"},"workdir":"/workspace/a"}'
	same 'bubblewrap 1' "$(ran boss 'echo $X' '{"elevated":true,"env":{"X":"1"},"workdir":"/workspace/a"}')"
}

@test "an approval ends after 15 minutes, and so does a request" {
	pipeline "$GRANTS, elevated: ask"
	id=$(pending boss 'echo hi' '{"elevated":true}')
	lb-box approve "$id"
	sql 'UPDATE approvals SET asked = asked - 900001, decided = decided - 900001'
	later=$(pending boss 'echo hi' '{"elevated":true}')
	[ "$id" != "$later" ]
	sql 'UPDATE approvals SET asked = asked - 900001'
	run -1 lb-box approve "$later"
	[[ $output == *"expired"* ]]
}

# kept WHO - put a word into the workspace; found WHO - is it in that one's?
kept() {
	ran "$1" 'echo word > word' > /dev/null
}
found() {
	[ "$(ran "$1" 'cat word')" = 'bubblewrap word' ]
}

@test "whose files a session has is said by the template" {
	local t
	for t in '' '{launcher_type}_{launcher_id}' '{bot}/{sender_id}'; do
		pipeline "ai: {local-agent: {tools: [exec]${t:+, box-session-id-template: \"$t\"}}}, sandbox: {open-to: everyone}"
		rm -rf "$LB_STATE"
		kept boss
		found boss
		! found ann || { echo "with '$t'"; return 1; }
		! found boss@other || { echo "with '$t'"; return 1; }
	done
	pipeline 'ai: {local-agent: {tools: [exec], box-session-id-template: "{global}"}}, sandbox: {open-to: everyone}'
	kept boss
	found ann@other
	# The operator of all of it goes before.
	sed -i '$a system: {limitation: {force_box_session_id_template: "{session}"}}' "$LB_CONFIG"
	kept boss
	found boss
	! found boss@other || false
	pipeline 'ai: {local-agent: {tools: [exec], box-session-id-template: "{nobody}"}}'
	run -78 lb-agent
	[[ $output == *'{nobody} is no variable'* ]]
}

@test "each call is a row that says all of it" {
	pipeline "$GRANTS, elevated: ask"
	long=$(printf 'x%.0s' {1..500})
	ran boss "echo \$WORD; exit 3 # $long" '{"env":{"WORD":"hidden-word"},"description":"say it"}' > /dev/null
	run -0 rows .
	same '{"bot":"shop","decision":"allowed","description":"say it","env":["WORD"],"exit_code":3,"pipeline":"default","profile":"default","sender":"boss","session":"shop/person_boss","tool":"exec"}' \
		"$(jq -cS '{bot,pipeline,session,sender,tool,description,decision,profile,exit_code,env}' <<< "$output")"
	same 400 "$(jq '.command|length' <<< "$output")"
	same "$(printf '%s' "echo \$WORD; exit 3 # $long" | sha256sum | cut -d' ' -f1)" "$(jq -r .sha256 <<< "$output")"
	same '["bubblewrap",12,true,true]' "$(jq -c '[.backend,.bytes,(.duration_ms|type == "number"),(.limits_backend|IN("cgroup","rlimit"))]' <<< "$output")"
	same '{"timeout_ms":30000,"cpus":1,"memory_mb":512,"pids_limit":128,"quota_mb":0,"network":"off"}' \
		"$(jq -c .limits <<< "$output")"
	[[ $output != *hidden-word* ]]
	# The record's own id, so that it is found in the rest of its life.
	jq -cn '{text: "call exec {\"command\":\"true\"}", sender: "boss", id: "01890a5d-ac96-774b-bcce-b302099a8057"}' |
		lb-ingest --bot shop jsonl | lb-pipeline | lb-agent > /dev/null
	same '"01890a5d-ac96-774b-bcce-b302099a8057"' "$(rows .id | tail -n 1)"
	# A command that did not run, and why.
	ran boss true '{"env":{"A=B":""}}' > /dev/null
	same '["allowed",true,null]' "$(rows '[.decision,(.reason|length > 0),.exit_code]' | tail -n 1)"
	ran boss true '{"timeout_sec":-1}' > /dev/null
	same true "$(rows '(.reason|length > 0)' | tail -n 1)"
	pending boss 'echo hi' '{"elevated":true,"description":"more"}'
	same '["pending","more","waits for an operator","echo hi",null]' \
		"$(rows '[.decision,.description,.reason,.command,.exit_code]' | tail -n 1)"
}

@test "an agent computes with Python, and is told what a sandbox is for" {
	pipeline "$GRANTS"
	same $'I compute.\n\nIt is 42.' "$(as boss $'say I compute.\ncall exec {"command":"python3 -c \\"print(6*7, end=str())\\" > sum"}\ncall read {"path":"sum"}\nsay It is {result}.' |
		sed 's/{.*"content":"\([0-9]*\)".*}/\1/')"
	serve <<-'END'
		on POST /v1/chat/completions
		uses any
		openai strict kkkk
		answer ok
	END
	export OPENAI_API_KEY=kkkk OPENAI_BASE_URL=$SERVER_URL/v1 LB_MODEL=openai/m
	as boss hi
	as ann hi
	same 'true false' "$(requests '.body|fromjson|[.messages[]|select(.role == "system").content]|any(contains("You have a sandbox"))' | paste -sd' ')"
	same '["exec","read","write"] ["read"]' "$(requests '.body|fromjson|[.tools[].function.name]' | paste -sd' ')"
}

@test "rows of lb-exec and of lb-tool are listed alike, and picked by who asked" {
	pipeline "$GRANTS, sandbox: {open-to: everyone}"
	ran boss 'echo 1' > out
	ran ann 'echo 2' > out
	lb-exec --session shop/person_ann -- echo 3
	jq -cn '{kind: "exec", id: "r-4", cmd: "echo 4", bot: "shop", session: "shop/person_ann", sender_id: "ann"}' |
		lb-exec --records > out
	same 'echo 1 echo 2 echo 3 echo 4' "$(lb-box audit | jq -r .command | paste -sd' ')"
	same 'echo 2 echo 4' "$(lb-box audit --sender shop:person_ann | jq -r .command | paste -sd' ')"
	same 'echo 2 echo 3 echo 4' "$(lb-box audit --session shop/person_ann | jq -r .command | paste -sd' ')"
	same '"exec",0,2,"number"' "$(rows '.tool,.exit_code,.bytes,(.limits.memory_mb|type)' | paste -sd, | cut -d, -f1-4)"
}

@test "calls of the file tools are rows, too" {
	pipeline 'ai: {local-agent: {tools: [read, write, edit, glob, grep]}}'
	as boss $'call write {"path":"a","content":"one"}\ncall read {"path":"none"}\ncall grep {"pattern":"o"}\ncall edit {"path":"a","old_string":"one","new_string":"two"}\ncall glob {"pattern":"*"}' > /dev/null
	same '["allowed","boss","edit","a",null]
["allowed","boss","glob",null,null]
["allowed","boss","grep",null,null]
["allowed","boss","read","none",true]
["allowed","boss","write","a",null]' "$(rows '[.decision,.sender,.tool,.command,(if .reason then true else null end)]' | sort)"
	same true "$(rows .duration_ms | jq -s 'all(type == "number")')"
}
