/* pipeline-cases.h - the table that lb-pipeline --test reads. */
#ifndef LB_BIN_PIPELINE_CASES_H
#define LB_BIN_PIPELINE_CASES_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* When a table begins that says nothing: a midnight, UTC, in ms. */
#define PIPELINE_DAWN 1767225600000

struct pipeline_case {
	const json_t *row;
	size_t number; /* from 1 */
	int64_t now;   /* in ms; goes on where the case before it was */
};

/* YAML, or a JSON object a line; "-" is standard input. A new list, or NULL. */
json_t *pipeline_cases_read(const char *file, struct lb_error *err);

/* A member as text; NULL when it is not there. Caller frees. */
char *pipeline_case_text(const struct pipeline_case *t, const char *key);

/* The line of its message. LB_DATA for a case that is not understood. */
int pipeline_case_make(struct pipeline_case *t, struct lb_buf *line,
		       struct lb_error *err);

#endif
