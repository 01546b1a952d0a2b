/*
 * llm/usage.h - what a request used.
 */
#ifndef LB_LLM_USAGE_H
#define LB_LLM_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "config/prices.h"

struct lb_usage {
	/* Tokens; -1 when not told. `cached` are among those of `input`. */
	int64_t input, output, cached;
	bool priced; /* the cost is known, whole */
	double cost; /* what is known of it */
};

/* What it cost at that price, if both are known. */
void lb_usage_price(struct lb_usage *usage, const struct lb_price *price);

/*
 * Of two requests together: what either was told. The cost is known when that
 * of both is.
 */
void lb_usage_add(struct lb_usage *sum, const struct lb_usage *more);

/* The member `usage` of a record: {"input","output","cached"?,"cost"?}. */
void lb_put_usage(struct lb_buf *b, const struct lb_usage *usage);

#endif
