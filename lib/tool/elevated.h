/*
 * tool/elevated.h - commands that may do more, once an operator allowed them.
 */
#ifndef LB_TOOL_ELEVATED_H
#define LB_TOOL_ELEVATED_H

#include <jansson.h>

#include "base/error.h"
#include "box/spec.h"
#include "config/config.h"
#include "store/store.h"

struct lb_elevated {
	struct lb_config *config;
	const char *state;
	struct lb_store **store; /* opened at its first use; not owned */
	const struct lb_box_spec *spec;
	const char *session;
	const json_t *context; /* a tool provider's, lb-provider(7) */
};

/*
 * Ask somebody, or use what he allowed. 1: it may run; 0: not yet, and *refusal
 * (a new reference) says how to go on. Fails with LB_DENIED when he denied it.
 */
int lb_elevated_ask(const struct lb_elevated *elevated, json_t **refusal,
		    struct lb_error *err);

#endif
