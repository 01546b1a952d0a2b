/* Out of the queue: what may be taken, and taking it. */
#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"

enum { SESSIONS = 256 }; /* looked at in one go */
enum { SORTS = 16 };     /* so often at most what is fresh is put in line */

/* owner and alone of the sessions that are meant. */
static int64_t wanted_owner(int64_t owner, enum lb_queue_which which)
{
	return which == LB_QUEUE_OWN ? owner : 0;
}

/* Sessions that are ready, by `alone`, the one that waits longest first. */
static struct sqlite3_stmt *ready_sessions(struct lb_queue *q, int64_t owner,
					   int64_t alone, int64_t now_ms,
					   int64_t max, struct lb_error *err)
{
	struct sqlite3_stmt *query = lb_db_query(
		q->store,
		"SELECT id FROM sessions WHERE queue = ? AND owner = ?"
		" AND alone = ? AND ready_at <= ? AND ready_at IS NOT NULL"
		" ORDER BY ready_at LIMIT ?",
		err);

	if (query)
		lb_db_bind(query, "iiiii", q->id, owner, alone, now_ms, max);
	return query;
}

/* The rows of at most max such sessions. Returns how many, or -1. */
static int list_sessions(struct lb_queue *q, int64_t owner, int64_t alone,
			 int64_t now_ms, int max, int64_t *rows,
			 struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		ready_sessions(q, owner, alone, now_ms, max, err);
	int n = 0, r = 0;

	if (!query)
		return -1;
	while (n < max && (r = lb_db_step(q->store, query, err)) > 0)
		rows[n++] = sqlite3_column_int64(query, 0);
	return r < 0 ? -1 : n;
}

int lb_queue_ready(struct lb_queue *q, int64_t owner, enum lb_queue_which which,
		   int64_t now_ms, struct lb_error *err)
{
	int64_t row = lb_queue_row(q, err);
	int r = 0;

	if (row <= 0)
		return (int)row;
	if (which != LB_QUEUE_ALONE) {
		int64_t fresh = lb_queue_fresh(q, err);

		if (fresh != 0)
			return fresh < 0 ? -1 : 1;
		r = list_sessions(q, wanted_owner(owner, which), 0, now_ms, 1,
				  &row, err);
	}
	if (r == 0 && (which == LB_QUEUE_ALONE || which == LB_QUEUE_ANY))
		r = list_sessions(q, 0, 1, now_ms, 1, &row, err);
	return r;
}

static int first_after(struct lb_queue *q, int64_t owner, int64_t alone,
		       int64_t now_ms, int64_t *at, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query = lb_db_query(
		q->store,
		"SELECT ready_at FROM sessions WHERE queue = ? AND owner = ?"
		" AND alone = ? AND ready_at > ? AND ready_at IS NOT NULL"
		" ORDER BY ready_at LIMIT 1",
		err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "iiii", q->id, owner, alone, now_ms);
	r = lb_db_step(q->store, query, err);
	if (r > 0 && sqlite3_column_int64(query, 0) < *at)
		*at = sqlite3_column_int64(query, 0);
	return r;
}

int64_t lb_queue_next(struct lb_queue *q, int64_t owner, int64_t now_ms,
		      struct lb_error *err)
{
	int64_t at = INT64_MAX, row = lb_queue_row(q, err);

	if (row <= 0)
		return row < 0 ? -1 : at;
	if (first_after(q, 0, 0, now_ms, &at, err) < 0 ||
	    first_after(q, 0, 1, now_ms, &at, err) < 0 ||
	    (owner > 0 && first_after(q, owner, 0, now_ms, &at, err) < 0))
		return -1;
	return at;
}

struct take {
	struct lb_queue *q;
	int64_t owner, now_ms;
	int left; /* how many more */
	int each; /* at most in hand of one session */
	bool any; /* to be alone or not */
	lb_queue_fn *fn;
	void *arg;
	bool stop; /* fn said so */
};

/* The first record of the session that waits, as the query has it. */
static int take_one(struct take *t, struct dirty *d, struct sqlite3_stmt *row,
		    struct lb_error *err)
{
	const struct lb_queue_item item = {
		.seq = d->head,
		.session = d->session,
		.alone = sqlite3_column_int(row, 1),
		.tries = sqlite3_column_int(row, 2),
		.deaths = sqlite3_column_int(row, 3),
		.put = sqlite3_column_int64(row, 4),
		.text = (const char *)sqlite3_column_text(row, 5),
		.len = (size_t)sqlite3_column_bytes(row, 5),
	};

	d->owner = t->owner;
	d->held++;
	d->head = sqlite3_column_int64(row, 6);
	d->tail = d->head ? d->tail : 0;
	t->left--;
	t->stop = t->fn(t->arg, &item) != 0;
	return lb_db_write(t->q->store,
			   "UPDATE line SET held = 1 WHERE seq = ?", err, "i",
			   item.seq);
}

/* 1: the first of the session was taken, 0: it may not be, -1 failed. */
static int take_head(struct take *t, struct dirty *d, bool first,
		     struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *row =
		lb_db_query(t->q->store,
			    "SELECT line.not_before, alone, tries, deaths, "
			    "put, "
			    "record, next"
			    " FROM line JOIN records USING(seq) WHERE seq = ?",
			    err);
	bool alone;
	int r;

	if (!row)
		return -1;
	lb_db_bind(row, "i", d->head);
	r = lb_db_step(t->q->store, row, err);
	if (r == 0)
		return lb_fail(err, LB_DATA, "'%s' is damaged: no %lld in line",
			       t->q->store->path, (long long)d->head);
	if (r < 0)
		return -1;
	alone = sqlite3_column_int(row, 1) && !t->any;
	if (sqlite3_column_int64(row, 0) > t->now_ms || (alone && !first))
		return 0;
	return take_one(t, d, row, err) < 0 ? -1 : !alone;
}

/* As many of the session's as may be taken now. */
static int take_session(struct take *t, int64_t session, struct lb_error *err)
{
	struct dirty *d = lb_queue_touch(t->q, session, err);
	int r = d ? 1 : -1;

	for (bool first = true; r > 0 && d->head > 0 && t->left > 0 &&
				!t->stop && d->in_hand + d->held < t->each;
	     first = false)
		r = take_head(t, d, first, err);
	return r < 0 ? -1 : 0;
}

static int take_all(struct take *t, int64_t from, int64_t alone,
		    struct lb_error *err)
{
	int64_t rows[SESSIONS];
	int n = list_sessions(t->q, from, alone, t->now_ms,
			      t->left < SESSIONS ? t->left : SESSIONS, rows,
			      err);

	for (int i = 0; i < n && t->left > 0 && !t->stop; i++)
		if (take_session(t, rows[i], err) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

static int take_which(struct take *t, enum lb_queue_which which,
		      struct lb_error *err)
{
	int r = 0;

	if (which != LB_QUEUE_ALONE)
		r = take_all(t, wanted_owner(t->owner, which), 0, err);
	if (r == 0 && (which == LB_QUEUE_ALONE || t->any) && t->left > 0)
		r = take_all(t, 0, 1, err);
	return r;
}

int lb_queue_take(struct lb_queue *q, int64_t owner, enum lb_queue_which which,
		  struct lb_queue_room room, int64_t now_ms, lb_queue_fn *fn,
		  void *arg, struct lb_error *err)
{
	struct take t = {q,         owner,
			 now_ms,    which == LB_QUEUE_ALONE ? 1 : room.all,
			 room.each, which == LB_QUEUE_ANY,
			 fn,        arg,
			 false};
	int want = t.left, r = 1;

	for (int i = 0; i < SORTS && r > 0 && t.left == want; i++) {
		r = lb_queue_sort(q, now_ms, err);
		if (r >= 0 && take_which(&t, which, err) < 0)
			r = -1;
	}
	return r < 0 ? -1 : want - t.left;
}
