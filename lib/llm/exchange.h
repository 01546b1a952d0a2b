/*
 * llm/exchange.h - one request whose answer is one JSON value: all that is no
 * chat. Inside the room only.
 */
#ifndef LB_LLM_EXCHANGE_H
#define LB_LLM_EXCHANGE_H

#include "llm/protocol.h"
#include "net/http.h"

struct lb_exchange;

/* Borrowed until the callback returns. */
struct lb_answer {
	json_t *value;          /* an object; NULL: it failed, and so */
	enum lb_code code;      /* why, */
	const char *message;    /* with the model's name and without keys, */
	int status;             /* HTTP; 0 when there was none */
	int64_t retry_after_ms; /* -1 when not told */
};

/* Comes once, after which the exchange is gone. */
typedef void lb_answer_fn(void *arg, const struct lb_answer *answer);

/* The model is borrowed until the end. NULL: it cannot be asked. */
struct lb_exchange *lb_exchange_start(struct lb_http *http,
				      const struct lb_model *model,
				      const struct lb_wire *wire,
				      lb_answer_fn *fn, void *arg,
				      struct lb_error *err);

/* End it without a callback. NULL is fine. */
void lb_exchange_cancel(struct lb_exchange *exchange);

#endif
