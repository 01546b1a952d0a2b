/* Into the queue, and out at the other end when it is too full. */
#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"
#include "store/queue-look.h"

/*
 * The session's row, made when missing; *idle: it has nothing that waits.
 * -1 failed.
 */
static int64_t session_row(struct lb_queue *q, const char *name, bool *idle,
			   struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT id, ready_at IS NULL, owner FROM sessions"
			    " WHERE queue = ? AND name = ?",
			    err);
	int64_t id;
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "is", q->id, name);
	r = lb_db_step(q->store, query, err);
	if (r < 0)
		return -1;
	*idle = r == 0 || sqlite3_column_int(query, 1);
	if (r > 0) {
		id = sqlite3_column_int64(query, 0);
		if (*idle && !lb_queue_is_dirty(q, id))
			lb_queue_touch(q, id)->owner =
				sqlite3_column_int64(query, 2);
		return id;
	}
	if (lb_queue_run(q, "INSERT INTO sessions(queue, name) VALUES(?, ?)",
			 err, "is", q->id, name) < 0)
		return -1;
	id = sqlite3_last_insert_rowid(q->store->db);
	lb_queue_touch(q, id);
	return id;
}

int lb_queue_put(struct lb_queue *q, const struct lb_queue_entry *e,
		 int64_t now_ms, struct lb_error *err)
{
	int64_t session, seq;
	bool idle;

	session = session_row(q, e->session, &idle, err);
	if (session < 0 ||
	    lb_queue_run(q,
			 "INSERT INTO records(queue, key, session, put, record)"
			 " VALUES(?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			 err, "isiit", q->id, e->key, session, now_ms, e->text,
			 e->len) < 0)
		return -1;
	if (sqlite3_changes(q->store->db) == 0)
		return 0;
	seq = sqlite3_last_insert_rowid(q->store->db);
	if (lb_queue_run(q,
			 "INSERT INTO line(seq, queue, session, not_before)"
			 " VALUES(?, ?, ?, ?)",
			 err, "iiii", seq, q->id, session,
			 e->not_before > now_ms ? e->not_before : now_ms) < 0)
		return -1;
	q->more.depth++;
	q->more.put++;
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

int lb_queue_oldest(struct lb_queue *q, int64_t *seq, char **text, size_t *len,
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

/* Leave the line: 1 and the session touched, 0 it was not in it. */
static int leave_line(struct lb_queue *q, int64_t seq, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "DELETE FROM line WHERE seq = ? AND held = 0 "
			    "RETURNING session,"
			    " (SELECT owner FROM sessions WHERE id = session)",
			    err);
	struct dirty *d;
	int64_t session;
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", seq);
	r = lb_db_step(q->store, query, err);
	if (r <= 0)
		return r;
	session = sqlite3_column_int64(query, 0);
	if (!lb_queue_is_dirty(q, session)) {
		d = lb_queue_touch(q, session);
		d->owner = sqlite3_column_int64(query, 1);
	}
	return lb_db_step(q->store, query, err) < 0 ? -1 : 1;
}

int lb_queue_drop(struct lb_queue *q, int64_t seq, int64_t now_ms,
		  const char *outcome, size_t len, struct lb_error *err)
{
	int r = leave_line(q, seq, err);

	if (r <= 0)
		return r < 0 ? -1 : lb_fail(err, LB_BUG, "it is not in line");
	q->more.dropped++;
	return lb_queue_write_end(q, seq, LB_QUEUE_DONE, now_ms, outcome, len,
				  err);
}
