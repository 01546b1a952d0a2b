/*
 * llm/vectors-call.h - what a request for embeddings and one for rerank share.
 * Inside the room only.
 */
#ifndef LB_LLM_VECTORS_CALL_H
#define LB_LLM_VECTORS_CALL_H

#include "llm/errand.h"
#include "llm/exchange.h"
#include "llm/vectors.h"

struct lb_vectors_call {
	struct lb_errand errand; /* first */
	const struct lb_model *model;
	json_t *texts, *options;
	lb_vectors_fn *fn;
	void *arg;
	struct lb_exchange *exchange;
	struct lb_timer timer; /* of a play */
	struct lb_usage usage;

	bool query; /* embeddings */
	size_t done, batch;
	float *vectors;
	size_t dimensions;

	char *asked; /* rerank: the query */
	size_t top;
};

/* LB_USAGE: they are no strings, too many, too long, or none. */
int lb_vectors_check(const json_t *texts, size_t most, const char *what,
		     struct lb_error *err);

/* New, and not under way yet. */
struct lb_vectors_call *lb_vectors_make(const struct lb_model *model,
					const json_t *texts,
					const json_t *options);
void lb_vectors_begin(struct lb_vectors_call *c, struct lb_llm *llm,
		      lb_vectors_fn *fn, void *arg);
/* Call fn(c) from the loop. */
void lb_vectors_play(struct lb_vectors_call *c, void (*fn)(void *arg));

/* The end, one of these: tells it, and c is gone. */
void lb_vectors_over(struct lb_vectors_call *c,
		     const struct lb_vectors_answer *answer);
void lb_vectors_failed(struct lb_vectors_call *c, const struct lb_error *err);
void lb_vectors_refused(struct lb_vectors_call *c,
			const struct lb_answer *answer);

/* What `encode` makes of c, for people; c is gone. */
json_t *lb_vectors_dry_run(struct lb_vectors_call *take,
			   int (*encode)(struct lb_vectors_call *c,
					 struct lb_wire *wire,
					 struct lb_error *err),
			   struct lb_error *err);

#endif
