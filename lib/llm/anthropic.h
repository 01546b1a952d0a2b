/* llm/anthropic.h - the two halves of Anthropic's Messages. */
#ifndef LB_LLM_ANTHROPIC_H
#define LB_LLM_ANTHROPIC_H

#include "llm/protocol.h"

/* anthropic-read.c: what came. */
enum { LB_ANTHROPIC_STATE = 256 }; /* bytes, at least those of its state */
int lb_anthropic_event(struct lb_reader *reader, const json_t *value,
		       struct lb_error *err);
int lb_anthropic_body(struct lb_reader *reader, const json_t *value,
		      struct lb_error *err);
json_t *lb_anthropic_keep(struct lb_reader *reader);
void lb_anthropic_release(void *state);

#endif
