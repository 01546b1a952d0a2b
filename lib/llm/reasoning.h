/*
 * llm/reasoning.h - how much a model is asked to think. Inside the room only.
 *
 * Which levels a model has and how each kind of endpoint is told are tables in
 * reasoning.c. A model that no table knows may be asked for any level.
 */
#ifndef LB_LLM_REASONING_H
#define LB_LLM_REASONING_H

#include <jansson.h>
#include <stdbool.h>

#include "llm/llm.h"

/*
 * What the body gets for the level that the request wants, new; {} for none.
 * NULL with LB_USAGE when the model has no such level, or an option says
 * otherwise.
 */
json_t *lb_reasoning(const struct lb_model *model,
		     const struct lb_llm_request *request,
		     struct lb_error *err);

/* Does the endpoint want the reasoning of earlier answers back, as text? */
bool lb_reasoning_goes_back(const struct lb_model *model,
			    const struct lb_llm_request *request);

/*
 * Does it refuse an answer with calls of tools that has none? Those of other
 * models have none that it could be given.
 */
bool lb_reasoning_is_wanted(const struct lb_model *model,
			    const struct lb_llm_request *request);

/* Does the model's name, or its last part, fit one of "a*|b?"? */
bool lb_reasoning_fits(const struct lb_model *model, const char *patterns);

/* Is it a model that thinks, as far as the tables know? */
bool lb_reasoning_is_there(const struct lb_model *model);

#endif
