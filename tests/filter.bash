# tests/filter.bash - what every filter of the flow owes; load after helper.
# Each function is one promise and runs the command it is given.

# Lines of a kind no program owns, whose bytes any re-encoding would change.
odd_lines() {
	cat <<-'END'
		{ "kind" :	"status" , "n": [0.10, 1e2, 18446744073709551616]}
		{"kind":"status","s":"\u00e9\/", "deep":{"a":{"a":[[]]}} }  
		{"kind":"status", this is no JSON at all
		{"kind":"status","kind":"message"}
	END
	printf '{"kind":"status","bytes":"\xff\xfe\x01"}\n'
	printf '{"kind":"status","end":"without a newline"}'
}

# copies_foreign COMMAND... - byte for byte, in order; a newline is added at
# the end of the last line.
copies_foreign() {
	odd_lines > "$BATS_TEST_TMPDIR/odd"
	"$@" < "$BATS_TEST_TMPDIR/odd" > "$BATS_TEST_TMPDIR/out" || return
	echo >> "$BATS_TEST_TMPDIR/odd"
	cmp "$BATS_TEST_TMPDIR/odd" "$BATS_TEST_TMPDIR/out"
}

# refuses KIND COMMAND... - each malformed line is one line on stderr and one
# error record that holds it; the others go on; exit 65.
refuses() {
	local kind=$1 program=$2 bad n
	shift
	local bads=(
		"{\"kind\":\"$kind\","
		'[]'
		'7'
		'nonsense'
		"{\"kind\":\"$kind\",\"id\":\"a\",\"id\":\"b\"}"
		"{\"k\u0069nd\":\"$kind\"}"
		"{\"kind\":\"$kind\",\"kind\":\"status\"}"
		"{\"kind\":\"$kind\",\"n\":1e400}"
		"{\"kind\":\"$kind\"} {}"
		"{\"kind\":\"$kind\",\"a\u0000b\":1}"
	)
	run --separate-stderr -65 "$@" < <(
		for bad in "${bads[@]}"; do
			echo "$bad"
			echo '{"kind":"status"}'
		done)
	[ "$(grep -c '^{"kind":"status"}$' <<< "$output")" -eq 10 ]
	[ "$(wc -l <<< "$stderr")" -eq 10 ]
	for n in 1 3 5 7 9 11 13 15 17 19; do
		grep -q "^$program: line $n: " <<< "$stderr" || {
			echo "line $n is not named: $stderr"
			return 1
		}
	done
	jq -se --arg stage "$program" 'map(select(.kind == "error")) |
		length == 10 and all(.stage == $stage and .code == "data" and
		.retryable == false and (.line | type == "string") and
		(has("id") | not)) and
		map(.line_number) == [range(1; 20; 2)]' <<< "$output"
}

# strict_stops KIND COMMAND... - with --strict the first ends it.
strict_stops() {
	local kind=$1
	shift
	run --separate-stderr -65 "$@" --strict < <(
		printf '{"kind":"status","n":1}\n{"kind":"%s",\n' "$kind"
		printf '{"kind":"status","n":2}\n')
	[[ $output == *'"n":1'* && $output != *'"n":2'* ]]
	[ "$(wc -l <<< "$stderr")" -eq 1 ]
}

# full_disk INPUT COMMAND... - exit 74 and one line that says why.
full_disk() {
	local input=$1
	shift
	run --separate-stderr -74 bash -c '"$@" > /dev/full' - "$@" <<< "$input"
	[[ $stderr == "$1: cannot write output: No space left on device" ]]
	run --separate-stderr -74 bash -c '"$@" > /dev/full' - "$1" --help
	[[ $stderr == "$1: cannot write output: No space left on device" ]]
}

# no_output INPUT COMMAND... - a standard output that is closed is a failure.
no_output() {
	local input=$1
	shift
	run --separate-stderr -74 bash -c '"$@" >&-' - "$@" <<< "$input"
	[[ $stderr == "$1: cannot write output: Bad file descriptor" ]]
}

# reader_leaves INPUT COMMAND... - ends by SIGPIPE even when the parent ignores
# that signal, without a word.
reader_leaves() {
	local input=$1
	shift
	run --separate-stderr -0 bash -c 'trap "" PIPE
		input=$1; shift
		yes "$input" 2> /dev/null | timeout 20 "$@" | head -n 1 > /dev/null
		echo "${PIPESTATUS[1]}"' - "$input" "$@"
	same 141 "$output"
	[ -z "$stderr" ]
}

# at_once INPUT COMMAND... - what comes of one line comes out while the input
# stays open.
at_once() {
	local input=$1 line
	shift
	coproc "$@"
	echo "$input" >&"${COPROC[1]}"
	read -r -t 10 line <&"${COPROC[0]}"
	[ -n "$line" ]
	kill "$COPROC_PID"
	wait "$COPROC_PID" 2> /dev/null || true
}

# nonblocking INPUT COMMAND... - an input that was made non-blocking is waited
# for: hardly any CPU time goes by, and nothing is lost.
nonblocking() {
	local input=$1
	shift
	run -0 python3 - "$input" "$@" <<-'END'
		import os, subprocess, sys, time, resource
		r, w = os.pipe()
		os.set_blocking(r, False)
		p = subprocess.Popen(sys.argv[2:], stdin=r, stdout=subprocess.PIPE)
		os.close(r)
		time.sleep(0.3)
		os.write(w, sys.argv[1].encode() + b"\n")
		os.close(w)
		out = p.communicate(timeout=20)[0]
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		assert p.returncode == 0, p.returncode
		assert out, "no output"
		assert used.ru_utime + used.ru_stime < 0.2, used
	END
}

# usage_mistakes COMMAND ARGUMENTS... - each is exit 64 with a pointer.
usage_mistakes() {
	local bad program=$1
	shift
	for bad; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -64 $program $bad < /dev/null
		[ -z "$output" ]
		[[ $stderr == *"Try '${program%% *} --help'." ]]
	done
}

# line_limit KIND COMMAND... - a line as long as the limit passes, one byte
# more is refused; so is an endless one, before it ends.
line_limit() {
	local kind=$1 line
	shift
	line="{\"kind\":\"status\",\"x\":\"$(printf '%077d' 0)\"}"
	[ "${#line}" -eq 101 ]
	run --separate-stderr -0 "$@" --max-line 101 <<< "$line"
	same "$line" "$output"
	run --separate-stderr -65 "$@" --max-line=100 <<< "$line"
	same "$1: line 1: longer than 100 bytes" "$stderr"
	run --separate-stderr -65 env LB_MAX_LINE=100 "$@" <<< "$line"
	same "$1: line 1: longer than 100 bytes" "$stderr"
	run --separate-stderr -65 bash -c '(head -c 17M /dev/zero; echo
		echo "{\"kind\":\"status\"}") | "$@"' - "$@"
	same "$1: line 1: longer than 16777216 bytes" "$stderr"
	[[ $output == *'{"kind":"status"}' ]]
}

# notes_terminal COMMAND... - on a terminal it says once what it waits for.
notes_terminal() {
	need script
	run -0 script -qec "$* < /dev/tty" /dev/null < /dev/null
	[[ $output == *"$1: reading "*"; end with ^D"* ]]
	run --separate-stderr -0 "$@" < /dev/null
	[ -z "$stderr" ]
}
