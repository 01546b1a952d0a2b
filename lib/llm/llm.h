/*
 * llm/llm.h - asking a model: one request in, a stream of events out.
 *
 * Everything above knows the neutral request and events (neutral.h) only; a
 * wire protocol is one file (openai-chat.c) and a line in protocols.c. The
 * `offline` model answers without a network, or fails as asked.
 */
#ifndef LB_LLM_LLM_H
#define LB_LLM_LLM_H

#include <jansson.h>

#include "base/error.h"
#include "base/loop.h"
#include "llm/model.h"
#include "llm/neutral.h"

/* Gets each event; END or FAILED is the last and comes exactly once. */
typedef void lb_llm_fn(void *arg, const struct lb_llm_event *event);

struct lb_llm;      /* a client */
struct lb_llm_call; /* a request under way */

struct lb_llm *lb_llm_open(struct lb_loop *loop);
void lb_llm_close(struct lb_llm *llm); /* cancels what is under way */

/*
 * Ask. Never calls back before it returns; the call is gone after its last
 * event. The model is borrowed until then. NULL: the request cannot be made.
 */
struct lb_llm_call *lb_llm_start(struct lb_llm *llm,
				 const struct lb_model *model,
				 const struct lb_llm_request *request,
				 lb_llm_fn *fn, void *arg,
				 struct lb_error *err);

/* End it without a further event. Not from inside the callback. */
void lb_llm_cancel(struct lb_llm_call *call);

/*
 * What to change in a request that failed so, for lb_llm_request.changes; new,
 * or NULL when its failure is no refusal of a parameter that it could do
 * without. What was changed before is refused no more, so this ends.
 */
json_t *lb_llm_change(const struct lb_llm_event *failure);
/* Is it one that lb_llm_change() may have made? */
bool lb_llm_is_change(const json_t *changes);

/*
 * What would be sent, for people: {"method","url","headers","body"}, with the
 * key hidden. NULL for a model that sends nothing.
 */
json_t *lb_llm_dry_run(const struct lb_model *model,
		       const struct lb_llm_request *request,
		       struct lb_error *err);

/*
 * Names of the models an endpoint offers, as [{"id",...}]; blocks on a loop of
 * its own. A key that is refused gives way to the next. NULL with
 * LB_UNAVAILABLE, LB_AGAIN or LB_PROTOCOL.
 */
json_t *lb_llm_models(struct lb_model *model, struct lb_error *err);

#endif
