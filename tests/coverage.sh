#!/bin/sh
# coverage.sh DISTDIR - build the unpacked sources for gcov, run the tests, and
# compare the share of lines that ran with tests/coverage-threshold. That
# number is whole percent and may only rise.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
rm -rf build-coverage
mv "$1" build-coverage
cd build-coverage
./configure -q --enable-coverage
make -s -j "$(nproc)"
make -s check || {
	echo "coverage: the tests fail" >&2
	exit 1
}
# By the .gcno files: a room that no test ran has no other, and counts.
find lib bin -name '*.gcno' -exec gcov -n {} + 2> /dev/null |
	awk -v want="$(cat "$top/tests/coverage-threshold")" '
	/^File / { split($0, q, "\047"); ours = q[2] ~ /^(lib|bin)\/.*\.c$/ }
	ours && /^Lines executed/ {
		split($2, part, /[:%]/)
		printf "%6.1f%% of %4d  %s\n", part[2], $4, q[2]
		ran += part[2] * $4 / 100
		all += $4
		ours = 0
	}
	END {
		if (!all) {
			print "coverage: nothing was measured"
			exit 1
		}
		got = 100 * ran / all
		printf "%6.1f%% of %4d  all; at least %d%% is asked\n",
			got, all, want
		if (got >= want + 2)
			printf "raise tests/coverage-threshold to %d\n", got
		exit got < want
	}'
