#include "store/quota.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/owner.h"
#include "store/schema.h"

enum {
	DAY_MS = 24 * 3600 * 1000,
	KEPT_DAYS = 2,
	OWNERS = 100000,  /* numbers that are tried for one nobody has */
	LEAST_CPU_MS = 10 /* less is nothing that a program could run in */
};

struct lb_quotas {
	char *state, *owned; /* the file whose bytes owners hold */
	int busy_ms;
	struct lb_store *store;
	struct lb_owners owners;
	int64_t me, next; /* 0: no owner yet; the next id */
};

struct lb_quotas *lb_quotas_open(const char *state, int busy_ms)
{
	struct lb_quotas *q = lb_alloc(sizeof(*q));

	q->state = lb_strdup(state);
	q->owned = lb_printf("%s/limits.owners", state);
	q->busy_ms = busy_ms;
	q->owners.fd = -1;
	return q;
}

void lb_quotas_close(struct lb_quotas *q)
{
	if (!q)
		return;
	lb_owners_release(&q->owners);
	lb_store_close(q->store);
	free(q->state);
	free(q->owned);
	free(q);
}

/* Be somebody whom the others can see to be there. */
static int join(struct lb_quotas *q, struct lb_error *err)
{
	for (int64_t i = 1; q->me == 0 && i < OWNERS; i++)
		if (lb_owners_lock(&q->owners, q->owned, i, err) == 0)
			q->me = i;
		else if (q->owners.fd < 0)
			return -1;
	return q->me > 0 ? 0 : -1;
}

struct held {
	int64_t owner, id;
};

/* One of somebody who is not there any more; 1, 0, -1. */
static int find_dead(struct lb_quotas *q, struct held *held,
		     struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store,
			    "SELECT owner, id FROM quota_held GROUP BY owner, "
			    "id",
			    err);
	int r;

	if (!query)
		return -1;
	while ((r = lb_db_step(q->store, query, err)) > 0) {
		held->owner = sqlite3_column_int64(query, 0);
		held->id = sqlite3_column_int64(query, 1);
		/* a number that is ours now may have been another's */
		if (held->owner == q->me
			    ? held->id >= q->next
			    : !lb_owners_has(&q->owners, held->owner))
			return 1;
	}
	return r;
}

/* Count as used what it can have used until now, and let go. */
static int let_go(struct lb_quotas *q, const struct held *held, int64_t now_ms,
		  struct lb_error *err)
{
	if (lb_db_write(q->store,
			"UPDATE quota_used SET cpu_ms = quota_used.cpu_ms +"
			" (SELECT CAST(min(h.cpu_ms, 1.0 * h.cpu_ms *"
			"  max(0, ? - h.at) / max(1, h.time_ms)) AS INTEGER)"
			"  FROM quota_held h"
			"  WHERE h.owner = ? AND h.id = ?"
			"  AND h.key = quota_used.key AND h.day ="
			"  quota_used.day) WHERE (day, key) IN"
			" (SELECT day, key FROM quota_held"
			"  WHERE owner = ? AND id = ?)",
			err, "iiiii", now_ms, held->owner, held->id,
			held->owner, held->id) < 0)
		return -1;
	return lb_db_write(q->store,
			   "DELETE FROM quota_held WHERE owner = ? AND id = ?",
			   err, "ii", held->owner, held->id);
}

static int bury(struct lb_quotas *q, int64_t now_ms, struct lb_error *err)
{
	struct held held;
	int r;

	while ((r = find_dead(q, &held, err)) > 0)
		if (let_go(q, &held, now_ms, err) < 0)
			return -1;
	return r;
}

struct had {
	int64_t runs, cpu_ms;   /* used today */
	int64_t held, held_cpu; /* by what runs */
};

static int look(struct lb_quotas *q, const char *key, int64_t day,
		struct had *had, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *used =
		lb_db_query(q->store,
			    "SELECT runs, cpu_ms FROM quota_used"
			    " WHERE day = ? AND key = ?",
			    err);
	lb_autoquery struct sqlite3_stmt *held =
		used ? lb_db_query(q->store,
				   "SELECT count(*), coalesce(sum(cpu_ms), 0)"
				   " FROM quota_held WHERE key = ?",
				   err)
		     : NULL;
	int r;

	*had = (struct had){0};
	if (!held)
		return -1;
	lb_db_bind(used, "is", day, key);
	r = lb_db_step(q->store, used, err);
	if (r > 0) {
		had->runs = sqlite3_column_int64(used, 0);
		had->cpu_ms = sqlite3_column_int64(used, 1);
	}
	lb_db_bind(held, "s", key);
	if (r < 0 || lb_db_step(q->store, held, err) < 0)
		return -1;
	had->held = sqlite3_column_int64(held, 0);
	had->held_cpu = sqlite3_column_int64(held, 1);
	return 0;
}

static bool refuse(struct lb_quota_answer *a, size_t i, enum lb_quota_what what,
		   bool held)
{
	a->refused = (int)i;
	a->what = what;
	a->held = held;
	return false;
}

/* Is there room in this one? What it leaves of the processor's time is what is
 * reserved. */
static bool has_room(const struct lb_quota *w, size_t i, const struct had *had,
		     struct lb_quota_answer *a)
{
	int64_t left = w->cpu_ms - had->cpu_ms - had->held_cpu;

	if (w->runs >= 0 && had->runs >= w->runs)
		return refuse(a, i, LB_QUOTA_RUNS, false);
	if (w->at_once >= 0 && had->held >= w->at_once)
		return refuse(a, i, LB_QUOTA_AT_ONCE, true);
	if (w->cpu_ms < 0)
		return true;
	if (left < LEAST_CPU_MS)
		return refuse(a, i, LB_QUOTA_CPU,
			      w->cpu_ms - had->cpu_ms >= LEAST_CPU_MS);
	if (left < a->cpu_ms) {
		a->cpu_ms = left;
		a->limited_by = (int)i;
	}
	return true;
}

static int reserve(struct lb_quotas *q, const struct lb_quota_wish *wish,
		   int64_t now_ms, struct lb_quota_answer *a,
		   struct lb_error *err)
{
	int64_t day = now_ms / DAY_MS;

	a->id = q->next++;
	for (size_t i = 0; i < wish->n; i++) {
		const char *key = wish->quotas[i].key;

		if (lb_db_write(q->store,
				"INSERT INTO quota_used(day, key, runs, cpu_ms)"
				" VALUES(?, ?, 1, 0) ON CONFLICT(day, key)"
				" DO UPDATE SET runs = runs + 1",
				err, "is", day, key) < 0 ||
		    lb_db_write(q->store,
				"INSERT OR REPLACE INTO quota_held(owner, id,"
				" key, day, cpu_ms, at, time_ms)"
				" VALUES(?, ?, ?, ?, ?, ?, ?)",
				err, "iisiiii", q->me, a->id, key, day,
				a->cpu_ms, now_ms, wish->time_ms) < 0)
			return -1;
	}
	return lb_db_write(q->store, "DELETE FROM quota_used WHERE day < ?",
			   err, "i", day - KEPT_DAYS);
}

/* Within a transaction: 1, 0, -1. */
static int take(struct lb_quotas *q, const struct lb_quota_wish *wish,
		int64_t now_ms, struct lb_quota_answer *a, struct lb_error *err)
{
	struct had had;

	if (bury(q, now_ms, err) < 0)
		return -1;
	for (size_t i = 0; i < wish->n; i++) {
		const struct lb_quota *w = &wish->quotas[i];

		if (look(q, w->key, now_ms / DAY_MS, &had, err) < 0)
			return -1;
		if (!has_room(w, i, &had, a))
			return 0;
	}
	return reserve(q, wish, now_ms, a, err) < 0 ? -1 : 1;
}

/* Commit what went well, else leave it as it was. */
static int end(struct lb_quotas *q, int result, struct lb_error *err)
{
	if (result >= 0 && lb_store_commit(q->store, err) == 0)
		return result;
	lb_store_rollback(q->store);
	return -1;
}

int lb_quota_take(struct lb_quotas *q, const struct lb_quota_wish *wish,
		  int64_t now_ms, struct lb_quota_answer *a,
		  struct lb_error *err)
{
	*a = (struct lb_quota_answer){
		.cpu_ms = wish->cpu_ms,
		.limited_by = -1,
		.refused = -1,
		.again_ms = (now_ms / DAY_MS + 1) * DAY_MS,
	};
	if (!q->store)
		q->store = lb_db_open(q->state, &lb_schema_limits, q->busy_ms,
				      err);
	if (!q->store || join(q, err) < 0 || lb_store_begin(q->store, err) < 0)
		return -1;
	return end(q, take(q, wish, now_ms, a, err), err);
}

int lb_quota_settle(struct lb_quotas *q, int64_t id, int64_t cpu_ms, bool ran,
		    struct lb_error *err)
{
	int r;

	if (!q->store || lb_store_begin(q->store, err) < 0)
		return -1;
	r = lb_db_write(q->store,
			"UPDATE quota_used SET cpu_ms = cpu_ms + ?, runs ="
			" max(0, runs - ?) WHERE (day, key) IN (SELECT day,"
			" key FROM quota_held WHERE owner = ? AND id = ?)",
			err, "iiii", cpu_ms > 0 ? cpu_ms : 0,
			(int64_t)(ran ? 0 : 1), q->me, id);
	if (r == 0)
		r = lb_db_write(q->store,
				"DELETE FROM quota_held WHERE owner = ? AND "
				"id = ?",
				err, "ii", q->me, id);
	return end(q, r, err);
}
