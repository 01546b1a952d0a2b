/* The turns of a conversation: append, load, walk. */
#include <sqlite3.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/conversation.h"
#include "store/db.h"
#include "store/heal.h"

/* Bytes of history that one load reads; older turns are left out. */
enum { LOAD_MAX = 64 << 20 };

/* Count the turn; returns its number, or -1. */
static int64_t count_turn(struct lb_store *store, int64_t id, int64_t now_ms,
			  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "UPDATE conversations SET turns = turns + 1,"
			    " updated = max(updated, ?) WHERE id = ? RETURNING "
			    "turns",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "ii", now_ms, id);
	r = lb_db_step(store, q, err);
	if (r == 0)
		return lb_fail(err, LB_NOINPUT,
			       "there is no conversation %lld in '%s'",
			       (long long)id, store->path);
	return r < 0 ? -1 : sqlite3_column_int64(q, 0);
}

static int insert(struct lb_store *store, int64_t id, const char *of,
		  const char *messages, bool complete, int64_t now_ms,
		  struct lb_error *err)
{
	int64_t turn = count_turn(store, id, now_ms, err);
	lb_autoquery struct sqlite3_stmt *q = NULL;

	if (turn < 0)
		return -1;
	q = lb_db_query(store,
			"INSERT INTO turns(conversation, turn, of, time,"
			" complete, messages) VALUES(?, ?, ?, ?, ?, ?)",
			err);
	if (!q)
		return -1;
	lb_db_bind(q, "iisiis", id, turn, of, now_ms, (int64_t)complete,
		   messages);
	return lb_db_step(store, q, err);
}

int lb_conversation_append(struct lb_store *store, int64_t id, const char *of,
			   const json_t *messages, bool complete,
			   int64_t now_ms, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	bool own;

	if (json_is_array(messages))
		text = json_dumps(messages, JSON_COMPACT);
	if (!text)
		return lb_fail(err, LB_DATA,
			       "the messages of a turn are no array of JSON");
	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	return lb_db_end(store, own,
			 insert(store, id, of, text, complete, now_ms, err),
			 err);
}

/* The messages of the row, new; NULL when they cannot be read. */
static json_t *messages_at(struct sqlite3_stmt *q, int column)
{
	json_t *messages =
		lb_heal_load(sqlite3_column_blob(q, column),
			     (size_t)sqlite3_column_bytes(q, column));

	if (json_is_array(messages))
		return messages;
	json_decref(messages);
	return NULL;
}

json_t *lb_conversation_load(struct lb_store *store, int64_t id,
			     int64_t max_turns, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT turn, messages FROM turns WHERE "
			    "conversation = ?"
			    " ORDER BY turn DESC LIMIT ?",
			    err);
	json_auto_t *turns = json_array(); /* newest first */
	json_t *all;
	int64_t bytes = 0;
	int r;

	if (!q)
		return NULL;
	lb_db_bind(q, "ii", id, max_turns);
	while ((r = lb_db_step(store, q, err)) > 0) {
		json_t *messages = NULL;

		bytes += sqlite3_column_bytes(q, 1);
		if (bytes > LOAD_MAX)
			break;
		messages = messages_at(q, 1);
		if (messages)
			json_array_append_new(turns, messages);
		else
			lb_warn("turn %lld of conversation %lld is damaged and "
				"left out",
				(long long)sqlite3_column_int64(q, 0),
				(long long)id);
	}
	if (r < 0)
		return NULL;
	all = json_array();
	for (size_t i = json_array_size(turns); i > 0; i--)
		json_array_extend(all, json_array_get(turns, i - 1));
	return all;
}

int lb_conversation_turns(struct lb_store *store, int64_t id,
			  int (*fn)(void *arg, const json_t *turn), void *arg,
			  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT turn, of, time, complete, messages FROM "
			    "turns"
			    " WHERE conversation = ? ORDER BY turn",
			    err);
	int r;

	if (!q)
		return -1;
	lb_db_bind(q, "i", id);
	while ((r = lb_db_step(store, q, err)) > 0) {
		json_t *messages = messages_at(q, 4);
		json_auto_t *turn = lb_json_pack(
			"{s:I, s:o, s:I, s:b, s:o}", "turn",
			(json_int_t)sqlite3_column_int64(q, 0), "of",
			lb_json_text((const char *)sqlite3_column_text(q, 1),
				     (size_t)sqlite3_column_bytes(q, 1)),
			"time", (json_int_t)sqlite3_column_int64(q, 2),
			"complete", sqlite3_column_int(q, 3), "messages",
			messages ? messages : json_null());

		if (fn(arg, turn) != 0)
			return 0;
	}
	return r;
}
