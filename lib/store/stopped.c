#include "store/stopped.h"

#include <stddef.h>

#include "store/db.h"

int lb_stopped_find(struct lb_store *store, const char *bot,
		    struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q =
		lb_db_query(store, "SELECT 1 FROM stopped WHERE bot = ?", err);

	if (!q)
		return -1;
	lb_db_bind(q, "s", bot);
	return lb_db_step(store, q, err);
}

int lb_stopped_set(struct lb_store *store, const char *bot, const char *sender,
		   int64_t now_ms, struct lb_error *err)
{
	bool own;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	return lb_db_end(store, own,
			 lb_db_write(store,
				     "REPLACE INTO stopped(bot, sender, time)"
				     " VALUES(?, ?, ?)",
				     err, "ssi", bot, sender, now_ms),
			 err);
}

int lb_stopped_clear(struct lb_store *store, const char *bot,
		     struct lb_error *err)
{
	bool own;

	if (lb_db_begin(store, &own, err) < 0)
		return -1;
	return lb_db_end(store, own,
			 lb_db_write(store, "DELETE FROM stopped WHERE bot = ?",
				     err, "s", bot),
			 err);
}
