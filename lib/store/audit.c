#include "store/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/db.h"
#include "store/place.h"
#include "store/schema.h"

/* Bytes of a row, and a few more: what is longer is none. */
enum { LINE = 8192 };

/*
 * The file that rows are appended to; the same once it is nobody's but the one
 * who moves its rows; what he holds meanwhile.
 */
struct places {
	char *written, *folding, *lock;
};

static void places_of(struct places *p, const char *state)
{
	p->written = lb_printf("%s/box/audit.jsonl", state);
	p->folding = lb_printf("%s/box/audit.folding", state);
	p->lock = lb_printf("%s/box/audit.lock", state);
}

static void release(struct places *p)
{
	free(p->written);
	free(p->folding);
	free(p->lock);
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

bool lb_audit_waits(const char *state)
{
	struct places p;
	bool waits;

	places_of(&p, state);
	waits = is_there(p.written) || is_there(p.folding);
	release(&p);
	return waits;
}

/* 1: it is in the table (a second time it is left alone), 0: it is no row. */
static int insert(struct lb_store *store, const char *line, size_t len,
		  struct lb_error *err)
{
	json_auto_t *row = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	const char *key = lb_json_str(row, "key");
	int64_t time = 0;

	if (!key || !lb_json_int(row, "time", &time))
		return 0;
	return lb_db_write(store,
			   "INSERT OR IGNORE INTO audit(key, time, session, "
			   "bot,"
			   " sender, row) VALUES(?, ?, ifnull(?, ''),"
			   " ifnull(?, ''), ifnull(?, ''), ?)",
			   err, "sissst", key, time,
			   lb_json_str(row, "session"), lb_json_str(row, "bot"),
			   lb_json_str(row, "sender"), line, len) < 0
		       ? -1
		       : 1;
}

/* A blank line stands in front of each row; a line may be longer than any. */
static int insert_all(struct lb_store *store, FILE *f, size_t *bad,
		      struct lb_error *err)
{
	char line[LINE];
	bool rest = false;

	while (fgets(line, sizeof(line), f)) {
		size_t len = strlen(line);
		bool whole = len > 0 && line[len - 1] == '\n';
		int r = 0;

		if (whole)
			len--;
		if (whole && len == 0 && !rest)
			continue;
		if (whole && !rest)
			r = insert(store, line, len, err);
		if (r < 0)
			return -1;
		*bad += r == 0 && !rest;
		rest = !whole;
	}
	return ferror(f) ? lb_fail_sys(err, LB_IO, "cannot read the audit") : 0;
}

static int insert_file(struct lb_store *store, const char *path, size_t *bad,
		       struct lb_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	int r;

	if (!f)
		return lb_fail_sys(err, LB_IO, "cannot open '%s'", path);
	r = lb_store_begin(store, err);
	if (r == 0)
		r = insert_all(store, f, bad, err);
	fclose(f);
	if (r == 0)
		r = lb_store_commit(store, err);
	if (r < 0)
		lb_store_rollback(store);
	return r;
}

/*
 * Its rows are on the disk before the file goes: the database's own log alone
 * would be, after a loss of power, what it was before.
 */
static int move_rows(struct lb_store *store, const struct places *p,
		     struct lb_error *err)
{
	size_t bad = 0;
	int r = lb_db_run(store->db, store->path, "PRAGMA synchronous = FULL",
			  err);

	if (r == 0)
		r = insert_file(store, p->folding, &bad, err);
	if (r == 0 && bad > 0)
		lb_warn("%zu lines of '%s' are no rows of an audit and were "
			"left out",
			bad, p->written);
	if (r == 0 && unlink(p->folding) < 0)
		r = lb_fail_sys(err, LB_IO, "cannot remove '%s'", p->folding);
	if (store->db)
		sqlite3_exec(store->db, store->schema->pragmas, NULL, NULL,
			     NULL);
	return r;
}

/* Take the file away from those who write: they make another. */
static int take_file(const struct places *p, int busy_ms, struct lb_error *err)
{
	lb_autoclose int lock = lb_place_lock(p->written, busy_ms, err);

	if (lock < 0)
		return -1;
	if (rename(p->written, p->folding) < 0)
		return lb_fail_sys(err, LB_IO, "cannot rename '%s'",
				   p->written);
	return 0;
}

int lb_audit_fold(struct lb_store *store, const char *state,
		  struct lb_error *err)
{
	struct places p;
	int lock = -1, r = 0;

	if (!lb_audit_waits(state))
		return 0;
	if (lb_store_is_open(store))
		return lb_fail(err, LB_BUG, "the audit in a transaction");
	places_of(&p, state);
	lock = lb_place_lock(p.lock, store->busy_ms, err);
	if (lock < 0)
		r = -1;
	if (r == 0 && is_there(p.folding)) /* of one who died */
		r = move_rows(store, &p, err);
	if (r == 0 && is_there(p.written)) {
		r = take_file(&p, store->busy_ms, err);
		if (r == 0)
			r = move_rows(store, &p, err);
	}
	if (lock >= 0)
		close(lock);
	release(&p);
	return r;
}

static const char pick[] =
	"SELECT row FROM (SELECT time, key, row FROM audit WHERE time >= ?1"
	" AND (?2 IS NULL OR session = ?2)"
	" AND (?3 IS NULL OR sender = ?3 OR bot || ':person_' || sender = ?3)"
	" AND (?5 IS NULL OR json_extract(row, '$.workspace') = ?5)"
	" ORDER BY time DESC, key DESC LIMIT ?4) ORDER BY time, key";

int lb_audit_each(struct lb_store *store, const struct lb_audit_which *which,
		  int (*fn)(void *arg, const json_t *row), void *arg,
		  struct lb_error *err)
{
	lb_autoquery struct sqlite3_stmt *q = lb_db_query(store, pick, err);
	int r, stop = 0;

	if (!q)
		return -1;
	lb_db_bind(q, "issis", which->since, which->session, which->sender,
		   which->limit > 0 ? which->limit : (int64_t)-1,
		   which->workspace);
	while (!stop && (r = lb_db_step(store, q, err)) > 0) {
		const char *text = (const char *)sqlite3_column_text(q, 0);
		json_auto_t *row =
			json_loadb(text ? text : "",
				   (size_t)sqlite3_column_bytes(q, 0), 0, NULL);

		if (row)
			stop = fn(arg, row);
	}
	return stop ? 0 : r;
}

int64_t lb_audit_expire(struct lb_store *store, int64_t before_ms,
			struct lb_error *err)
{
	if (lb_db_write(store, "DELETE FROM audit WHERE time < ?", err, "i",
			before_ms) < 0)
		return -1;
	return sqlite3_changes(store->db);
}
