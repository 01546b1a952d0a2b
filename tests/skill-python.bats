#!/usr/bin/env bats
# The packages that a skill in Python asks for: installed once in a session, by
# a network and a time of their own.

load helper
load skill

setup() {
	exec < /dev/null
	needs_sandbox
	/usr/bin/python3 -m pip --version > /dev/null 2>&1 || skip 'needs pip'
	cd "$BATS_TEST_TMPDIR"
	pids=()
	config
}

teardown() {
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2> /dev/null || true
}

# config LINE... - all tools for the person at this machine, and lines behind.
config() {
	{
		printf 'pipelines:\n  default:\n    ai: {local-agent: {enable-all-tools: true}}\n'
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} > "$LB_CONFIG"
}

# wheel FOLDER VERSION - a package lb-answer, whose value is the version.
wheel() {
	mkdir -p "$1"
	python3 - "$1" "$2" <<-'END'
		import sys, zipfile
		folder, version = sys.argv[1:]
		name = "lb_answer-%s-py3-none-any.whl" % version
		with zipfile.ZipFile(folder + "/" + name, "w") as z:
		    z.writestr("lb_answer.py", "value = '%s'\n" % version)
		    meta = "lb_answer-%s.dist-info/" % version
		    z.writestr(meta + "METADATA",
		               "Metadata-Version: 2.1\nName: lb-answer\nVersion: %s\n" % version)
		    z.writestr(meta + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\n"
		               "Root-Is-Purelib: true\nTag: py3-none-any\n")
		    z.writestr(meta + "RECORD", "lb_answer.py,,\n" + meta + "METADATA,,\n"
		               + meta + "WHEEL,,\n" + meta + "RECORD,,\n")
	END
}

# python NAME [REQUIREMENT] - a skill with a script that needs the package.
python() {
	skill "$1"
	echo "${2-lb-answer}" > "$1/requirements.txt"
	printf 'import lb_answer, sys\nprint(lb_answer.value, sys.prefix)\n' > "$1/run.py"
}

# call SKILLS COMMAND [MS] - what lb-tool answers to exec; SKILLS are active.
call() {
	jq -cn --arg s "$1" --arg c "$2" --argjson ms "${3:-60000}" '
		{op: "hello", version: 1},
		{op: "call", id: "1", name: "exec", arguments: {command: $c}, context: {
			bot: "-", platform: "text", pipeline: "default",
			session: "-/person_me", launcher_type: "person",
			launcher_id: "me", sender_id: "me", deadline_ms: $ms,
			skills: ($s / " ")}}' |
		USER=me lb-tool serve 2> err | tail -n 1 | jq -c '.content | fromjson'
}

# envs - those that are in the workspace.
envs() {
	ls "$(find "$LB_STATE/box/workspaces" -maxdepth 2 -name .skill-envs)"
}

@test "packages that a skill brings along are installed once, and used" {
	python a
	wheel a/wheels 1.0
	lb-skill install ./a > list
	run -0 call a 'python3 .skills/a/run.py'
	[[ $(jq -r .stdout <<< "$output") == '1.0 /workspace/.skill-envs/a.'* ]] ||
		{ echo "$output"; cat err; false; }
	[[ $(jq -r '.notes[]' <<< "$output") == 'the Python packages of the skill were installed first, in '*' s' ]]
	run -0 call a 'cd /workspace/.skills && python3 a/run.py'
	[[ $(jq -r .stdout <<< "$output") == '1.0 '* ]]
	same null "$(jq -c .notes <<< "$output")"
	# Other commands have the Python of the machine.
	run -0 call a 'python3 -c "import sys; print(sys.prefix)"'
	same /usr "$(jq -r .stdout <<< "$output")"
	# What a command says of its own stays.
	run -0 call a 'cd .skills/a && VIRTUAL_ENV=x && echo $VIRTUAL_ENV'
	same x "$(jq -r .stdout <<< "$output")"
}

@test "without a network that is granted, packages that are not there are told" {
	python a nothing-of-that-name
	lb-skill install ./a > list
	run -0 call a 'python3 .skills/a/run.py'
	same false "$(jq .ok <<< "$output")"
	[[ $(jq -r .error <<< "$output") == "the Python packages of skill 'a' cannot be installed: "*nothing-of-that-name*'; there is no network for that (skills.python-network)' ]]
	# And nothing of it is taken for whole.
	run -0 call a 'ls .skill-envs; cat .skills/a/requirements.txt'
	same false "$(jq .ok <<< "$output")"
	run -0 call '' 'cat .skills/a/requirements.txt'
	same nothing-of-that-name "$(jq -r .stdout <<< "$output")"
}

@test "its network is its own: what installs reaches the index, a command does not" {
	python a
	lb-skill install ./a > list
	wheel index/simple/lb-answer 2.0
	printf '<a href="lb_answer-2.0-py3-none-any.whl">lb_answer-2.0-py3-none-any.whl</a>\n' \
		> index/simple/lb-answer/index.html
	mkfifo port
	python3 "$BATS_TEST_DIRNAME/doubles/web.py" --log log index > port 3>&- &
	pids+=($!)
	read -r -t 30 port < port
	config "box: {network: {allow_private: [\"127.0.0.1:$port\"]}}" \
		"skills: {python-network: [\"127.0.0.1:$port\"], python-index: \"http://127.0.0.1:$port/simple\"}"
	run -0 call a "python3 .skills/a/run.py; curl -s -m 5 http://127.0.0.1:$port/hello; echo \$?"
	[[ $(jq -r .stdout <<< "$output") == '2.0 /workspace/.skill-envs/a.'*$'\n7' ]] ||
		{ echo "$output"; cat err log; false; }
	grep -q 'GET /simple/lb-answer/.*whl' log
}

@test "another list of packages makes another environment, and the old one goes" {
	python a 'lb-answer==1.0'
	wheel a/wheels 1.0
	wheel a/wheels 2.0
	python b 'lb-answer==1.0'
	wheel b/wheels 1.0
	for s in a b; do lb-skill install ./$s > list; done
	run -0 call 'a b' 'python3 .skills/b/run.py'
	run -0 call a 'python3 .skills/a/run.py'
	before=$(envs)
	same 2 "$(wc -l <<< "$before")"
	echo 'lb-answer==2.0' > a/requirements.txt
	lb-skill install ./a > list
	run -0 call a 'python3 .skills/a/run.py'
	[[ $(jq -r .stdout <<< "$output") == '2.0 '* ]]
	same 2 "$(envs | wc -l)"
	[ "$before" != "$(envs)" ]
	same "$(grep '^b\.' <<< "$before")" "$(envs | grep '^b\.')"
}

@test "half of one is never used: it is made anew" {
	python a
	wheel a/wheels 1.0
	lb-skill install ./a > list
	run -0 call a 'python3 .skills/a/run.py'
	w=$(find "$LB_STATE/box/workspaces" -mindepth 1 -maxdepth 1)
	env=$(envs)
	# Half of one: the note that it was made is not in the sandbox.
	rm -f "$LB_STATE"/box/sessions/*/python/a
	rm -r "$w/.skill-envs/$env/lib"
	run -0 call a 'python3 .skills/a/run.py'
	[[ $(jq -r .stdout <<< "$output") == '1.0 '* ]]
	# One that somebody inside took away.
	run -0 call a 'rm -rf .skill-envs; echo gone'
	run -0 call a 'python3 .skills/a/run.py'
	[[ $(jq -r .stdout <<< "$output") == '1.0 '* ]]
}

# slow - a skill whose packages take half a minute.
slow() {
	skill s
	cat > s/setup.py <<-'END'
		import os, time, setuptools
		open("/workspace/began", "a").write("x")
		if not os.path.exists("/workspace/quick"):
		    time.sleep(30)
		setuptools.setup(name="slow", version="1", py_modules=[])
	END
	lb-skill install ./s > list
}

@test "a call that cannot wait is told to come again, and one that was killed leaves no lock" {
	/usr/bin/python3 -c 'import setuptools, wheel' 2> err || skip 'needs setuptools and wheel'
	slow
	run -0 call s 'ls .skills/s' 9000
	[[ $(jq -r .error <<< "$output") == "the Python packages of skill 's' are being installed, which takes a while; make the same call again" ]]
	# lb-tool ended, and what it made with it: the next one begins anew.
	run -0 call '' 'touch quick'
	run -0 call s 'ls .skills/s'
	same $'SKILL.md\nsetup.py' "$(jq -r .stdout <<< "$output")"
}

@test "it has a time of its own" {
	/usr/bin/python3 -c 'import setuptools, wheel' 2> err || skip 'needs setuptools and wheel'
	config 'skills: {python-timeout: 3s}'
	slow
	run -0 call s 'ls .skills/s'
	[[ $(jq -r .error <<< "$output") == "the Python packages of skill 's' cannot be installed: it took longer than 3 s (skills.python-timeout)" ]]
}

@test "two that need it at once install it once" {
	python a
	wheel a/wheels 1.0
	lb-skill install ./a > list
	call a 'python3 .skills/a/run.py' > one &
	one=$!
	call a 'python3 .skills/a/run.py' > two
	wait $one
	for f in one two; do
		[[ $(jq -r .stdout $f) == '1.0 '* ]] || { cat one two; false; }
	done
	same 1 "$(envs | wc -l)"
}
