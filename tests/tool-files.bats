#!/usr/bin/env bats
# The tools for files against git and ripgrep, and where there is too much of
# something.

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

# tree - folders and files for patterns.
tree() {
	local f
	for f in a.c b.h src/a.c src/b.ts src/x/a.ts src/x/y/z/a.ts x/src/y/a.ts \
		lib/x/a.c lib/.hidden/q.c '.dot/a.c' 'we ird/[a].c' 'we ird/é.c' \
		src/x/a-b.c src/x/README docs/README.md docs/x/README.md; do
		mkdir -p "$W/$(dirname "$f")"
		: > "$W/$f"
	done
}

# globbed PATTERN - the files (no folders) that glob finds, sorted.
globbed() {
	tool glob "$(jq -cn --arg p "$1" '{pattern: $p}')" |
		jq -r '.matches[]|ltrimstr("/workspace/")' |
		(cd "$W" && while IFS= read -r f; do [ -d "$f" ] || echo "$f"; done) | sort
}

@test "glob means what git means by ':(glob)'" {
	need git
	tree
	git -C "$W" init -q
	git -C "$W" add -A
	for p in '*/a.c' 'src/**/a.ts' '**/a.c' 'src/**' '**/x/**' 'src/*/a*' \
		'src/**/*.ts' '/a.c' '*/*/*' '**/README*' 'src/x/a?b.c' \
		'we ird/\[a\].c' 'we ird/[[]*' '**/[!a]*.c' '**/src/**/a.ts' \
		'lib/**/q.c' '.dot/*' '**/y/**/*.ts' 'src/[w-z]/*'; do
		same "$p: $(git -C "$W" -c core.quotePath=false ls-files \
			":(glob)${p#/}" | sort)" "$p: $(globbed "$p")"
	done
}

@test "glob means what ripgrep means by -g" {
	need rg
	tree
	for p in '*.c' '*.{c,h}' 'README*' '*/a.c' 'src/**/a.ts' '**/a.c' 'src/**' \
		'/a.c' '{src,lib}/**/*.c' '**/x/**' 'a*' '[ab].?' 'docs/**/*.md'; do
		same "$p: $(cd "$W" && rg --no-config --files --hidden -g "$p" |
			sed 's|^\./||' | sort)" "$p: $(globbed "$p")"
	done
}

@test "grep finds what ripgrep finds" {
	need rg
	cp -r "$BATS_TEST_DIRNAME/../lib/base" "$W/base"
	for p in 'lb_buf_put\(' '^static .*\bint\b' '[0-9]{4,}' '(?i)utf-8' \
		'json_t \*lb_json_(str|pack)' '\bgoto\b|return -2' ';\s*$|zzz' '"%.*s"'; do
		same "$p: $(cd "$W" && rg --no-config -n --no-heading --sort path \
			"$p" base | head -200 | cut -d: -f1,2)" \
			"$p: $(tool grep "$(jq -cn --arg p "$p" '{pattern: $p, path: "base"}')" |
				jq -r '.matches[]|"\(.file|ltrimstr("/workspace/")):\(.line)"')" ||
			[ "$(jq .truncated_by <<< "$(tool grep "$(jq -cn --arg p "$p" \
				'{pattern: $p, path: "base"}')")")" = '"bytes"' ]
	done
}

@test "a folder of 100,000 files" {
	python3 -c 'import os, sys
os.chdir(sys.argv[1])
for i in range(100200): os.close(os.open("f%06d" % i, os.O_CREAT | os.O_WRONLY))' "$W"
	run -0 tool read '{"path":"."}'
	same '[10001,10000,true,"entries"]' "$(jq -c '[.total,([.shown,10000]|max),.truncated,
		(if .truncated_by == "bytes" then "entries" else .truncated_by end)]' <<< "$output")"
	[ "$(jq -r .content <<< "$output" | wc -c)" -le 51200 ]
	run -0 tool glob '{"pattern":"f*"}'
	same '[100,100000,"scan"]' "$(jq -c '[(.matches|length),.total,.truncated_by]' <<< "$output")"
	run -0 tool grep '{"pattern":"x"}'
	same '[5000,"files"]' "$(jq -c '[.files,.truncated_by]' <<< "$output")"
}

@test "a file of 2 GB that is one hole" {
	truncate -s 2G "$W/hole"
	run -0 tool read '{"path":"hole"}'
	same '["bytes",null,17066]' "$(jq -c '[.truncated_by,.next_offset,.next_byte_offset]' <<< "$output")"
	run -1 tool read '{"path":"hole","offset":2}'
	[[ $output == *"ends before line 2: it has 1 lines"* || $output == *"byte_offset"* ]]
	same 2147483647 "$(tool read '{"path":"hole","byte_offset":2147483600,"max_bytes":47,"encoding":"base64"}' |
		jq .next_byte_offset)"
	run -1 tool edit '{"path":"hole","old_string":"a","new_string":"b"}'
	same 0 "$(tool grep '{"pattern":"a"}' | jq .total)"
}

@test "hostile names and deep folders" {
	mkdir "$W/d"
	: > "$W/d/$(printf 'a\nb')"
	: > "$W/d/$(printf '\377\376')"
	: > "$W/d/-rf"
	: > "$W/d/$(printf 'x%.0s' $(seq 255))"
	run -0 tool glob '{"pattern":"d/*"}'
	same 4 "$(jq .total <<< "$output")"
	same true "$(jq 'any(.matches[]; . == "/workspace/d/a\nb")' <<< "$output")"
	tool write '{"path":"d/a\nb","content":"needle"}'
	same '"/workspace/d/a\nb"' "$(tool grep '{"pattern":"needle"}' | jq '.matches[0].file')"
	python3 -c 'import os, sys
os.chdir(sys.argv[1])
for i in range(1000):
    os.mkdir("d" * 100); os.chdir("d" * 100)' "$W"
	run -0 tool glob '{"pattern":"**/nix"}'
	same '[0,"scan"]' "$(jq -c '[.total,.truncated_by]' <<< "$output")"
	run -0 tool grep '{"pattern":"nix"}'
	python3 -c 'import os, sys
os.chdir(sys.argv[1])
n = 0
while os.path.isdir("d" * 100): os.chdir("d" * 100); n += 1
for i in range(n): os.chdir(".."); os.rmdir("d" * 100)' "$W"
}

@test "a pattern that is hopeless ends in time, with what was found" {
	{ echo 'needle aab'; for i in $(seq 300); do printf 'a%.0s' $(seq 5000); echo; done; } > "$W/f"
	SECONDS=0
	run -0 tool grep '{"pattern":"(a|a)*aab|(a+)+$x"}'
	[ "$SECONDS" -lt 25 ]
	same 1 "$(jq .total <<< "$output")"
}

@test "many calls at once are answered, whatever their order" {
	for i in $(seq 100); do echo "$i" > "$W/f$i"; done
	for i in $(seq 100); do
		echo "{\"op\":\"call\",\"id\":\"$i\",\"name\":\"read\",\"arguments\":{\"path\":\"f$i\"}}"
	done > "$BATS_TEST_TMPDIR/calls"
	run -0 sh -c 'lb-tool serve -w "$0" < "$1"' "$W" "$BATS_TEST_TMPDIR/calls"
	same 100 "$(jq -r 'select((.content|fromjson.content) == .id)|.id' <<< "$output" | sort -u | wc -l)"
}

@test "a full disk is said, and nothing is half written" {
	need mount
	cat > "$BATS_TEST_TMPDIR/full.sh" <<'END'
mount -t tmpfs -o size=64k tmpfs "$1" || exit 99
cd "$1"
echo old > f
big=$(printf 'x%.0s' $(seq 90000))
for mode in overwrite append; do
	printf '{"path":"f","content":"%s","mode":"%s"}' "$big" $mode |
		lb-tool call write - -w "$1"
done
cat f
ls -A
END
	run -0 unshare -m sh "$BATS_TEST_TMPDIR/full.sh" "$W"
	[[ ${lines[0]} == *'"ok":false'*'no space is left; remove files'* ]]
	[[ ${lines[1]} == *'"ok":false'*'no space is left'* ]]
	same 'old f' "${lines[2]} ${lines[3]}"
}
