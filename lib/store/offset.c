#include "store/offset.h"

#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"

int lb_offset_get(struct lb_queue *q, const char *bot, const char *source,
		  char **value, int64_t *time_ms, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT value, time FROM offsets WHERE bot = ? AND "
			    "source = ?",
			    err);
	const char *text;
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "ss", bot, source);
	r = lb_db_step(q->store, query, err);
	if (r <= 0)
		return r;
	text = (const char *)sqlite3_column_text(query, 0);
	*value = lb_strdup(text ? text : "");
	*time_ms = sqlite3_column_int64(query, 1);
	return 1;
}

int lb_offset_set(struct lb_queue *q, const char *bot, const char *source,
		  const char *value, int64_t now_ms, struct lb_error *err)
{
	bool own;
	int r;

	if (lb_db_begin(q->store, &own, err) < 0)
		return -1;
	r = lb_db_write(q->store,
			"INSERT INTO offsets(bot, source, value, time)"
			" VALUES(?, ?, ?, ?)"
			" ON CONFLICT(bot, source) DO UPDATE SET"
			" value = excluded.value, time = excluded.time",
			err, "sssi", bot, source, value, now_ms);
	return lb_db_end(q->store, own, r, err);
}
