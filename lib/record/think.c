#include "record/think.h"

#include <string.h>

static const char open_tag[] = "<think>", close_tag[] = "</think>";

/* Is what is held, and c behind it, the start of this tag? */
static bool goes_on(const struct lb_think *t, const char *tag, char c)
{
	return memcmp(t->held, tag, t->n_held) == 0 && tag[t->n_held] == c;
}

/* The tag that it is the start of; NULL: of none that counts now. */
static const char *tag_of(const struct lb_think *t, char c)
{
	if (!t->inside && goes_on(t, open_tag, c))
		return open_tag;
	if ((t->inside || t->orphans) && goes_on(t, close_tag, c))
		return close_tag;
	return NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static void emit(struct lb_think *t, const char *text, size_t len,
		 lb_think_fn *fn, void *arg)
{
	if (!t->inside && t->trim)
		while (len > 0 && is_blank(*text)) {
			text++;
			len--;
		}
	if (len == 0)
		return;
	if (!t->inside)
		t->trim = false;
	fn(arg, t->inside, text, len);
}

/* The tag is complete: the other channel begins, or it was an orphan. */
static void turn(struct lb_think *t, const char *tag, lb_think_fn *fn,
		 void *arg)
{
	if (!t->inside && tag == close_tag)
		fn(arg, true, "", 0);
	else
		t->inside = !t->inside;
	t->n_held = 0;
	t->trim = !t->inside;
}

/*
 * One character while some are held. Those that cannot be a tag any more are
 * released; since '<' stands only at the start of a tag, what is left to hold
 * can only begin with this character.
 */
static void held_char(struct lb_think *t, char c, lb_think_fn *fn, void *arg)
{
	const char *tag = tag_of(t, c);

	if (tag) {
		t->held[t->n_held++] = c;
		if (!tag[t->n_held])
			turn(t, tag, fn, arg);
		return;
	}
	emit(t, t->held, t->n_held, fn, arg);
	t->n_held = 0;
	if (c == '<')
		t->held[t->n_held++] = c;
	else
		emit(t, &c, 1, fn, arg);
}

void lb_think_feed(struct lb_think *t, const char *text, size_t len,
		   lb_think_fn *fn, void *arg)
{
	while (len > 0) {
		const char *tag;

		if (t->n_held > 0) {
			held_char(t, *text, fn, arg);
			text++;
			len--;
			continue;
		}
		tag = memchr(text, '<', len);
		emit(t, text, tag ? (size_t)(tag - text) : len, fn, arg);
		if (!tag)
			return;
		len -= (size_t)(tag - text) + 1;
		text = tag + 1;
		t->held[t->n_held++] = '<';
	}
}

bool lb_think_finish(struct lb_think *t, lb_think_fn *fn, void *arg)
{
	emit(t, t->held, t->n_held, fn, arg);
	t->n_held = 0;
	return t->inside;
}
