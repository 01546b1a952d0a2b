/*
 * llm/wire.h - a request as it leaves. Inside the room only.
 */
#ifndef LB_LLM_WIRE_H
#define LB_LLM_WIRE_H

#include <jansson.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "llm/model.h"
#include "llm/neutral.h"

/* One header of a request. */
struct lb_header {
	char *line;    /* "Name: value" */
	size_t secret; /* where in it a key begins; 0: nowhere */
};

/* A request as it leaves. */
struct lb_wire {
	const char *method; /* NULL is POST */
	struct lb_buf url, body;
	struct lb_header *headers;
	size_t n_headers;
};

void lb_wire_release(struct lb_wire *wire);

/* `value` without line breaks; LB_CONFIG otherwise. */
int lb_wire_header(struct lb_wire *wire, const char *name, const char *value,
		   struct lb_error *err);
/* "name: before secret", of which people never see the last part. */
void lb_wire_secret(struct lb_wire *wire, const char *name, const char *before,
		    const char *secret);
/* The lines, NULL-ended; the array is the caller's to free, they are not. */
const char **lb_wire_lines(const struct lb_wire *wire);

/* {"method","url","headers","body"} for people, without keys. New. */
/* A URL without the names, passwords and keys in it; new. */
char *lb_wire_shown_url(const char *url);
json_t *lb_wire_shown(const struct lb_wire *wire);

/*
 * Where a protocol wants what all call by the names of chat completions:
 * "max_tokens" at "generationConfig.maxOutputTokens".
 */
struct lb_option_place {
	const char *name;
	const char *path; /* dotted; NULL: it has no such thing, leave it out */
};

/*
 * Add what the model and the request want in each body, the latter over the
 * former: members at their places, objects joined, `extra_body` likewise, and
 * `extra_headers` as headers; before them the level of reasoning, and last the
 * changes. `places` ends with a NULL name, and may be NULL. LB_CONFIG: a header
 * that is none; LB_USAGE: the level.
 */
int lb_wire_options(struct lb_wire *wire, json_t *body,
		    const struct lb_model *model,
		    const struct lb_llm_request *request,
		    const struct lb_option_place *places, struct lb_error *err);

/* {base}{path}, of which the base may have the first folder already. */
void lb_wire_url(struct lb_wire *wire, const char *base, const char *path);

/* The option of that name in the request, else in the model; or NULL. */
const json_t *lb_wire_option(const struct lb_model *model,
			     const struct lb_llm_request *request,
			     const char *name);

/* "Authorization: Bearer KEY", where there is a key. */
void lb_wire_bearer(const struct lb_model *model, struct lb_wire *wire);

#endif
