/*
 * agent/local.h - what the runner `local-agent` and the commands about it
 * share: which model is asked, and what it is shown.
 */
#ifndef LB_AGENT_LOCAL_H
#define LB_AGENT_LOCAL_H

#include <jansson.h>

#include "agent/engine.h"

/* A model of that name, opened once and kept. NULL: LB_CONFIG. Borrowed. */
struct lb_model *local_find_model(struct agent *a, const char *spec,
				  struct lb_error *err);

/*
 * The model that answers there: of --model, of the conversation, of the
 * pipeline, the default. NULL: it cannot be had. Borrowed.
 */
struct lb_model *local_model(struct agent *a, const char *session,
			     const char *pipeline, struct lb_error *err);

/*
 * That one, and those that are asked in turn when it cannot answer; how many,
 * at most LB_FAILOVER_MODELS. -1: it cannot be had.
 */
int local_models(struct agent *a, const char *session, const char *pipeline,
		 struct lb_model **models, struct lb_error *err);

/* What the model is shown of the conversation in use; new, NULL: failed. */
json_t *local_history(struct agent *a, const char *session,
		      const char *pipeline, struct lb_error *err);

/*
 * Of messages for that model: files by path become data, and what it cannot
 * see or what is gone becomes a note. New; what is borrowed stays as it is.
 */
json_t *local_pictures(struct agent *a, const struct lb_model *model,
		       const json_t *messages);

/*
 * What may be why a request was refused: what a provider wanted to be kept, such
 * as the thoughts of another account. Is there any?
 */
bool local_is_risky(const json_t *messages);
/* The messages without; new. */
json_t *local_plain(const json_t *messages);

/* For one that may run commands: how to use that; new. */
json_t *local_guidance(bool files);

/* A message to be kept: its images and data become notes. New. */
json_t *local_without_data(const json_t *message);

#endif
