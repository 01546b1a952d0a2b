/* Who has records in hand, and whether he is still there. */
#include <sqlite3.h>
#include <unistd.h>

#include "store/queue-db.h"

int64_t lb_queue_join(struct lb_queue *q, const char *token, int64_t until_ms,
		      int64_t now_ms, struct lb_error *err)
{
	int64_t owner;

	if (lb_db_write(q->store,
			"INSERT INTO owners(queue, token, until, pid, since)"
			" VALUES(?, ?, ?, ?, ?)",
			err, "isiii", q->id, token, until_ms, (int64_t)getpid(),
			now_ms) < 0)
		return -1;
	owner = sqlite3_last_insert_rowid(q->store->db);
	if (token)
		return owner;
	if (lb_owners_lock(&q->owners, q->wakes, owner, err) < 0)
		return -1;
	q->joined = owner;
	return owner;
}

int64_t lb_queue_owner(struct lb_queue *q, const char *token, int64_t now_ms,
		       struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT id FROM owners WHERE token = ? AND queue = "
			    "? AND until > ?",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "sii", token, q->id, now_ms);
	r = lb_db_step(q->store, query, err);
	return r > 0 ? (int64_t)sqlite3_column_int64(query, 0) : r;
}

/* The newest that is in hand of a session; 0: none; -1 failed. */
static int64_t newest_held(struct lb_queue *q, int64_t session,
			   struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT seq FROM line WHERE session = ? AND held = "
			    "1"
			    " ORDER BY seq DESC LIMIT 1",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", session);
	r = lb_db_step(q->store, query, err);
	return r > 0 ? (int64_t)sqlite3_column_int64(query, 0) : r;
}

/* What the owner holds of one session waits again; the newest goes first, so
 * that each finds its place at the head. */
static int release_session(struct lb_queue *q, int64_t session, bool died,
			   struct lb_error *err)
{
	struct dirty *d = lb_queue_touch(q, session, err);
	int64_t seq;

	if (!d)
		return -1;
	while ((seq = newest_held(q, session, err)) > 0) {
		if (lb_db_write(q->store,
				"UPDATE line SET held = 0, deaths = deaths +"
				" (?1 AND alone), alone = alone OR ?1"
				" WHERE seq = ?2",
				err, "ii", (int64_t)died, seq) < 0 ||
		    lb_queue_link(q, d, seq, err) < 0)
			return -1;
		d->held--;
	}
	return seq < 0 ? -1 : 0;
}

/* Sessions whose lease begins in this transaction are in no index yet. */
static int release_dirty(struct lb_queue *q, int64_t owner, bool died,
			 struct lb_error *err)
{
	for (size_t i = 0; i < q->n_dirty; i++)
		if (q->dirty[i].owner == owner &&
		    release_session(q, q->dirty[i].session, died, err) < 0)
			return -1;
	return 0;
}

int lb_queue_leave(struct lb_queue *q, int64_t owner, bool died,
		   struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store, "SELECT id FROM sessions WHERE owner = ?",
			    err);
	int r;

	if (!query || release_dirty(q, owner, died, err) < 0)
		return -1;
	lb_db_bind(query, "i", owner);
	while ((r = lb_db_step(q->store, query, err)) > 0) {
		int64_t session = sqlite3_column_int64(query, 0);

		if (!lb_queue_is_dirty(q, session) &&
		    release_session(q, session, died, err) < 0)
			return -1;
	}
	q->more.deaths += died;
	if (r < 0 || lb_db_write(q->store, "DELETE FROM owners WHERE id = ?",
				 err, "i", owner) < 0)
		return -1;
	lb_owners_unlock(&q->owners, owner);
	return 0;
}

enum { GONE = 64 }; /* owners in one go */

/* Owners that are gone; returns how many of them, at most GONE, or -1. */
static int list_gone(struct lb_queue *q, int64_t now_ms, int64_t *gone,
		     struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT id, token IS NULL, until FROM owners"
			    " WHERE queue = ?",
			    err);
	int n = 0, r = 0;

	if (!query)
		return -1;
	lb_db_bind(query, "i", q->id);
	while (n < GONE && (r = lb_db_step(q->store, query, err)) > 0) {
		int64_t owner = sqlite3_column_int64(query, 0);

		if (sqlite3_column_int(query, 1)
			    ? !lb_owners_has(&q->owners, owner)
			    : sqlite3_column_int64(query, 2) <= now_ms)
			gone[n++] = owner;
	}
	return r < 0 ? -1 : n;
}

int lb_queue_reap(struct lb_queue *q, int64_t now_ms, struct lb_error *err)
{
	int64_t gone[GONE], row = lb_queue_row(q, err);
	int n;

	if (row <= 0 || lb_owners_open(&q->owners, q->wakes, err) < 0)
		return row == 0 ? 0 : -1;
	n = list_gone(q, now_ms, gone, err);
	if (n <= 0)
		return n;
	if (lb_queue_begin(q, false, err) < 0)
		return -1;
	/* Another may have been faster: look again, now that it is ours. */
	n = list_gone(q, now_ms, gone, err);
	for (int i = 0; i < n; i++)
		if (lb_queue_leave(q, gone[i], false, err) < 0)
			n = -1;
	if (n < 0) {
		lb_queue_rollback(q);
		return -1;
	}
	return lb_queue_commit(q, err) < 0 ? -1 : n;
}

int lb_queue_finish_all(struct lb_queue *q, int64_t owner, int64_t now_ms,
			struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT seq FROM sessions JOIN line ON session = "
			    "sessions.id"
			    " WHERE owner = ? AND line.held = 1 LIMIT 1",
			    err);
	int n = 0, r;

	if (!query)
		return -1;
	for (;; n++) {
		int64_t seq;

		lb_db_bind(query, "i", owner);
		r = lb_db_step(q->store, query, err);
		if (r <= 0)
			return r < 0 ? -1 : n;
		seq = sqlite3_column_int64(query, 0);
		sqlite3_reset(query);
		if (lb_queue_finish(q, owner, seq, LB_QUEUE_DONE, now_ms, NULL,
				    0, err) <= 0)
			return -1;
	}
}
