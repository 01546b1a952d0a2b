/*
 * llm/vectors.h - texts as vectors (embeddings), and documents by how well
 * they answer a query (rerank).
 *
 * Everything above knows these requests and answers only; what a provider
 * makes of them is in embed-shapes.c and rerank.c. The model is one of
 * lb_model_open_for(). Model `offline` answers without a network: its vectors
 * are made of the words of a text, alike for like words, and good for trying
 * things out.
 */
#ifndef LB_LLM_VECTORS_H
#define LB_LLM_VECTORS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "llm/llm.h"

enum {
	LB_MAX_TEXTS = 16384,      /* of a request for embeddings */
	LB_MAX_DOCUMENTS = 1000,   /* of one for rerank */
	LB_MAX_TEXT = 1 << 20,     /* bytes of one text */
	LB_MAX_DIMENSIONS = 16384, /* of a vector */
	LB_MAX_FLOATS = 64 << 20,  /* of all vectors of a request */
};

/* Requests. Everything is borrowed until the function returned. */
struct lb_embed_request {
	const json_t *texts;   /* strings, none of them empty */
	bool query;            /* they are what is looked for, not looked in */
	const json_t *options; /* members of each body; or NULL */
};

struct lb_rerank_request {
	const char *query;
	const json_t *documents; /* strings, none of them empty */
	size_t top;              /* so many results at most; 0: all */
	const json_t *options;
};

struct lb_rank {
	size_t index; /* of the document */
	double score; /* the provider's own, higher is better */
};

/* Borrowed until the callback returns. */
struct lb_vectors_answer {
	bool failed;
	enum lb_code code; /* when it failed */
	const char *message;
	int status;
	int64_t retry_after_ms; /* -1 when not told */

	/* Embeddings: text i is at vectors + i * dimensions. All are finite. */
	const float *vectors;
	size_t n, dimensions;
	/* Rerank: the best first. */
	const struct lb_rank *ranks;
	size_t n_ranks;

	struct lb_usage usage; /* input alone is told */
};

/* Comes once. */
typedef void lb_vectors_fn(void *arg, const struct lb_vectors_answer *answer);

struct lb_vectors_call; /* a request under way */

/*
 * Ask; never calls back before it returns. Texts are sent in as many requests
 * as the provider needs, one after the other; one that fails ends it all. The
 * model is borrowed until the end. NULL: the request cannot be made.
 */
struct lb_vectors_call *lb_embed_start(struct lb_llm *llm,
				       const struct lb_model *model,
				       const struct lb_embed_request *request,
				       lb_vectors_fn *fn, void *arg,
				       struct lb_error *err);
struct lb_vectors_call *lb_rerank_start(struct lb_llm *llm,
					const struct lb_model *model,
					const struct lb_rerank_request *request,
					lb_vectors_fn *fn, void *arg,
					struct lb_error *err);

/* End it without a callback. Not from inside the callback. */
void lb_vectors_cancel(struct lb_vectors_call *call);

/* What would be sent first, as lb_llm_dry_run() shows it. */
json_t *lb_embed_dry_run(const struct lb_model *model,
			 const struct lb_embed_request *request,
			 struct lb_error *err);
json_t *lb_rerank_dry_run(const struct lb_model *model,
			  const struct lb_rerank_request *request,
			  struct lb_error *err);

/* Append a vector as a JSON array of numbers that read back as the same. */
void lb_put_vector(struct lb_buf *b, const float *at, size_t dimensions);

#endif
