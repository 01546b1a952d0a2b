/*
 * llm/classify.h - what a refusal means: from an HTTP status and the error
 * object of the body to one of the codes of record/code.h.
 */
#ifndef LB_LLM_CLASSIFY_H
#define LB_LLM_CLASSIFY_H

#include <jansson.h>

#include "record/code.h"

struct lb_failure {
	enum lb_code code;
	int status;        /* HTTP, or the number the object gives */
	char message[400]; /* the provider's words, whole characters */
	char param[64];    /* a member that the endpoint does not take; or "" */
};

/*
 * `error` is the value of "error" (an object or a string) or NULL; `status` 0
 * when the answer was a 200, then a number in the object decides.
 */
void lb_classify(const json_t *error, int status, struct lb_failure *f);

/* The same of a whole body, in any of the shapes that endpoints give it. */
void lb_classify_body(const json_t *body, int status, struct lb_failure *f);

/*
 * change.c: the member of the request that this refusal says is not known or
 * not supported at all, "" for none. `words` is whatever the peer calls the
 * mistake, `param` what it says it is about; either may be NULL.
 */
void lb_refused_param(const char *words, const char *param, const char *message,
		      char out[64]);

#endif
