#include "platform/attempt.h"

#include <stdlib.h>

#include "base/id.h"

enum {
	MAX_TRIES = 5,
	MAX_TOTAL_MS = 10 * 60 * 1000,
	FIRST_MS = 1000,
	LONGEST_MS = 60 * 1000,
};

static void judge_status(const struct lb_http_end *end, struct lb_answer *a)
{
	a->outcome = LB_TRY_REFUSED;
	switch (end->status) {
	case 401:
		a->code = LB_CODE_AUTH;
		return;
	case 403:
		a->code = LB_CODE_DENIED;
		return;
	case 404:
		a->code = LB_CODE_NOT_FOUND;
		return;
	case 413:
		a->code = LB_CODE_LIMIT;
		return;
	case 429:
		a->code = LB_CODE_RATE;
		a->outcome = LB_TRY_AGAIN;
		return;
	}
	a->code = LB_CODE_BAD_REQUEST;
	if (end->status >= 200 && end->status < 300) {
		a->outcome = LB_TRY_OK;
	} else if (end->status >= 500) {
		a->code = LB_CODE_OVERLOADED;
		a->outcome = LB_TRY_AGAIN;
	}
}

void lb_attempt_judge(const struct lb_http_end *end, bool safe,
		      struct lb_answer *a)
{
	*a = (struct lb_answer){.status = end->status,
				.wait_ms = end->retry_after_ms,
				.why = end->why,
				.said = ""};
	if (end->cause == LB_HTTP_DONE) {
		judge_status(end, a);
		return;
	}
	a->code = LB_CODE_NETWORK;
	if (end->cause == LB_HTTP_FIRST_BYTE || end->cause == LB_HTTP_IDLE ||
	    end->cause == LB_HTTP_ENDLESS)
		a->code = LB_CODE_TIMEOUT;
	else if (end->cause == LB_HTTP_LIMIT || end->cause == LB_HTTP_ENCODING)
		a->code = LB_CODE_MALFORMED;
	/* A refusal is one, however its words were cut. */
	if (end->status >= 300)
		judge_status(end, a);
	else
		a->outcome =
			!end->asked || safe ? LB_TRY_AGAIN : LB_TRY_UNKNOWN;
}

int64_t lb_tries_wait(struct lb_tries *t, int64_t asked_ms, int64_t now_ms)
{
	int64_t wait = asked_ms;

	if (t->n++ == 0)
		t->since = now_ms;
	if (t->n >= MAX_TRIES)
		return -1;
	if (wait < 0) {
		wait = (int64_t)FIRST_MS << (t->n - 1);
		wait += wait / 5 * ((int64_t)(lb_random() % 201) - 100) / 100;
		if (wait > LONGEST_MS)
			wait = LONGEST_MS;
	}
	return now_ms + wait - t->since > MAX_TOTAL_MS ? -1 : wait;
}
