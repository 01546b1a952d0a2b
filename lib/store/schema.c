#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/db.h"
#include "store/place.h"

#ifndef LB_VERSION
#define LB_VERSION "0.0"
#endif

enum { LOCK_WAIT_MS = 30000, COPY_PAGES = 1024, COPY_WAIT_MS = 20 };

static const char *const lb_steps[] = {
	"CREATE TABLE about(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE conversations("
	" id INTEGER PRIMARY KEY, session TEXT NOT NULL, bot TEXT NOT NULL,"
	" pipeline TEXT NOT NULL, created INTEGER NOT NULL,"
	" updated INTEGER NOT NULL, turns INTEGER NOT NULL DEFAULT 0,"
	" in_use INTEGER NOT NULL DEFAULT 1);"
	"CREATE UNIQUE INDEX conversations_in_use"
	" ON conversations(session, pipeline) WHERE in_use;"
	"CREATE INDEX conversations_session ON conversations(session);"
	"CREATE TABLE turns("
	" conversation INTEGER NOT NULL, turn INTEGER NOT NULL,"
	" of TEXT NOT NULL, time INTEGER NOT NULL, complete INTEGER NOT NULL,"
	" messages TEXT NOT NULL);"
	"CREATE UNIQUE INDEX turns_place ON turns(conversation, turn);"
	"CREATE TABLE answers("
	" session TEXT NOT NULL, id TEXT NOT NULL, time INTEGER NOT NULL,"
	" attempts INTEGER NOT NULL, reply TEXT);"
	"CREATE UNIQUE INDEX answers_id ON answers(session, id);"
	"CREATE INDEX answers_time ON answers(time);",
	"ALTER TABLE conversations ADD COLUMN model TEXT;"
	"ALTER TABLE turns ADD COLUMN sender TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE turns ADD COLUMN input INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE turns ADD COLUMN output INTEGER NOT NULL DEFAULT 0;"
	/* Bots that were told to be silent. */
	"CREATE TABLE stopped("
	" bot TEXT PRIMARY KEY, sender TEXT NOT NULL, time INTEGER NOT NULL)"
	" WITHOUT ROWID;",
	/* What was done with tools, and what somebody is to allow first. */
	"CREATE TABLE audit("
	" key TEXT PRIMARY KEY, time INTEGER NOT NULL, session TEXT NOT NULL,"
	" bot TEXT NOT NULL, sender TEXT NOT NULL, row TEXT NOT NULL)"
	" WITHOUT ROWID;"
	"CREATE INDEX audit_time ON audit(time);"
	"CREATE INDEX audit_session ON audit(session);"
	"CREATE INDEX audit_sender ON audit(sender);"
	"CREATE TABLE approvals("
	" id TEXT PRIMARY KEY, hash TEXT NOT NULL, session TEXT NOT NULL,"
	" bot TEXT NOT NULL, sender TEXT NOT NULL, text TEXT NOT NULL,"
	" asked INTEGER NOT NULL, state INTEGER NOT NULL,"
	" who TEXT NOT NULL DEFAULT '', decided INTEGER NOT NULL DEFAULT 0)"
	" WITHOUT ROWID;"
	"CREATE INDEX approvals_hash ON approvals(hash);"
	"CREATE INDEX approvals_asked ON approvals(asked);",
	/* The skills that are active in it, a list of names. */
	"ALTER TABLE conversations ADD COLUMN skills TEXT;",
	NULL,
};

const struct lb_schema lb_schema_lb = {
	.file = "lb.db",
	.id = 0x6c626462, /* "lbdb" */
	.steps = lb_steps,
	.pragmas = "PRAGMA synchronous = NORMAL;"
		   "PRAGMA journal_size_limit = 16777216",
};

/* The first column of the first row, as a number; 0 without a row. */
static int ask(sqlite3 *db, const char *path, const char *sql, int *answer,
	       struct lb_error *err)
{
	sqlite3_stmt *query = NULL;
	int r = sqlite3_prepare_v2(db, sql, -1, &query, NULL);

	*answer = 0;
	if (r == SQLITE_OK)
		r = sqlite3_step(query);
	if (r == SQLITE_ROW)
		*answer = sqlite3_column_int(query, 0);
	sqlite3_finalize(query);
	if (r == SQLITE_ROW || r == SQLITE_DONE)
		return 0;
	return lb_db_fail(db, path, "cannot read", err);
}

static int refuse_newer(sqlite3 *db, const char *path, int version, int known,
			struct lb_error *err)
{
	sqlite3_stmt *query = NULL;
	const char *needs = NULL;

	if (sqlite3_prepare_v2(db, "SELECT value FROM about WHERE key = 'lb'",
			       -1, &query, NULL) == SQLITE_OK &&
	    sqlite3_step(query) == SQLITE_ROW)
		needs = (const char *)sqlite3_column_text(query, 0);
	lb_fail(err, LB_CONFIG,
		"'%s' has schema %d and this program knows %d: lb %.40s or "
		"newer is needed",
		path, version, known, needs ? needs : "of that schema");
	sqlite3_finalize(query);
	return -1;
}

static int steps_of(const struct lb_schema *schema)
{
	int n = 0;

	while (schema->steps[n])
		n++;
	return n;
}

/*
 * 1: nothing is missing, 0: steps are, -1: it cannot be used. Without the
 * lock, what is read one after the other need not belong together.
 */
static int look(sqlite3 *db, const char *path, const struct lb_schema *schema,
		bool locked, int *version, struct lb_error *err)
{
	int id, tables, wal, known = steps_of(schema);

	if (ask(db, path, "PRAGMA user_version", version, err) < 0 ||
	    ask(db, path, "PRAGMA application_id", &id, err) < 0)
		return -1;
	if (*version > 0 && id == schema->id) {
		if (*version > known)
			return refuse_newer(db, path, *version, known, err);
		if (ask(db, path,
			"SELECT journal_mode = 'wal' FROM pragma_journal_mode",
			&wal, err) < 0)
			return -1;
		return *version == known && wal;
	}
	if (!locked)
		return 0;
	if (ask(db, path, "SELECT count(*) FROM sqlite_master", &tables, err) <
	    0)
		return -1;
	if (*version > 0 || id != 0 || tables > 0)
		return lb_fail(err, LB_DATA,
			       "'%s' is a database of another program", path);
	return 0;
}

/* Copy the pages into `copy`, which is open. */
static int copy_pages(sqlite3 *db, sqlite3 *copy)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy, "main", db, "main");
	int r;

	if (!backup)
		return sqlite3_errcode(copy);
	do {
		r = sqlite3_backup_step(backup, COPY_PAGES);
		if (r == SQLITE_BUSY || r == SQLITE_LOCKED)
			sqlite3_sleep(COPY_WAIT_MS);
	} while (r == SQLITE_OK || r == SQLITE_BUSY || r == SQLITE_LOCKED);
	return sqlite3_backup_finish(backup);
}

static int keep_copy(sqlite3 *db, const char *path, int version,
		     struct lb_error *err)
{
	lb_autofree char *to = lb_printf("%s.schema-%d", path, version);
	lb_autoclose int fd =
		open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		     0600);
	sqlite3 *copy = NULL;
	int r;

	if (fd < 0 || fchmod(fd, 0600) < 0)
		return lb_fail_sys(err, LB_IO, "cannot make '%s'", to);
	r = sqlite3_open_v2(to, &copy, SQLITE_OPEN_READWRITE, NULL);
	if (r == SQLITE_OK)
		r = copy_pages(db, copy);
	sqlite3_close(copy);
	if (r == SQLITE_OK)
		return 0;
	unlink(to);
	return lb_fail(err, LB_IO, "cannot copy '%s' to '%s': %s", path, to,
		       sqlite3_errstr(r));
}

static int take_steps(sqlite3 *db, const char *path,
		      const struct lb_schema *schema, int from,
		      struct lb_error *err)
{
	char sql[256];
	int to = from;

	if (lb_db_run(db, path, "BEGIN EXCLUSIVE", err) < 0)
		return -1;
	for (; schema->steps[to]; to++)
		if (lb_db_run(db, path, schema->steps[to], err) < 0)
			goto fail;
	snprintf(sql, sizeof(sql),
		 "REPLACE INTO about VALUES('lb', '" LB_VERSION "');"
		 "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		 schema->id, to);
	if (lb_db_run(db, path, sql, err) == 0)
		return 0;
fail:
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return lb_error_wrap(err, "schema %d", to);
}

int lb_schema_update(struct sqlite3 *db, const char *path,
		     const struct lb_schema *schema, struct lb_error *err)
{
	lb_autofree char *lock_path = lb_printf("%s.lock", path);
	lb_autoclose int lock = -1;
	int version, r;

	r = look(db, path, schema, false, &version, err);
	if (r != 0)
		return r > 0 ? 0 : -1;
	lock = lb_place_lock(lock_path, LOCK_WAIT_MS, err);
	if (lock < 0)
		return -1;
	/* another may have been faster */
	r = look(db, path, schema, true, &version, err);
	if (r != 0)
		return r > 0 ? 0 : -1;
	if (lb_db_run(db, path, "PRAGMA journal_mode = WAL", err) < 0)
		return -1;
	if (version == steps_of(schema))
		return 0;
	if (version > 0 && keep_copy(db, path, version, err) < 0)
		return -1;
	return take_steps(db, path, schema, version, err);
}
