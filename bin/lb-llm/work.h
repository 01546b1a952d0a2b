/* work.h - request records under way, in the order they came. */
#ifndef LB_LLM_WORK_H
#define LB_LLM_WORK_H

#include "base/map.h"
#include "llm.h"
#include "record/filter.h"

struct work;

/* A line on its way: passed on as it is, or answered. */
struct entry {
	struct entry *next;
	struct work *work;
	struct lb_buf line; /* what is written in the end */
	char *text;         /* the request's own bytes */
	struct lb_record record;
	struct ask ask;
	json_t *messages, *options;
	struct lb_llm_request request; /* of those */
	struct lb_model *model;
	struct lb_failover *asked; /* while it is under way */
	bool done;
};

struct work {
	const struct records *how;
	struct lb_loop *loop;
	struct lb_llm *llm;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_map models, lineups; /* by what requests name */
	struct entry *first, **end;
	long in_flight, held;
	bool watching, ended;
	int code;
};

/* A new entry, last in the order. */
struct entry *entry_add(struct work *work);
void entry_free(struct entry *entry);

/* request.c: it failed, and so it ends. */
void entry_fail(struct entry *entry, enum lb_code code, const char *why);
/* It is only to be seen: so it ends, with that or the error. */
void entry_show(struct entry *entry, json_t *take, const struct lb_error *err);
/* The model it is for, kept for the next; its options over the usual ones. */
struct lb_model *entry_model(struct entry *entry, enum lb_model_use use,
			     struct lb_error *err);
json_t *entry_options(const struct entry *entry);

/* vectors-request.c: it asks for embeddings (`input`) or rerank
 * (`documents`). */
bool entry_is_vectors(const struct entry *entry);
void entry_vectors(struct entry *entry);

/* Ask for what its record says; it is `done` at once, or later. */
void entry_ask(struct entry *entry);

#endif
