#!/usr/bin/env bats
# lb-skill: what is read, kept, shown and checked. Archives that lie are in
# skill-archives.bats.

load helper
load skill

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
}

# field NAME MEMBER - of the list, everything in it.
field() {
	lb-skill list --all --json 2> /dev/null |
		jq -r --arg n "$1" --arg m "$2" 'select(.name == $n)[$m]'
}

@test "with nothing installed nothing is listed, and nothing made" {
	run -0 lb-skill list
	same '' "$output"
	run -0 lb-skill verify
	same '' "$output"
	run -0 lb-skill validate
	[ ! -e "$LB_STATE" ]
}

@test "a folder is installed, listed, shown, and printed to the last byte" {
	skill notes
	mkdir notes/scripts
	printf '#!/bin/sh\necho hi\n' > notes/scripts/run
	chmod 755 notes/scripts/run
	run -0 --separate-stderr lb-skill install ./notes
	same '' "$stderr"
	same "{\"kind\":\"skill\",\"name\":\"notes\",\"action\":\"installed\",\"path\":\"$LB_STATE/skills/notes\"}" \
		"$output"
	same notes "$(lb-skill list | jq -r .name)"
	same 'What it does.' "$(lb-skill show notes | jq -r .description)"
	same '# How' "$(lb-skill show notes | jq -r .instructions)"
	cmp <(lb-skill cat notes scripts/run) notes/scripts/run
	cmp <(lb-skill cat notes) notes/SKILL.md
	same '["SKILL.md","scripts","scripts/run"]' \
		"$(lb-skill files notes | jq -cs 'map(.path)')"
	diff -r notes "$LB_STATE/skills/notes"
	[ -x "$LB_STATE/skills/notes/scripts/run" ]
}

@test "every record is as its schema has it" {
	skill a 'name: a' 'description: d' 'license: MIT' 'allowed-tools: Read'
	skill plain/b 'name: b' 'description: d'
	mkdir plain/c
	: > plain/c/SKILL.md
	printf 'skills: {paths: [plain]}\n' > "$LB_CONFIG"
	{
		lb-skill preview ./a
		lb-skill install ./a
		lb-skill list -a
		lb-skill show a
		echo x >> a/SKILL.md
		lb-skill install ./a
	} > all 2> err
	same 7 "$(wc -l < all)"
	run -0 "$LB_TEST_BUILD/tests/unit/validate-record" \
		"$BATS_TEST_DIRNAME/../share/lb/schema" < all
	same '' "$output"
}

@test "list begins each record with the name, whatever the order of installing" {
	for name in zebra apple mango; do
		skill "$name"
		lb-skill install "./$name"
	done
	same $'apple\nmango\nzebra' "$(lb-skill list | jq -r .name)"
	run -0 lb-skill list
	for line in "${lines[@]}"; do
		[[ $line == '{"kind":"skill","name":"'* ]]
	done
}

@test "an unquoted colon is read as if it was quoted, with a warning" {
	skill tidy-csv 'name: tidy-csv' \
		'description: Cleans tables: headers, units, blanks'
	run -0 --separate-stderr lb-skill install ./tidy-csv
	same 'lb-skill: SKILL.md:3: unquoted colon; put the text in quotes' "$stderr"
	run -0 --separate-stderr lb-skill list
	same "lb-skill: $LB_STATE/skills/tidy-csv/SKILL.md:3: unquoted colon; put the text in quotes" \
		"$stderr"
	same 'Cleans tables: headers, units, blanks' "$(jq -r .description <<< "$output")"
	run -1 lb-skill validate --strict tidy-csv
	run -0 lb-skill validate tidy-csv
}

@test "what a broken frontmatter says of tools is kept, or the skill is not used" {
	skill ro-notes 'name: ro-notes' 'description: Reads notes: never writes' \
		'allowed-tools: Read'
	lb-skill install ./ro-notes
	same '["Read"]' "$(lb-skill list | jq -c .allowed_tools)"
	skill lost 'name: lost' 'description: d' 'allowed-tools: {Read: [}'
	run -65 lb-skill install ./lost
	skill odd 'name: odd' 'description: d' 'allowed-tools: {Read: yes}'
	run -65 lb-skill install ./odd
	same "lb-skill: ./odd: SKILL.md:4: allowed-tools is no list of at most 100 names" \
		"$output"
	cp -r lost "$LB_STATE/skills/lost"
	same '[]' "$(lb-skill list -a | jq -c 'select(.name == "lost").allowed_tools')"
}

@test "allowed-tools may be a text or a list, with blanks in parentheses" {
	skill a 'name: a' 'description: d' 'allowed-tools: Bash(git:*) Read, Write'
	skill b 'name: b' 'description: d' 'allowed-tools:' '  - Bash(git log *)' '  - Read'
	skill c 'name: c' 'description: d' 'allowed-tools: []'
	skill d
	for s in a b c d; do lb-skill install ./$s; done
	same '["Bash(git:*)","Read","Write"]
["Bash(git log *)","Read"]
[]
null' "$(lb-skill list | jq -c .allowed_tools)"
}

@test "a byte-order mark is no part of anything" {
	mkdir bom-demo
	printf '\357\273\277---\nname: bom-demo\ndescription: d\n---\nbody\n' \
		> bom-demo/SKILL.md
	lb-skill install ./bom-demo
	same 'bom-demo d body' \
		"$(lb-skill show bom-demo | jq -r '"\(.name) \(.description) \(.instructions)"')"
	run -0 lb-skill validate -s ./bom-demo
}

@test "CR LF is read as LF, the bytes stay, and a second install changes nothing" {
	mkdir win-demo
	printf -- '---\r\nname: win-demo\r\ndescription: "d"\r\n---\r\n\r\n# B\r\n' \
		> win-demo/SKILL.md
	lb-skill install ./win-demo
	same d "$(field win-demo description)"
	cmp win-demo/SKILL.md "$LB_STATE/skills/win-demo/SKILL.md"
	same unchanged "$(lb-skill install ./win-demo | jq -r .action)"
	run -0 lb-skill validate -s ./win-demo
}

@test "block scalars and texts over several lines are read whole" {
	skill fold-demo 'name: fold-demo' 'description: >-' \
		'  First part: with colon' '  second part.' 'license: MIT'
	skill keep 'name: keep' 'description: |+2' '   one' '  two' ''
	skill wrap 'name: wrap' 'description: one' '  two: three' '  four'
	for s in fold-demo keep wrap; do lb-skill install ./$s; done
	same 'First part: with colon second part.' "$(field fold-demo description)"
	same MIT "$(field fold-demo license)"
	same $'one\ntwo' "$(field keep description)"
	same 'one two: three four' "$(field wrap description)"
}

@test "texts that begin as YAML does not take them are read as they stand" {
	skill a 'name: a' 'description: [Beta] Makes: things'
	skill b 'name: b' 'description: @mentions and `code`'
	skill c 'name: c' 'description: *Always* use this'
	for s in a b c; do lb-skill install ./$s 2> /dev/null; done
	same '[Beta] Makes: things' "$(field a description)"
	same '@mentions and `code`' "$(field b description)"
	same '*Always* use this' "$(field c description)"
}

@test "anchors, tags and bombs of aliases are refused" {
	skill a 'name: &n a' 'description: *n'
	skill b 'name: b' 'description: !!python/object d'
	skill c 'name: c' 'description: d' \
		"deep: $(printf '[%.0s' {1..100})$(printf ']%.0s' {1..100})"
	skill d 'name: d' 'description: d' 'name: e'
	for s in a b c d; do run -65 lb-skill install ./$s; done
	nothing_there
}

@test "a file that is no skill is listed as invalid, with what to do, and the others load" {
	skill good
	lb-skill install ./good
	mkdir -p "$LB_STATE"/skills/{plain,open,empty,none,utf16}
	printf '# My skill\nDo things.\n' > "$LB_STATE/skills/plain/SKILL.md"
	printf -- '---\nname: open\n' > "$LB_STATE/skills/open/SKILL.md"
	: > "$LB_STATE/skills/empty/SKILL.md"
	printf '\377\376-\0-\0-\0' > "$LB_STATE/skills/utf16/SKILL.md"
	run -0 --separate-stderr lb-skill list
	same good "$(jq -r .name <<< "$output")"
	same 5 "${#stderr_lines[@]}"
	same 'empty invalid is empty; begin it with '"'---'"', a name, a description and '"'---'"'
good ok null
none invalid there is no SKILL.md in it
open invalid has a frontmatter that is not closed; add a line '"'---'"' behind it
plain invalid has no frontmatter; begin it with '"'---'"', a name, a description and '"'---'"'
utf16 invalid is UTF-16; save it as UTF-8' \
		"$(lb-skill list -a 2> /dev/null | jq -r '"\(.name) \(.state) \(.reason)"')"
	run -1 --separate-stderr lb-skill validate plain
	same "{\"level\":\"error\",\"path\":\"$LB_STATE/skills/plain/SKILL.md\",\"line\":1,\"rule\":\"frontmatter\",\"text\":\"has no frontmatter; begin it with '---', a name, a description and '---'\"}" \
		"$output"
	run -65 lb-skill install "$LB_STATE/skills/plain"
}

@test "without a description a skill is not used" {
	skill a 'name: a'
	skill b 'name: b' 'description: "  "'
	skill c 'name: c' 'description: [a, b]'
	for s in a b c; do run -65 lb-skill install ./$s; done
	nothing_there
}

@test "a name that is not by the rule is made so, with a warning; --strict refuses it" {
	skill pdf-tools 'name: PDF Tools' 'description: d'
	skill a--b 'name: a--b' 'description: d'
	skill long "name: $(printf 'x%.0s' {1..65})" 'description: d'
	skill umlaut 'name: größe' 'description: d'
	skill han 'name: 技能' 'description: d'
	skill nameless 'description: d'
	for s in pdf-tools a--b long umlaut han nameless; do
		run -1 lb-skill install --strict ./$s
		nothing_there
	done
	run -0 --separate-stderr lb-skill install ./pdf-tools
	[[ $stderr == *"name 'PDF Tools' has upper-case letters; call it 'pdf-tools'"* ]]
	same pdf-tools "$(jq -r .name <<< "$output")"
	same a-b "$(lb-skill install ./a--b | jq -r .name)"
	same "$(printf 'x%.0s' {1..64})" "$(lb-skill install ./long | jq -r .name)"
	same grosse "$(lb-skill install ./umlaut | jq -r .name)"
	[[ $(lb-skill install ./han | jq -r .name) == skill-???????? ]]
	same nameless "$(lb-skill install ./nameless | jq -r .name)"
	cmp pdf-tools/SKILL.md "$LB_STATE/skills/pdf-tools/SKILL.md"
}

@test "validate --strict names the rule and the line" {
	skill right
	run -0 lb-skill validate -s ./right
	same '' "$output"
	# rules LINE... - what is found in a folder called x.
	rules() {
		skill x "$@"
		lb-skill validate -s ./x | jq -r '"\(.line) \(.rule) \(.level)"'
	}
	same '2 name error' "$(rules 'name: X' 'description: d')"
	same '2 folder error' "$(rules 'name: y' 'description: d')"
	same '1 name error' "$(rules 'description: d')"
	same '1 description error' "$(rules 'name: x')"
	same '3 description error' \
		"$(rules 'name: x' "description: $(printf 'é%.0s' {1..1025})")"
	same '' "$(rules 'name: x' "description: $(printf 'é%.0s' {1..1024})")"
	same '4 compatibility error' "$(rules 'name: x' 'description: d' \
		"compatibility: $(printf 'é%.0s' {1..501})")"
	same '4 compatibility error' "$(rules 'name: x' 'description: d' 'compatibility: ""')"
	same '4 metadata error' "$(rules 'name: x' 'description: d' 'metadata: text')"
	same '4 metadata error' \
		"$(rules 'name: x' 'description: d' 'metadata:' '  a: [b]')"
	same '' "$(rules 'name: x' 'description: d' 'metadata:' '  version: 1.0' 'license: MIT' 'allowed-tools: Read')"
	same '4 field error' "$(rules 'name: x' 'description: d' 'model: big')"
	same '3 markup warning' "$(rules 'name: x' 'description: use <b>')"
}

@test "a skill.md in small letters is read, and installed as SKILL.md" {
	skill small
	mv small/SKILL.md small/skill.md
	run -0 --separate-stderr lb-skill install ./small
	same 'lb-skill: SKILL.md: is called skill.md; call it SKILL.md' "$stderr"
	[ -f "$LB_STATE/skills/small/SKILL.md" ]
	run -1 lb-skill validate -s ./small
}

@test "of several skills one is chosen, or all; nothing is guessed or asked" {
	skill repo/skills/one
	skill repo/performance/r8
	skill repo/packages/agent-skills/foo
	skill repo/.hidden/x
	skill repo/node_modules/y
	skill repo/skills/one/nested
	run -64 lb-skill install ./repo
	same "lb-skill: ./repo: it has 3 skills; choose with --select or --all: foo (packages/agent-skills/foo), r8 (performance/r8), one (skills/one)" \
		"$output"
	nothing_there
	same 'foo r8 one' "$(lb-skill preview ./repo | jq -r .name | xargs)"
	run -64 lb-skill install --select two ./repo
	same r8 "$(lb-skill install --select r8 ./repo | jq -r .name)"
	same foo "$(lb-skill install --select packages/agent-skills/foo/ ./repo | jq -r .name)"
	same 'unchanged unchanged installed' \
		"$(lb-skill install --all ./repo | jq -r .action | xargs)"
	[ -f "$LB_STATE/skills/one/nested/SKILL.md" ]
	rm -r repo/skills repo/performance repo/packages
	run -66 lb-skill preview ./repo
	same "lb-skill: no SKILL.md is in it but below folders that begin with a dot; name one of those" \
		"$output"
	same x "$(lb-skill preview ./repo/.hidden | jq -r .name)"
}

@test "two of one name are told by their folders, and not guessed between" {
	skill repo/a/same
	skill repo/b/same
	run -64 lb-skill install --all ./repo
	same "lb-skill: ./repo: 'same' is in 'a/same' and in 'b/same'; choose one" "$output"
	run -64 lb-skill install --select same ./repo
	run -0 lb-skill install --select b/same ./repo
}

@test "a skill of another source is not replaced unless that is asked for" {
	skill one/notes 'name: notes' 'description: first'
	skill two/notes 'name: notes' 'description: second'
	lb-skill install ./one/notes
	run -77 lb-skill install ./two/notes
	same "lb-skill: skill 'notes' is there already, from $PWD/one/notes; --replace would put this one in its place" \
		"$output"
	same first "$(field notes description)"
	same updated "$(lb-skill install --replace ./two/notes | jq -r .action)"
	same second "$(field notes description)"
	same "$PWD/two/notes" "$(field notes source)"
}

@test "what was edited here is not overwritten unless that is asked for" {
	skill notes
	lb-skill install ./notes
	echo mine >> "$LB_STATE/skills/notes/SKILL.md"
	echo theirs >> notes/SKILL.md
	run -1 lb-skill verify
	same '{"name":"notes","state":"modified","text":"1 file differs: SKILL.md (changed)","changes":[{"path":"SKILL.md","change":"changed"}]}' \
		"$output"
	run -77 lb-skill install ./notes
	same "lb-skill: skill 'notes' was edited here, and --force would undo that: 1 file differs: SKILL.md (changed)" \
		"$output"
	run -77 lb-skill install --replace ./notes
	same mine "$(tail -n 1 "$LB_STATE/skills/notes/SKILL.md")"
	lb-skill install --force ./notes
	same theirs "$(tail -n 1 "$LB_STATE/skills/notes/SKILL.md")"
	run -0 lb-skill verify
}

@test "verify sees what was changed, added, removed, made a link or made to run" {
	skill notes
	mkdir notes/a
	echo 1 > notes/a/b
	lb-skill install ./notes
	at=$LB_STATE/skills/notes
	run -0 lb-skill verify notes
	chmod +x "$at/a/b"
	same '[{"path":"a/b","change":"mode"}]' "$(lb-skill verify | jq -c .changes)"
	chmod -x "$at/a/b"
	mv "$at/a/b" "$at/c"
	same '[{"path":"a/b","change":"removed"},{"path":"c","change":"added"}]' \
		"$(lb-skill verify | jq -c .changes)"
	mv "$at/c" "$at/a/b"
	run -0 lb-skill verify
	ln -s /etc/passwd "$at/link"
	run -1 lb-skill verify
	same "{\"name\":\"notes\",\"state\":\"modified\",\"text\":\"skill 'notes': 'link' is a symbolic link\"}" "$output"
	rm -r "$at"
	run -1 lb-skill verify
	same missing "$(jq -r .state <<< "$output")"
	skill by-hand
	cp -r by-hand "$LB_STATE/skills/"
	same 'by-hand unknown' "$(lb-skill verify | jq -r '"\(.name) \(.state)"' | head -n 1)"
}

@test "rm leaves the others, and no trace in lock.json" {
	skill repo/one
	skill repo/two
	lb-skill install --all ./repo
	lb-skill rm one
	same two "$(lb-skill list | jq -r .name)"
	same '["two"]' "$(jq -c '.skills | keys' "$LB_STATE/skills/lock.json")"
	same two "$(ls "$LB_STATE/skills/.lists")"
	run -66 lb-skill rm one
	run -66 lb-skill rm tow two
	same "lb-skill: there is no skill 'tow'; did you mean 'two'?" "$output"
	nothing_there
}

@test "folders of the configuration are read, never written; the store's come first" {
	skill project/.claude/skills/mine
	skill project/.agents/skills/yours
	skill project/.agents/skills/both 'name: both' 'description: of the project'
	skill plain/bare
	skill src/both 'name: both' 'description: of the store'
	printf 'skills:\n  paths: [project, plain]\n' > "$LB_CONFIG"
	same 'bare both mine yours' "$(lb-skill list | jq -r .name | xargs)"
	run -77 lb-skill install ./src/both
	same "lb-skill: skill 'both' is in '$PWD/project/.agents/skills/both' already; --replace would hide that one" \
		"$output"
	lb-skill install --replace ./src/both
	same 'of the store' "$(lb-skill show both | jq -r .description)"
	same 'ok shadowed' "$(lb-skill list -a | jq -r 'select(.name == "both").state' | xargs)"
	rm -r plain
	run -0 --separate-stderr lb-skill list
	same "lb-skill: skills.paths: '$PWD/plain' is not there" "$stderr"
	run -77 lb-skill rm mine
	[ -e project/.claude/skills/mine ]
}

@test "a link that leads out of a folder of skills is not followed" {
	skill elsewhere/x
	mkdir plain
	ln -s ../elsewhere/x plain/x
	printf 'skills:\n  paths: [plain]\n' > "$LB_CONFIG"
	run -0 --separate-stderr lb-skill list
	same '' "$output"
	same "lb-skill: $PWD/plain/x/SKILL.md: 'x/SKILL.md' leads out of its folder by a link" \
		"$stderr"
	run -77 lb-skill cat x
	mkdir -p "$LB_STATE/skills/file"
	ln -s "$PWD/elsewhere/x" "$LB_STATE/skills/y"
	ln -s "$PWD/elsewhere/x/SKILL.md" "$LB_STATE/skills/file/SKILL.md"
	same 'invalid invalid' "$(lb-skill list -a 2> err |
		jq -r 'select(.name == "file" or .name == "y").state' | xargs)"
	run -77 lb-skill cat y
	rm -r "$LB_STATE"
	skill plain/real
	ln -s /etc/passwd plain/real/passwd
	run -77 lb-skill cat real passwd
	run -77 lb-skill cat real ../../elsewhere/x/SKILL.md
}

@test "a change that was cut off is finished, or undone, by the next" {
	skill notes
	lb-skill install ./notes
	skill other
	lb-skill install ./other
	cd "$LB_STATE/skills"
	# It was in place, and not yet in lock.json.
	jq '{notes: .skills.notes}' lock.json > .pending
	jq 'del(.skills.notes)' lock.json > lock.new
	mv lock.new lock.json
	mkdir -p .new-abcdef/half
	run -66 lb-skill rm nothing
	same '["notes","other"]' "$(jq -c '.skills | keys' lock.json)"
	[ ! -e .pending ]
	[ ! -e .new-abcdef ]
	# It was not in place.
	jq '{notes: (.skills.notes | .tree = "sha256:0")}' lock.json > .pending
	run -66 lb-skill rm nothing
	run -0 lb-skill verify
}

@test "one whose removal was cut off is no more when it is removed again" {
	skill notes
	skill other
	lb-skill install ./notes
	lb-skill install ./other
	mv "$LB_STATE/skills/notes" "$LB_STATE/skills/.new-gone-notes"
	run -1 lb-skill verify
	run -0 lb-skill rm notes
	same '["other"]' "$(jq -c '.skills | keys' "$LB_STATE/skills/lock.json")"
	same other "$(ls -A "$LB_STATE/skills/.lists")"
	run -0 lb-skill verify
	run -66 lb-skill rm notes
}

@test "many at once leave a whole store" {
	for i in 1 2 3 4 5 6 7 8; do
		skill "src/s$i"
		lb-skill install "./src/s$i" 3>&- &
	done
	wait
	same 8 "$(jq '.skills | length' "$LB_STATE/skills/lock.json")"
	run -0 lb-skill verify
	same 8 "${#lines[@]}"
}

@test "a damaged lock.json is said, and nothing is changed" {
	skill notes
	lb-skill install ./notes
	echo '{' > "$LB_STATE/skills/lock.json"
	for verb in list verify 'rm notes' 'install ./notes'; do
		run -65 lb-skill $verb
	done
	echo '{"version":2,"skills":{}}' > "$LB_STATE/skills/lock.json"
	run -65 lb-skill list
	[ -e "$LB_STATE/skills/notes/SKILL.md" ]
}

@test "what is named and is not there is one line, and exit 66" {
	run -66 lb-skill install ./nothing
	same "lb-skill: cannot open './nothing': No such file or directory" "$output"
	run -66 lb-skill show nothing
	run -64 lb-skill show ../x
	run -66 lb-skill validate ./nothing
	mkdir empty
	run -66 lb-skill install ./empty
	same "lb-skill: ./empty: no SKILL.md is in it" "$output"
	[ ! -e "$LB_STATE/skills/empty" ]
}

@test "links and pipes in a folder are refused before anything is written" {
	skill notes
	ln -s /etc/passwd notes/passwd
	run -65 lb-skill install ./notes
	same "lb-skill: ./notes: 'passwd' is a symbolic link" "$output"
	rm notes/passwd
	mkfifo notes/pipe
	run -65 lb-skill install ./notes
	same "lb-skill: ./notes: 'pipe' is a named pipe" "$output"
	nothing_there
}

@test "modes are those of files that anybody may read, whatever the umask" {
	skill notes
	mkdir notes/s
	echo > notes/s/a
	echo > notes/s/b
	chmod 777 notes/s/a
	chmod 600 notes/s/b
	(umask 077 && lb-skill install ./notes)
	same '755 755 644 755' "$(stat -c %a "$LB_STATE/skills/notes" \
		"$LB_STATE"/skills/notes/{s,s/b,s/a} | xargs)"
	same 700 "$(stat -c %a "$LB_STATE/skills")"
	same 600 "$(stat -c %a "$LB_STATE/skills/lock.json")"
}

@test "control characters of a stranger do not reach the terminal" {
	need terminal script
	skill esc 'name: esc' 'description: "a\e[31mb"'
	lb-skill install ./esc
	run -0 script -qec 'lb-skill list; lb-skill show esc' /dev/null
	[[ $output != *$'\e['* ]]
	[[ $output == *ab* ]]
}

@test "a full disk is exit 74" {
	skill notes
	lb-skill install ./notes
	for verb in list 'show notes' 'cat notes' 'files notes' verify; do
		run -74 sh -c "lb-skill $verb > /dev/full"
	done
}

@test "a skill is made, and is as the specification has it" {
	echo 'Say hi.' | lb-skill create hello -d 'Says hi: "always"' --instructions -
	run -0 lb-skill validate -s hello
	same 'Says hi: "always"' "$(field hello description)"
	same local "$(field hello source)"
	same 'Say hi.' "$(lb-skill show hello | jq -r .instructions)"
	run -0 lb-skill verify
	run -77 lb-skill create hello -d d
	run -64 lb-skill create Hello -d d
	run -64 lb-skill create hello2
	same $'a\nb' "$(lb-skill create two -d $'a\nb' && field two description)"
}

@test "edit keeps every field, comment and line that it is not told of" {
	skill notes 'name: notes' '# why' 'description: d' 'x-other: [1, {a: b}]' \
		'metadata:' '  author: me  # him' 'license: MIT'
	lb-skill install ./notes
	lb-skill edit notes --set 'description=Reads: notes' \
		--set metadata.version=1.0 --unset license
	same '---
name: notes
# why
description: "Reads: notes"
x-other: [1, {a: b}]
metadata:
  author: me  # him
  version: "1.0"
---

# How' "$(lb-skill cat notes)"
	printf 'Other\n' | lb-skill edit notes --instructions -
	same Other "$(lb-skill cat notes | tail -n 1)"
	run -64 lb-skill edit notes --set name=other
	run -64 lb-skill edit notes --set x
	run -64 lb-skill edit notes
	run -65 lb-skill edit notes --unset description
	same 'Reads: notes' "$(field notes description)"
}

@test "what is edited of an installed skill is seen as that; of one's own it is not" {
	skill notes
	lb-skill install ./notes
	lb-skill create mine -d d
	for s in notes mine; do
		lb-skill edit $s --set license=MIT
		echo x | lb-skill write $s more/x
	done
	run -1 lb-skill verify
	same 'mine ok
notes modified' "$(jq -r '"\(.name) \(.state)"' <<< "$output")"
	run -77 lb-skill install ./notes
}

@test "an editor edits, and what it makes of a skill must be one" {
	lb-skill create notes -d old
	EDITOR='sed -i s/old/new/' lb-skill edit notes
	same new "$(field notes description)"
	EDITOR='sed -i s/description/desc/' run -65 lb-skill edit notes
	# somebody may have typed for long
	local kept=${output##*is kept in \'}
	same "desc: \"new\"" "$(sed -n 3p "${kept%%\'*}")"
	rm -r "$(dirname "${kept%%\'*}")"
	EDITOR=false run -69 lb-skill edit notes
	mkdir temp
	TMPDIR=$PWD/temp EDITOR=true lb-skill edit notes
	same '' "$(ls temp)"
	same new "$(field notes description)"
}

@test "create says where it is, and what is outside of it is called that" {
	run -0 lb-skill create notes -d old
	same "lb-skill: 'notes' is in '$LB_STATE/skills/notes'; 'lb-skill edit' and 'lb-skill write' change it" "$output"
	run -65 lb-skill write notes ../x <<< x
	same "lb-skill: entry '../x' leads out of its folder" "$output"
	run -77 lb-skill cat notes ../../x
	same "lb-skill: '../../x' leads out of its folder" "$output"
}

@test "what would be installed is not said to be" {
	need terminal script
	mkdir a
	printf -- '---\nname: a\ndescription: Does a.\n---\nDo a.\n' > a/SKILL.md
	run -0 lb-skill install --dry-run ./a
	jq -e '.action == "installed" and .dry_run' <<< "$output"
	run -0 script -qec 'lb-skill install --dry-run ./a' /dev/null
	[[ $output == *'would be installed'* ]]
	same '' "$(lb-skill list)"
	run -0 lb-skill install ./a
	jq -e 'has("dry_run") | not' <<< "$output"
}

@test "write puts files into a skill, and nowhere else" {
	lb-skill create notes -d d
	printf '#!/bin/sh\n' | lb-skill write notes bin/run
	printf 'x\n' | lb-skill write notes bin/other -x
	printf 'y\n' | lb-skill write notes a.md
	printf 'z\n' | lb-skill write notes bin/run
	same '755 755 644' "$(cd "$LB_STATE/skills/notes" &&
		stat -c %a bin/run bin/other a.md | xargs)"
	same z "$(lb-skill cat notes bin/run)"
	for path in ../x /x a/../../x 'c:\x' .DS_Store; do
		run lb-skill write notes "$path" < /dev/null
		[ "$status" -ge 64 ]
	done
	run -65 lb-skill write notes a.md/b < /dev/null
	run -65 lb-skill write notes A.md < /dev/null
	run -65 lb-skill write notes SKILL.md <<< 'no skill'
	run -66 lb-skill write nobody a < /dev/null
	run -0 lb-skill verify
}
