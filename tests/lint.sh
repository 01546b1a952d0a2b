#!/bin/sh
# lint.sh - style and analysis, one TAP line a tool. A tool that is not
# there is skipped, unless LB_REQUIRE names "lint".
cd "$(dirname "$0")/.." || exit 99
n=0
bad=0

sources() {
	find bin lib tests bench -name '*.[ch]' 2> /dev/null | sort
}

scripts() {
	find bootstrap .ci tests bench packaging share -type f |
		while read -r f; do
			case $(head -c 20 "$f" | head -n 1 | tr -d '\0') in
			'#!/bin/sh'* | '#!/bin/bash'* | '#!/usr/bin/env bash'*)
				echo "$f"
				;;
			esac
		done
}

# check NAME TOOL COMMAND... - run it; its output is shown when it fails.
check() {
	name=$1 tool=$2
	shift 2
	n=$((n + 1))
	if ! command -v "$tool" > /dev/null; then
		case ,${LB_REQUIRE:-}, in
		*,lint,*)
			echo "not ok $n - $name ('$tool' is required)"
			bad=1
			;;
		*) echo "ok $n - $name # SKIP '$tool' is not there" ;;
		esac
		return
	fi
	if output=$("$@" 2>&1); then
		echo "ok $n - $name"
	else
		echo "$output" | sed 's/^/# /'
		echo "not ok $n - $name"
		bad=1
	fi
}

format() {
	sources | xargs clang-format --dry-run -Werror
}

# Sizes at which a reader is still comfortable.
lengths() {
	sources | xargs wc -l | awk '
	$2 == "total" { next }
	$2 ~ /^bin\// && $1 > 250 || $2 ~ /^lib\/.*\.c$/ && $1 > 400 ||
	$2 ~ /^lib\/.*\.h$/ && $1 > 140 { print $2 " has " $1 " lines"; bad = 1 }
	END { exit bad }'
}

# Calls that are never right here.
banned() {
	sources | grep -v '^tests/\|^bench/' |
		xargs grep -nE '\<(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|gmtime|localtime|alloca)\(' &&
		return 1
	return 0
}

analysis() {
	# NULL is a pointer in POSIX, and gcc looks for the sentinel.
	cppcheck --quiet --error-exitcode=1 --inline-suppr \
		--std=c11 --suppress=missingIncludeSystem \
		--suppress=varFuncNullUB \
		--library=tests/cppcheck.cfg \
		--enable=warning,performance,portability -j 2 -Ilib bin lib
}

pages() {
	mandoc -T lint -W warning man/*.[0-9]
}

shells() {
	scripts | xargs shellcheck -S warning
}

# The line of tests/coverage-threshold may only rise.
threshold() {
	before=$(git show "HEAD^:tests/coverage-threshold" 2> /dev/null) ||
		return 0
	[ "$(cat tests/coverage-threshold)" -ge "$before" ]
}

# A test that runs in the root leaves files there, and they get committed.
strays() {
	git ls-files | grep -v / | grep -vxE \
		'\.clang-format|\.gitignore|CHANGELOG\.md|COPYING|HACKING\.md|Makefile\.am|README(\.md)?|bootstrap|configure\.ac' &&
		return 1
	return 0
}

# What a build in the tree makes is nothing to commit.
ignored() {
	made=$(awk '/\\$/ { sub(/\\$/, ""); line = line $0; next }
		{ print line $0; line = "" }' Makefile.am |
		sed -n 's/^\(noinst\|check\|EXTRA\)_PROGRAMS = //p; s/^CLEANFILES = //p' |
		tr -s ' \t' '\n' | grep '^[a-z]')
	[ -n "$made" ] || return 1
	echo "$made" | git check-ignore -nv --stdin | grep '^::' && return 1
	return 0
}

check "clang-format" clang-format format
check "rooms include what they may" awk sh tests/rooms.sh
check "files are short enough" awk lengths
check "no banned calls" grep banned
check "manual pages" mandoc pages
check "shell scripts" shellcheck shells
check "the coverage threshold did not fall" git threshold
check "nothing is in the root by mistake" git strays
check "what is built is ignored" git ignored
check "cppcheck" cppcheck analysis
echo "1..$n"
exit $bad
