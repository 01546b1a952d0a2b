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
};

/*
 * `error` is the value of "error" (an object or a string) or NULL; `status` 0
 * when the answer was a 200, then a number in the object decides.
 */
void lb_classify(const json_t *error, int status, struct lb_failure *f);

#endif
