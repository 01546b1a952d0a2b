/* vectors.h - what the verbs embed and rerank share. */
#ifndef LB_LLM_VECTORS_MAIN_H
#define LB_LLM_VECTORS_MAIN_H

#include "llm.h"
#include "llm/vectors.h"
#include "record/out.h"

/* Zeroed before first use. */
struct vectors {
	struct lb_loop *loop; /* kept for the next request */
	struct lb_llm *llm;
	lb_vectors_fn *fn; /* told of an answer that is one */
	void *arg;
	bool over;
	int code;
};

/*
 * Ask and wait, at most timeout_ms (0: as long as the model's limits). What
 * goes wrong is said on stderr; returns what to exit with.
 */
int vectors_embed(struct vectors *v, const struct lb_model *model,
		  const struct lb_embed_request *request, int64_t timeout_ms);
int vectors_rerank(struct vectors *v, const struct lb_model *model,
		   const struct lb_rerank_request *request, int64_t timeout_ms);
void vectors_release(struct vectors *v);

/* Print a dry run, or why there is none. Returns what to exit with. */
int vectors_show(json_t *take, const struct lb_error *err);

/* Write what was put out; returns what to exit with. */
int vectors_flush(struct lb_out *out);

#endif
