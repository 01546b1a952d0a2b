/* llm/gemini.h - the two halves of Gemini's generateContent. */
#ifndef LB_LLM_GEMINI_H
#define LB_LLM_GEMINI_H

#include "llm/layout.h"
#include "llm/protocol.h"

/* gemini-read.c: what came so far. */
struct lb_gemini_state {
	struct lb_layout layout;
	int64_t calls;
};

int lb_gemini_event(struct lb_reader *reader, const json_t *value,
		    struct lb_error *err);
int lb_gemini_body(struct lb_reader *reader, const json_t *value,
		   struct lb_error *err);
json_t *lb_gemini_keep(struct lb_reader *reader);
void lb_gemini_release(void *state);

#endif
