#include "store/queue-look.h"

#include <sqlite3.h>

#include "base/mem.h"
#include "store/queue-db.h"
#include "store/schema.h"

int lb_queue_find(struct lb_queue *q, const char *key, const char *session,
		  struct lb_queue_found *found, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query = lb_db_query(
		q->store,
		"SELECT records.seq, iif(line.held, owner, 0), ifnull(how, 0)"
		" FROM records LEFT JOIN line ON line.seq = records.seq"
		" LEFT JOIN ends ON ends.seq = records.seq"
		" LEFT JOIN sessions ON sessions.id = records.session"
		" WHERE records.queue = ?1 AND key = ?2"
		" AND (?3 IS NULL OR sessions.name = ?3)"
		" ORDER BY ends.seq IS NOT NULL, records.seq LIMIT 1",
		err);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "iss", q->id, key, session);
	r = lb_db_step(q->store, query, err);
	if (r > 0)
		*found = (struct lb_queue_found){
			sqlite3_column_int64(query, 0),
			sqlite3_column_int64(query, 1),
			sqlite3_column_int(query, 2),
		};
	return r;
}

#define ROW                                                                    \
	"SELECT r.seq, r.put, ifnull(e.time, 0), r.key, s.name, r.record,"     \
	" e.outcome, ifnull(e.how, 0), ifnull(l.held, 0), ifnull(l.alone, 0)," \
	" ifnull(l.not_before, r.not_before),"                                 \
	" coalesce(l.tries, e.tries, 0), coalesce(l.deaths, e.deaths, 0)"

#define JOINED                                                                 \
	" LEFT JOIN sessions s ON s.id = r.session"                            \
	" LEFT JOIN line l ON l.seq = r.seq"

/* What is fresh has no line yet. */
#define FRESH                                                                  \
	" FROM records r LEFT JOIN sessions s ON s.id = r.session"             \
	" LEFT JOIN line l ON 0 LEFT JOIN ends e ON 0"                         \
	" WHERE r.queue = ?1 AND r.seq > (SELECT sorted FROM queues"           \
	" WHERE id = ?1)"

static const char *const lists[] = {
	[LB_QUEUE_ALL] =
		ROW " FROM line l JOIN records r ON r.seq = l.seq"
		    " LEFT JOIN sessions s ON s.id = r.session"
		    " LEFT JOIN ends e ON 0 WHERE l.queue = ?1 AND ?3 = ?3"
		    " UNION ALL " ROW FRESH " ORDER BY r.seq LIMIT ?2",
	/* the first of each session that is ready, by the time it is so */
	[LB_QUEUE_LIST_READY] =
		ROW " FROM sessions s JOIN line l ON l.seq = s.head"
		    " JOIN records r ON r.seq = l.seq LEFT JOIN ends e ON 0"
		    " WHERE s.queue = ?1 AND s.owner = 0"
		    " AND s.alone IN (0, 1) AND s.ready_at <= ?3"
		    " UNION ALL " ROW FRESH
		    " AND r.not_before <= ?3 AND s.owner = 0 AND s.head = 0"
		    " AND NOT EXISTS (SELECT 1 FROM records b WHERE b.seq >"
		    " (SELECT sorted FROM queues WHERE id = ?1) AND b.seq <"
		    " r.seq AND b.session = r.session) ORDER BY 11 LIMIT ?2",
	[LB_QUEUE_LIST_DONE] =
		ROW " FROM ends e JOIN records r ON r.seq = e.seq" JOINED
		    " WHERE e.queue = ?1 AND e.how <> 2 AND ?3 = ?3"
		    " ORDER BY e.time, e.seq LIMIT ?2",
	[LB_QUEUE_LIST_FAILED] =
		ROW " FROM ends e JOIN records r ON r.seq = e.seq" JOINED
		    " WHERE e.queue = ?1 AND e.how <> 3 AND ?3 = ?3 AND"
		    " iif(json_valid(e.outcome), json_extract(e.outcome,"
		    " '$.kind') = 'error', 0) ORDER BY e.time, e.seq LIMIT ?2",
	[LB_QUEUE_LIST_DEAD] =
		ROW " FROM ends e JOIN records r ON r.seq = e.seq" JOINED
		    " WHERE e.queue = ?1 AND e.how = 2 AND ?3 = ?3"
		    " ORDER BY e.time, e.seq LIMIT ?2",
};

static const char *text_at(struct sqlite3_stmt *query, int i)
{
	return (const char *)sqlite3_column_text(query, i);
}

int lb_queue_each(struct lb_queue *q, enum lb_queue_list which, int64_t max,
		  int64_t now_ms,
		  int (*fn)(void *arg, const struct lb_queue_row *row),
		  void *arg, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query = NULL;
	int64_t id = lb_queue_row(q, err);
	int r;

	if (id <= 0)
		return (int)id;
	query = lb_db_query(q->store, lists[which], err);
	if (!query)
		return -1;
	lb_db_bind(query, "iii", id, max, now_ms);
	while ((r = lb_db_step(q->store, query, err)) > 0) {
		const struct lb_queue_row row = {
			.seq = sqlite3_column_int64(query, 0),
			.put = sqlite3_column_int64(query, 1),
			.ended = sqlite3_column_int64(query, 2),
			.key = text_at(query, 3),
			.session = text_at(query, 4),
			.text = text_at(query, 5),
			.len = (size_t)sqlite3_column_bytes(query, 5),
			.outcome = text_at(query, 6),
			.outcome_len = (size_t)sqlite3_column_bytes(query, 6),
			.how = sqlite3_column_int(query, 7),
			.held = sqlite3_column_int(query, 8),
			.alone = sqlite3_column_int(query, 9),
			.not_before = sqlite3_column_int64(query, 10),
			.tries = sqlite3_column_int(query, 11),
			.deaths = sqlite3_column_int(query, 12),
		};

		if (fn(arg, &row) != 0)
			return 0;
	}
	return r;
}

int lb_queue_stats(struct lb_queue *q, int64_t now_ms, struct lb_queue_stats *s,
		   struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query = lb_db_query(
		q->store,
		"SELECT depth, put, done, died, retried, deaths, dropped,"
		" (SELECT ifnull(sum(held), 0) FROM sessions WHERE owner <> 0"
		"  AND queue = ?1),"
		" (SELECT count(*) FROM sessions WHERE owner <> 0"
		"  AND queue = ?1),"
		" (SELECT count(*) FROM sessions WHERE queue = ?1"
		"  AND ready_at > ?2) + (SELECT count(DISTINCT session) FROM"
		"  records WHERE seq > sorted AND queue = ?1 AND fresh > 0 AND"
		"  not_before > ?2),"
		" (SELECT count(*) FROM ends WHERE how = 2 AND queue = ?1),"
		" ifnull((SELECT put FROM line JOIN records USING(seq)"
		"  WHERE line.queue = ?1 ORDER BY seq LIMIT 1),"
		"  iif(fresh > 0, (SELECT records.put FROM records WHERE"
		"  seq > sorted AND queue = ?1 ORDER BY seq LIMIT 1), NULL))"
		" FROM queues WHERE id = ?1",
		err);
	int64_t id = lb_queue_row(q, err);
	int r;

	*s = (struct lb_queue_stats){0};
	if (!query || id < 0)
		return -1;
	lb_db_bind(query, "ii", id, now_ms);
	r = lb_db_step(q->store, query, err);
	if (r > 0) {
		int64_t *const columns[] = {
			&s->depth,   &s->put,     &s->done,    &s->died,
			&s->retried, &s->deaths,  &s->dropped, &s->held,
			&s->leases,  &s->delayed, &s->dead,    &s->oldest,
		};

		for (int i = 0; i < 12; i++)
			*columns[i] = sqlite3_column_int64(query, i);
	}
	return r < 0 ? -1 : 0;
}

int lb_queue_names(const char *state, int (*fn)(void *arg, const char *name),
		   void *arg, struct lb_error *err)
{
	struct lb_queue *q;
	int r = 0;

	if (!lb_queue_exists(state))
		return 0;
	q = lb_queue_open(state, "", 5000, err);
	if (!q)
		return -1;
	{
		lb_autoquery struct sqlite3_stmt *query =
			lb_db_query(q->store,
				    "SELECT name FROM queues ORDER BY name",
				    err);

		r = query ? 1 : -1;
		while (r > 0 && (r = lb_db_step(q->store, query, err)) > 0)
			if (fn(arg, text_at(query, 0)) != 0)
				break;
	}
	lb_queue_close(q);
	return r < 0 ? -1 : 0;
}

/* Sessions of which no record is left: they were quiet for as long. */
static int purge_sessions(struct lb_queue *q, int64_t before_ms, int max,
			  struct lb_error *err)
{
	int64_t fresh = lb_queue_fresh(q, err);

	if (fresh != 0) /* some may be theirs: another time */
		return fresh < 0 ? -1 : 0;
	lb_queue_known_forget(q);
	return lb_db_write(
		q->store,
		"DELETE FROM sessions WHERE id IN (SELECT id FROM sessions s"
		" WHERE queue = ?1 AND owner = 0 AND ready_at IS NULL"
		" AND last < ?2 AND id NOT IN (SELECT session FROM ends"
		" JOIN records USING(seq) WHERE ends.queue = ?1 AND how = 2)"
		" LIMIT ?3)",
		err, "iii", q->id, before_ms, (int64_t)max);
}

static int purge_records(struct lb_queue *q, int64_t before_ms, bool dead,
			 int max, struct lb_error *err)
{
	if (lb_db_write(q->store,
			"DELETE FROM records WHERE seq IN (SELECT seq FROM"
			" ends WHERE queue = ? AND time < ? AND (how <> 2 OR"
			" ?) ORDER BY time LIMIT ?)",
			err, "iiii", q->id, before_ms, (int64_t)dead,
			(int64_t)max) < 0)
		return -1;
	return sqlite3_changes(q->store->db);
}

int64_t lb_queue_purge(struct lb_queue *q, int64_t before_ms, bool dead,
		       int max, struct lb_error *err)
{
	int n;

	if (lb_queue_begin(q, true, err) < 0)
		return -1;
	n = purge_records(q, before_ms, dead, max, err);
	if (n < 0 ||
	    lb_db_write(q->store,
			"DELETE FROM ends WHERE seq IN (SELECT seq FROM ends"
			" WHERE queue = ? AND time < ? AND (how <> 2 OR ?)"
			" ORDER BY time LIMIT ?)",
			err, "iiii", q->id, before_ms, (int64_t)dead,
			(int64_t)max) < 0 ||
	    (n < max && purge_sessions(q, before_ms, max, err) < 0)) {
		lb_queue_rollback(q);
		return -1;
	}
	return lb_queue_commit(q, err) < 0 ? -1 : n;
}
