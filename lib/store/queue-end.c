/* How what was taken ends: done, dead, or back in line. */
#include <sqlite3.h>

#include "store/queue-db.h"
#include "store/queue-look.h"

int lb_queue_end_line(struct lb_queue *q, int64_t seq, enum lb_queue_end how,
		      int64_t now_ms, const char *outcome, size_t len,
		      struct lb_error *err)
{
	if (lb_db_write(q->store,
			"INSERT INTO ends(seq, queue, how, time, tries, deaths,"
			" outcome) SELECT seq, queue, ?1, ?2, tries,"
			" deaths + (?1 = 2), ?3 FROM line WHERE seq = ?4",
			err, "iiti", (int64_t)how, now_ms, outcome,
			outcome ? len : (size_t)0, seq) < 0 ||
	    lb_db_write(q->store, "DELETE FROM line WHERE seq = ?", err, "i",
			seq) < 0)
		return -1;
	q->more.depth--;
	q->more.done += how != LB_QUEUE_DEAD;
	q->more.died += how == LB_QUEUE_DEAD;
	return 0;
}

/*
 * The session of a record in the owner's hand, touched: it has one less. 0: it
 * is not in that hand; -1 failed.
 */
static int let_go(struct lb_queue *q, int64_t owner, int64_t seq,
		  struct dirty **d, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query = lb_db_query(
		q->store, "SELECT session FROM line WHERE seq = ? AND held = 1",
		err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "i", seq);
	r = lb_db_step(q->store, query, err);
	if (r <= 0)
		return r;
	*d = lb_queue_touch(q, sqlite3_column_int64(query, 0), err);
	if (!*d)
		return -1;
	if ((*d)->owner != owner)
		return 0;
	(*d)->held--;
	return 1;
}

int lb_queue_finish(struct lb_queue *q, int64_t owner, int64_t seq,
		    enum lb_queue_end how, int64_t now_ms, const char *outcome,
		    size_t len, struct lb_error *err)
{
	struct dirty *d;
	int got = let_go(q, owner, seq, &d, err);

	if (got <= 0)
		return got;
	return lb_queue_end_line(q, seq, how, now_ms, outcome, len, err) < 0
		       ? -1
		       : 1;
}

int lb_queue_put_back(struct lb_queue *q, int64_t owner, int64_t seq,
		      int64_t at_ms, bool tried, struct lb_error *err)
{
	struct dirty *d;
	int got = let_go(q, owner, seq, &d, err);

	if (got <= 0)
		return got;
	q->more.retried += tried;
	if (lb_db_write(q->store,
			"UPDATE line SET held = 0, not_before = max(?,"
			" not_before), tries = tries + ? WHERE seq = ?",
			err, "iii", at_ms, (int64_t)tried, seq) < 0 ||
	    lb_queue_link(q, d, seq, err) < 0)
		return -1;
	return 1;
}

int lb_queue_revive(struct lb_queue *q, int64_t seq, int64_t now_ms,
		    struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT records.session, how FROM records JOIN "
			    "ends USING(seq)"
			    " WHERE seq = ? AND how <> 3 AND records.queue = ?",
			    err);
	struct dirty *d;
	bool dead;
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "ii", seq, q->id);
	r = lb_db_step(q->store, query, err);
	if (r <= 0)
		return r;
	dead = sqlite3_column_int(query, 1) == LB_QUEUE_DEAD;
	d = lb_queue_touch(q, sqlite3_column_int64(query, 0), err);
	if (!d)
		return -1;
	q->more.depth++;
	q->more.died -= dead;
	q->more.done -= !dead;
	if (lb_db_write(q->store, "DELETE FROM ends WHERE seq = ?", err, "i",
			seq) < 0 ||
	    lb_db_write(q->store,
			"INSERT INTO line(seq, queue, session, not_before)"
			" VALUES(?, ?, ?, ?)",
			err, "iiii", seq, q->id, d->session, now_ms) < 0 ||
	    lb_queue_link(q, d, seq, err) < 0)
		return -1;
	return 1;
}
