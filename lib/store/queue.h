/*
 * store/queue.h - the durable queue, $LB_STATE/queue.db.
 *
 * A database holds any number of queues. A queue holds records in order, and
 * each record belongs to a session: records of a session are in one hand at a
 * time. An owner leases whole sessions and takes records of them; a lease ends
 * when its owner leaves, dies, or (with a token) when its time is over.
 *
 * Everything that changes something happens between lb_queue_begin() and
 * lb_queue_commit(); one transaction for all that came in one read. It is
 * IMMEDIATE, and with `durable` on the disk when commit returns
 * (synchronous=FULL). A lease alone need not be: a power cut ends it anyway.
 *
 * Failures are those of store/store.h.
 */
#ifndef LB_STORE_QUEUE_H
#define LB_STORE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lb_queue;

enum { LB_QUEUE_NAME_MAX = 128, LB_QUEUE_KEY_MAX = 1024 };

/* How a record ended; `moved` went on into another queue. */
enum lb_queue_end { LB_QUEUE_DONE = 1, LB_QUEUE_DEAD = 2, LB_QUEUE_MOVED = 3 };

/* LB_USAGE: a name is 1 to 128 bytes of letters, digits, '.', '_', '-', ... */
int lb_queue_name_check(const char *name, struct lb_error *err);

/* `busy_ms`: how long to wait for another writer, see store/store.h. */
struct lb_queue *lb_queue_open(const char *state, const char *name, int busy_ms,
			       struct lb_error *err);
void lb_queue_close(struct lb_queue *q);
bool lb_queue_exists(const char *state); /* was anything ever put? */
/* A file, there after a commit, that each later one writes to. Borrowed. */
const char *lb_queue_wakes(const struct lb_queue *q);

int lb_queue_begin(struct lb_queue *q, bool durable, struct lb_error *err);
int lb_queue_commit(struct lb_queue *q, struct lb_error *err);
void lb_queue_rollback(struct lb_queue *q);

struct lb_queue_entry {
	const char *key;     /* a record of the same key is the same record */
	const char *session; /* what keeps its order */
	int64_t not_before;  /* ms since the epoch, 0 for at once */
	const char *text;    /* one line without its newline */
	size_t len;
};

/* 1: it is in, 0: it was there already (it may be done), -1 failed. */
int lb_queue_put(struct lb_queue *q, const struct lb_queue_entry *e,
		 int64_t now_ms, struct lb_error *err);

/* Records that have not ended; inside a transaction, with what it did. */
int64_t lb_queue_depth(struct lb_queue *q, struct lb_error *err);

/*
 * A new owner, at most one a transaction; its number, or -1. With a token its
 * lease ends at until_ms; without, with this process.
 */
int64_t lb_queue_join(struct lb_queue *q, const char *token, int64_t until_ms,
		      int64_t now_ms, struct lb_error *err);

/* The owner with that token; 0 when its lease has ended, -1 failed. */
int64_t lb_queue_owner(struct lb_queue *q, const char *token, int64_t now_ms,
		       struct lb_error *err);

/*
 * The owner goes: what it holds waits again. `died`: with those records in
 * hand, so that they are to be taken alone, and one that was alone already
 * counts a death.
 */
int lb_queue_leave(struct lb_queue *q, int64_t owner, bool died,
		   struct lb_error *err);

/* End the leases of owners that are gone. Returns how many, or -1. */
int lb_queue_reap(struct lb_queue *q, int64_t now_ms, struct lb_error *err);

struct lb_queue_item {
	int64_t seq, session; /* rows */
	const char *text;     /* borrowed until fn returns; no NUL after it */
	size_t len;
	int64_t put; /* when, ms */
	int tries;   /* that ended in an error that may pass */
	int deaths;  /* of those that had it alone */
	bool alone;  /* to be handled with no other beside it */
};

typedef int lb_queue_fn(void *arg, const struct lb_queue_item *item);

enum lb_queue_which {
	LB_QUEUE_OWN,   /* more of the sessions it holds */
	LB_QUEUE_FREE,  /* of sessions nobody holds */
	LB_QUEUE_ALONE, /* one record that is to be alone */
	LB_QUEUE_ANY,   /* of sessions nobody holds, to be alone or not */
};

/* How many records at most, and of one session with what is in hand of it. */
struct lb_queue_room {
	int all, each;
};

/*
 * Take records that may be taken now, those of a session in their order; the
 * session that waits longest comes first. fn gets each and returns
 * 0, or 1 to stop behind it. Returns how many were taken, or -1.
 */
int lb_queue_take(struct lb_queue *q, int64_t owner, enum lb_queue_which which,
		  struct lb_queue_room room, int64_t now_ms, lb_queue_fn *fn,
		  void *arg, struct lb_error *err);

/* Could lb_queue_take() find something? No transaction. -1 failed. */
int lb_queue_ready(struct lb_queue *q, int64_t owner, enum lb_queue_which which,
		   int64_t now_ms, struct lb_error *err);

/* When the next session that owner may take becomes ready; INT64_MAX: never by
 * itself. -1 failed. What came since the last take does not count yet. */
int64_t lb_queue_next(struct lb_queue *q, int64_t owner, int64_t now_ms,
		      struct lb_error *err);

/* A record in the owner's hand ends; `outcome` (may be NULL) is kept beside
 * it. 1: it is so; 0: it is not in that hand any more; -1 failed. */
int lb_queue_finish(struct lb_queue *q, int64_t owner, int64_t seq,
		    enum lb_queue_end how, int64_t now_ms, const char *outcome,
		    size_t len, struct lb_error *err);

/* All that is in the owner's hand ends, without a word. How many, or -1. */
int lb_queue_finish_all(struct lb_queue *q, int64_t owner, int64_t now_ms,
			struct lb_error *err);

/* It goes back and waits until at_ms; `tried` counts a try. Returns the same. */
int lb_queue_put_back(struct lb_queue *q, int64_t owner, int64_t seq,
		      int64_t at_ms, bool tried, struct lb_error *err);

#endif
