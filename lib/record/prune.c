#include "record/prune.h"

/* Where the walk is. */
struct walk {
	const char *from;  /* not copied yet */
	const char *comma; /* the last one */
	/* One character a level, innermost last: '[' array, '{' object of
	 * which nothing was kept yet, '+' object with members. */
	struct lb_buf open;
	bool at_key; /* the next string is a member's name */
};

/* The innermost level; there is one. */
static char *level(struct walk *w)
{
	return w->open.data + w->open.len - 1;
}

/* A member to leave out: its value ends at p. Returns where to go on. */
static const char *leave_out(struct lb_buf *b, struct walk *w,
			     const char *quote, const char *p, const char *end)
{
	bool first = *level(w) == '{';
	const char *cut = first ? quote : w->comma;

	lb_buf_put(b, w->from, (size_t)(cut - w->from));
	w->at_key = false;
	if (first) { /* then the comma behind it goes, not the one before */
		const char *next = lb_scan_blanks(p, end);

		if (next < end && *next == ',') {
			p = next + 1;
			w->at_key = true;
		}
	}
	w->from = p;
	return p;
}

/* A string at p, its quote. Returns what follows. */
static const char *string(struct lb_buf *b, struct walk *w, const char *p,
			  const char *end, const char *key)
{
	const char *after = lb_scan_value(p, end), *value;

	if (!after || !w->at_key)
		return after;
	if (!lb_span_reads((struct lb_span){p + 1, (size_t)(after - p) - 2},
			   key)) {
		*level(w) = '+';
		w->at_key = false;
		return after;
	}
	value = lb_scan_blanks(lb_scan_blanks(after, end) + 1, end);
	value = lb_scan_value(value, end);
	return value ? leave_out(b, w, p, value, end) : NULL;
}

static void punctuation(struct walk *w, const char *p)
{
	if (*p == '{' || *p == '[') {
		lb_buf_putc(&w->open, *p);
		w->at_key = *p == '{';
	} else if (*p == '}' || *p == ']') {
		w->open.len -= w->open.len > 0;
		w->at_key = false;
	} else if (*p == ',') {
		w->comma = p;
		w->at_key = w->open.len > 0 && *level(w) != '[';
	}
}

void lb_prune(struct lb_buf *b, struct lb_span value, const char *key)
{
	const char *p = value.at, *end = value.at + value.len;
	struct walk w = {.from = p};

	while (p && p < end)
		if (*p == '"')
			p = string(b, &w, p, end, key);
		else
			punctuation(&w, p++);
	lb_buf_put(b, w.from, (size_t)(end - w.from));
	lb_buf_release(&w.open);
}
