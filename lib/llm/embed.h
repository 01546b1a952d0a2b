/*
 * llm/embed.h - what providers make of a request for embeddings. Inside the
 * room only.
 */
#ifndef LB_LLM_EMBED_H
#define LB_LLM_EMBED_H

#include "llm/protocol.h"
#include "llm/vectors.h"

/* Some of the texts of a request. */
struct lb_batch {
	const struct lb_model *model;
	json_t *texts; /* strings; owned by whoever made the batch */
	bool query;
	json_t *options; /* members of the body, or of each of its requests */
};

struct lb_embed_shape {
	const char *name;
	void (*authorize)(const struct lb_model *model, struct lb_wire *wire);
	/* The URL and body. */
	void (*encode)(const struct lb_batch *batch, struct lb_wire *wire);
	/*
	 * rows[i] := the vector of text i as it came, borrowed, for all there
	 * are; `rows` has n places, all NULL. LB_PROTOCOL: there are others.
	 */
	int (*decode)(const json_t *value, const json_t **rows, size_t n,
		      struct lb_error *err);
	/* Where the number of tokens may be, dotted; NULL-ended. */
	const char *const *usage;
};

/* That of the model's provider; LB_CONFIG: there is none of that name. */
const struct lb_embed_shape *lb_embed_shape_of(const struct lb_model *model,
					       struct lb_error *err);

/* The first counter there is at one of the dotted places; -1 for none. */
int64_t lb_tokens_at(const json_t *value, const char *const *places);

/*
 * A row of an answer, numbers or base64 of little-endian 32-bit floats, as
 * `dimensions` floats. *dimensions 0: it says how many. LB_PROTOCOL when it is
 * something else, holds what is not finite, or has another length.
 */
int lb_embed_row(const json_t *row, float **at, size_t *dimensions,
		 struct lb_error *err);

/* `offline` instead: a vector of so many, and how alike two are. */
enum { LB_OFFLINE_DIMENSIONS = 256 };
void lb_offline_vector(const char *text, float *at);
double lb_offline_score(const char *query, const char *text);

#endif
