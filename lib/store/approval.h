/*
 * store/approval.h - calls that somebody must allow first, in $LB_STATE/lb.db.
 *
 * What is asked for is one command in one place of one session, by its digest
 * (box/approval.h). A request waits 15 minutes; an operator who allows it does
 * so for 15 minutes and one call, which uses that up. A request that was denied
 * is denied for 15 minutes. One that nobody decided on is forgotten within the
 * next ones. Nobody waits for an answer: whoever asks learns the
 * request's id, and makes the same call again later.
 */
#ifndef LB_STORE_APPROVAL_H
#define LB_STORE_APPROVAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

enum {
	LB_APPROVAL_MS = 15 * 60 * 1000,
	LB_APPROVAL_ID = 9,     /* an id, the NUL included */
	LB_APPROVAL_EACH = 20,  /* that may wait in a session, of a sender */
	LB_APPROVAL_ALL = 1000, /* in all */
	LB_APPROVAL_TEXT = 8 * 1024 /* bytes of what an operator is shown */
};

enum lb_approval {
	/* In the database: numbers stay what they are. */
	LB_APPROVAL_PENDING,
	LB_APPROVAL_GRANTED, /* this once; it is used up now */
	LB_APPROVAL_DENIED,
	LB_APPROVAL_USED, /* never an answer */
};

struct lb_approval_request {
	const char *hash;
	const char *session, *bot, *sender; /* who asks; NULL is "" */
	const char *workspace;              /* of whom he is; NULL: of nobody */
	const char *text; /* what an operator is to see; cut to its limit */
};

/*
 * What becomes of the call; `id` is the request's. -1: LB_DENIED when too many
 * wait, or as store/store.h has it. A transaction of its own; within another,
 * nothing is to run before that is committed.
 */
int lb_approval_ask(struct lb_store *store,
		    const struct lb_approval_request *request, int64_t now_ms,
		    char id[LB_APPROVAL_ID], struct lb_error *err);

/*
 * Decide for one that waits. 0: `who` did. LB_NO says why not: there is none of
 * that id, it expired, or somebody decided before.
 */
int lb_approval_decide(struct lb_store *store, const char *id, bool grant,
		       const char *who, int64_t now_ms, struct lb_error *err);

/* Call fn with each that waits, the oldest first: {id, session, bot, sender,
 * text, workspace, asked, until} (times are ms since the epoch). */
int lb_approval_each(struct lb_store *store, int64_t now_ms,
		     void (*fn)(void *arg, const json_t *request), void *arg,
		     struct lb_error *err);

/* Is the request of that workspace? 1, 0: not, or there is none of that id. */
int lb_approval_is_of(struct lb_store *store, const char *id,
		      const char *workspace, struct lb_error *err);

/* Forget those asked for before before_ms. How many, or -1. */
int64_t lb_approval_expire(struct lb_store *store, int64_t before_ms,
			   struct lb_error *err);

#endif
