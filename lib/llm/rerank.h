/*
 * llm/rerank.h - the decoder of rerank answers. Inside the room only.
 */
#ifndef LB_LLM_RERANK_H
#define LB_LLM_RERANK_H

#include "llm/vectors.h"

/*
 * The results of an answer about n documents, the best first: `ranks` has n
 * places, *got of them are filled, `top` at most (0: all). LB_PROTOCOL when it
 * is no such answer.
 */
int lb_rerank_decode(const json_t *value, size_t n, size_t top,
		     struct lb_rank *ranks, size_t *got, struct lb_error *err);

#endif
