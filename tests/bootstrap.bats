#!/usr/bin/env bats
# bootstrap in a folder of its own, with stand-ins for apt and the compiler:
# what it asks for, in which order, and what it does not do twice.

load helper

setup() {
	tree=$BATS_TEST_TMPDIR/tree
	fake=$BATS_TEST_TMPDIR/fake
	did=$BATS_TEST_TMPDIR/did
	mkdir -p "$tree" "$fake" "$BATS_TEST_TMPDIR/libdir"
	cp "$BATS_TEST_DIRNAME/../bootstrap" "$tree/"
	touch "$tree/configure.ac" "$tree/Makefile.am" \
		"$BATS_TEST_TMPDIR/libdir/tap-driver.sh"
	: > "$did"
	for tool in sh cat mkdir mktemp cp touch rm ls id env find dirname printf sed \
		getconf grep chmod nproc; do
		ln -s "$(command -v $tool)" "$fake/$tool"
	done
	tool make 'echo "make $*" >> "$DID"'
	tool automake 'echo "$LIBDIR"'
	tool pkg-config :
	tool cc :
	tool autoreconf 'echo autoreconf >> "$DID"
		echo "#!/bin/sh
		echo configure >> \"\$DID\"; touch config.status Makefile" > configure
		chmod +x configure; touch Makefile.in'
	export DID=$did LIBDIR=$BATS_TEST_TMPDIR/libdir
}

# tool NAME SCRIPT - a stand-in in the PATH.
tool() {
	printf '#!/bin/sh\n%s\n' "$2" > "$fake/$1"
	chmod +x "$fake/$1"
}

# A Debian on which the packages in $1 are installed.
debian() {
	tool dpkg-query 'for p; do :; done
		case " '"$1"' " in *" $p "*) echo installed ;; *) exit 1 ;; esac'
	tool apt-get 'echo "apt-get $*" >> "$DID"'
	tool sudo 'echo sudo >> "$DID"; [ "$1" = -n ] && shift; exec "$@"'
}

bootstrap() {
	PATH=$fake "$tree/bootstrap" "$@"
}

@test "elsewhere than on Debian it names the packages and goes on" {
	run -0 bootstrap
	[[ $output == *"libjansson-dev"* ]]
	run -0 cat "$did"
	same $'autoreconf\nconfigure' "$(head -n 2 <<< "$output")"
	[[ ${lines[2]} == "make -j"* ]]
}

@test "run again, it does only what is missing" {
	bootstrap
	: > "$did"
	run -0 bootstrap
	run -0 cat "$did"
	[ "${#lines[@]}" -eq 1 ]
	[[ ${lines[0]} == make* ]]
	: > "$did"
	touch -d '1 hour' "$tree/configure.ac"
	run -0 bootstrap
	grep -qx autoreconf "$did"
}

@test "on Debian it says what it installs and installs only that" {
	debian "gcc libc6-dev make autoconf automake pkg-config libyaml-dev \
libcurl4-openssl-dev libsqlite3-dev libssl-dev libseccomp-dev \
libarchive-dev bubblewrap"
	run -0 bootstrap
	[[ $output == *"installing with apt-get: libjansson-dev libpcre2-dev"* ]]
	grep -q 'install -y --no-install-recommends libjansson-dev libpcre2-dev$' "$did"
}

@test "on Debian with everything there it calls no apt" {
	debian "gcc libc6-dev make autoconf automake pkg-config libyaml-dev \
libcurl4-openssl-dev libsqlite3-dev libssl-dev libjansson-dev libpcre2-dev \
libseccomp-dev libarchive-dev bubblewrap"
	run -0 bootstrap
	run -1 grep apt-get "$did"
}

@test "check asks for what the tests need, then runs them" {
	debian ""
	tool bats :
	run -0 bootstrap check
	grep -q 'apt-get.* bats .*mandoc' "$did"
	same "make check" "$(tail -n 1 "$did")"
}

@test "a missing tool is named" {
	rm "$fake/autoreconf"
	run -1 bootstrap
	[[ $output == *"'autoreconf' is needed"* ]]
}

@test "the demo prints the answer and three commands to try" {
	for p in ingest pipeline agent wrap send; do
		printf '#!/bin/sh\ncat\n' > "$tree/lb-$p"
		chmod +x "$tree/lb-$p"
	done
	run -0 bootstrap demo 'are you there?'
	[[ $output == *$'\nare you there?\n'* ]]
	[ "$(grep -c '^  [^ ].*lb-' <<< "$output")" -ge 3 ]
}

@test "a demo without an answer fails" {
	for p in ingest pipeline agent wrap send; do
		printf '#!/bin/sh\ncat > /dev/null\n' > "$tree/lb-$p"
		chmod +x "$tree/lb-$p"
	done
	run -1 bootstrap demo
	printf '#!/bin/sh\nexit 69\n' > "$tree/lb-send"
	run -69 bootstrap demo
}

@test "usage mistakes are exit 64 and change nothing" {
	run -64 bootstrap nonsense
	[[ $output == usage:* ]]
	[ ! -s "$did" ]
}
