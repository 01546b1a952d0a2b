#include "store/queue.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/queue-db.h"
#include "store/schema.h"

int lb_queue_name_check(const char *name, struct lb_error *err)
{
	size_t len = strlen(name);

	if (len > 0 && len <= LB_QUEUE_NAME_MAX && *name != '-' &&
	    strspn(name, "abcdefghijklmnopqrstuvwxyz"
			 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == len)
		return 0;
	return lb_fail(err, LB_USAGE,
		       "'%.64s' is not the name of a queue: 1 to %d letters, "
		       "digits, '.', '_' or '-'",
		       name, LB_QUEUE_NAME_MAX);
}

bool lb_queue_exists(const char *state)
{
	return lb_db_exists(state, &lb_schema_queue);
}

struct lb_queue *lb_queue_open(const char *state, const char *name, int busy_ms,
			       struct lb_error *err)
{
	struct lb_store *store =
		lb_db_open(state, &lb_schema_queue, busy_ms, err);
	struct lb_queue *q;

	if (!store)
		return NULL;
	q = lb_alloc(sizeof(*q));
	q->store = store;
	q->name = lb_strdup(name);
	q->wakes = lb_printf("%s.owners", store->path);
	q->owners.fd = -1;
	return q;
}

void lb_queue_close(struct lb_queue *q)
{
	if (!q)
		return;
	lb_store_close(q->store);
	lb_owners_release(&q->owners);
	free(q->name);
	free(q->wakes);
	free(q->dirty);
	free(q->slots);
	lb_queue_known_close(q);
	free(q);
}

const char *lb_queue_wakes(const struct lb_queue *q)
{
	return q->wakes;
}

int64_t lb_queue_row(struct lb_queue *q, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(q->store, "SELECT id FROM queues WHERE name = ?",
			    err);
	int r;

	if (!query)
		return -1;
	if (q->id > 0 && q->opened == q->store->opened)
		return q->id;
	q->id = 0;
	lb_db_bind(query, "s", q->name);
	r = lb_db_step(q->store, query, err);
	if (r > 0)
		q->id = sqlite3_column_int64(query, 0);
	q->opened = q->store->opened;
	return r < 0 ? -1 : q->id;
}

/* Waiting for the disk costs most, so leases go without. */
static int set_durable(struct lb_queue *q, bool durable, struct lb_error *err)
{
	if (!q->store->db || lb_store_is_open(q->store) ||
	    q->relaxed == !durable)
		return 0;
	q->relaxed = !durable;
	return lb_db_run(q->store->db, q->store->path,
			 durable ? "PRAGMA synchronous = FULL"
				 : "PRAGMA synchronous = NORMAL",
			 err);
}

static void forget_dirty(struct lb_queue *q)
{
	if (q->n_dirty > 0)
		memset(q->slots, 0, q->n_slots * sizeof(*q->slots));
	q->n_dirty = 0;
}

static void forget_all(struct lb_queue *q)
{
	forget_dirty(q);
	memset(&q->more, 0, sizeof(q->more));
}

/* The row of the queue, made when missing. */
static int need_row(struct lb_queue *q, struct lb_error *err)
{
	int64_t id = lb_queue_row(q, err);

	if (id != 0)
		return id < 0 ? -1 : 0;
	if (lb_db_write(q->store, "INSERT INTO queues(name) VALUES(?)", err,
			"s", q->name) < 0)
		return -1;
	q->id = sqlite3_last_insert_rowid(q->store->db);
	return 0;
}

int lb_queue_begin(struct lb_queue *q, bool durable, struct lb_error *err)
{
	unsigned long opened = q->store->opened;

	forget_all(q);
	if (set_durable(q, durable, err) < 0 ||
	    lb_store_begin(q->store, err) < 0)
		return -1;
	if (opened != q->store->opened)
		q->relaxed = false;
	if (q->owners.n > 0 && opened != q->store->opened)
		lb_fail(err, LB_IO,
			"'%s' was replaced: what was in hand is not in it",
			q->store->path);
	else if (need_row(q, err) == 0) {
		lb_queue_known_check(q);
		return 0;
	}
	lb_queue_rollback(q);
	return -1;
}

void lb_queue_rollback(struct lb_queue *q)
{
	lb_store_rollback(q->store);
	forget_all(q);
	lb_queue_known_forget(q);
	if (q->joined > 0) /* its number may be another's now */
		lb_owners_unlock(&q->owners, q->joined);
	q->joined = 0;
	q->id = 0; /* it may have been made in there */
}

/* What waits in front did not change: no index does. */
static int settle_tail(struct lb_queue *q, const struct dirty *d,
		       int64_t now_ms, struct lb_error *err)
{
	return lb_db_write(q->store,
			   "UPDATE sessions SET tail = ?, last = ? WHERE id = "
			   "?",
			   err, "iii", d->tail, now_ms, d->session);
}

/* The first record that waits decides when the session is ready. */
static int settle(struct lb_queue *q, const struct dirty *d, int64_t now_ms,
		  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *head = NULL;
	int64_t at = 0, alone = 0;

	if (d->head == d->was && d->head > 0 && d->held == 0)
		return settle_tail(q, d, now_ms, err);

	if (d->head > 0) {
		head = lb_db_query(q->store,
				   "SELECT not_before, alone FROM line WHERE "
				   "seq = ?",
				   err);
		if (!head)
			return -1;
		lb_db_bind(head, "i", d->head);
		if (lb_db_step(q->store, head, err) < 0)
			return -1;
		at = sqlite3_column_int64(head, 0);
		alone = sqlite3_column_int64(head, 1);
	}
	return lb_db_write(
		q->store,
		"UPDATE sessions SET held = held + ?1,"
		" owner = CASE WHEN held + ?1 = 0 THEN 0 ELSE ?2 END,"
		" ready_at = iif(?3, ?4, NULL), alone = ?5, last = ?6,"
		" head = ?3, tail = ?7 WHERE id = ?8",
		err, "iiiiiiii", d->held, d->owner, d->head, at, alone, now_ms,
		d->tail, d->session);
}

int lb_queue_settle(struct lb_queue *q, struct lb_error *err)
{
	int64_t now_ms = lb_clock_now();

	for (size_t i = 0; i < q->n_dirty; i++)
		if (settle(q, &q->dirty[i], now_ms, err) < 0)
			return -1;
	forget_dirty(q);
	return 0;
}

static int count(struct lb_queue *q, struct lb_error *err)
{
	static const struct lb_queue none;

	if (memcmp(&q->more, &none.more, sizeof(q->more)) == 0)
		return 0;
	return lb_db_write(q->store,
			   "UPDATE queues SET depth = depth + ?,"
			   " put = put + ?, done = done + ?, died = died + ?,"
			   " retried = retried + ?, deaths = deaths + ?,"
			   " dropped = dropped + ?, fresh = fresh + ?"
			   " WHERE id = ?",
			   err, "iiiiiiiii", q->more.depth, q->more.put,
			   q->more.done, q->more.died, q->more.retried,
			   q->more.deaths, q->more.dropped, q->more.fresh,
			   q->id);
}

int lb_queue_commit(struct lb_queue *q, struct lb_error *err)
{
	bool changed = q->n_dirty > 0 || q->more.put > 0;

	if (lb_owners_open(&q->owners, q->wakes, err) < 0 ||
	    lb_queue_settle(q, err) < 0 || count(q, err) < 0 ||
	    lb_store_commit(q->store, err) < 0) {
		lb_queue_rollback(q);
		return -1;
	}
	forget_all(q);
	q->joined = 0;
	/* Now that it can be seen: SQLite's own files change before that. */
	if (changed && pwrite(q->owners.fd, "", 1, 0) < 0)
		lb_warn("cannot write '%s'", q->wakes); /* they look anyway */
	return 0;
}

/* Where the session is in the hash table, or would be. */
static size_t slot_of(const struct lb_queue *q, int64_t session)
{
	size_t mask = q->n_slots - 1;
	size_t at = (size_t)((uint64_t)session * 0x9e3779b97f4a7c15U >> 32);

	while (q->slots[at & mask] != 0 &&
	       q->dirty[q->slots[at & mask] - 1].session != session)
		at++;
	return at & mask;
}

static void make_room(struct lb_queue *q)
{
	if (q->n_slots > 2 * (q->n_dirty + 1))
		return;
	free(q->slots);
	q->n_slots = q->n_slots ? q->n_slots * 2 : 256;
	q->slots = lb_alloc(q->n_slots * sizeof(*q->slots));
	q->dirty = lb_grow(q->dirty, q->n_slots * sizeof(*q->dirty));
	for (size_t i = 0; i < q->n_dirty; i++)
		q->slots[slot_of(q, q->dirty[i].session)] = (uint32_t)i + 1;
}

bool lb_queue_is_dirty(const struct lb_queue *q, int64_t session)
{
	return q->n_dirty > 0 && q->slots[slot_of(q, session)] != 0;
}

static struct dirty *add_dirty(struct lb_queue *q, const struct dirty *row)
{
	make_room(q);
	q->dirty[q->n_dirty++] = *row;
	q->slots[slot_of(q, row->session)] = (uint32_t)q->n_dirty;
	return &q->dirty[q->n_dirty - 1];
}

struct dirty *lb_queue_touch(struct lb_queue *q, int64_t session,
			     struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query = NULL;
	struct dirty row = {.session = session};
	int r;

	if (lb_queue_is_dirty(q, session))
		return &q->dirty[q->slots[slot_of(q, session)] - 1];
	query = lb_db_query(q->store,
			    "SELECT owner, head, tail, held FROM sessions"
			    " WHERE id = ?",
			    err);
	if (!query)
		return NULL;
	lb_db_bind(query, "i", session);
	r = lb_db_step(q->store, query, err);
	if (r == 0)
		lb_fail(err, LB_DATA, "'%s' is damaged: no session %lld",
			q->store->path, (long long)session);
	if (r <= 0)
		return NULL;
	row.owner = sqlite3_column_int64(query, 0);
	row.head = sqlite3_column_int64(query, 1);
	row.tail = sqlite3_column_int64(query, 2);
	row.in_hand = sqlite3_column_int64(query, 3);
	row.was = row.head;
	return add_dirty(q, &row);
}
