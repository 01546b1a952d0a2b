/*
 * platform/attempt.h - one try at asking a platform for something: how it
 * ended, and whether and when to try again.
 *
 *     no connection, so nothing was said    again
 *     429, 5xx                              again, when the peer says so
 *     said, and the answer did not come     unknown; again where that is safe
 *     any other refusal                     never
 */
#ifndef LB_PLATFORM_ATTEMPT_H
#define LB_PLATFORM_ATTEMPT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/http.h"
#include "record/code.h"

enum lb_outcome {
	LB_TRY_OK,
	LB_TRY_AGAIN,   /* nothing was done; it may pass */
	LB_TRY_REFUSED, /* nothing was done, nor ever will be */
	LB_TRY_UNKNOWN, /* perhaps it was done */
};

struct lb_answer {
	enum lb_outcome outcome;
	enum lb_code code; /* unless it is OK */
	int status;        /* what the peer calls it, as in HTTP; 0: nothing */
	int64_t wait_ms;   /* what it asks for before another try; -1 */
	const char *why;   /* for people, without secrets; "" */
	const json_t *result;
	const char *said;   /* the peer's own words; "" */
	int64_t migrate_to; /* the chat is that one now; 0 */
};

/*
 * What the transport alone says: outcome, code, status, wait_ms and why (which
 * is borrowed from `end`). OK for a whole answer of 2xx. `safe`: asking twice
 * does no harm, so what is unknown may be tried again.
 */
void lb_attempt_judge(const struct lb_http_end *end, bool safe,
		      struct lb_answer *answer);

/* Tries at one thing, zeroed before the first. */
struct lb_tries {
	int n;
	int64_t since; /* mono ms, of the first that failed */
};

/*
 * One more failed: how long to wait before the next, ms; -1: that was the last
 * (the fifth, or ten minutes would be over). `asked_ms` is what the peer wants,
 * or -1: then 1, 2, 4, 8 s, a fifth more or less. Never above a minute unless
 * the peer says so.
 */
int64_t lb_tries_wait(struct lb_tries *tries, int64_t asked_ms, int64_t now_ms);

#endif
