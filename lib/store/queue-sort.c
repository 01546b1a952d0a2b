/* What came since the last look goes into its line. */
#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"

enum { SORTED_MAX = 4096 }; /* in one go: others wait to write meanwhile */

/* Longer than two clocks differ, and than a record may be put off. */
enum { AHEAD_MS = 1000, DAY_MS = 86400000 };

struct fresh {
	int64_t seq, session, put, not_before;
};

/* How many are fresh, and behind which they are; -1 failed. */
static int64_t look(struct lb_queue *q, int64_t *sorted, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT fresh, sorted FROM queues WHERE id = ?",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", q->id);
	r = lb_db_step(q->store, query, err);
	if (r <= 0)
		return r;
	*sorted = sqlite3_column_int64(query, 1);
	return sqlite3_column_int64(query, 0);
}

int64_t lb_queue_fresh(struct lb_queue *q, struct lb_error *err)
{
	int64_t sorted;

	return look(q, &sorted, err);
}

/* The first of them; returns how many, or -1. */
static int list(struct lb_queue *q, int64_t sorted, struct fresh *rows,
		struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT seq, session, put, not_before FROM records"
			    " WHERE seq > ? AND queue = ? ORDER BY seq LIMIT ?",
			    err);
	int n = 0, r = 0;

	if (!query)
		return -1;
	lb_db_bind(query, "iii", sorted, q->id, (int64_t)SORTED_MAX);
	while (n < SORTED_MAX && (r = lb_db_step(q->store, query, err)) > 0)
		rows[n++] = (struct fresh){
			sqlite3_column_int64(query, 0),
			sqlite3_column_int64(query, 1),
			sqlite3_column_int64(query, 2),
			sqlite3_column_int64(query, 3),
		};
	return r < 0 ? -1 : n;
}

/* The clock went back since: it waits as long as it was to. */
static int mend(struct lb_queue *q, struct fresh *row, int64_t now_ms,
		struct lb_error *err)
{
	int64_t wait = row->not_before - row->put;

	row->not_before = now_ms + (wait < DAY_MS ? wait : DAY_MS);
	return lb_db_write(q->store, "UPDATE records SET put = ? WHERE seq = ?",
			   err, "ii", now_ms, row->seq);
}

static int enqueue(struct lb_queue *q, struct fresh *row, int64_t now_ms,
		   struct lb_error *err)
{
	struct dirty *d = lb_queue_touch(q, row->session, err);

	if (!d ||
	    (row->put > now_ms + AHEAD_MS && mend(q, row, now_ms, err) < 0))
		return -1;
	if (lb_db_write(q->store,
			"INSERT INTO line(seq, queue, session, not_before)"
			" VALUES(?, ?, ?, ?)",
			err, "iiii", row->seq, q->id, row->session,
			row->not_before) < 0)
		return -1;
	/* a new row's next is 0 already */
	if (d->tail > 0 &&
	    lb_db_write(q->store, "UPDATE line SET next = ? WHERE seq = ?", err,
			"ii", row->seq, d->tail) < 0)
		return -1;
	d->head = d->head ? d->head : row->seq;
	d->tail = row->seq;
	return 0;
}

/* All up to `last` are in line; 0: all there are. */
static int note_sorted(struct lb_queue *q, int64_t last, struct lb_error *err)
{
	return lb_db_write(q->store,
			   "UPDATE queues SET sorted = iif(?1, ?1, (SELECT"
			   " ifnull(max(seq), 0) FROM records)) WHERE id = ?2",
			   err, "ii", last, q->id);
}

int lb_queue_sort(struct lb_queue *q, int64_t now_ms, struct lb_error *err)
{
	lb_autofree struct fresh *rows = NULL;
	int64_t sorted = 0, left = look(q, &sorted, err);
	int n;

	left += left < 0 ? 0 : q->more.fresh;
	if (left <= 0)
		return left < 0 ? -1 : 0;
	rows = lb_alloc(SORTED_MAX * sizeof(*rows));
	n = list(q, sorted, rows, err);
	for (int i = 0; i < n; i++)
		if (enqueue(q, &rows[i], now_ms, err) < 0)
			return -1;
	if (n < 0 || lb_queue_settle(q, err) < 0 ||
	    note_sorted(q, n == SORTED_MAX ? rows[n - 1].seq : 0, err) < 0)
		return -1;
	q->more.fresh -= n;
	return n;
}
