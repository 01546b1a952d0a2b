/*
 * store/erase.h - forgetting a person, or a session, in lb.db and queue.db.
 *
 * Nothing of it comes back by itself: what is gone is gone from the file, too
 * (secure_delete). limits.db has lb_limits_erase().
 */
#ifndef LB_STORE_ERASE_H
#define LB_STORE_ERASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/ledger.h"
#include "store/queue.h"
#include "store/store.h"

/*
 * A session ("BOT/group_5"), or a person: what was said in the chats with that
 * one alone, whose session is `session`, and by that one elsewhere.
 */
struct lb_whom {
	const char *session;      /* never NULL */
	const char *bot, *sender; /* NULL: all of the session, nothing else */
	bool dry;                 /* count only */
};

/*
 * Gets what points elsewhere: the JSON of what goes, for the files it names,
 * and the id of the record it came of. May be NULL, both or one.
 */
struct lb_erase_user {
	void (*text)(void *arg, const char *json, size_t len);
	void (*id)(void *arg, const char *id);
	void *arg;
};

struct lb_erased {
	int64_t conversations, turns, answers, audit, approvals;
};

/* In lb.db; what was audited is to be folded before (store/audit.h). */
int lb_store_erase(struct lb_store *store, const struct lb_whom *whom,
		   const struct lb_erase_user *user, struct lb_erased *erased,
		   struct lb_error *err);

/*
 * Records of a queue, whether they have ended or not. Those in somebody's hand
 * stay and are counted in *held. How many went, or -1.
 */
int64_t lb_queue_erase(struct lb_queue *q, const struct lb_whom *whom,
		       const struct lb_erase_user *user, int64_t *held,
		       struct lb_error *err);

/* What was sent for the record of that id. How many rows, or -1. Between
 * lb_ledger_begin() and lb_ledger_commit(). */
int64_t lb_ledger_erase(struct lb_ledger *ledger, const char *bot,
			const char *id, struct lb_error *err);

#endif
