/* Into the queue, and out at the other end when it is too full. */
#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"
#include "store/queue-look.h"

/* The row of a session, made when missing; -1 failed. */
static int64_t read_session(struct lb_queue *q, const char *name,
			    struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT id FROM sessions WHERE queue = ? AND"
			    " name = ?",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "is", q->id, name);
	r = lb_db_step(q->store, query, err);
	if (r != 0)
		return r < 0 ? -1 : (int64_t)sqlite3_column_int64(query, 0);
	if (lb_db_write(q->store,
			"INSERT INTO sessions(queue, name) VALUES(?, ?)", err,
			"is", q->id, name) < 0)
		return -1;
	return sqlite3_last_insert_rowid(q->store->db);
}

static int64_t session_row(struct lb_queue *q, const char *name,
			   struct lb_error *err)
{
	int64_t row = lb_queue_known(q, name);

	if (row > 0)
		return row;
	row = read_session(q, name, err);
	if (row > 0)
		lb_queue_known_add(q, name, row);
	return row;
}

int lb_queue_put(struct lb_queue *q, const struct lb_queue_entry *e,
		 int64_t now_ms, struct lb_error *err)
{
	int64_t session = session_row(q, e->session, err);

	if (session < 0 ||
	    lb_db_write(q->store,
			"INSERT INTO records(queue, key, session, put,"
			" not_before, record) VALUES(?, ?, ?, ?, ?, ?)"
			" ON CONFLICT DO NOTHING",
			err, "isiiit", q->id, e->key, session, now_ms,
			e->not_before > now_ms ? e->not_before : now_ms,
			e->text, e->len) < 0)
		return -1;
	if (sqlite3_changes(q->store->db) == 0)
		return 0;
	q->more.depth++;
	q->more.put++;
	q->more.fresh++;
	return 1;
}

int64_t lb_queue_depth(struct lb_queue *q, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store, "SELECT depth FROM queues WHERE name = ?",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "s", q->name);
	r = lb_db_step(q->store, query, err);
	if (r < 0)
		return -1;
	return (r ? sqlite3_column_int64(query, 0) : 0) + q->more.depth;
}

/* Of those in line. */
static int oldest(struct lb_queue *q, int64_t *seq, char **text, size_t *len,
		  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT seq, record FROM line JOIN records USING"
			    "(seq) WHERE line.queue = ? AND held = 0"
			    " ORDER BY seq LIMIT 1",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", q->id);
	r = lb_db_step(q->store, query, err);
	if (r <= 0)
		return r;
	*seq = sqlite3_column_int64(query, 0);
	*text = lb_strndup((const char *)sqlite3_column_text(query, 1),
			   (size_t)sqlite3_column_bytes(query, 1));
	*len = (size_t)sqlite3_column_bytes(query, 1);
	return 1;
}

int lb_queue_oldest(struct lb_queue *q, int64_t now_ms, int64_t *seq,
		    char **text, size_t *len, struct lb_error *err)
{
	int got;

	while ((got = oldest(q, seq, text, len, err)) == 0) {
		got = lb_queue_sort(q, now_ms, err);
		if (got <= 0)
			break;
	}
	return got;
}

/* The oldest of all that wait is the first of its session. */
static int leave_list(struct lb_queue *q, int64_t seq, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store, "SELECT session FROM line WHERE seq = ?",
			    err);
	struct dirty *d;
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", seq);
	r = lb_db_step(q->store, query, err);
	if (r < 0)
		return -1;
	d = r ? lb_queue_touch(q, sqlite3_column_int64(query, 0), err) : NULL;
	if (r && !d)
		return -1;
	if (!d || d->head != seq)
		return lb_fail(err, LB_BUG, "it is not the first in line");
	return lb_queue_unlink(q, d, err);
}

int lb_queue_drop(struct lb_queue *q, int64_t seq, int64_t now_ms,
		  const char *outcome, size_t len, struct lb_error *err)
{
	q->more.dropped++;
	return leave_list(q, seq, err) < 0
		       ? -1
		       : lb_queue_end_line(q, seq, LB_QUEUE_DONE, now_ms,
					   outcome, len, err);
}
