#include "tool/lines.h"

#include <string.h>

#include "base/clock.h"

/* Lines that are matched at once, in bytes; texts beyond that are searched in
 * pieces by base/regex, with a look at the clock. */
enum { BLOCK = 16 * 1024, LOOK_AT_CLOCK = 256, SHORT_LITERAL = 2 };

struct at {
	struct lb_line_search *s;
	const char *text, *end;
	const char *counted; /* lines before it: */
	size_t number;
	unsigned since; /* we looked at the clock */
};

static bool is_late(struct at *a)
{
	a->since = 0;
	a->s->late = lb_clock_mono() > a->s->deadline;
	return a->s->late;
}

static const char *line_start(const struct at *a, const char *p)
{
	const char *nl = memrchr(a->text, '\n', (size_t)(p - a->text));

	return nl ? nl + 1 : a->text;
}

/* Behind the line feed of the line that p is in, or the end. */
static const char *line_end(const struct at *a, const char *p)
{
	const char *nl = memchr(p, '\n', (size_t)(a->end - p));

	return nl ? nl + 1 : a->end;
}

static bool tell(struct at *a, const char *line, size_t len, size_t from)
{
	struct lb_line_found found = {line, len, from, 0};

	while (a->counted < line) {
		a->counted = line_end(a, a->counted);
		a->number++;
	}
	found.number = a->number;
	return a->s->found(a->s->arg, &found);
}

/* One line alone. False: enough. */
static bool try_line(struct at *a, const char *line, const char *end)
{
	struct lb_line_search *s = a->s;
	struct lb_regex_place place = {0};
	size_t len = (size_t)(end - line);
	bool gave_up = false;

	if (++a->since >= LOOK_AT_CLOCK && is_late(a))
		return false;
	if (len > 0 && line[len - 1] == '\n')
		len--;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (len > LB_LINE_LOOKED_AT) {
		s->cut = true;
		len = LB_LINE_LOOKED_AT;
	}
	if (len > BLOCK && is_late(a))
		return false;
	if (lb_regex_find(s->re, line, len, &place, &gave_up))
		return tell(a, line, len, place.from);
	s->gave_up |= gave_up;
	return true;
}

static bool each_line(struct at *a, const char *from, const char *to)
{
	while (from < to) {
		const char *end = line_end(a, from);

		if (!try_line(a, from, end))
			return false;
		from = end;
	}
	return true;
}

/* Some whole lines: at most BLOCK bytes, or one line. */
static const char *block_end(const struct at *a, const char *from)
{
	const char *nl;

	/* No text at all is short, too. */
	if (!from || a->end - from <= BLOCK)
		return a->end;
	nl = memrchr(from, '\n', BLOCK);
	return nl ? nl + 1 : line_end(a, from);
}

/* Where the pattern matches somewhere in a block, the line is tried alone. */
static bool try_block(struct at *a, const char *from, const char *to)
{
	struct lb_regex_place place = {0};
	bool gave_up = false;

	if (to - from > BLOCK)
		return try_line(a, from, to);
	while (place.at < (size_t)(to - from)) {
		const char *line, *end;

		if (!lb_regex_find(a->s->re, from, (size_t)(to - from), &place,
				   &gave_up))
			break;
		if (place.from == (size_t)(to - from) && to[-1] == '\n')
			return true; /* there is no line behind it */
		line = line_start(a, from + place.from);
		end = line_end(a, line);
		if (!try_line(a, line, end))
			return false;
		place.at = (size_t)(end - from);
	}
	return gave_up ? each_line(a, from + place.at, to) : true;
}

static bool search_blocks(struct at *a)
{
	const char *from = a->text;

	while (from < a->end) {
		const char *to = block_end(a, from);

		if (is_late(a) || !try_block(a, from, to))
			return false;
		from = to;
	}
	return true;
}

/* The lines that have what any match has. */
static bool search_literal(struct at *a)
{
	const struct lb_literal *l = &a->s->literal;
	const char *at = a->text;

	while ((at = lb_literal_find(l, at, (size_t)(a->end - at)))) {
		const char *line = line_start(a, at), *end = line_end(a, at);
		size_t len = (size_t)(end - line);

		if (!l->whole || len > LB_LINE_LOOKED_AT) {
			if (!try_line(a, line, end))
				return false;
		} else {
			len -= len > 0 && line[len - 1] == '\n';
			len -= len > 0 && line[len - 1] == '\r';
			if (!tell(a, line, len, (size_t)(at - line)))
				return false;
		}
		at = end;
	}
	return true;
}

bool lb_line_search(struct lb_line_search *s, const char *text, size_t len)
{
	struct at a = {s, text, text + len, text, 1, 0};

	if (s->literal.len > SHORT_LITERAL ||
	    (s->literal.len > 0 && !s->literal.many))
		return search_literal(&a);
	if (s->literal.many)
		return search_blocks(&a);
	return each_line(&a, text, text + len);
}
