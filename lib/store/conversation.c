#include "store/conversation.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "store/db.h"

int64_t lb_conversation_find(struct lb_store *store, const char *session,
			     const char *pipeline, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT id FROM conversations WHERE session = ?"
			    " AND pipeline = ? AND in_use",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "ss", session, pipeline);
	r = lb_db_step(store, q, err);
	return r > 0 ? sqlite3_column_int64(q, 0) : r;
}

/*
 * Rows are not counted but drawn: the id of a conversation whose database was
 * deleted must not be another's in the new one. Below 2^53, for JSON readers.
 */
static int64_t draw_id(void)
{
	uint64_t bits = 0;

	while (bits == 0) {
		if (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
			bits = 0;
		bits &= (1ULL << 53) - 1;
	}
	return (int64_t)bits;
}

static int64_t make(struct lb_store *store, const char *session,
		    const char *bot, const char *pipeline, int64_t now_ms,
		    struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "INSERT INTO conversations"
			    "(id, session, bot, pipeline, created, updated)"
			    " VALUES(?1, ?2, ?3, ?4, max(?5, (SELECT"
			    /* their order is that of their beginning */
			    " ifnull(max(created), 0) + 1 FROM conversations"
			    " WHERE session = ?2 AND pipeline = ?4)), ?5)",
			    err);
	int64_t id = draw_id();

	if (!q)
		return -1;
	lb_db_bind(q, "isssi", id, session, bot, pipeline, now_ms);
	return lb_db_step(store, q, err) < 0 ? -1 : id;
}

int64_t lb_conversation_use(struct lb_store *store, const char *session,
			    const char *bot, const char *pipeline,
			    int64_t now_ms, struct lb_error *err)
{
	int64_t id = lb_conversation_find(store, session, pipeline, err);
	bool own;

	if (id != 0)
		return id;
	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	id = lb_conversation_find(store, session, pipeline, err);
	if (id == 0)
		id = make(store, session, bot, pipeline, now_ms, err);
	return lb_db_end(store, own, id < 0 ? -1 : 0, err) < 0 ? -1 : id;
}

int64_t lb_conversation_reset(struct lb_store *store, const char *session,
			      const char *pipeline, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "UPDATE conversations SET in_use = 0 WHERE session "
			    "= ?1"
			    " AND in_use AND (?2 IS NULL OR pipeline = ?2)",
			    err);

	if (!q)
		return -1;
	lb_db_bind(q, "ss", session, pipeline);
	if (lb_db_step(store, q, err) < 0)
		return -1;
	return sqlite3_changes(store->db);
}

/* A text of the row, borrowed until the next step. */
static const char *text_at(struct sqlite3_stmt *q, int column)
{
	return (const char *)sqlite3_column_text(q, column);
}

int lb_conversation_each(struct lb_store *store, const char *session,
			 int (*fn)(void *arg, const struct lb_conversation *c),
			 void *arg, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q = lb_db_query(
		store,
		"SELECT id, session, bot, pipeline, created, updated, turns,"
		" in_use FROM conversations WHERE ?1 IS NULL OR session = ?1"
		" ORDER BY updated DESC, created DESC, id",
		err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "s", session);
	while ((r = lb_db_step(store, q, err)) > 0) {
		const struct lb_conversation c = {
			.id = sqlite3_column_int64(q, 0),
			.session = text_at(q, 1),
			.bot = text_at(q, 2),
			.pipeline = text_at(q, 3),
			.created = sqlite3_column_int64(q, 4),
			.updated = sqlite3_column_int64(q, 5),
			.turns = sqlite3_column_int64(q, 6),
			.in_use = sqlite3_column_int(q, 7) != 0,
		};

		if (fn(arg, &c) != 0)
			return 0;
	}
	return r;
}

int64_t lb_conversation_expire(struct lb_store *store, int64_t before_ms,
			       struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *turns =
		lb_db_query(store,
			    "DELETE FROM turns WHERE conversation IN"
			    " (SELECT id FROM conversations WHERE updated < ?)",
			    err);
	lb_autoquery struct sqlite3_stmt *whole =
		turns ? lb_db_query(store,
				    "DELETE FROM conversations"
				    " WHERE updated < ?",
				    err)
		      : NULL;

	if (!whole)
		return -1;
	lb_db_bind(turns, "i", before_ms);
	lb_db_bind(whole, "i", before_ms);
	if (lb_db_step(store, turns, err) < 0 ||
	    lb_db_step(store, whole, err) < 0)
		return -1;
	return sqlite3_changes(store->db);
}
