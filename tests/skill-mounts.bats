#!/usr/bin/env bats
# The files of skills in a sandbox: which are there, and what can be written.

load helper
load skill

setup() {
	exec < /dev/null
	needs_sandbox
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	# By root, a workspace with a quota is mounted.
	lb-box delete -- -/person_me > out 2>&1 || true
}

# config LINE... - all tools for the person at this machine, and lines behind.
config() {
	{
		printf 'pipelines:\n  default:\n    ai: {local-agent: {enable-all-tools: true}}\n'
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} > "$LB_CONFIG"
}

# tools SKILLS REQUEST... - what lb-tool answers, the JSON results alone; SKILLS
# are active.
tools() {
	local active=$1 r
	shift
	{
		printf '{"op":"hello","version":1}\n'
		for r; do
			jq -cn --arg s "$active" --argjson r "$r" '{op: "call", id: "1",
				context: ({bot: "-", platform: "text", pipeline: "default",
					session: "-/person_me", launcher_type: "person",
					launcher_id: "me", sender_id: "me"}
					+ if $s == "" then {} else {skills: ($s / " ")} end)} + $r'
		done
	} | USER=me lb-tool serve | tail -n +2 |
		jq -c 'if .ok then .content | fromjson else .error end'
}

# sh_in SKILLS COMMAND - what it prints; both outputs.
sh_in() {
	tools "$1" "$(jq -cn --arg c "$2" '{name: "exec", arguments: {command: $c}}')" |
		tee result | jq -r '.stdout + .stderr'
}

# file SKILLS NAME ARGUMENTS - a file tool's result.
file() {
	tools "$1" "{\"name\":\"$2\",\"arguments\":$3}"
}

@test "the skills of a pipeline are in its sandbox, for commands and for tools" {
	config
	skill a && printf 'echo ran\n' > a/run.sh && lb-skill install ./a
	skill b && lb-skill install ./b
	same $'a\nb' "$(sh_in '' 'ls /workspace/.skills')"
	same ran "$(sh_in '' 'cd /workspace/.skills/a && sh run.sh')"
	same $'a/\nb/' "$(file '' read '{"path":"/workspace/.skills"}' | jq -r .content)"
	same 'echo ran' "$(file '' read '{"path":"/workspace/.skills/a/run.sh"}' | jq -r .content)"
	same /workspace/.skills/a/run.sh \
		"$(file '' glob '{"pattern":"*.sh","path":"/workspace/.skills/a"}' | jq -r '.matches[]')"
	same ran "$(lb-tool call exec '{"command":"sh .skills/a/run.sh"}' --session s --pipeline default | jq -r .stdout)"
	same 'echo ran' "$(lb-tool call read '{"path":".skills/a/run.sh"}' --session s --pipeline default | jq -r .content)"
	same false "$(lb-tool call read '{"path":".skills/a/run.sh"}' --session s | jq .ok)"
}

@test "the filter is that of the index: what is not for a pipeline is not there" {
	skill a && lb-skill install ./a
	skill b && lb-skill install ./b
	config '    extensions_preferences: {skills: [b]}'
	same b "$(sh_in '' 'ls /workspace/.skills')"
	same b/ "$(file '' read '{"path":"/workspace/.skills"}' | jq -r .content)"
	[[ $(file '' read '{"path":"/workspace/.skills/a/SKILL.md"}' | jq -r .error) == "there is no skill 'a'"* ]]
	config '    extensions_preferences: {skills: []}'
	same '' "$(sh_in '' 'ls /workspace/.skills')"
	# Without activate there is no index, and no files.
	config '    tools: {deny: [activate]}'
	same '' "$(sh_in '' 'ls /workspace/.skills')"
	same '' "$(file '' read '{"path":"/workspace/.skills"}' | jq -r .content)"
	# One that cannot be used is nobody's.
	config
	printf 'no frontmatter\n' > "$LB_STATE/skills/a/SKILL.md"
	same b "$(sh_in '' 'ls /workspace/.skills')"
}

@test "what is installed or removed is there, or gone, at the next call" {
	config
	skill a && lb-skill install ./a
	skill b
	coproc SERVE { USER=me lb-tool serve 3>&-; }
	pid=$SERVE_PID
	say() {
		echo "$1" >&"${SERVE[1]}"
		read -r -t 30 line <&"${SERVE[0]}"
	}
	look() {
		say '{"op":"call","id":"1","name":"exec","arguments":{"command":"ls .skills | xargs"},"context":{"bot":"-","platform":"text","pipeline":"default","session":"-/person_me","launcher_type":"person","launcher_id":"me","sender_id":"me"}}'
		jq -r '.content | fromjson | .stdout' <<< "$line"
	}
	say '{"op":"hello","version":1}'
	same a "$(look)"
	lb-skill install ./b
	same 'a b' "$(look)"
	lb-skill rm a
	same b "$(look)"
	eval "exec ${SERVE[1]}>&-"
	wait "$pid" || true
}

@test "a read-only skill cannot be written to, and that is one clear error" {
	config
	skill a && lb-skill install ./a
	before=$(lb-skill cat a)
	for active in '' a; do
		same "'/workspace/.skills/a/x' is a skill's, and read-only here; write below /workspace" \
			"$(file "$active" write '{"path":"/workspace/.skills/a/x","content":"x"}' | jq -r .error)"
		same "'/workspace/.skills/a/SKILL.md' is a skill's, and read-only here; write below /workspace" \
			"$(file "$active" edit '{"path":".skills/a/SKILL.md","old_string":"How","new_string":"x"}' | jq -r .error)"
		[[ $(sh_in "$active" 'echo x > .skills/a/SKILL.md') == *'Read-only file system'* ]]
		[[ $(sh_in "$active" 'mv .skills gone; rm -rf .skills/a; mkdir .skills/c') == *cannot* ]]
	done
	same "$before" "$(lb-skill cat a)"
	lb-skill verify a
}

@test "rw: an active skill is written to, for everybody, another one is not" {
	config 'box: {skills_mode: rw}'
	skill a && lb-skill install ./a
	same "'/workspace/.skills/a/x' is a skill's that is not active: call activate first, then write" \
		"$(file '' write '{"path":".skills/a/x","content":"x"}' | jq -r .error)"
	[[ $(sh_in '' 'echo x > .skills/a/x') == *'Read-only file system'* ]]
	same true "$(file a write '{"path":".skills/a/x","content":"one"}' | jq .ok)"
	same one "$(lb-skill cat a x)"
	same '' "$(sh_in a 'echo two > .skills/a/x; mkdir .skills/a/d; echo 3 > .skills/a/d/y')"
	same two "$(lb-skill cat a x)"
	same 3 "$(lb-skill cat a d/y)"
	run -1 lb-skill verify a
	[[ $output == *modified* ]]
	# Another session writes to what the first one made.
	LB__PIPELINES__DEFAULT__AI__LOCAL_AGENT__BOX_SESSION_ID_TEMPLATE='{global}' \
		sh_in a 'echo four >> .skills/a/d/y'
	same $'3\nfour' "$(lb-skill cat a d/y)"
}

@test "rw: the skills of search paths stay as they are" {
	config 'box: {skills_mode: rw}' 'skills: {paths: [project]}'
	skill project/.claude/skills/p
	chmod -R go+rX .
	same "'/workspace/.skills/p/x' is a skill's, and read-only here; write below /workspace" \
		"$(file p write '{"path":".skills/p/x","content":"x"}' | jq -r .error)"
	[[ $(sh_in p 'echo x > .skills/p/x') == *'Read-only file system'* ]]
	[ ! -e project/.claude/skills/p/x ]
}

@test "rw: a link in a skill is no way to what is root's" {
	need root
	config 'box: {skills_mode: rw}'
	skill a && lb-skill install ./a
	printf secret > key
	chmod 600 key
	sh_in a "ln -s $PWD/key .skills/a/link; ln -s / .skills/a/top"
	[ -L "$LB_STATE/skills/a/link" ]
	sh_in a 'true'
	same 600 "$(stat -c %a key)"
	[[ $(sh_in a 'cat .skills/a/link') == *'No such file'* ]]
}

@test "overlay: what is written stays in the session" {
	config 'box: {skills_mode: overlay}'
	skill a && printf 'echo ran\n' > a/run.sh && lb-skill install ./a
	same "'/workspace/.skills/a/x' is a skill's that is not active: call activate first, then write" \
		"$(file '' write '{"path":".skills/a/x","content":"x"}' | jq -r .error)"
	same true "$(file a write '{"path":".skills/a/x","content":"one"}' | jq .ok)"
	same $'one\nran' "$(sh_in a 'cat .skills/a/x; echo; sh .skills/a/run.sh; rm .skills/a/run.sh')"
	same $'SKILL.md\nx' "$(sh_in a 'ls .skills/a')"
	same $'SKILL.md\nx' "$(file a read '{"path":".skills/a"}' | jq -r .content)"
	lb-skill verify a
	same $'SKILL.md\nrun.sh' "$(lb-skill files a | jq -r .path)"
	# Another session has the skill as it is.
	same $'SKILL.md\nrun.sh' "$(LB__PIPELINES__DEFAULT__AI__LOCAL_AGENT__BOX_SESSION_ID_TEMPLATE='{global}' sh_in a 'ls .skills/a')"
}

@test "overlay: a copy nobody wrote to follows its skill, one that was written to stays" {
	config 'box: {skills_mode: overlay}'
	skill a && lb-skill install ./a
	sh_in a true
	printf 'first\n' | lb-skill write a f
	same first "$(sh_in a 'cat .skills/a/f')"
	sh_in a 'echo mine > .skills/a/f'
	printf 'second\n' | lb-skill write a f
	same mine "$(sh_in a 'cat .skills/a/f')"
	same "skill 'a' was changed since; here it stays as it was, because it was written to; remove all files of /workspace/.skills/a to have the new one" \
		"$(jq -r '.notes[]' result)"
	sh_in a 'rm -r .skills/a/*'
	same second "$(sh_in a 'cat .skills/a/f')"
	same null "$(jq -c .notes result)"
}

@test "overlay: a copy counts in the quota of its workspace" {
	config 'box: {skills_mode: overlay, local: {workspace_quota_mb: 1}}'
	skill a && lb-skill install ./a
	one=$(jq -cn '{name: "write", arguments: {path: ".skills/a/big", mode: "append",
		content: ("x" * 100000)}}')
	same true "$(tools a "$one" | jq .ok)"
	for i in {1..11}; do last=$(tools a "$one" | jq .ok); done
	same false "$last"
	same false "$(tools a '{"name":"exec","arguments":{"command":"head -c 2000000 /dev/zero > .skills/a/x"}}' | jq .ok)"
	lb-skill verify a
}

@test "in a workspace skills are there, and no tenant writes to one of another's" {
	export LB__BOX__WORKSPACE=t
	config 'box: {skills_mode: rw}' 'skills: {paths: [project]}'
	skill project/.claude/skills/p
	chmod -R go+rX .
	skill a && printf 'echo ran\n' > a/run.sh && lb-skill install ./a
	same ran "$(sh_in a 'sh .skills/a/run.sh')"
	same 'SKILL.md' "$(sh_in p 'ls .skills/p')"
	same "'/workspace/.skills/a/x' is a skill's, and read-only here; write below /workspace" \
		"$(file a write '{"path":".skills/a/x","content":"one"}' | jq -r .error)"
	[[ $(sh_in a 'echo x > .skills/a/x') == *'Read-only file system'* ]]
	lb-skill verify a
	config 'box: {skills_mode: overlay}'
	same '' "$(sh_in a 'echo mine > .skills/a/x')"
	same mine "$(sh_in a 'cat .skills/a/x')"
	same '' "$(LB__BOX__WORKSPACE=u sh_in a 'cat .skills/a/x 2> /dev/null')"
	lb-skill verify a
	for of in t u; do
		lb-box delete --workspace $of -- -/person_me
	done
}

@test "where the sandbox is on another machine there are none, and nothing breaks" {
	config
	skill a && lb-skill install ./a > list
	printf 'unset LB__BOX__BACKEND\nLB_STATE=%s LB_CONFIG=/dev/null exec lb-exec "$@"\n' \
		"$PWD/far" > lb-far
	export LB__BOX__BACKEND="exec:sh $PWD/lb-far --records"
	same here "$(sh_in a 'echo here; ls .skills')"
	run -0 lb-skill serve < <(printf '%s\n' '{"op":"hello","version":1}' \
		'{"op":"call","id":"1","name":"activate","arguments":{"skill_name":"a"},"context":{"bot":"-","platform":"text","pipeline":"default"}}')
	[[ ${lines[1]} == *'Its files cannot be reached here.'* ]]
	LB_STATE=$PWD/far lb-box delete -- -/person_me > out 2>&1 || true
}

@test "of more than 64, those that are active come first, and the rest is told" {
	config
	for i in $(seq -w 70); do skill "src/s$i"; done
	lb-skill install --all ./src > out
	same 64 "$(sh_in 's70 s69' 'ls .skills | wc -l')"
	same '6 more skills are not mounted: activate the one that is needed' \
		"$(jq -r '.notes[]' result)"
	same $'s69\ns70' "$(sh_in 's70 s69' 'ls .skills | tail -n 2')"
	same s64 "$(sh_in '' 'ls .skills | tail -n 1')"
}

@test "what a skill cannot be copied for is told, and nothing runs" {
	config 'box: {skills_mode: overlay}' 'skills: {paths: [project]}'
	skill project/.claude/skills/p
	ln -s SKILL.md project/.claude/skills/p/link
	chmod -R go+rX .
	run file p exec '{"command":"touch ran"}'
	[[ $output == *"skill 'p' cannot be copied: skill 'p': 'link' is a symbolic link"* ]]
	same '' "$(sh_in '' 'ls')"
}
