#!/bin/sh
# test-deb.sh FILE.deb - as root: install it, send a message through it, purge
# it, and see that nothing is left. Prints TAP.
set -u
deb=$1
n=0
bad=0

ok() { # WHAT COMMAND...
	n=$((n + 1))
	what=$1
	shift
	if output=$("$@" 2>&1); then
		echo "ok $n - $what"
	else
		echo "$output" | sed 's/^/# /'
		echo "not ok $n - $what"
		bad=1
	fi
}

answers() {
	state=$(mktemp -d)
	answer=$(cd / && echo hi | env -i PATH=/usr/bin:/bin HOME="$state" \
		LB_STATE="$state/lb" USER=ann sh -c 'lb-ingest text |
		lb-pipeline | lb-agent | lb-wrap | lb-send stdout')
	rm -rf "$state"
	[ -n "$answer" ]
}

complete_pages() {
	for program in $(dpkg -L lb-toolkit | sed -n 's|^/usr/bin/||p'); do
		[ -e "/usr/share/man/man1/$program.1.gz" ] || return 1
		[ -e "/usr/share/bash-completion/completions/$program" ] ||
			return 1
	done
}

nothing_left() {
	left=$(echo "$files" | while read -r f; do
		case $f in
		*lb*) [ ! -e "$f" ] || echo "$f" ;;
		esac
	done)
	echo "$left"
	[ -z "$left" ]
}

ok "it installs" env DEBIAN_FRONTEND=noninteractive \
	apt-get -qq install -y --no-install-recommends "$(realpath "$deb")"
files=$(dpkg -L lb-toolkit)
ok "its files are whole" dpkg --verify lb-toolkit
ok "the installed programs answer" answers
ok "every program has its page and its completion" complete_pages
ok "it purges" env DEBIAN_FRONTEND=noninteractive apt-get -qq purge -y lb-toolkit
ok "nothing is left" nothing_left
echo "1..$n"
exit $bad
