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
 * The records of a session that wait are a list: `head` and `tail` of the
 * session, `next` of each, in the order of `seq`. An index would do, too, but
 * each put would write to another page of it.
 */
#ifndef LB_STORE_QUEUE_DB_H
#define LB_STORE_QUEUE_DB_H

#include "store/db.h"
#include "store/owner.h"
#include "store/queue.h"

/* A session that a transaction changed; set right at the commit. */
struct dirty {
	int64_t session, owner;
	int64_t held;       /* how many more are in hand */
	int64_t head, tail; /* of those that wait; 0: none */
	int64_t was;        /* the head before */
	uint32_t known;     /* place in the table of those known, from 1 */
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
		int64_t depth, put, done, died, retried, deaths, dropped;
	} more;
};

/*
 * The session's entry, read from its row when it is new; NULL: failed. Moves
 * with the next call.
 */
struct dirty *lb_queue_touch(struct lb_queue *q, int64_t session,
			     struct lb_error *err);

/* An entry for a row that is known. */
struct dirty *lb_queue_touch_as(struct lb_queue *q, const struct dirty *row);
bool lb_queue_is_dirty(const struct lb_queue *q, int64_t session);

/*
 * queue-known.c: rows of sessions that puts have read, good as long as no
 * other connection writes. _check() at the begin of a transaction, _commit()
 * at its end, _forget() when it was taken back.
 */
void lb_queue_known_check(struct lb_queue *q);
const struct dirty *lb_queue_known(struct lb_queue *q, const char *name);
void lb_queue_known_add(struct lb_queue *q, const char *name,
			struct dirty *row);
void lb_queue_known_commit(struct lb_queue *q);
void lb_queue_known_forget(struct lb_queue *q);
void lb_queue_known_close(struct lb_queue *q);

/* Put a record in its place among those that wait. */
int lb_queue_link(struct lb_queue *q, struct dirty *d, int64_t seq,
		  struct lb_error *err);

/* Take the first of them out. */
int lb_queue_unlink(struct lb_queue *q, struct dirty *d, struct lb_error *err);

/* The row of the queue is known, or 0 when there is none; -1 failed. */
int64_t lb_queue_row(struct lb_queue *q, struct lb_error *err);

/* Write how a record ended. */
int lb_queue_write_end(struct lb_queue *q, int64_t seq, enum lb_queue_end how,
		       int64_t now_ms, const char *outcome, size_t len,
		       struct lb_error *err);

#endif
