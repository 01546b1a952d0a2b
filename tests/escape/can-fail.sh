#!/bin/sh
# can-fail.sh - prove that run.py sees a way out: a naive launcher fails just
# the tests that naive.json lists, and whatever is listed wrongly is noticed.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
careless="python3 '$here/naive.py'"
naive=$careless
setups='--setup user'
[ "$(id -u)" -ne 0 ] || setups="$setups --setup root"

# run EXPECTED TESTS - of the naive launcher.
run() {
	# shellcheck disable=SC2086 # a list of options
	python3 "$here/run.py" $setups --launcher "$naive" \
		--expected "$1" --tests "$2" > "$work/tap" 2>&1
}

# fail WHY - and show what run.py said.
fail() {
	sed 's/^/# /' "$work/tap"
	echo "can-fail.sh: $1"
	exit 1
}

run "$here/naive.json" \
	F01,F09,F16,F17,F17c,F18,F22,F28,P07,P14,N01,N09,E01,E02,E03,E04,E06,I10 ||
	fail 'the naive launcher does not fail what it should, and only that'
! grep -q '^ok .*# SKIP' "$work/tap" || {
	grep -m 1 '# SKIP' "$work/tap"
	exit 77
}
# refused LINE EXPECTED TESTS - the run fails, and says so in that line.
refused() {
	! run "$2" "$3" && grep -q "$1" "$work/tap"
}

echo '[]' > "$work/nothing.json"
refused '^not ok 1 - user E02' "$work/nothing.json" E02 ||
	fail 'a failure that is not listed passed'
sed 's/"id": "E02"/"id": "E01"/' "$here/naive.json" > "$work/wrong.json"
refused '^not ok 1 - user E01.*does not fail' "$work/wrong.json" E01 ||
	fail 'a listed test that holds passed'
naive=false
refused '^not ok 1 - user F01' "$work/nothing.json" F01 ||
	fail 'tests that did not run passed'

# A launcher that answers and runs nothing.
cat > "$work/liar" << 'END'
#!/bin/sh
mkdir -p "$HOME/.local/state/lb/box/workspaces/$2"
echo '{"status":"completed","exit_code":0,"stdout":"","stderr":"",' \
	'"isolated":true,"limits_backend":"cgroup","quota":"hard"}'
END
chmod +x "$work/liar"
naive=$work/liar
refused '^# it did not run' "$work/nothing.json" F01 ||
	fail 'a test passed whose command did not run'
# One that holds each process to what should hold all of them.
naive="sh -c 'ulimit -v 500000; exec \"\$@\"' - $careless"
refused '^# not enforced' "$work/nothing.json" P14 ||
	fail 'a limit passed that is not reported as enforced'
