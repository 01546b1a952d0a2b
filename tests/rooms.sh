#!/bin/sh
# rooms.sh - every #include "room/..." and every header of a library must be
# allowed by tests/rooms.txt. With --test, prove that it can fail.
cd "${srcdir:-.}" || exit 99
check() {
	awk '
	FNR == NR {
		if (/^#/ || !/:/)
			next
		split($0, half, "|")
		split(half[1], line, ":")
		n = split(line[2], names, " ")
		allowed[line[1], line[1]] = 1
		for (i = 1; i <= n; i++)
			allowed[line[1], names[i]] = 1
		n = split(half[2], names, " ")
		for (i = 1; i <= n; i++) {
			owner[names[i]] = 1
			allowed[line[1], names[i]] = 1
		}
		next
	}
	{
		split(FILENAME, path, "/")
		room = path[1] == "lib" ? path[2] : path[1]
	}
	/^#include "[a-z]*\// {
		split($2, used, /["\/]/)
		if (!((room, used[2]) in allowed)) {
			printf "%s:%d: %s may not include %s\n", FILENAME,
				FNR, room, used[2]
			bad = 1
		}
	}
	/^#include </ {
		for (h in owner)
			if (index($2, "<" h) == 1 && !((room, h) in allowed)) {
				printf "%s:%d: %s may not include %s\n",
					FILENAME, FNR, room, $2
				bad = 1
			}
	}
	END { exit bad }
	' "$@"
}
if [ "$1" = --test ]; then
	dir=$(mktemp -d) && mkdir -p "$dir/lib/base" || exit 99
	printf '#include "llm/model.h"\n' > "$dir/lib/base/a.c"
	printf '#include <curl/curl.h>\n' > "$dir/lib/base/b.c"
	map=$PWD/tests/rooms.txt
	cd "$dir" || exit 99
	check "$map" lib/base/a.c > /dev/null && exit 1
	check "$map" lib/base/b.c > /dev/null && exit 1
	cd / && rm -rf "$dir"
	exit 0
fi
# shellcheck disable=SC2046 # names without blanks
check tests/rooms.txt $(find bin lib -name '*.[ch]' | sort)
