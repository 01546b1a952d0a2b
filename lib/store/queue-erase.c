/* Records that go, wherever they stand. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "store/erase.h"
#include "store/queue-db.h"

struct row {
	int64_t seq, session;
	bool waits; /* else it has ended */
};

struct rows {
	struct row *at;
	size_t n;
};

#define THEIRS                                                                 \
	" FROM records r JOIN sessions s ON s.id = r.session"                  \
	" LEFT JOIN line l ON l.seq = r.seq WHERE r.queue = ?1"                \
	" AND (s.name = ?2 OR (json_valid(r.record) AND"                       \
	" (json_extract(r.record, '$.session') = ?2 OR (?3 IS NOT NULL"        \
	" AND json_extract(r.record, '$.bot') = ?3"                            \
	" AND json_extract(r.record, '$.sender_id') = ?4))))"

static int gather(struct lb_queue *q, const struct lb_whom *whom,
		  const struct lb_erase_user *user, struct rows *rows,
		  int64_t *held, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT r.seq, r.session, l.seq IS NOT NULL, "
			    "ifnull(l.held, 0),"
			    " r.key, r.record" THEIRS " ORDER BY r.seq",
			    err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "isss", q->id, whom->session, whom->bot,
		   whom->sender);
	while ((r = lb_db_step(q->store, query, err)) > 0) {
		if (sqlite3_column_int(query, 3)) {
			++*held;
			continue;
		}
		/* doubled at each power of two */
		if ((rows->n & (rows->n - 1)) == 0)
			rows->at =
				lb_grow(rows->at, (rows->n ? 2 * rows->n : 1) *
							  sizeof(*rows->at));
		rows->at[rows->n++] = (struct row){
			sqlite3_column_int64(query, 0),
			sqlite3_column_int64(query, 1),
			sqlite3_column_int(query, 2) != 0,
		};
		if (user->id)
			user->id(user->arg,
				 (const char *)sqlite3_column_text(query, 4));
		if (user->text)
			user->text(user->arg,
				   (const char *)sqlite3_column_text(query, 5),
				   (size_t)sqlite3_column_bytes(query, 5));
	}
	return r;
}

/* Take a record that waits out of its line: it counts as ended by us. */
static int leave_line(struct lb_queue *q, const struct row *row,
		      struct lb_error *err)
{
	struct dirty *d = lb_queue_touch(q, row->session, err);

	if (!d || lb_queue_unlink_any(q, d, row->seq, err) < 0)
		return -1;
	q->more.depth--;
	q->more.done++;
	q->more.dropped++;
	return lb_db_write(q->store, "DELETE FROM line WHERE seq = ?", err, "i",
			   row->seq);
}

static int drop(struct lb_queue *q, const struct row *row, struct lb_error *err)
{
	if (row->waits && leave_line(q, row, err) < 0)
		return -1;
	if (lb_db_write(q->store, "DELETE FROM ends WHERE seq = ?", err, "i",
			row->seq) < 0)
		return -1;
	return lb_db_write(q->store, "DELETE FROM records WHERE seq = ?", err,
			   "i", row->seq);
}

/* The name of a session is a person's id: it goes with its last record. */
static int drop_session(struct lb_queue *q, const struct lb_whom *whom,
			struct lb_error *err)
{
	if (lb_queue_settle(q, err) < 0)
		return -1;
	lb_queue_known_forget(q);
	return lb_db_write(q->store,
			   "DELETE FROM sessions WHERE queue = ?1 AND name = ?2"
			   " AND owner = 0 AND id NOT IN (SELECT session FROM"
			   " records WHERE queue = ?1)",
			   err, "is", q->id, whom->session);
}

/* All that came is in line, so that each is in one of two states. */
static int sort_all(struct lb_queue *q, struct lb_error *err)
{
	int n;

	do
		n = lb_queue_sort(q, lb_clock_now(), err);
	while (n > 0);
	return n;
}

static int erase(struct lb_queue *q, const struct lb_whom *whom,
		 const struct lb_erase_user *user, struct rows *rows,
		 int64_t *held, struct lb_error *err)
{
	if (sort_all(q, err) < 0 || gather(q, whom, user, rows, held, err) < 0)
		return -1;
	for (size_t i = 0; i < rows->n; i++)
		if (drop(q, &rows->at[i], err) < 0)
			return -1;
	return drop_session(q, whom, err);
}

int64_t lb_queue_erase(struct lb_queue *q, const struct lb_whom *whom,
		       const struct lb_erase_user *user, int64_t *held,
		       struct lb_error *err)
{
	struct rows rows = {0};
	int r;

	if (lb_db_run(q->store->db, q->store->path, "PRAGMA secure_delete = ON",
		      err) < 0 ||
	    lb_queue_begin(q, true, err) < 0)
		return -1;
	r = erase(q, whom, user, &rows, held, err);
	if (r < 0 || whom->dry)
		lb_queue_rollback(q);
	else
		r = lb_queue_commit(q, err);
	if (r == 0 && !whom->dry)
		r = lb_db_run(q->store->db, q->store->path,
			      "PRAGMA wal_checkpoint(TRUNCATE)", err);
	free(rows.at);
	return r < 0 ? -1 : (int64_t)rows.n;
}
