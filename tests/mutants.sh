#!/bin/bash
# mutants.sh [NAME...] - do the tests of conservation notice a program that
# loses one record in a thousand?
#
# Or, where there are fewer (malformed lines, replays), somewhat more often: the
# seeds must hold a handful of those that are hit.
#
# Compiles the sources once as they are, then for each mutant one file changed
# by sed, and runs conservation.py over the program that comes of it: it must
# fail. LB_BUILD has the other programs and the scripted server. TAP.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=${LB_BUILD:-$top}
work=$(mktemp -d "${TMPDIR:-/tmp}/lb-mutants-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
packages='jansson libcurl sqlite3 yaml-0.1 libpcre2-8 libcrypto'
read -ra flags < <(pkg-config --cflags $packages | tr '\n' ' '; echo)
read -ra libs < <(pkg-config --libs $packages | tr '\n' ' '; echo)
flags+=(-std=gnu11 -O0 -w -D_GNU_SOURCE '-DLB_VERSION="mutant"'
	'-DLB_DATADIR="/nonexistent"' '-DLB_SYSCONFDIR="/nonexistent"'
	'-DLB_MANDIR="/nonexistent"' "-I$top/lib" "-I$build/lib"
	-include "$work/one-in.h")
n=0 bad=0

# What the changed lines call: the same records are hit in every run.
cat > "$work/one-in.h" <<'END'
#include <stddef.h>
static inline int one_in(unsigned n, const void *data, size_t len)
{
	const unsigned char *p = data;
	unsigned h = 2166136261u;

	while (len-- > 0)
		h = (h ^ *p++) * 16777619u;
	h ^= h >> 15;
	return h % n == 0;
}
END

compile() {
	gcc "${flags[@]}" -c -o "$2" "$1"
}

# Every room, as it is, in one archive.
rooms() {
	local f
	mkdir -p "$work/o"
	export -f compile
	for f in "$top"/lib/*/*.c; do
		f=${f#"$top"/lib/}
		# A program of the build's own.
		case $f in box/mkseccomp*) continue ;; esac
		printf '%s\0%s\0' "$top/lib/$f" "$work/o/${f//\//-}.o"
	done | FLAGS=${flags[*]@Q} xargs -0 -n 2 -P 2 bash -c \
		'eval "flags=($FLAGS)"; compile "$0" "$1"' &&
		ar rc "$work/rooms.a" "$work"/o/*.o
}

conserve() {
	python3 "$top/tests/conservation.py" --build "$build" \
		--over "$work/over" --first "$@"
}

# sources PROGRAM - the files of bin that it is made of, as Makefile.am has it.
sources() {
	sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$top/Makefile.am" |
		sed -n "s/^${1//-/_}_SOURCES = //p" | tr -s ' \t' '\n' |
		grep '\.c$' | sed "s|^|$top/|"
}

# link PROGRAM OBJECT... - the objects stand in for those of the archive.
link() {
	local -a files
	rm -rf "$work/over"
	mkdir -p "$work/over"
	# What lb-agent starts from the folder that it is in itself.
	ln -s "$build/lb-tool" "$work/over/lb-tool"
	mapfile -t files < <(sources "$1")
	gcc -O0 "${flags[@]}" -o "$work/over/$1" "${files[@]}" "${@:2}" \
		"$work/rooms.a" -Wl,--as-needed "${libs[@]}" -lm
}

tell() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		bad=1
	fi
}

# mutant PROGRAM FILE NAME SED-SCRIPT
mutant() {
	local name="$1 $3" status=1
	if [ ${#wanted[@]} -gt 0 ]; then
		[[ " ${wanted[*]} " == *" $3 "* ]] || return
	fi
	sed "$4" "$top/lib/$2" > "$work/mutant.c"
	if cmp -s "$top/lib/$2" "$work/mutant.c"; then
		echo "# sed finds nothing to change in $2"
	elif ! compile "$work/mutant.c" "$work/mutant.o" ||
		! link "$1" "$work/mutant.o"; then
		echo "# it does not compile"
	else
		conserve > "$work/log"
		[ $? -eq 1 ] && grep -q '^seed [0-9]*: ' "$work/log" && status=0
		head -n 1 "$work/log" | cut -c 1-150 | sed 's/^/# /'
	fi
	tell $status "$name is noticed"
}

wanted=("$@")
rooms || exit 99
link lb-agent && conserve --seeds 1-20 > /dev/null
tell $? "a build that is not changed passes"

mutant lb-push push/lines.c loses-a-message-that-waited \
	's/^\t\tlb_out_line(push->out, item->text, item->len);/\t\tif (!one_in(100, item->text, item->len))\n&/'
mutant lb-push push/lines.c lets-a-refused-message-pass \
	's/^\tif (wait->skip_by)/\tif (wait->skip_by \&\& !one_in(10, item->text, item->len))/'
mutant lb-push push/lines.c does-not-wait-in-a-session \
	's/^\t\treturn session;/\t\treturn one_in(20, r->text, r->len) ? "elsewhere" : session;/'
mutant lb-aggregate pipeline/burst.c loses-the-end-of-a-part \
	's/^\tput_drop(&b->drops, r, b->id);/\tif (!one_in(100, r->text, r->len))\n&/'
mutant lb-aggregate pipeline/burst.c loses-what-a-part-says \
	's/^\tadd(&b->chain, inside(r, "chain"),/\tif (b->n == 0 || !one_in(50, r->text, r->len)) add(\&b->chain, inside(r, "chain"),/'
mutant lb-aggregate pipeline/aggregate.c loses-a-line-behind-a-burst \
	's/^\tappend(a, lane, it);/\tif (it->burst || !one_in(100, it->text, it->len))\n&/'
mutant lb-aggregate pipeline/aggregate.c lets-a-line-overtake-a-burst \
	's/^\tif (!lane || is_full(a, lane, len)) {/\tif (lane \&\& one_in(100, text, len)) { lb_out_line(a->out, text, len); return; }\n&/'
mutant lb-pipeline pipeline/stages.c loses-a-message \
	's/^\tif (verdict == LB_PASS) {/\tif (one_in(1000, r->text, r->len)) return verdict;\n&/'
mutant lb-pipeline pipeline/stages.c doubles-a-query \
	's/^\t\tput_query(out, m);/&\n\t\tif (one_in(1000, r->text, r->len)) put_query(out, m);/'
mutant lb-pipeline record/filter.c loses-a-foreign-line \
	's/^\t\trun_add(&s->run, line, s->others);/\t\tif (!one_in(300, line->text, line->len))\n&/'
mutant lb-pipeline record/filter.c changes-a-byte-of-a-foreign-line \
	's/^\t\trun_add(&s->run, line, s->others);/\t\tif (one_in(300, line->text, line->len)) ((char *)line->text)[line->len - 2] ^= 1;\n&/'
mutant lb-pipeline record/filter.c is-silent-on-a-malformed-line \
	's/^\tlb_line_refuse(/\tif (!one_in(50, line->text, line->len))\n&/'
mutant lb-pipeline record/aside.c loses-a-line-behind-a-hook \
	's/^\tif (!session || !one)$/\tif (session \&\& one \&\& one_in(20, line->text, line->len)) return true;\n&/'
mutant lb-pipeline record/aside.c lets-a-line-overtake-a-hook \
	's/^\tif (!session || !one)$/\tif (!session || !one || one_in(20, line->text, line->len))/'
mutant lb-agent agent/turn.c loses-a-reply \
	's/^\t\tlb_buf_put(b, reply.data, reply.len);/\t\tif (!one_in(1000, t->id, strlen(t->id)))\n&/'
mutant lb-agent agent/turn.c doubles-a-reply \
	's/^\t\tlb_buf_put(b, reply.data, reply.len);/&\n\t\tif (one_in(1000, t->id, strlen(t->id)))\n&/'
mutant lb-agent agent/said.c loses-a-chunk \
	's/^\t\tlb_put_end(begin_chunk(t, text, len));/\t\tif (!one_in(1000, t->text.data, t->text.len))\n&/'
mutant lb-agent llm/failover.c asks-another-after-a-word \
	's/^\t\tf->spoke = true;/\t\tf->spoke = e->text != NULL \&\& one_in(3, e->text, e->len);/'
mutant lb-agent agent/turn.c asks-again-for-what-is-answered \
	's/^\tif (got > 0) {/\tif (got > 0 \&\& !one_in(20, id, strlen(id))) {/'
mutant lb-agent record/lanes.c lets-a-line-overtake \
	'/^static void on_foreign/,/^}/s/^\tif (lane)$/\tif (lane \&\& !one_in(100, line->text, line->len))/'
mutant lb-wrap pipeline/wrap.c loses-a-part \
	's/^\t\tput_part(out, a, \&p);/\t\tif (!one_in(1000, p.text, left))\n&/'
mutant lb-wrap pipeline/wrap.c loses-a-hidden-failure \
	's/^\t\tput_hidden(out, a);/\t\tif (!one_in(100, a->r->text, a->r->len))\n&/'
mutant lb-wrap pipeline/wrap-chunk.c loses-a-chunk \
	's/^\tput_piece(out, r, \&p);/\tif (!one_in(1000, r->text, r->len))\n&/'
mutant lb-send platform/send.c loses-a-receipt \
	's/^\tput_receipt(/\tif (!one_in(1000, d->id, strlen(d->id)))\n&/'
mutant lb-send platform/send.c is-silent-on-a-failed-delivery \
	's/^\tlb_put_error(lb_out_buf(out), d->record, &p);/\tif (!one_in(100, d->id, strlen(d->id)))\n&/'
echo "1..$n"
exit $bad
