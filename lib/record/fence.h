/*
 * record/fence.h - the lines around a block of code in Markdown.
 */
#ifndef LB_RECORD_FENCE_H
#define LB_RECORD_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct lb_fence {
	const char *line; /* the one that opened it, borrowed; no newline */
	size_t len;
	size_t indent; /* blanks before the marks */
	char mark;     /* '`' or '~'; 0: there is no fence */
	size_t count;  /* of marks */
};

/* Does the line (without its newline) open one? *fence is set if so. */
bool lb_fence_opens(const char *line, size_t len, struct lb_fence *fence);

/* Does the line close that one? */
bool lb_fence_closes(const char *line, size_t len,
		     const struct lb_fence *fence);

/* The language it names, perhaps empty; borrowed. */
const char *lb_fence_language(const struct lb_fence *fence, size_t *len);

#endif
