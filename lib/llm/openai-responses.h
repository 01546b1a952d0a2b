/* llm/openai-responses.h - the two halves of OpenAI's Responses. */
#ifndef LB_LLM_OPENAI_RESPONSES_H
#define LB_LLM_OPENAI_RESPONSES_H

#include "llm/layout.h"
#include "llm/protocol.h"

/* openai-responses-read.c: what came so far. */
struct lb_responses_state {
	struct lb_layout layout;
	size_t shown;    /* bytes of text of the item that grows */
	int64_t thought; /* the part of the summary that grows, from 1 */
	bool itemized;   /* an item was seen whole */
};

int lb_responses_event(struct lb_reader *reader, const json_t *value,
		       struct lb_error *err);
int lb_responses_body(struct lb_reader *reader, const json_t *value,
		      struct lb_error *err);
json_t *lb_responses_keep(struct lb_reader *reader);
void lb_responses_release(void *state);

#endif
