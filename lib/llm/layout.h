/*
 * llm/layout.h - an answer in the order it was given. Inside the room only.
 *
 * The neutral message has one text and a list of calls. A provider that wants
 * blocks of its own back (thinking, signatures) wants them where they were, so
 * what is kept is the layout: how many bytes of text, a call, a block, and what
 * was with each.
 */
#ifndef LB_LLM_LAYOUT_H
#define LB_LLM_LAYOUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory is the start of an answer. */
struct lb_layout {
	json_t *pieces;
	size_t bytes; /* of text since the last piece */
	bool worth;   /* there is something that only this keeps */
	bool spilled; /* too many pieces: nothing is kept */
};

void lb_layout_text(struct lb_layout *l, size_t bytes);
/* The text so far is a piece. `take` goes with it, and may be NULL. */
void lb_layout_end_text(struct lb_layout *l, json_t *take);
void lb_layout_call(struct lb_layout *l, json_t *take);
void lb_layout_block(struct lb_layout *l, json_t *take);
/* What is to be kept, new; NULL when there is nothing in it. */
json_t *lb_layout_keep(struct lb_layout *l);
void lb_layout_release(struct lb_layout *l);

/* A piece of an assistant's turn (llm/turns.h); all borrowed. */
struct lb_laid {
	enum lb_laid_kind { LB_LAID_PARTS, LB_LAID_CALL, LB_LAID_BLOCK } kind;
	const json_t *value; /* the parts, the call, the block */
	const json_t *with;  /* what was with it; or NULL */
};

typedef void lb_laid_fn(void *arg, const struct lb_laid *laid);

/*
 * The pieces of the turn as its `keep` lays them out; without one, or where
 * the text was changed since, the parts and then the calls. Every part and
 * every call comes once, whatever was kept.
 */
void lb_layout_walk(const json_t *turn, lb_laid_fn *fn, void *arg);

#endif
