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

static int insert(struct lb_store *store, int64_t id,
		  const struct lb_turn *turn, const char *messages,
		  struct lb_error *err)
{
	int64_t number = count_turn(store, id, turn->time, err);

	if (number < 0)
		return -1;
	return lb_db_write(store,
			   "INSERT INTO turns(conversation, turn, of, sender,"
			   " time, complete, input, output, messages)"
			   " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
			   err, "iissiiiis", id, number, turn->of,
			   turn->sender ? turn->sender : "", turn->time,
			   (int64_t)turn->complete, turn->input, turn->output,
			   messages);
}

int lb_conversation_append(struct lb_store *store, int64_t id,
			   const struct lb_turn *turn, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	bool own;

	if (json_is_array(turn->messages))
		text = json_dumps(turn->messages, JSON_COMPACT);
	if (!text)
		return lb_fail(err, LB_DATA,
			       "the messages of a turn are no array of JSON");
	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	return lb_db_end(store, own, insert(store, id, turn, text, err), err);
}

/*
 * About how many tokens a text is: four letters of a Latin script each, one
 * character of any other. It errs on the side of too many.
 */
static int64_t tokens_in(const char *text, int64_t len)
{
	int64_t latin = 0, other = 0;

	for (int64_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		latin += c < 0x80;
		other += c >= 0xc0; /* the first byte of a character */
	}
	return latin / 4 + other + 1;
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

/* What the row holds for a model, new; NULL: nothing. */
static json_t *turn_at(struct sqlite3_stmt *q, int64_t id)
{
	int64_t turn = sqlite3_column_int64(q, 0);
	json_t *messages = messages_at(q, 1);
	struct lb_buf told = {0};

	if (!messages) {
		lb_warn("turn %lld of conversation %lld is damaged and left "
			"out",
			(long long)turn, (long long)id);
		return NULL;
	}
	if (lb_heal_turn(messages, &told) > 0)
		lb_warn("turn %lld of conversation %lld is mended: %s",
			(long long)turn, (long long)id, lb_buf_str(&told));
	lb_buf_release(&told);
	return messages;
}

json_t *lb_conversation_load(struct lb_store *store, int64_t id,
			     int64_t max_turns, int64_t max_tokens,
			     struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT turn, messages FROM turns WHERE "
			    "conversation = ?"
			    " ORDER BY turn DESC LIMIT ?",
			    err);
	json_auto_t *turns = json_array(); /* newest first */
	json_t *all;
	int64_t bytes = 0, tokens = 0;
	int r;

	if (!q)
		return NULL;
	lb_db_bind(q, "ii", id, max_turns);
	while ((r = lb_db_step(store, q, err)) > 0) {
		const char *text = (const char *)sqlite3_column_text(q, 1);
		int64_t len = sqlite3_column_bytes(q, 1);
		json_t *messages;

		bytes += len;
		tokens += tokens_in(text, len);
		if (bytes > LOAD_MAX ||
		    (max_tokens >= 0 && tokens > max_tokens))
			break;
		messages = turn_at(q, id);
		if (messages)
			json_array_append_new(turns, messages);
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
