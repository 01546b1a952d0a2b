/*
 * record/think.h - <think> blocks in streamed text.
 *
 * Feed text cut anywhere. Only what could still become a tag is held back.
 * White space behind a closing tag, and before the first word of the answer,
 * belongs to the block.
 *
 * Some models leave the opening tag out. With `orphans`, a closing tag that
 * closes nothing is one, too: all before it was reasoning, and fn hears of it
 * by an empty piece of that.
 */
#ifndef LB_RECORD_THINK_H
#define LB_RECORD_THINK_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory is the start of an answer. */
struct lb_think {
	char held[16]; /* the start of what may be a tag */
	size_t n_held;
	bool inside;  /* a block is open */
	bool trim;    /* white space now is not part of the answer */
	bool orphans; /* set by the caller */
};

/* Gets pieces in order; `reasoning` says which channel. */
typedef void lb_think_fn(void *arg, bool reasoning, const char *text,
			 size_t len);

void lb_think_feed(struct lb_think *t, const char *text, size_t len,
		   lb_think_fn *fn, void *arg);
/* The answer ended; true when a block was left open. */
bool lb_think_finish(struct lb_think *t, lb_think_fn *fn, void *arg);

#endif
