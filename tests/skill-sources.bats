#!/usr/bin/env bats
# Skills from elsewhere: repositories, URLs, records; and what becomes of them
# when their source changes.

load helper
load server
load skill

setup() {
	exec < /dev/null
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	stop_servers
}

A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
B=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
C=cccccccccccccccccccccccccccccccccccccccc
N=dddddddddddddddddddddddddddddddddddddddd

# refs FILE LINE... - what git is told of the refs of a repository.
refs() {
	local file=$1 line
	shift
	printf '001e# service=git-upload-pack\n0000' > "$file"
	for line; do
		printf '%04x%s\n' $((${#line} + 5)) "$line" >> "$file"
	done
	printf 0000 >> "$file"
}

# hub - a server that stands for the hub: repository o/r with branches main and
# feat/x and the annotated tag v1, each with a zip of its own, as r-COMMIT/...
hub() {
	refs refs "$A HEAD" "$A refs/heads/main" "$B refs/heads/feat/x" \
		"$A refs/tags/v1" "$C refs/tags/v1^{}" "$B refs/pull/1/head"
	zip_of "$A" 'on main'
	zip_of "$B" 'on a branch'
	zip_of "$C" 'of a tag'
	zip_of "$N" newer
	{
		printf 'on GET /o/r.git/info/refs?service=git-upload-pack\nuses any\nreply 200\nheader Content-Type: application/x-git-upload-pack-advertisement\nfile refs\n'
		for c in $A $B $C $N; do
			printf 'on GET /o/r/archive/%s.zip\nuses any\nreply 302\nheader Location: /code/%s\non GET /code/%s\nuses any\nreply 200\nfile %s.zip\n' \
				$c $c $c $c
		done
		cat
	} > script
	again
}

# again - start the hub anew, with the files as they are now.
again() {
	stop_servers
	serve script
	printf 'net:\n  fetch-allow: [127.0.0.0/8]\nskills:\n  github: %s\n  hosts: [127.0.0.1]\n' \
		"$SERVER_URL" > "$LB_CONFIG"
}

# moved - main is at commit N now.
moved() {
	refs refs "$N HEAD" "$N refs/heads/main" "$B refs/heads/feat/x"
	again
}

# zip_of COMMIT TEXT - a repository at a commit: two skills, and a link beside.
zip_of() {
	zipped "$1.zip" <<-END
		top = "r-$1/"
		put(top + "README.md", "r")
		put(top + "CLAUDE.md", "README.md", mode=0o120777)
		put(top + "skills/a/SKILL.md", "---\nname: a\ndescription: $2\n---\n")
		put(top + "skills/a/run", "#!/bin/sh\n", mode=0o100755)
		put(top + "skills/b/SKILL.md", "---\nname: b\ndescription: $2\n---\n")
	END
}

# got - name, description, ref, folder and commit of what is installed.
got() {
	lb-skill list | jq -r '"\(.name): \(.description), \(.ref // "-"), \(.folder), \(.commit[:1])"'
}

# from SOURCE EXPECTED - install it alone: that is what is got.
from() {
	rm -rf "$LB_STATE/skills"
	lb-skill install "$1" > out || { echo "$1"; return 1; }
	same "$2" "$(got)"
}

@test "every form in which a repository is pasted is understood" {
	hub < /dev/null
	same 'a b' "$(lb-skill preview o/r | jq -r .name | xargs)"
	local main='a: on main, -, skills/a, a'
	from o/r:skills/a "$main"
	from github:o/r:skills/a/SKILL.md "$main"
	main='a: on main, main, skills/a, a'
	from o/r@main:skills/a "$main"
	from https://github.com/o/r/tree/main/skills/a "$main"
	from https://github.com/o/r/tree/main/skills/a/ "$main"
	from 'https://github.com/o/r/blob/main/skills/a/SKILL.md?plain=1#L1' "$main"
	from https://github.com/o/r/raw/main/skills/a/SKILL.md "$main"
	from https://raw.githubusercontent.com/o/r/main/skills/a/SKILL.md "$main"
	from https://raw.githubusercontent.com/o/r/refs/heads/main/skills/a/SKILL.md \
		'a: on main, refs/heads/main, skills/a, a'
	from https://www.github.com/O/R/../r/tree/main/skills/a "$main" && return 1
	local branch='a: on a branch, feat/x, skills/a, b'
	from o/r@feat/x:skills/a "$branch"
	from https://github.com/o/r/tree/feat/x/skills/a "$branch"
	from https://github.com/o/r/blob/feat/x/skills/a/SKILL.md "$branch"
	local tag='a: of a tag, v1, skills/a, c'
	from o/r@v1:skills/a "$tag"
	from https://github.com/o/r/tree/v1/skills/a "$tag"
	same 'a b' "$(lb-skill preview https://github.com/o/r/releases/tag/v1 | jq -r .name | xargs)"
	for url in https://github.com/o/r https://github.com/o/r.git \
		https://github.com/o/r/ github.com/o/r \
		https://github.com/o/r/archive/refs/heads/feat/x.zip \
		https://github.com/o/r/archive/refs/tags/v1.tar.gz \
		https://codeload.github.com/o/r/zip/refs/heads/main \
		https://codeload.github.com/o/r/legacy.zip/main \
		https://api.github.com/repos/o/r/zipball/v1 \
		"https://github.com/o/r/commit/$B" "https://github.com/o/r/tree/$B"; do
		same 'a b' "$(lb-skill preview "$url" | jq -r .name | xargs)" ||
			{ echo "$url"; return 1; }
	done
	from "o/r@$B:skills/a" "a: on a branch, $B, skills/a, b"
}

@test "what a repository does not have is told, with what was tried" {
	hub <<-'END'
		on GET /o/none.git/info/refs?service=git-upload-pack
		uses any
		reply 404
		on GET /o/odd.git/info/refs?service=git-upload-pack
		reply 200
		send <html>
	END
	run -66 lb-skill install https://github.com/o/r/tree/feat/y/skills/a
	same "lb-skill: 'o/r' has no branch or tag of these: 'feat/y/skills/a', 'feat/y/skills', 'feat/y', 'feat'" \
		"$output"
	run -66 lb-skill install o/r@nope
	same "lb-skill: 'o/r' has no branch or tag 'nope'" "$output"
	run -66 lb-skill install o/r:skills/nope
	same "lb-skill: o/r:skills/nope: no SKILL.md is in it" "$output"
	run -69 lb-skill install o/none
	same "lb-skill: there is no public repository 'o/none'; a private one needs git: clone it, and install the folder" \
		"$output"
	run -76 lb-skill install o/odd
	run -64 lb-skill install o/r
	same "lb-skill: o/r: it has 2 skills; choose with --select or --all: a (skills/a), b (skills/b)" \
		"$output"
	for source in git@github.com:o/r.git ssh://git@github.com/o/r; do
		run -64 lb-skill install "$source"
		same "lb-skill: '$source' needs git: clone it, and install the folder" "$output"
	done
	run -64 lb-skill install ftp://example.org/a.zip
	nothing_there
}

@test "a link beside a skill of a repository does not matter, one in it does" {
	hub < /dev/null
	lb-skill install o/r:skills/a
	zipped "$A.zip" <<-END
		put("r/skills/demo/SKILL.md", MD)
		put("r/skills/demo/link", "/etc/passwd", mode=0o120777)
	END
	again
	run -65 lb-skill install o/r
	same "lb-skill: o/r: 'r/skills/demo/link' is a symbolic link" "$output"
}

@test "a folder here of that name is meant before a repository" {
	hub < /dev/null
	skill o/r
	same r "$(lb-skill preview o/r | jq -r .name)"
	same 'a b' "$(lb-skill preview github:o/r | jq -r .name | xargs)"
}

@test "redirects stay with the hosts of the hub, and off this machine" {
	hub < /dev/null
	sed -i "s|Location: /code/|Location: http://localhost:1/|" script
	again
	run -77 lb-skill install o/r:skills/a
	[[ $output == *"'localhost' is no host that may be asked for this" ]]
	printf 'skills:\n  github: %s\n  hosts: [127.0.0.1]\n' "$SERVER_URL" > "$LB_CONFIG"
	run -77 lb-skill install o/r:skills/a
	[[ $output == *"'127.0.0.1' is not on the public internet" ]]
	printf 'skills:\n  github: %s\n' "$SERVER_URL" > "$LB_CONFIG"
	run -77 lb-skill install o/r:skills/a
	[[ $output == *"'127.0.0.1' is to be asked by https" ]]
	nothing_there
}

@test "an archive of any host is taken, a SKILL.md alone, too" {
	zipped demo.zip <<< 'put("demo/SKILL.md", MD)'
	skill solo
	hub <<-'END'
		on GET /x/demo.zip?token=1
		uses any
		reply 200
		file demo.zip
		on GET /x/solo/SKILL.md
		uses any
		reply 200
		file solo/SKILL.md
		on GET /page
		reply 200
		send <html>
		on GET /large
		reply 200
		repeat 40 0 a
	END
	same demo "$(lb-skill install "$SERVER_URL/x/demo.zip?token=1" | jq -r .name)"
	same solo "$(lb-skill install "$SERVER_URL/x/solo/SKILL.md" | jq -r .name)"
	same "$SERVER_URL/x/solo/SKILL.md" "$(lb-skill show solo | jq -r .source)"
	run -65 lb-skill install "$SERVER_URL/page"
	run -69 lb-skill install "$SERVER_URL/nothing"
	[[ $output == "lb-skill: $SERVER_URL/nothing: HTTP 404" ]]
	run -77 lb-skill install http://example.org/demo.zip
	run -77 lb-skill install https://169.254.169.254/demo.zip
}

@test "on a terminal a download that takes its time says how far it is" {
	need terminal script
	zipped slow.zip <<-'END'
		import random
		put("SKILL.md", MD)
		put("noise", "".join(chr(random.randrange(32, 127)) for i in range(300000)))
	END
	printf 'on GET /slow.zip\nuses any\nreply 200\nby 4096 30\nfile slow.zip\n' > script
	again
	# Not where nobody looks.
	run -0 --separate-stderr lb-skill install "$SERVER_URL/slow.zip"
	same '' "$stderr"
	lb-skill rm demo
	run -0 script -qec "lb-skill install $SERVER_URL/slow.zip > out" /dev/null
	[[ $output == *$'\r0.'[0-9]' MiB from 127.0.0.1'* ]]
	# Nothing of it stays in the line.
	[[ $output == *$'MiB from 127.0.0.1\r'*' '*$'\r' ]]
	same installed "$(jq -r .action out)"
}

@test "update takes what is new, and nothing else" {
	hub < /dev/null
	lb-skill install o/r@main:skills/a
	skill here
	lb-skill install ./here
	lb-skill create mine -d d
	same 'a unchanged
here unchanged' "$(lb-skill update | jq -r '"\(.name) \(.action)"')"
	same 2 "$(requests .path | grep -c info/refs)"
	same 1 "$(requests .path | grep -c archive/)" # of the first install
	moved
	run -0 lb-skill update --dry-run a
	same '{"action":"updated","dry_run":true,"changes":[{"path":"SKILL.md","change":"changed"}]}' \
		"$(jq -c '{action, dry_run, changes}' <<< "$output")"
	same 'on main' "$(lb-skill show a | jq -r .description)"
	run -0 lb-skill update
	same newer "$(lb-skill show a | jq -r .description)"
	run -0 lb-skill verify
	run -65 lb-skill update mine
	same "lb-skill: skill 'mine': nobody knows where it is from" "$output"
	run -66 lb-skill update nobody
}

@test "update leaves local edits alone, and says which, and goes on with the rest" {
	hub < /dev/null
	lb-skill install --all o/r
	echo mine >> "$LB_STATE/skills/a/run"
	moved
	run -77 --separate-stderr lb-skill update
	same "lb-skill: skill 'a' was edited here, and --force would undo that: 1 file differs: run (changed)" \
		"$stderr"
	same b "$(jq -r .name <<< "$output")"
	same 'on main
newer' "$(lb-skill list | jq -r .description)"
	same 1 "$(requests .path | grep -c info/refs)"
	same 1 "$(requests .path | grep -c archive/)"
	run -0 lb-skill update --force a
	run -0 lb-skill verify
	rm -r "$LB_STATE/skills/a"
	lb-skill update a
	run -0 lb-skill verify
}

@test "update --frozen puts back what lock.json says, and nothing newer" {
	hub < /dev/null
	lb-skill install o/r@main:skills/a
	skill here
	lb-skill install ./here
	moved
	# there as it was: nobody is asked
	same 'unchanged unchanged' "$(lb-skill update --frozen | jq -r .action | xargs)"
	same 0 "$(requests .path | grep -c info/refs)"
	# another machine
	mkdir -p other/skills
	cp "$LB_STATE/skills/lock.json" other/skills/
	run -0 env LB_STATE="$PWD/other" lb-skill update --frozen
	same 'a installed here installed' "$(jq -r '"\(.name) \(.action)"' <<< "$output" | xargs)"
	same 'on main' "$(LB_STATE=$PWD/other lb-skill show a | jq -r .description)"
	same 0 "$(requests .path | grep -c info/refs)"
	LB_STATE=$PWD/other lb-skill verify
	diff <(jq 'del(.skills[].installed)' other/skills/lock.json) \
		<(jq 'del(.skills[].installed)' "$LB_STATE/skills/lock.json")
	# what is edited is not undone, and what is another is not taken
	echo mine >> "$LB_STATE/skills/a/run"
	run -77 lb-skill update --frozen a
	[[ $output == *"skill 'a'"*"run (changed)"* ]]
	run -0 lb-skill update --frozen --force a
	rm -r "$LB_STATE/skills/here"
	echo more >> here/SKILL.md
	run -65 lb-skill update --frozen
	[[ $output == *"skill 'here': what is there now is not what was installed: sha256:"*", and was sha256:"* ]]
	[ ! -e "$LB_STATE/skills/here" ]
	# what was made here is nowhere else
	lb-skill create mine -d d
	run -0 lb-skill update --frozen mine
	rm -r "$LB_STATE/skills/mine"
	run -65 lb-skill update --frozen mine
	same "lb-skill: skill 'mine': it is not as it was installed, and nobody knows where that is to be had" \
		"$output"
}

@test "a skill that is gone from its source, or has another name there, stays" {
	hub < /dev/null
	lb-skill install o/r:skills/a
	zipped "$N.zip" <<< 'put("r/skills/a/SKILL.md", MD)'
	moved
	run -77 lb-skill update
	same "lb-skill: skill 'a': it is called 'demo' there now; install that one" "$output"
	zipped "$N.zip" <<< 'put("r/skills/c/SKILL.md", MD)'
	moved
	run -66 lb-skill update
	same a "$(lb-skill list | jq -r .name)"
}

@test "records of skills are installed as they were, by their commits" {
	hub < /dev/null
	lb-skill install --all o/r@main
	skill here
	lb-skill install ./here
	lb-skill create mine -d d
	lb-skill list --json > records
	export LB_STATE=$PWD/other
	zipped "$A.zip" <<< 'put("r/x", "")'
	refs refs "$B HEAD" "$B refs/heads/main"
	zip_of "$A" 'on main'
	again
	jq -c 'select(.name != "b")' records | lb-skill install - > out
	same 'a here mine' "$(jq -r .name out | xargs)"
	same 'a: on main, main, skills/a, a' "$(got | head -n 1)"
	same unchanged "$(head -n 1 records | lb-skill install - | jq -r .action)"
}

@test "records that are none, or lie, are told, and the others are installed" {
	skill here
	skill more
	run -65 --separate-stderr lb-skill install - <<-END
		{"kind":"skill","name":"x","source":"github:o/r","commit":"../../x"}
		{"kind":"skill","name":"here","source":"$PWD/here"}
		{"kind":"skill","name":"y"}
		{"kind":"message","id":"1"}
		{"kind":
		{"kind":"skill","name":"more","source":"$PWD/more"}
	END
	same 'here more' "$(jq -r .name <<< "$output" | xargs)"
	[[ $stderr == *"skill 'x': '../../x' is no commit"* ]]
	[[ $stderr == *"skill 'y': nobody knows where it is from"* ]]
	same 3 "${#stderr_lines[@]}"
}
@test "nothing at the standard input is said" {
	run -66 lb-skill install - < /dev/null
	same "lb-skill: nothing came at the standard input" "$output"
}

# market LINE... - a server that stands for the marketplace.
market() {
	printf '%s\n' "$@" > script
	stop_servers
	serve script
	printf 'net:\n  fetch-allow: [127.0.0.0/8]\nskills:\n  hosts: [127.0.0.1]\nspace:\n  url: %s\n' \
		"$SERVER_URL" > "$LB_CONFIG"
}

@test "a skill of the marketplace is asked for in its order, and nothing is reported" {
	zipped demo.zip <<< 'put("demo/SKILL.md", MD)'
	at=/api/v1/marketplace
	market "on GET $at/skills/ann/Demo" 'uses any' 'reply 200' 'send {}' \
		"on GET $at/skills/download/ann/Demo" 'uses any' 'reply 200' 'file demo.zip'
	same 'demo installed' "$(lb-skill install market:ann/Demo |
		jq -r '"\(.name) \(.action)"')"
	same "GET $at/mcps/ann/Demo
GET $at/skills/ann/Demo
GET $at/skills/download/ann/Demo" "$(requests '"\(.method) \(.path)"' | jq -r .)"
	same market:ann/Demo "$(lb-skill show demo | jq -r .source)"
	same unchanged "$(lb-skill update demo | jq -r .action)"
}

@test "what is no skill at the marketplace is told, and a server that fails is not none" {
	at=/api/v1/marketplace
	market "on GET $at/mcps/ann/m" 'reply 200' 'send {}' \
		"on GET $at/plugins/ann/p/versions" 'reply 200' 'send {}' \
		"on GET $at/mcps/ann/e" 'uses any' 'reply 500'
	run -69 lb-skill install market:ann/m
	same "lb-skill: 'ann/m' is an MCP server there, which is no skill" "$output"
	run -69 lb-skill install market:ann/p
	same "lb-skill: 'ann/p' is a plugin there, which is no skill" "$output"
	run -69 lb-skill install market:ann/none
	same "lb-skill: there is no 'ann/none' at '$SERVER_URL'" "$output"
	run -75 lb-skill install market:ann/e
	same 0 "$(requests .path | grep -c skills/ann/e)"
	for name in market:ann market:a/b/c market:../x market:a/.. market:; do
		run -64 lb-skill install "$name"
	done
	printf 'space: {url: ""}\n' > "$LB_CONFIG"
	run -78 lb-skill install market:ann/m
	printf 'space: {url: nonsense}\n' > "$LB_CONFIG"
	run -78 lb-skill install market:ann/m
	[[ $output == *"space.url: 'nonsense' is no URL"* ]]
	nothing_there
}
