/*
 * platform/hold.h - sessions in which something failed and is to come again.
 *
 * For a sender whose records come out of a queue that hands those given back
 * out again, each session's in their order. When a record could not be sent
 * now, what stands behind it in its session must not be sent before it: it is
 * given back, too. A hold knows what was given back, in the order of the
 * session, and when:
 *
 *     - what it does not know yet is behind all of it
 *     - one that comes again may be sent when nothing before it is still out
 *     - what was given back before that one was, and did not come before it
 *       now, does not come again: it ended elsewhere, or in other hands
 *
 * A session's hold ends with the last that is known, or after 20 minutes
 * without a word: longer than lb-queue leaves a record in a program's hand.
 * At most 10,000 records and 8 MiB are known, of all sessions; then the
 * session that was not heard of for the longest time is forgotten, with a
 * warning. An id or a session of more bytes than a queue takes is not held.
 */
#ifndef LB_PLATFORM_HOLD_H
#define LB_PLATFORM_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "record/code.h"

enum { LB_HOLD_MS = 20 * 60 * 1000, LB_HOLD_MAX = 10000 };

struct lb_hold;

/* Zeroed memory holds nothing. Times are mono ms. */
struct lb_holds {
	struct lb_map sessions;
	struct lb_hold *first, *last; /* by when they were heard of */
	size_t ids, bytes;
	uint64_t given; /* back, so far */
	bool warned;
};

void lb_holds_release(struct lb_holds *holds);

/* `id` was tried and is given back, for `code`. */
void lb_hold_failed(struct lb_holds *holds, const char *session, const char *id,
		    enum lb_code code, int64_t now_ms);

/*
 * `id` is there. NULL: it may be sent. Else the id it is behind (borrowed
 * until the next call) and why that one failed: it counts as given back.
 */
const char *lb_hold_behind(struct lb_holds *holds, const char *session,
			   const char *id, int64_t now_ms, enum lb_code *code);

/* The same, when it only looks: nothing changes. */
bool lb_hold_keeps(const struct lb_holds *holds, const char *session,
		   const char *id, int64_t now_ms);

/* `id` has its end. */
void lb_hold_ended(struct lb_holds *holds, const char *session, const char *id);

#endif
