/*
 * tool/literal.h - what any match of a regular expression must contain.
 *
 * Looking for that is much faster than matching, and most lines have none of
 * it.
 */
#ifndef LB_TOOL_LITERAL_H
#define LB_TOOL_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

enum { LB_LITERAL_MAX = 64 };

struct lb_literal {
	char text[LB_LITERAL_MAX];
	size_t len;  /* 0: nothing is known */
	size_t rare; /* the place in it of the byte that is rarest in texts */
	bool whole;  /* it is the pattern: no need to match */
	/* Matching many lines at once finds the lines that match alone, and
	 * perhaps others: the pattern does not look at what is around. */
	bool many;
};

void lb_literal_read(struct lb_literal *l, const char *pattern);

/* Where it is in a text; NULL: nowhere. It must have a length. */
const char *lb_literal_find(const struct lb_literal *l, const char *text,
			    size_t len);

#endif
