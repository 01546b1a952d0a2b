/*
 * store/queue-db.h - what the files of the queue share; nobody else includes
 * it.
 *
 * What decides quickly stands in small rows. `records` is written once.
 * `line` has a row for each record that has not ended; `sessions` has a row
 * for each session with the time its first waiting record may be taken, so
 * that a poll is one look into an index however long the queue is. `ends` has
 * a row for each record that ended.
 *
 * A put writes `records` alone. Who takes puts what is fresh (it comes after
 * `sorted` of the queue) into its line first: many at once, so that a session
 * is touched once however many came for it.
 *
 * The records of a session that wait are a list: `head` and `tail` of the
 * session, `next` of each, in the order of `seq`.
 */
#ifndef LB_STORE_QUEUE_DB_H
#define LB_STORE_QUEUE_DB_H

#include "store/db.h"
#include "store/owner.h"
#include "store/queue.h"

/* A session that a transaction changed; set right at the commit. */
struct dirty {
	int64_t session, owner;
	int64_t in_hand;    /* how many were */
	int64_t held;       /* how many more are */
	int64_t head, tail; /* of those that wait; 0: none */
	int64_t was;        /* the head before */
};

struct lb_queue {
	struct lb_store *store;
	char *name, *wakes;
	int64_t id;           /* row; 0 while there is none */
	unsigned long opened; /* the store's, when id was read */
	bool relaxed;         /* the connection is at synchronous=NORMAL */
	struct lb_owners owners;
	int64_t joined; /* of them, the one that this transaction made */
	struct dirty *dirty;
	size_t n_dirty;
	uint32_t *slots; /* of a hash table: places in dirty, from 1 */
	size_t n_slots;
	struct known *known; /* NULL before the first put */
	int64_t known_version;
	unsigned long known_opened;
	/* What the transaction adds to the row of the queue. */
	struct {
		int64_t depth, put, done, died, retried, deaths, dropped, fresh;
	} more;
};

/*
 * The session's entry, read from its row when it is new; NULL: failed. Moves
 * with the next call.
 */
struct dirty *lb_queue_touch(struct lb_queue *q, int64_t session,
			     struct lb_error *err);

/* Write those entries, so that queries see them, and forget them. */
int lb_queue_settle(struct lb_queue *q, struct lb_error *err);
bool lb_queue_is_dirty(const struct lb_queue *q, int64_t session);

/*
 * queue-known.c: rows of the sessions that puts named, good as long as no other
 * connection writes. _check() at the begin of a transaction, _forget() when it
 * was taken back or sessions were deleted. 0: not known.
 */
void lb_queue_known_check(struct lb_queue *q);
int64_t lb_queue_known(const struct lb_queue *q, const char *name);
void lb_queue_known_add(struct lb_queue *q, const char *name, int64_t row);
void lb_queue_known_forget(struct lb_queue *q);
void lb_queue_known_close(struct lb_queue *q);

/* How many of the queue, whose row is known, are fresh; -1 failed. */
int64_t lb_queue_fresh(struct lb_queue *q, struct lb_error *err);

/*
 * Put what is fresh in line, some thousands of them: all have their turn in
 * the end. Returns how many, or -1.
 */
int lb_queue_sort(struct lb_queue *q, int64_t now_ms, struct lb_error *err);

/* Put a record in its place among those that wait. */
int lb_queue_link(struct lb_queue *q, struct dirty *d, int64_t seq,
		  struct lb_error *err);

/* Take the first of them out. */
int lb_queue_unlink(struct lb_queue *q, struct dirty *d, struct lb_error *err);

/* Take that one out, wherever it stands among them. */
int lb_queue_unlink_any(struct lb_queue *q, struct dirty *d, int64_t seq,
			struct lb_error *err);

/* The row of the queue is known, or 0 when there is none; -1 failed. */
int64_t lb_queue_row(struct lb_queue *q, struct lb_error *err);

/* A record that is in no list ends: out of line, and how is written down. */
int lb_queue_end_line(struct lb_queue *q, int64_t seq, enum lb_queue_end how,
		      int64_t now_ms, const char *outcome, size_t len,
		      struct lb_error *err);

#endif
