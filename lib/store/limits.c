#include "store/limits.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/limits-db.h"
#include "store/schema.h"

static const char *const steps[] = {
	"CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	/* A row is found by its key once, and then written by its number. */
	"CREATE TABLE counters("
	" id INTEGER PRIMARY KEY, at INTEGER NOT NULL, slot INTEGER NOT NULL,"
	" noticed INTEGER NOT NULL, until INTEGER NOT NULL,"
	" counts BLOB NOT NULL, key TEXT NOT NULL UNIQUE);"
	"CREATE TABLE spent("
	" key TEXT NOT NULL, hour INTEGER NOT NULL, tokens INTEGER NOT NULL,"
	" cost INTEGER NOT NULL, PRIMARY KEY(key, hour)) WITHOUT ROWID;",
	"CREATE TABLE notes("
	" name TEXT PRIMARY KEY, until INTEGER NOT NULL, text TEXT NOT NULL)"
	" WITHOUT ROWID;",
	/* store/quota.h: by day first, so that old ones are found at once. */
	"CREATE TABLE quota_used("
	" day INTEGER NOT NULL, key TEXT NOT NULL, runs INTEGER NOT NULL,"
	" cpu_ms INTEGER NOT NULL, PRIMARY KEY(day, key)) WITHOUT ROWID;"
	"CREATE TABLE quota_held("
	" owner INTEGER NOT NULL, id INTEGER NOT NULL, key TEXT NOT NULL,"
	" day INTEGER NOT NULL, cpu_ms INTEGER NOT NULL, at INTEGER NOT NULL,"
	" time_ms INTEGER NOT NULL, PRIMARY KEY(owner, id, key)) WITHOUT ROWID;"
	"CREATE INDEX quota_held_key ON quota_held(key);",
	NULL,
};

const struct lb_schema lb_schema_limits = {
	.file = "limits.db",
	.id = 0x6c626c6d, /* "lblm" */
	.steps = steps,
	/* It may be lost, so nothing waits for the disk. */
	.pragmas = "PRAGMA synchronous = OFF;"
		   "PRAGMA journal_size_limit = 4194304",
};

enum { MAX_CELLS = 20000, RETRY_MS = 1000, BUSY_AGAIN_MS = 50 };

bool lb_limits_exist(const char *state)
{
	return lb_db_exists(state, &lb_schema_limits);
}

struct lb_limits *lb_limits_open(const char *state, int busy_ms)
{
	struct lb_limits *l = lb_alloc(sizeof(*l));

	l->state = lb_strdup(state);
	l->busy_ms = busy_ms;
	return l;
}

struct lb_limits *lb_limits_private(void)
{
	return lb_alloc(sizeof(struct lb_limits));
}

void lb_limits_close(struct lb_limits *l)
{
	if (!l)
		return;
	lb_store_close(l->store);
	lb_map_release(&l->cells, free);
	lb_map_release(&l->notes, free);
	free(l->dirty);
	free(l->state);
	free(l);
}

/* Say once what is wrong; go on in memory, and try again in a while. */
static void fail(struct lb_limits *l, const struct lb_error *err)
{
	if (!l->failing)
		lb_warn("rate limits are kept in memory alone: %s", err->text);
	l->failing = true;
	l->retry_ms = lb_clock_mono() + RETRY_MS;
	lb_limits_rollback(l);
}

void lb_limits_rollback(struct lb_limits *l)
{
	if (l->store)
		lb_store_rollback(l->store);
	l->joined = false;
}

/* Others changed the file, or it is another: what is known may be old. */
static void forget(struct lb_limits *l)
{
	struct lb_map kept = {0};

	for (size_t i = 0; i < l->n_dirty; i++) {
		struct lb_cell *cell =
			lb_map_remove(&l->cells, l->dirty[i]->key);

		cell->id = 0; /* it may be another's by now */
		lb_map_add(&kept, cell->key, cell);
	}
	lb_map_release(&l->cells, free);
	l->cells = kept;
}

/* A number that changes when another connection writes. */
static int read_version(struct lb_limits *l, int64_t *version,
			struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store, "PRAGMA data_version", err);

	if (!query || lb_db_step(l->store, query, err) < 0)
		return -1;
	*version = sqlite3_column_int64(query, 0);
	return 0;
}

bool lb_limits_look(struct lb_limits *l)
{
	struct lb_error err;

	if (l->store || !l->state)
		return l->store != NULL;
	if (l->failing && lb_clock_mono() < l->retry_ms)
		return false;
	l->store = lb_db_open(l->state, &lb_schema_limits, l->busy_ms, &err);
	if (!l->store)
		fail(l, &err);
	return l->store != NULL;
}

bool lb_limits_join(struct lb_limits *l)
{
	struct lb_error err;
	int64_t version;

	if (l->cells.n > 2 * (size_t)MAX_CELLS && !l->joined) {
		l->n_dirty = 0; /* they could not be written for long */
		forget(l);
	}
	if (l->joined || !l->state)
		return l->joined;
	if (l->failing && lb_clock_mono() < l->retry_ms)
		return false;
	if (!lb_limits_look(l))
		return false;
	/* Who keeps the file for long is waited for once, not each time. */
	sqlite3_busy_timeout(l->store->db,
			     l->failing ? BUSY_AGAIN_MS : l->busy_ms);
	if (lb_store_begin(l->store, &err) < 0 ||
	    read_version(l, &version, &err) < 0) {
		fail(l, &err);
		return false;
	}
	if (version != l->version || l->opened != l->store->opened ||
	    l->cells.n > MAX_CELLS)
		forget(l);
	l->version = version;
	l->opened = l->store->opened;
	l->failing = false;
	l->joined = true;
	return true;
}

/* Once in ten minutes of all processes, for what is long over. */
static int expire(struct lb_limits *l, int64_t now_ms, struct lb_error *err)
{
	static const int64_t each = 10 * 60 * 1000;
	static const int64_t spent_ms = 400LL * 24 * 3600 * 1000;

	if (l->expired_ms > now_ms - each && l->expired_ms <= now_ms)
		return 0;
	l->expired_ms = now_ms;
	if (lb_db_write(l->store,
			"DELETE FROM counters WHERE id IN (SELECT id FROM"
			" counters WHERE until < ? LIMIT 10000)",
			err, "i", now_ms) < 0 ||
	    lb_db_write(l->store, "DELETE FROM notes WHERE until < ?", err, "i",
			now_ms) < 0)
		return -1;
	return lb_db_write(l->store,
			   "DELETE FROM spent WHERE (key, hour) IN (SELECT"
			   " key, hour FROM spent WHERE hour < ? LIMIT 10000)",
			   err, "i", (now_ms - spent_ms) / 3600000);
}

static void bind_cell(struct sqlite3_stmt *query, const struct lb_cell *cell)
{
	const struct lb_counter *c = &cell->counter;

	lb_db_bind(query, "iiii", c->at, c->slot, c->noticed, cell->until);
	sqlite3_bind_blob(query, 5, c->counts,
			  (int)(cell->slots * sizeof(c->counts[0])),
			  SQLITE_STATIC);
}

/* 1: it was there. */
static int update_cell(struct lb_limits *l, const struct lb_cell *cell,
		       struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store,
			    "UPDATE counters SET at = ?, slot = ?, noticed = "
			    "?, until = ?,"
			    " counts = ? WHERE id = ?",
			    err);

	if (!query)
		return -1;
	bind_cell(query, cell);
	sqlite3_bind_int64(query, 6, cell->id);
	if (lb_db_step(l->store, query, err) < 0)
		return -1;
	return sqlite3_changes(l->store->db) > 0;
}

static int insert_cell(struct lb_limits *l, struct lb_cell *cell,
		       struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store,
			    "REPLACE INTO counters(at, slot, noticed, until, "
			    "counts, key)"
			    " VALUES(?, ?, ?, ?, ?, ?)",
			    err);

	if (!query)
		return -1;
	bind_cell(query, cell);
	sqlite3_bind_text(query, 6, cell->key, -1, SQLITE_STATIC);
	if (lb_db_step(l->store, query, err) < 0)
		return -1;
	cell->id = sqlite3_last_insert_rowid(l->store->db);
	return 0;
}

static int write_cell(struct lb_limits *l, struct lb_cell *cell,
		      struct lb_error *err)
{
	int r = cell->id ? update_cell(l, cell, err) : 0;

	/* what was long over may have been deleted */
	return r != 0 ? r < 0 ? -1 : 0 : insert_cell(l, cell, err);
}

void lb_limits_commit(struct lb_limits *l)
{
	struct lb_error err;
	int r = 0;

	if (!l->state) {
		l->n_dirty = 0;
		return;
	}
	if ((l->n_dirty == 0 && !l->joined) || !lb_limits_join(l))
		return;
	for (size_t i = 0; i < l->n_dirty && r == 0; i++)
		r = write_cell(l, l->dirty[i], &err);
	if (r == 0)
		r = expire(l, lb_clock_now(), &err);
	if (r < 0 || lb_store_commit(l->store, &err) < 0) {
		fail(l, &err);
		return;
	}
	for (size_t i = 0; i < l->n_dirty; i++)
		l->dirty[i]->dirty = false;
	l->n_dirty = 0;
	l->joined = false;
}

static int read_cell(struct lb_limits *l, struct lb_cell *cell,
		     const struct lb_limit *w, struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store,
			    "SELECT at, slot, noticed, counts, id FROM counters"
			    " WHERE key = ?",
			    err);
	struct lb_counter *c = &cell->counter;
	size_t size = cell->slots * sizeof(c->counts[0]);
	int r;

	if (!query)
		return -1;
	lb_db_bind(query, "s", cell->key);
	r = lb_db_step(l->store, query, err);
	if (r <= 0 || (size_t)sqlite3_column_bytes(query, 3) != size)
		return r < 0 ? -1 : 0;
	c->at = sqlite3_column_int64(query, 0);
	c->slot = sqlite3_column_int64(query, 1);
	c->noticed = sqlite3_column_int64(query, 2);
	memcpy(c->counts, sqlite3_column_blob(query, 3), size);
	if (!lb_counter_is_sound(c, w)) /* a damaged file may say anything */
		*c = (struct lb_counter){0};
	cell->id = sqlite3_column_int64(query, 4);
	return 0;
}

struct lb_cell *lb_limits_cell(struct lb_limits *l, const struct lb_limit *w)
{
	struct lb_cell *cell = lb_map_find(&l->cells, w->key);
	size_t len = strlen(w->key) + 1;
	struct lb_error err;

	if (cell)
		return cell;
	cell = lb_alloc(sizeof(*cell) + len);
	memcpy(cell->key, w->key, len);
	cell->slots = lb_counter_slots(w);
	if (l->joined && read_cell(l, cell, w, &err) < 0)
		fail(l, &err);
	lb_map_add(&l->cells, cell->key, cell);
	return cell;
}

void lb_limits_touch(struct lb_limits *l, struct lb_cell *cell,
		     const struct lb_limit *w)
{
	cell->until = cell->counter.at + 2 * w->length_ms + LB_LIMITS_AHEAD_MS;
	if (cell->dirty)
		return;
	if (l->n_dirty == l->room) {
		l->room = l->room ? 2 * l->room : 64;
		l->dirty = lb_grow(l->dirty, l->room * sizeof(*l->dirty));
	}
	cell->dirty = true;
	l->dirty[l->n_dirty++] = cell;
}
