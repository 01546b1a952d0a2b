#!/usr/bin/env bats
# lb-tool: the tools for files, as a model has them.

load helper

setup() {
	exec < /dev/null
	W=$BATS_TEST_TMPDIR/w
	mkdir "$W"
}

# tool NAME JSON - the result.
tool() {
	lb-tool call "$1" "$2" -w "$W"
}

# of JQ NAME JSON - something of a result that is ok.
of() {
	local result
	result=$(tool "$2" "$3") || { echo "$result"; return 1; }
	jq -rc "$1" <<< "$result"
}

# no TEXT NAME JSON - a result that is not ok, and what its error holds.
no() {
	local result status=0
	result=$(tool "$2" "$3") || status=$?
	[ "$status" -eq 1 ] || { echo "exit $status: $result"; return 1; }
	same false "$(jq .ok <<< "$result")"
	[[ $(jq -r .error <<< "$result") == *"$1"* ]] ||
		{ echo "it says: $result"; return 1; }
}

@test "list names the tools, and their schemas allow nothing else" {
	run -0 lb-tool list
	same 'exec read write edit glob grep' "$(jq -r .name <<< "$output" | paste -sd' ')"
	same true "$(jq -s 'all(.parameters.additionalProperties == false)' <<< "$output")"
	no "there is no parameter 'x'; there are: path" read '{"path":"a","x":1}'
	no "'path' is missing" read '{}'
	no "'path' must be a text" read '{"path":1}'
	no "'elevated' must be true or false" exec '{"command":"touch a","elevated":"true"}'
}

@test "a call says where it works" {
	run --separate-stderr -64 lb-tool call read '{"path":"a"}'
	[[ $stderr == *"name where it works: a folder (-w DIR) or a session"* ]]
	run -64 lb-tool call read '{"path":"a"}' -w "$W" --session=a
	run --separate-stderr -66 lb-tool call nix -w "$W"
	same "lb-tool: there is no tool 'nix'; there are: exec, read, write, edit, glob, grep" "$stderr"
	run -66 lb-tool call read '{"path":"a"}' -w "$W/none"
	run -65 lb-tool call read '[]' -w "$W"
	run -65 lb-tool call read '{' -w "$W"
	run -74 sh -c 'lb-tool call glob "{\"pattern\":\"*\"}" -w "$0" > /dev/full' "$W"
}

@test "read: lines, and where to go on" {
	seq 5 > "$W/n"
	same '["1\n2\n3\n4\n5",1,5,null,false,null]' "$(of \
		'[.content,.start_line,.end_line,.next_offset,.truncated,.truncated_by]' \
		read '{"path":"/workspace/n"}')"
	same '["2\n3",2,3,4,"lines"]' "$(of \
		'[.content,.start_line,.end_line,.next_offset,.truncated_by]' \
		read '{"path":"n","offset":2,"limit":"2"}')"
	same '["1\n2",3,"bytes"]' "$(of '[.content,.next_offset,.truncated_by]' \
		read '{"path":"n","max_bytes":4}')"
	same '"5"' "$(of '.content|tojson' read '{"path":"n","offset":5}')"
	no "'/workspace/n' ends before line 6: it has 5 lines" read '{"path":"n","offset":6}'
	printf 'a\nb' > "$W/open"
	no 'it has 2 lines' read '{"path":"open","offset":3}'
	: > "$W/empty"
	same '["",0,null]' "$(of '[.content,.end_line,.next_offset]' read '{"path":"empty"}')"
	printf 'a\r\n\377\0b\r\n' > "$W/odd"
	same '"a\n��b"' "$(of '.content|tojson' read '{"path":"odd"}')"
}

@test "read: a line that is too long has a way on, within it and behind it" {
	{ printf 'é%.0s' $(seq 1000); printf '\nnext\n'; } > "$W/long"
	run -0 of '[(.content|length),.next_offset,.next_byte_offset,.truncated_by]' \
		read '{"path":"long","max_bytes":101}'
	same '[50,2,100,"bytes"]' "$output"
	same '[50,200]' "$(of '[(.content|length),.next_byte_offset]' \
		read '{"path":"long","byte_offset":100,"max_bytes":101}')"
	same next "$(of .content read '{"path":"long","offset":2}')"
	# Following what it says ends, and gives the whole file.
	local at=0 all='' n=0
	while [ "$at" != null ] && [ $((n += 1)) -lt 99 ]; do
		run -0 tool read "{\"path\":\"long\",\"byte_offset\":$at,\"max_bytes\":100}"
		all+=$(jq -r .content <<< "$output")
		at=$(jq .next_byte_offset <<< "$output")
	done
	same "$(cat "$W/long")" "$all"
	printf 'x%.0s' $(seq 200) > "$W/last"
	same null "$(of .next_offset read '{"path":"last","max_bytes":50}')"
}

@test "read: base64 by bytes" {
	printf 'a\0\377bcde' > "$W/b"
	same '["YQD/Yg==",0,4,7,true,4]' "$(of \
		'[.content,.byte_offset,.length,.size_bytes,.has_more,.next_byte_offset]' \
		read '{"path":"b","encoding":"base64","max_bytes":4}')"
	same '["Y2Rl",false,null]' "$(of '[.content,.has_more,.next_byte_offset]' \
		read '{"path":"b","encoding":"base64","byte_offset":4}')"
	no 'ends before byte 9: it has 7' read '{"path":"b","encoding":"base64","byte_offset":9}'
}

@test "read: a folder, sorted, with marks" {
	mkdir "$W/d"
	touch "$W/z" "$W/B" "$W/ü"
	ln -s z "$W/l"
	same "$(printf 'B\nd/\nl@\nz\nü')" "$(of .content read '{"path":"/workspace"}')"
	same '[true,5,false]' "$(of '[.is_directory,.total,.truncated]' read '{"path":"."}')"
}

@test "paths stay below the workspace; links within it work" {
	mkdir -p "$W/d/e" "$BATS_TEST_TMPDIR/secret"
	echo secret > "$BATS_TEST_TMPDIR/secret/s"
	echo in > "$W/d/f"
	ln -s ../d/f "$W/d/up"
	ln -s d "$W/dir"
	ln -s ../secret "$W/out"
	ln -s /etc "$W/abs"
	ln -s loop "$W/loop"
	same in "$(of .content read '{"path":"d/up"}')"
	same in "$(of .content read '{"path":"dir/./e/../f"}')"
	no 'leads out' read '{"path":"out/s"}'
	no 'leads out' read '{"path":"abs/passwd"}'
	no 'leads out' write '{"path":"out/new","content":"x"}'
	no 'leads out' grep '{"path":"out","pattern":"s"}'
	no 'leads out' glob '{"path":"abs","pattern":"*"}'
	no 'Too many' read '{"path":"loop"}'
	no 'outside of /workspace' read '{"path":"/etc/passwd"}'
	no 'outside of /workspace' read '{"path":"../secret/s"}'
	no 'outside of /workspace' read '{"path":"/workspace/../etc/passwd"}'
	no 'outside of /workspace' read '{"path":"/workspaceX"}'
	no 'is no path' read '{"path":"a\u0000b"}'
	no 'is no path' read '{"path":""}'
	no 'No such file' read '{"path":"none"}'
	[ ! -e "$BATS_TEST_TMPDIR/secret/new" ]
	run -0 tool grep '{"pattern":"secret"}'
	same 0 "$(jq .total <<< "$output")"
}

@test "what is neither a file nor a folder is never opened, and hangs nobody" {
	mkfifo "$W/fifo"
	python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])' "$W/sock"
	for name in fifo sock; do
		no 'neither a file nor a folder' read "{\"path\":\"$name\"}"
		no 'neither a file nor a folder' write "{\"path\":\"$name\",\"content\":\"x\"}"
		no 'neither a file nor a folder' write "{\"path\":\"$name\",\"content\":\"x\",\"mode\":\"append\"}"
		no 'neither a file nor a folder' edit "{\"path\":\"$name\",\"old_string\":\"a\",\"new_string\":\"b\"}"
	done
	same 0 "$(of .total grep '{"pattern":"."}')"
	[ -p "$W/fifo" ]
}

@test "write: folders are made, the mode is kept, append appends" {
	same '{"ok":true,"path":"/workspace/a/b/c","bytes":3}' \
		"$(tool write '{"path":"a/b/../b/c","content":"x\u0000y"}')"
	same '780079' "$(od -An -tx1 "$W/a/b/c" | tr -d ' ')"
	chmod 751 "$W/a/b/c"
	tool write '{"path":"a/b/c","content":"one\n"}'
	same 751 "$(stat -c %a "$W/a/b/c")"
	tool write '{"path":"a/b/c","content":"dHdvCg==","encoding":"base64","mode":"append"}'
	same "$(printf 'one\ntwo')" "$(cat "$W/a/b/c")"
	tool write '{"path":"new","content":"n","mode":"append"}'
	same n "$(cat "$W/new")"
	same 'c' "$(ls -A "$W/a/b")"
}

@test "write: what is wrong leaves the file as it was" {
	echo old > "$W/f"
	for bad in 'aGk' 'aGk=\n' 'a Gk=' 'a-_=' '====' 'aGk=aGk=' '=aGk'; do
		no 'content is not base64' write "{\"path\":\"f\",\"content\":\"$bad\",\"encoding\":\"base64\"}"
	done
	no "'encoding' must be 'text' or 'base64'" write '{"path":"f","content":"aGk=","encoding":"BASE64"}'
	no "'mode' must be 'overwrite' or 'append'" write '{"path":"f","content":"x","mode":"apend"}'
	same old "$(cat "$W/f")"
	no 'is a folder' write '{"path":"/workspace","content":"x"}'
	mkdir "$W/d"
	no 'is a folder' write '{"path":"d","content":"x"}'
	no "'/workspace/f/x'" write '{"path":"f/x","content":"x"}'
	no 'too long' write "{\"path\":\"$(printf 'x%.0s' $(seq 300))\",\"content\":\"x\"}"
	same 'd f' "$(ls -A "$W" | paste -sd' ')"
}

@test "write: a link is followed to what it names, and stays" {
	mkdir "$W/d"
	echo old > "$W/d/f"
	ln -s d/f "$W/l"
	ln -s d/g "$W/dangling"
	tool write '{"path":"l","content":"new"}'
	tool write '{"path":"dangling","content":"made"}'
	same 'new made' "$(cat "$W/d/f") $(cat "$W/d/g")"
	[ -L "$W/l" ]
	[ -L "$W/dangling" ]
}

@test "edit: exactly one occurrence, and every other byte stays" {
	printf 'a\377b\r\nfoo\0\nfoo bar\n' > "$W/f"
	no 'matches 2 locations' edit '{"path":"f","old_string":"foo","new_string":"x"}'
	no '(line 2, 3)' edit '{"path":"f","old_string":"foo","new_string":"x"}'
	no 'was not found' edit '{"path":"f","old_string":"nix","new_string":"x"}'
	no 'is empty' edit '{"path":"f","old_string":"","new_string":"x"}'
	no 'are the same' edit '{"path":"f","old_string":"a","new_string":"a"}'
	chmod 640 "$W/f"
	tool edit '{"path":"f","old_string":"foo bar","new_string":"\u0000é"}'
	same "$(printf 'a\377b\r\nfoo\0\n\0\303\251\n' | od -c)" "$(od -c < "$W/f")"
	same 640 "$(stat -c %a "$W/f")"
	printf 'aaa' > "$W/o"
	no 'matches 2 locations' edit '{"path":"o","old_string":"aa","new_string":"x"}'
}

@test "edit: what read shows of a file with CR LF matches, and CR LF stays" {
	printf 'one\r\ntwo\r\nthree\r\n' > "$W/f"
	tool edit '{"path":"f","old_string":"one\ntwo","new_string":"1\n2\r\n3"}'
	same "$(printf '1\r\n2\r\n3\r\nthree\r\n' | od -c)" "$(od -c < "$W/f")"
}

@test "edit: at most 1 MiB, before and after" {
	head -c 1048577 /dev/zero | tr '\0' a > "$W/big"
	no 'larger than 1 MiB' edit '{"path":"big","old_string":"b","new_string":"x"}'
	{ head -c 1048575 /dev/zero | tr '\0' a; printf b; } > "$W/fits"
	no 'would be larger' edit '{"path":"fits","old_string":"b","new_string":"xx"}'
	tool edit '{"path":"fits","old_string":"b","new_string":"c"}'
	same c "$(tail -c 1 "$W/fits")"
}

@test "glob: the newest first, some folders passed over, at most 100" {
	mkdir -p "$W/src/a/b" "$W/node_modules" "$W/.git"
	for f in src/1.ts src/a/2.ts src/a/b/3.ts x.ts node_modules/n.ts .git/g.ts; do
		touch -d "2026-01-0$((n += 1))" "$W/$f"
	done
	ln -s x.ts "$W/l.ts"
	same 'x.ts src/a/b/3.ts src/a/2.ts src/1.ts' "$(of \
		'[.matches[]|ltrimstr("/workspace/")]|join(" ")' glob '{"pattern":"*.ts"}')"
	same 'src/a/b/3.ts src/a/2.ts src/1.ts' "$(of \
		'[.matches[]|ltrimstr("/workspace/")]|join(" ")' glob '{"pattern":"/workspace/src/**/*.ts"}')"
	same '["/workspace/src/a/2.ts"]' "$(of .matches glob '{"pattern":"*.ts","path":"src/a"}' |
		jq -c '[.[]|select(contains("2"))]')"
	for i in $(seq 150); do touch -d "2026-02-01 00:00:$((i % 60))" "$W/m$i"; done
	run -0 tool glob '{"pattern":"m*"}'
	same '[100,150,true,"matches"]' "$(jq -c '[(.matches|length),.total,.truncated,.truncated_by]' <<< "$output")"
	same "$(cd "$W" && ls -t --time-style=full-iso m* | head -100 | wc -l)" 100
	same "$(cd "$W" && stat -c '%Y %n' m* | sort -k1,1nr -k2,2r | head -100 | cut -d' ' -f2)" \
		"$(jq -r '.matches[]|ltrimstr("/workspace/")' <<< "$output")"
	no 'is no pattern' glob '{"pattern":"[a"}'
	no 'Not a directory' glob '{"pattern":"*","path":"x.ts"}'
	no 'No such file' glob '{"pattern":"*","path":"none"}'
}

@test "grep: lines, files, and what is left out" {
	mkdir -p "$W/d" "$W/venv"
	printf 'one\nfoo(1)  \r\nFoo\n' > "$W/a.c"
	printf 'foo(2)\n' > "$W/d/b.py"
	printf 'foo(3)\n' > "$W/venv/c.c"
	printf 'foo\0\n' > "$W/bin"
	same '[["/workspace/a.c",2,"foo(1)"],["/workspace/d/b.py",1,"foo(2)"]]' "$(of \
		'[.matches[]|[.file,.line,.content]]' grep '{"pattern":"foo\\("}')"
	same '["/workspace/d/b.py"]' "$(of '[.matches[].file]' \
		grep '{"pattern":"foo","include":"*.{py,md}"}')"
	same '[2,3]' "$(of '[.matches[].line]' grep '{"pattern":"(?i)^f..","path":"a.c"}')"
	same '[2]' "$(of '[.matches[].line]' grep '{"pattern":"\\d\\)\\s*$","path":"a.c"}')"
	same '[0,false,null]' "$(of '[.total,.truncated,.truncated_by]' grep '{"pattern":"nix"}')"
	same 0 "$(of .total grep '{"pattern":"one\\sfoo"}')"
	no 'is not a pattern' grep '{"pattern":"("}'
	no 'No such file' grep '{"pattern":"a","path":"none"}'
}

@test "grep: what was found before a limit is told, and the limit" {
	seq 300 > "$W/many"
	same '[200,"matches"]' "$(of '[.total,.truncated_by]' grep '{"pattern":"."}')"
	rm "$W/many"
	for i in $(seq 150); do printf 'x%.0s' $(seq 450); echo; done > "$W/wide"
	run -0 tool grep '{"pattern":"x"}'
	same '"bytes"' "$(jq .truncated_by <<< "$output")"
	[ "$(jq .total <<< "$output")" -gt 50 ]
	{ printf 'y%.0s' $(seq 700); echo needle; } > "$W/wide"
	same '["line",true]' "$(of '[.truncated_by,(.matches[0].content|test("needle"))]' grep '{"pattern":"needle"}')"
	{ head -c 10485760 /dev/zero | tr '\0' '\n'; echo needle; } > "$W/wide"
	same '[0,"file"]' "$(of '[.total,.truncated_by]' grep '{"pattern":"needle"}')"
	{ echo aaaa; head -c 60000 /dev/zero | tr '\0' a; echo '!'; } > "$W/wide"
	same '["regex",1]' "$(of '[.truncated_by,.total]' grep '{"pattern":"^(a|aa)+$"}')"
}

# grants TOOL... - the pipeline default has these tools for the person here.
grants() {
	local IFS=,
	printf 'pipelines: {default: {ai: {local-agent: {tools: [%s]}}}}\n' "$*" > "$LB_CONFIG"
	ME=$(lb-ingest text <<< hi | jq -r .sender_id)
}

# ask OP SESSION [NAME JSON] - a line for lb-tool serve, of the person here.
N=0
ask() {
	N=$((N + 1))
	jq -cn --arg op "$1" --arg s "$2" --arg id "$N" --arg me "$ME" --arg n "${3-}" --argjson a "${4:-{\}}" '
		{op: $op, id: $id, name: $n, arguments: $a, context: {bot: "-", pipeline: "default",
		platform: "text", sender_id: $me, session: $s, launcher_type: "person"}}'
}

@test "serve: each session has its own folder, calls can be cancelled" {
	needs_sandbox
	grants exec read write
	run -0 lb-tool < <(
		echo '{"op":"hello","version":1}'
		ask call -/person_1 write '{"path":"f","content":"a"}'
	)
	same '{"version":1,"name":"lb-tool"}' "${lines[0]}"
	same true "$(jq -r '.content|fromjson|.ok' <<< "${lines[1]}")"
	N=0
	run -0 lb-tool serve < <(
		ask call -/person_1 read '{"path":"f"}'
		ask call -/person_2 read '{"path":"f"}'
		echo '{"op":"call","id":"3","name":"read","arguments":{"path":"f"},"context":{}}'
		N=3
		ask call -/person_1 exec '{"command":"sleep 60"}'
		echo '{"op":"cancel","id":"4"}'
		N=4
		ask list -/person_1
		ask call -/person_1 exec '{"command":"cat f"}'
		ask call -/person_1 edit '{"path":"f","old_string":"a","new_string":"b"}'
	)
	same '"a" true' "$(jq -r 'select(.id == "1").content|fromjson|"\(.content|tojson) \(.ok)"' <<< "$output")"
	same 'false' "$(jq -r 'select(.id == "2").content|fromjson|.ok' <<< "$output")"
	same 'denied' "$(jq -r 'select(.id == "3").error.code' <<< "$output")"
	same 'cancelled' "$(jq -r 'select(.id == "4").error.code' <<< "$output")"
	same 'exec read write' "$(jq -r 'select(.id == "5").tools|map(.name)|join(" ")' <<< "$output")"
	same 'a' "$(jq -r 'select(.id == "6").content|fromjson|.stdout' <<< "$output")"
	same 'denied' "$(jq -r 'select(.id == "7").error.code' <<< "$output")"
}

@test "serve -w: what is never mounted is not served" {
	mkdir -p "$HOME/project"
	for folder in / /etc "$HOME" "$(dirname "$HOME")"; do
		run -77 --separate-stderr lb-tool serve -w "$folder" < <(ask list -/person_1)
		[[ $stderr == "lb-tool: cannot mount '"* ]]
		same '' "$output"
	done
	run -66 lb-tool serve -w "$HOME/none" < <(ask list -/person_1)
	run -0 lb-tool serve -w "$HOME/project" < <(ask call -/person_1 write '{"path":"f","content":"x"}')
	same x "$(cat "$HOME/project/f")"
}

@test "serve --session: the workspace of one session, whoever asks, and all of the tools" {
	needs_sandbox
	ME=nobody
	run -0 lb-tool serve --session=mine < <(
		ask call other write '{"path":"f","content":"a"}'
		ask list other
	)
	same true "$(jq -r 'select(.id == "1").content|fromjson|.ok' <<< "$output")"
	same 'exec read write edit glob grep' "$(jq -r 'select(.id == "2").tools|map(.name)|join(" ")' <<< "$output")"
	run -0 lb-tool serve --session=mine < <(ask call other exec '{"command":"cat f"}')
	same 'a' "$(jq -r '.content|fromjson|.stdout' <<< "$output")"
	same 'a' "$(lb-tool call --session=mine read '{"path":"f"}' | jq -r .content)"
	same false "$(lb-tool call --session=other read '{"path":"f"}' | jq -r .ok)"
	run -64 lb-tool serve --session=mine -w "$W" < /dev/null
}

@test "serve: each call of a file tool is a row of the audit" {
	needs_sandbox
	grants write read
	run -0 lb-tool serve < <(
		ask call -/person_1 write '{"path":"dir/f","content":"x"}'
		ask call -/person_1 read '{"path":"none"}'
		ask call -/person_1 grep '{"pattern":"p"}'
	)
	run -0 lb-box audit --json
	same '["grep","denied"]
["read","allowed"]
["write","allowed"]' "$(jq -c '[.tool,.decision]' <<< "$output" | sort)"
}

@test "serve: a reader that leaves ends what is under way" {
	needs_sandbox
	grants exec
	ask call -/person_1 exec '{"command":"sleep 50"}' > "$BATS_TEST_TMPDIR/call"
	cat > "$BATS_TEST_TMPDIR/asker" <<-'END'
		echo '{"op":"hello","version":1}'
		cat "$1"
		while echo '{"op":"hello","version":1}' && sleep 0.1; do :; done 2> /dev/null
	END
	SECONDS=0
	run -0 sh -c 'sh "$0" "$1" | lb-tool serve | head -n 1' \
		"$BATS_TEST_TMPDIR/asker" "$BATS_TEST_TMPDIR/call"
	[ "$SECONDS" -lt 20 ]
}

@test "what exec made can be changed, and what a tool made is the session's" {
	needs_sandbox
	run -0 lb-exec --session s -- sh -c 'umask 077; echo old > f; mkdir d'
	run -0 lb-tool call --session s edit '{"path":"f","old_string":"old","new_string":"new"}'
	run -0 lb-tool call --session s write '{"path":"d/g","content":"made"}'
	run -0 lb-exec --session s -- sh -c 'cat f d/g; echo >> d/g; rm -r d f; ls'
	same "$(printf 'new\nmade')" "$output"
	if [ "$(id -u)" -eq 0 ]; then
		run -0 lb-tool call --session s write '{"path":"h","content":""}'
		[ "$(stat -c %u "$LB_STATE"/box/workspaces/*/h)" -ge 200000 ]
	fi
}

@test "root works in a folder as its owner, with each of the tools" {
	need root
	needs_sandbox
	mkdir -p "$BATS_TEST_TMPDIR/others"
	chown 4711:4712 "$BATS_TEST_TMPDIR/others"
	cd "$BATS_TEST_TMPDIR"
	run -0 lb-tool call -w others write '{"path":"dir/f","content":"x"}'
	run -0 lb-tool call -w others exec '{"command":"echo y >> dir/f"}'
	same '4711:4712 4711:4712' "$(stat -c %u:%g others/dir others/dir/f | xargs)"
	same xy "$(cat others/dir/f)"
}

@test "exec by hand: a relative workdir is below /workspace, and the row says who" {
	needs_sandbox
	run -0 lb-tool call --session s exec '{"command":"pwd","workdir":"a/b"}'
	same /workspace/a/b "$(jq -r .preview <<< "$output")"
	same '"ann" "s"' "$(USER=ann lb-tool call --session s exec '{"command":"true"}' > "$BATS_TEST_TMPDIR/out"
		lb-box audit -n 1 | jq -r '"\(.sender|tojson) \(.session|tojson)"')"
}

@test "examples of the page run" {
	examples lb-tool.1
}
