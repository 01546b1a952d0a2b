/*
 * tool/lines.h - the lines of a text that match.
 */
#ifndef LB_TOOL_LINES_H
#define LB_TOOL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/regex.h"
#include "tool/literal.h"

enum { LB_LINE_LOOKED_AT = 1024 * 1024 }; /* bytes of one line */

struct lb_line_found {
	const char *text; /* without its end */
	size_t len;
	size_t from; /* where in it the match begins */
	size_t number;
};

struct lb_line_search {
	struct lb_regex *re;
	struct lb_literal literal;
	int64_t deadline; /* mono ms */
	bool late;        /* it came */
	bool cut;         /* of some line only the beginning was looked at */
	bool gave_up;     /* some line was too hard for the pattern */
	/* Called for each; false: that is enough. */
	bool (*found)(void *arg, const struct lb_line_found *line);
	void *arg;
};

/* False: found() said it was enough, or it is late. */
bool lb_line_search(struct lb_line_search *s, const char *text, size_t len);

#endif
