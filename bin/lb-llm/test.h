/* test.h - trying a model. */
#ifndef LB_LLM_TEST_H
#define LB_LLM_TEST_H

#include "base/table.h"
#include "llm.h"

struct trial {
	struct lb_model *model;
	struct lb_table *table;
	int64_t began;      /* the one that is under way */
	bool failed, lacks; /* one failed; one is what it does not do */
};

/* A row: result is "ok", "no" or "failed"; code LB_CODES for none. */
void test_put(struct trial *t, const char *what, const char *result,
	      enum lb_code code, const char *note);

/* test-vectors.c */
void test_embedding(struct trial *t);
void test_rerank(struct trial *t);

#endif
