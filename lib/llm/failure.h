/*
 * llm/failure.h - what went wrong with a request, as code and as words.
 * Inside the room only.
 */
#ifndef LB_LLM_FAILURE_H
#define LB_LLM_FAILURE_H

#include "base/buf.h"
#include "llm/classify.h"
#include "llm/model.h"
#include "net/http.h"

/* The body of an answer whose status is not 2xx: what does it say? */
void lb_failure_refusal(const char *body, size_t len, int status,
			struct lb_failure *f);

/* A call that ended otherwise than with a whole answer. */
void lb_failure_network(const struct lb_http_end *end, struct lb_failure *f);

/*
 * Append it for people: the model's name, the status and the provider's
 * words on one line, without what a terminal would obey and without keys.
 */
void lb_failure_words(struct lb_buf *text, const struct lb_model *model,
		      enum lb_code code, int status, const char *message);

#endif
