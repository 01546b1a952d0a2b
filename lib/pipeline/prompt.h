/*
 * pipeline/prompt.h - the operator's prompt, with what is known of a message.
 *
 * {sender_name} and the other variables of a query stand for their values,
 * {bot}, {pipeline} and {today} too. It is one pass: a value is put in as it
 * is, whatever it says, and a {name} that is none stays.
 */
#ifndef LB_PIPELINE_PROMPT_H
#define LB_PIPELINE_PROMPT_H

#include <jansson.h>

#include "base/buf.h"

struct lb_message;

/*
 * The template of a pipeline (its configuration with all defaults), as JSON
 * that lb_prompt_put() fills. Where the pipeline has the model know the date,
 * and the prompt does not say {today} itself, the first system message does.
 */
void lb_prompt_make(struct lb_buf *out, const json_t *pipeline);

/* The prompt for this message: [{"role","content"}...]. */
void lb_prompt_put(struct lb_buf *out, const struct lb_buf *prompt,
		   const struct lb_message *m);

#endif
