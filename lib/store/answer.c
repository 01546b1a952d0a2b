#include "store/answer.h"

#include <sqlite3.h>

#include "base/mem.h"
#include "store/db.h"

/* 1: *take is the reply, 0: there is none yet. */
static int find_reply(struct lb_store *store, const char *session,
		      const char *id, char **take, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT reply FROM answers WHERE session = ? AND "
			    "id = ?"
			    " AND reply IS NOT NULL",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "ss", session, id);
	r = lb_db_step(store, q, err);
	if (r > 0)
		*take = lb_strndup((const char *)sqlite3_column_text(q, 0),
				   (size_t)sqlite3_column_bytes(q, 0));
	return r;
}

static int note_attempt(struct lb_store *store, const char *session,
			const char *id, int64_t now_ms, int *attempt,
			struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "INSERT INTO answers(session, id, time, attempts)"
			    " VALUES(?, ?, ?, 1)"
			    " ON CONFLICT(session, id) DO UPDATE"
			    " SET attempts = attempts + 1, time = excluded.time"
			    " RETURNING attempts",
			    err);

	if (!q)
		return -1;
	lb_db_bind(q, "ssi", session, id, now_ms);
	if (lb_db_step(store, q, err) < 0)
		return -1;
	*attempt = sqlite3_column_int(q, 0);
	return 0;
}

int lb_answer_begin(struct lb_store *store, const char *session, const char *id,
		    int64_t now_ms, char **take, int *attempt,
		    struct lb_error *err)
{
	bool own;
	int r;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	r = find_reply(store, session, id, take, err);
	if (r > 0)
		return lb_db_end(store, own, 0, err) < 0 ? -1 : 1;
	if (r == 0)
		r = note_attempt(store, session, id, now_ms, attempt, err);
	return lb_db_end(store, own, r, err);
}

int lb_answer_save(struct lb_store *store, const char *session, const char *id,
		   int64_t now_ms, const char *reply, size_t len,
		   struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q = NULL;
	bool own;
	int r;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	q = lb_db_query(store,
			"INSERT INTO answers(session, id, time, reply,"
			" attempts) VALUES(?, ?, ?, ?, 1)"
			" ON CONFLICT(session, id) DO UPDATE"
			" SET time = excluded.time, reply = excluded.reply",
			err);
	if (!q)
		return lb_db_end(store, own, -1, err);
	lb_db_bind(q, "ssit", session, id, now_ms, reply, len);
	r = lb_db_step(store, q, err);
	lb_db_reset(&q);
	return lb_db_end(store, own, r, err);
}

int64_t lb_answer_expire(struct lb_store *store, int64_t before_ms,
			 struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store, "DELETE FROM answers WHERE time < ?", err);

	if (!q)
		return -1;
	lb_db_bind(q, "i", before_ms);
	if (lb_db_step(store, q, err) < 0)
		return -1;
	return sqlite3_changes(store->db);
}
