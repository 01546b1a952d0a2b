/*
 * markup-pairs.c - which runs of *, _ and ~~ belong together: the algorithm of
 * CommonMark 0.30, appendix "phase 2". `bottom` keeps it linear: below it no
 * run can be a partner for one like this.
 */
#include <string.h>

#include "base/mem.h"
#include "platform/markup-inline.h"

struct lb_token *lb_tokens_add(struct lb_tokens *t, enum lb_token_type type,
			       const char *at, size_t len)
{
	struct lb_token *new;

	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->at = lb_grow(t->at, t->cap * sizeof(*t->at));
	}
	new = &t->at[t->n++];
	*new = (struct lb_token){
		.type = type,
		.at = at,
		.len = len,
		.prev = LB_NO_TOKEN,
		.next = LB_NO_TOKEN,
		.open_first = LB_NO_TOKEN,
		.close_first = LB_NO_TOKEN,
		.close_last = LB_NO_TOKEN,
	};
	return new;
}

static int add_match(struct lb_tokens *t, enum lb_style style, int next)
{
	if (t->n_matches == t->cap_matches) {
		t->cap_matches = t->cap_matches ? 2 * t->cap_matches : 64;
		t->matches = lb_grow(t->matches,
				     t->cap_matches * sizeof(*t->matches));
	}
	t->matches[t->n_matches] = (struct lb_match){style, next};
	return (int)t->n_matches++;
}

/* `run` finds no partner any more. */
static void drop(struct lb_tokens *t, int run)
{
	int prev = t->at[run].prev, next = t->at[run].next;

	if (prev != LB_NO_TOKEN)
		t->at[prev].next = next;
	if (next != LB_NO_TOKEN)
		t->at[next].prev = prev;
	else
		t->last_run = prev;
}

static bool fit(const struct lb_token *open, const struct lb_token *close)
{
	if (!open->opens || *open->at != *close->at)
		return false;
	if (*open->at == '~')
		return open->count == close->count;
	/* "Multiple of 3": a run that does both must not match a sum. */
	return !(open->closes || close->opens) ||
	       (open->was + close->was) % 3 != 0 ||
	       (open->was % 3 == 0 && close->was % 3 == 0);
}

/* A pair was found; how many marks of each it takes. */
static void match(struct lb_tokens *t, int open, int close)
{
	struct lb_token *o = &t->at[open], *c = &t->at[close];
	size_t n = o->count >= 2 && c->count >= 2 ? 2 : 1;
	enum lb_style style = n == 2 ? LB_STYLE_BOLD : LB_STYLE_ITALIC;
	int m;

	if (*o->at == '~')
		style = LB_STYLE_STRIKE;
	o->open_first = add_match(t, style, o->open_first);
	m = add_match(t, style, LB_NO_TOKEN);
	if (c->close_last == LB_NO_TOKEN)
		c->close_first = m;
	else
		t->matches[c->close_last].next = m;
	c->close_last = m;
	o->count -= n;
	c->count -= n;
	/* What stands between cannot reach out of the pair. */
	o->next = close;
	c->prev = open;
	if (o->count == 0)
		drop(t, open);
}

/* The bottoms: by mark, by whether the closer opens too, by length mod 3. */
static int *bottom_of(int bottoms[3][2][3], const struct lb_token *closer)
{
	int mark = *closer->at == '*' ? 0 : *closer->at == '_' ? 1 : 2;

	return &bottoms[mark][closer->opens][closer->was % 3];
}

/* The partner of `closer`; what opened before is behind it in the list. */
static int find(const struct lb_tokens *t, int closer, int bottom)
{
	int open = t->at[closer].prev;

	while (open > bottom && !fit(&t->at[open], &t->at[closer]))
		open = t->at[open].prev;
	return open > bottom ? open : LB_NO_TOKEN;
}

static void set_all(int bottoms[3][2][3], int bottom)
{
	for (size_t i = 0; i < 3; i++)
		for (size_t j = 0; j < 2; j++)
			for (size_t k = 0; k < 3; k++)
				bottoms[i][j][k] = bottom;
}

void lb_tokens_pair(struct lb_tokens *t, int bottom)
{
	int bottoms[3][2][3], run = LB_NO_TOKEN;

	set_all(bottoms, bottom);
	for (int i = t->last_run; i > bottom; i = t->at[i].prev)
		run = i;
	while (run != LB_NO_TOKEN) {
		struct lb_token *c = &t->at[run];
		int next = c->next;
		int *floor = bottom_of(bottoms, c);
		int open = c->closes ? find(t, run, *floor) : LB_NO_TOKEN;

		if (open != LB_NO_TOKEN) {
			match(t, open, run);
			if (t->at[run].count > 0)
				continue;
			drop(t, run);
		} else if (c->closes) {
			*floor = c->prev > bottom ? c->prev : bottom;
			if (!c->opens)
				drop(t, run);
		}
		run = next;
	}
	while (t->last_run > bottom)
		drop(t, t->last_run);
}
