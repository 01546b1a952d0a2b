/* The clock was put back: what came before that may be far in the future. */
#include "store/queue-clock.h"

#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"

/*
 * Clocks of two processors differ a little; no record waits longer than a day,
 * and none that is tried again longer than ten minutes.
 */
#define FUTURE                                                                 \
	"(put > ?2 + 1000 OR line.not_before > ?2 + 86400000 OR"               \
	" (tries > 0 AND line.not_before > ?2 + 600000))"

enum { SESSIONS = 256 }; /* set right in one go */

/* Sessions that seem to wait, and whose first record is of the future. */
static int list(struct lb_queue *q, int64_t owner, int64_t now_ms,
		int64_t *rows, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT sessions.id FROM sessions"
			    " JOIN line ON line.seq = head"
			    " JOIN records ON records.seq = head"
			    " WHERE sessions.queue = ?1 AND owner = ?3 AND"
			    " sessions.alone IN (0, 1) AND ready_at > ?2 AND"
			    " ready_at IS NOT NULL AND " FUTURE " LIMIT ?4",
			    err);
	int n = 0, r = 0;

	if (!query)
		return -1;
	lb_db_bind(query, "iiii", q->id, now_ms, owner, (int64_t)SESSIONS);
	while (n < SESSIONS && (r = lb_db_step(q->store, query, err)) > 0)
		rows[n++] = sqlite3_column_int64(query, 0);
	return r < 0 ? -1 : n;
}

/* As if its records were put now; what was to wait waits as long. */
static int mend(struct lb_queue *q, int64_t session, int64_t now_ms,
		struct lb_error *err)
{
	if (lb_db_write(
		    q->store,
		    "WITH RECURSIVE waits(at) AS (SELECT head FROM sessions"
		    " WHERE id = ?1 UNION ALL SELECT next FROM waits JOIN line"
		    " ON seq = at WHERE next > 0)"
		    " UPDATE line SET not_before = ?2 + iif(tries = 0 AND put >"
		    " ?2, min(max(line.not_before - put, 0), 86400000), 0)"
		    " FROM waits, records WHERE line.seq = at AND records.seq ="
		    " at AND " FUTURE,
		    err, "ii", session, now_ms) < 0 ||
	    lb_db_write(
		    q->store,
		    "WITH RECURSIVE waits(at) AS (SELECT head FROM sessions"
		    " WHERE id = ?1 UNION ALL SELECT next FROM waits JOIN line"
		    " ON seq = at WHERE next > 0)"
		    " UPDATE records SET put = ?2 FROM waits WHERE seq = at AND"
		    " put > ?2",
		    err, "ii", session, now_ms) < 0)
		return -1;
	return lb_db_write(q->store,
			   "UPDATE sessions SET ready_at = (SELECT not_before"
			   " FROM line WHERE seq = head) WHERE id = ?",
			   err, "i", session);
}

/* Leases of a time to come end as late after now as they were to. */
static int leases(struct lb_queue *q, int64_t now_ms, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT 1 FROM owners WHERE queue = ? AND"
			    " token IS NOT NULL AND since > ? + 1000",
			    err);

	if (!query)
		return -1;
	lb_db_bind(query, "ii", q->id, now_ms);
	return lb_db_step(q->store, query, err);
}

/* Records of the future that are in no line yet. */
static int fresh(struct lb_queue *q, int64_t now_ms, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT count(*) FROM records WHERE queue = ?1 AND"
			    " seq > (SELECT sorted FROM queues WHERE id = ?1)"
			    " AND put > ?2 + 1000",
			    err);

	if (!query)
		return -1;
	lb_db_bind(query, "ii", q->id, now_ms);
	return lb_db_step(q->store, query, err) < 0
		       ? -1
		       : sqlite3_column_int(query, 0);
}

static int mend_all(struct lb_queue *q, int64_t owner, int64_t now_ms,
		    struct lb_error *err)
{
	int64_t rows[SESSIONS];
	int all = fresh(q, now_ms, err), n = all > 0;

	while (n > 0) /* that mends them */
		n = lb_queue_sort(q, now_ms, err);
	if (n < 0 || all < 0 ||
	    lb_db_write(q->store,
			"UPDATE owners SET until = ?2 + (until - since), since"
			" = ?2 WHERE queue = ?1 AND token IS NOT NULL AND"
			" since > ?2 + 1000",
			err, "ii", q->id, now_ms) < 0)
		return -1;
	while ((n = list(q, owner, now_ms, rows, err)) > 0) {
		for (int i = 0; i < n; i++)
			if (mend(q, rows[i], now_ms, err) < 0)
				return -1;
		all += n;
	}
	return n < 0 ? -1 : all;
}

int lb_queue_clock(struct lb_queue *q, int64_t owner, int64_t now_ms,
		   struct lb_error *err)
{
	int64_t rows[SESSIONS], row = lb_queue_row(q, err);
	int n = row > 0 ? list(q, owner, now_ms, rows, err) : (int)row;

	if (n == 0 && row > 0)
		n = leases(q, now_ms, err);
	if (n == 0 && row > 0)
		n = fresh(q, now_ms, err);
	if (n <= 0)
		return n;
	if (lb_queue_begin(q, true, err) < 0)
		return -1;
	n = mend_all(q, owner, now_ms, err);
	if (n >= 0)
		return lb_queue_commit(q, err) < 0 ? -1 : n;
	lb_queue_rollback(q);
	return -1;
}
