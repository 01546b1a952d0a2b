/* Which conversation of a session goes on, and what it has. */
#include <sqlite3.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "store/conversation.h"
#include "store/db.h"

/* Run a query of one row with these numbers; 0: there is none. */
static int row_of(struct lb_store *store, struct sqlite3_stmt *q, int64_t id,
		  struct lb_error *err)
{
	if (!q)
		return -1;
	lb_db_bind(q, "i", id);
	return lb_db_step(store, q, err);
}

/* Was anything said in it? */
static int is_begun(struct lb_store *store, int64_t id, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT turns > 0 FROM conversations WHERE id = ?",
			    err);
	int r = row_of(store, q, id, err);

	return r > 0 ? sqlite3_column_int(q, 0) : r;
}

static int64_t begin_new(struct lb_store *store, const char *session,
			 const char *bot, const char *pipeline, int64_t now_ms,
			 struct lb_error *err)
{
	int64_t id = lb_conversation_find(store, session, pipeline, err);
	int begun;

	if (id < 0)
		return -1;
	begun = id > 0 ? is_begun(store, id, err) : 1;
	if (begun <= 0)
		return begun < 0 ? -1 : id;
	if (lb_conversation_reset(store, session, pipeline, err) < 0)
		return -1;
	return lb_conversation_use(store, session, bot, pipeline, now_ms, err);
}

int64_t lb_conversation_new(struct lb_store *store, const char *session,
			    const char *bot, const char *pipeline,
			    int64_t now_ms, struct lb_error *err)
{
	int64_t id;
	bool own;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	id = begin_new(store, session, bot, pipeline, now_ms, err);
	return lb_db_end(store, own, id < 0 ? -1 : 0, err) < 0 ? -1 : id;
}

int lb_conversation_end_idle(struct lb_store *store, const char *session,
			     const char *pipeline, int64_t before_ms,
			     struct lb_error *err)
{
	return lb_db_write(store,
			   "UPDATE conversations SET in_use = 0 WHERE session ="
			   " ? AND pipeline = ? AND in_use AND updated < ?",
			   err, "ssi", session, pipeline, before_ms);
}

int lb_conversation_switch(struct lb_store *store, int64_t id, int64_t now_ms,
			   struct lb_error *err)
{
	bool own;
	int r;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	r = lb_db_write(store,
			"UPDATE conversations SET in_use = 0 WHERE in_use AND"
			" (session, pipeline) = (SELECT session, pipeline FROM"
			" conversations WHERE id = ?)",
			err, "i", id);
	if (r == 0)
		r = lb_db_write(store,
				"UPDATE conversations SET in_use = 1,"
				" updated = max(updated, ?) WHERE id = ?",
				err, "ii", now_ms, id);
	return lb_db_end(store, own, r, err);
}

int lb_conversation_delete(struct lb_store *store, int64_t id,
			   struct lb_error *err)
{
	bool own;
	int r;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	r = lb_db_write(store, "DELETE FROM turns WHERE conversation = ?", err,
			"i", id);
	if (r == 0)
		r = lb_db_write(store, "DELETE FROM conversations WHERE id = ?",
				err, "i", id);
	return lb_db_end(store, own, r, err);
}

static int undo(struct lb_store *store, int64_t id, struct lb_error *err)
{
	if (lb_db_write(store,
			"DELETE FROM turns WHERE conversation = ?1 AND turn ="
			" (SELECT max(turn) FROM turns WHERE conversation = "
			"?1)",
			err, "i", id) < 0)
		return -1;
	if (sqlite3_changes(store->db) == 0)
		return 0;
	/* the number of a turn is the count: the next has its number */
	if (lb_db_write(store,
			"UPDATE conversations SET turns = (SELECT"
			" ifnull(max(turn), 0) FROM turns WHERE conversation ="
			" ?1) WHERE id = ?1",
			err, "i", id) < 0)
		return -1;
	return 1;
}

int lb_conversation_undo(struct lb_store *store, int64_t id,
			 struct lb_error *err)
{
	bool own;
	int r;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	r = undo(store, id, err);
	return lb_db_end(store, own, r < 0 ? -1 : 0, err) < 0 ? -1 : r;
}

int lb_conversation_model(struct lb_store *store, int64_t id, char **take,
			  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT model FROM conversations WHERE id = ?",
			    err);
	int r = row_of(store, q, id, err);
	const char *text =
		r > 0 ? (const char *)sqlite3_column_text(q, 0) : NULL;

	*take = text ? lb_strdup(text) : NULL;
	return r < 0 ? -1 : 0;
}

int lb_conversation_set_model(struct lb_store *store, int64_t id,
			      const char *model, struct lb_error *err)
{
	return lb_db_write(store,
			   "UPDATE conversations SET model = ? WHERE id = ?",
			   err, "si", model, id);
}

json_t *lb_conversation_skills(struct lb_store *store, int64_t id,
			       struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT skills FROM conversations WHERE id = ?",
			    err);
	json_t *names = json_array(), *one;
	json_auto_t *read = NULL;
	const char *text;
	size_t i;
	int r = row_of(store, q, id, err);

	if (r < 0) {
		json_decref(names);
		return NULL;
	}
	text = r > 0 ? (const char *)sqlite3_column_text(q, 0) : NULL;
	read = text ? json_loads(text, 0, NULL) : NULL;
	json_array_foreach(read, i, one)
	{
		if (json_is_string(one))
			json_array_append(names, one);
	}
	return names;
}

int lb_conversation_set_skills(struct lb_store *store, int64_t id,
			       const json_t *names, struct lb_error *err)
{
	lb_autobuf struct lb_buf text = {0};

	lb_buf_json(&text, names);
	return lb_db_write(store,
			   "UPDATE conversations SET skills = ? WHERE id = ?",
			   err, "si", lb_buf_str(&text), id);
}

int lb_conversation_usage(struct lb_store *store, int64_t id, int64_t *input,
			  int64_t *output, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store,
			    "SELECT ifnull(sum(input), 0), ifnull(sum(output), "
			    "0)"
			    " FROM turns WHERE conversation = ?",
			    err);
	int r = row_of(store, q, id, err);

	*input = r > 0 ? sqlite3_column_int64(q, 0) : 0;
	*output = r > 0 ? sqlite3_column_int64(q, 1) : 0;
	return r < 0 ? -1 : 0;
}
