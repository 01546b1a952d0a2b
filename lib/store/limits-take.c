/* limits-take.c - is there room in all windows, and when? */
#include <sqlite3.h>
#include <string.h>

#include "base/log.h"
#include "store/limits-db.h"

enum { MAX_WINDOWS = 32, HOUR_MS = 3600 * 1000 };

/*
 * When this one counts in a window: not before those that wait for it. A
 * time far ahead is of a clock that went back since, and forgotten.
 */
static int64_t count_at(struct lb_cell *cell, int64_t t, int64_t now_ms)
{
	if (cell->counter.at > now_ms + 2 * (int64_t)LB_LIMITS_AHEAD_MS)
		cell->counter = (struct lb_counter){0};
	return cell->counter.at > t ? cell->counter.at : t;
}

/* The moment at which all have room; one that refuses it is *refused. */
static int64_t find_room(struct lb_cell **cells, const struct lb_limit *windows,
			 size_t n, int64_t now_ms, int *refused)
{
	int64_t t = now_ms;

	for (size_t i = 0, fitting = 0; fitting < n; i = (i + 1) % n) {
		const struct lb_limit *w = &windows[i];
		int64_t at = count_at(cells[i], t, now_ms);
		int64_t room = lb_counter_room(&cells[i]->counter, w, at);

		if (room <= at && (!w->wait || at == t)) {
			fitting++;
			continue;
		}
		if (!w->wait || room > now_ms + LB_LIMITS_AHEAD_MS) {
			*refused = (int)i;
			return room;
		}
		t = room > at ? room : at;
		fitting = 1;
	}
	return t;
}

void lb_limits_take(struct lb_limits *l, const struct lb_limit *windows,
		    size_t n, int64_t now_ms, struct lb_limit_answer *answer)
{
	struct lb_cell *cells[MAX_WINDOWS];

	*answer = (struct lb_limit_answer){.refused = -1, .at_ms = now_ms};
	n = n < MAX_WINDOWS ? n : MAX_WINDOWS;
	lb_limits_join(l);
	for (size_t i = 0; i < n; i++)
		cells[i] = lb_limits_cell(l, &windows[i]);
	answer->at_ms = find_room(cells, windows, n, now_ms, &answer->refused);
	if (answer->refused >= 0) {
		const struct lb_limit *w = &windows[answer->refused];

		answer->notice = lb_limits_first(l, w, now_ms);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		lb_counter_add(&cells[i]->counter, &windows[i],
			       count_at(cells[i], answer->at_ms, now_ms));
		lb_limits_touch(l, cells[i], &windows[i]);
	}
}

bool lb_limits_first(struct lb_limits *l, const struct lb_limit *window,
		     int64_t now_ms)
{
	struct lb_cell *cell;

	lb_limits_join(l);
	cell = lb_limits_cell(l, window);
	if (!lb_counter_tell(&cell->counter, window, now_ms))
		return false;
	if (cell->counter.at < now_ms) /* so that it is kept that long */
		cell->counter.at = now_ms;
	lb_limits_touch(l, cell, window);
	return true;
}

void lb_limits_spent(struct lb_limits *l, const char *key, int64_t from_ms,
		     struct lb_spent *all)
{
	struct lb_error err;

	*all = (struct lb_spent){0};
	if (!lb_limits_join(l))
		return;
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store,
			    "SELECT sum(tokens), sum(cost) FROM spent"
			    " WHERE key = ? AND hour >= ?",
			    &err);
	if (query) {
		lb_db_bind(query, "si", key, from_ms / HOUR_MS);
		if (lb_db_step(l->store, query, &err) > 0) {
			all->tokens = sqlite3_column_int64(query, 0);
			all->cost = sqlite3_column_int64(query, 1);
			return;
		}
	}
	lb_warn("what was spent cannot be read: %s", err.text);
}

void lb_limits_spend(struct lb_limits *l, const char *key, int64_t now_ms,
		     const struct lb_spent *more)
{
	struct lb_error err;

	if (lb_limits_join(l) &&
	    lb_db_write(l->store,
			"INSERT INTO spent(key, hour, tokens, cost)"
			" VALUES(?, ?, ?, ?) ON CONFLICT(key, hour) DO UPDATE"
			" SET tokens = tokens + excluded.tokens,"
			" cost = cost + excluded.cost",
			&err, "siii", key, now_ms / HOUR_MS, more->tokens,
			more->cost) < 0)
		lb_warn("what was spent cannot be counted: %s", err.text);
}

/* Is this the key of what is to be forgotten? See the header. */
static bool is_of(const char *key, const char *session, const char *bot,
		  const char *sender)
{
	const char *whose = strchr(key, '\x1f'), *by;
	size_t n;

	by = whose ? strchr(++whose, '\x1f') : NULL;
	if (!by)
		return false;
	n = (size_t)(by++ - whose);
	if (session)
		return n == strlen(session) && memcmp(whose, session, n) == 0;
	if (strncmp(whose, bot, strlen(bot)) != 0)
		return false;
	whose += strlen(bot);
	n -= strlen(bot);
	if (n > 0 && *whose != '/')
		return false;
	if (strcmp(by, sender) == 0)
		return true;
	return n == strlen("/person_") + strlen(sender) &&
	       strncmp(whose, "/person_", 8) == 0 &&
	       strncmp(whose + 8, sender, strlen(sender)) == 0;
}

/* The rows of a table that are theirs. */
static int64_t erase_from(struct lb_limits *l, const char *find,
			  const char *delete, const char *const whose[3],
			  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *query =
		lb_db_query(l->store, find, err);
	int64_t n = 0;
	int r;

	if (!query)
		return -1;
	while ((r = lb_db_step(l->store, query, err)) > 0) {
		const char *key = (const char *)sqlite3_column_text(query, 0);

		if (!key || !is_of(key, whose[0], whose[1], whose[2]))
			continue;
		if (delete &&lb_db_write(l->store, delete, err, "s", key) < 0)
			return -1;
		n++;
	}
	return r < 0 ? -1 : n;
}

/* Of all tables; `dry` leaves them as they are. */
static int64_t erase(struct lb_limits *l, const char *const whose[3], bool dry,
		     struct lb_error *err)
{
	static const struct {
		const char *find, *delete;
	} tables[] = {
		{"SELECT key FROM counters",
		 "DELETE FROM counters WHERE key = ?"},
		{"SELECT DISTINCT key FROM spent",
		 "DELETE FROM spent WHERE key = ?"},
		{"SELECT DISTINCT key FROM quota_used",
		 "DELETE FROM quota_used WHERE key = ?"},
	};
	int64_t n = 0, all = 0;

	if (!lb_limits_join(l))
		return lb_fail(err, LB_AGAIN, "'limits.db' cannot be used");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && n >= 0;
	     i++) {
		n = erase_from(l, tables[i].find, dry ? NULL : tables[i].delete,
			       whose, err);
		all += n;
	}
	if (n < 0 || lb_store_commit(l->store, err) < 0) {
		lb_limits_rollback(l);
		return -1;
	}
	l->joined = false;
	return all;
}

int64_t lb_limits_erase(struct lb_limits *l, const char *session,
			const char *bot, const char *sender,
			struct lb_error *err)
{
	const char *const whose[] = {session, bot, sender};

	return erase(l, whose, false, err);
}

int64_t lb_limits_erasable(struct lb_limits *l, const char *session,
			   const char *bot, const char *sender,
			   struct lb_error *err)
{
	const char *const whose[] = {session, bot, sender};

	return erase(l, whose, true, err);
}
