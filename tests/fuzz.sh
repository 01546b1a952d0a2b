#!/bin/sh
# fuzz.sh - build each tests/fuzz/fuzz-NAME.c with clang's libFuzzer and run it
# for FUZZ_SECONDS (20) on tests/fuzz/corpus/NAME, from FUZZ_SEED (1) on, so that
# a run can be repeated. One TAP line a target; what made one fail is kept in
# build-fuzz/NAME.crash-*.
seconds=${FUZZ_SECONDS:-20}
top=$(cd "$(dirname "$0")/.." && pwd)
clang=${FUZZ_CC:-clang}
check="-g -O1 -std=gnu11 -fsanitize=address,undefined -fno-sanitize-recover=undefined"
n=0
bad=0

if ! command -v "$clang" > /dev/null; then
	case ,${LB_REQUIRE:-}, in
	*,fuzz,*) echo "not ok 1 - fuzz ('$clang' is required)"; exit 1 ;;
	esac
	echo "ok 1 - fuzz # SKIP '$clang' is not there"
	exit 0
fi
mkdir -p build-fuzz && cd build-fuzz || exit 99

# Every room once, in one archive: the linker takes what a target needs.
compile() {
	# mkseccomp is a program of the build's own.
	find "$top/lib" -name '*.c' ! -name 'mkseccomp*.c' | while read -r c; do
		o=$(echo "${c#"$top"/lib/}" | tr / -)
		echo "$c" "${o%.c}.o"
	done | xargs -P "$(nproc)" -n 2 sh -c "$clang $check \
		-fsanitize=fuzzer-no-link -DLB_VERSION='\"fuzz\"' $CPPFLAGS \
		-I'$top/lib' -c \"\$0\" -o \"\$1\"" &&
		rm -f librooms.a && ar rcs librooms.a ./*.o
}

compile || { echo "not ok 1 - the rooms build with $clang"; exit 1; }
for c in "$top"/tests/fuzz/fuzz-*.c; do
	[ -e "$c" ] || continue
	name=${c##*/fuzz-}
	name=${name%.c}
	n=$((n + 1))
	mkdir -p "work-$name"
	corpus=$top/tests/fuzz/corpus/$name
	[ -d "$corpus" ] || corpus=
	# shellcheck disable=SC2086 # flags
	if $clang $check -fsanitize=fuzzer $CPPFLAGS -I"$top/lib" "$c" \
		librooms.a $LIBS -o "fuzz-$name" > "$name.log" 2>&1 &&
		"./fuzz-$name" -max_total_time="$seconds" -timeout=10 \
			-seed="${FUZZ_SEED:-1}" \
			-rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix="$name." "work-$name" \
			${corpus:+"$corpus"} >> "$name.log" 2>&1; then
		echo "ok $n - $name: $(sed -n \
			's/stat::number_of_executed_units: *//p' "$name.log") runs"
	else
		tail -n 40 "$name.log" | sed 's/^/# /'
		echo "not ok $n - $name"
		bad=1
	fi
done
echo "1..$n"
exit $bad
