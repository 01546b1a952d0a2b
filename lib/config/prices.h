/*
 * config/prices.h - what models cost: llm.prices of the configuration, else
 * share/lb/prices.yaml. One that is in neither is not known, which is not
 * nothing.
 */
#ifndef LB_CONFIG_PRICES_H
#define LB_CONFIG_PRICES_H

#include <stdbool.h>

#include "config/config.h"

/* A million tokens each; what is read from a cache may be cheaper. */
struct lb_price {
	bool known;
	double input, output, cached;
};

/* Is `llm.prices` right? LB_CONFIG, with its place. */
int lb_prices_check(struct lb_config *config, struct lb_error *err);

/*
 * The price of a model, "provider/name". `elsewhere`: its provider is asked at
 * another address than its preset's, so that only llm.prices can know it. A
 * file that cannot be read is a warning.
 */
struct lb_price lb_price_of(struct lb_config *config, const char *label,
			    bool elsewhere);

#endif
