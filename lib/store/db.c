#include "store/db.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "store/place.h"
#include "store/schema.h"

enum { OPEN_BUSY_MS = 5000, OPEN_TRIES = 5 };

static enum lb_exit code_of(int result)
{
	switch (result & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return LB_AGAIN;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return LB_DATA;
	case SQLITE_NOMEM:
		return LB_OS;
	case SQLITE_ERROR:
	case SQLITE_MISUSE:
	case SQLITE_RANGE:
	case SQLITE_CONSTRAINT:
		return LB_BUG;
	}
	return LB_IO; /* FULL, IOERR, READONLY, CANTOPEN, PERM, TOOBIG ... */
}

/* "disk I/O error" and its like alone help nobody. 0: not known. */
static int system_errno(struct sqlite3 *db, const char *path)
{
	lb_autofree char *folder = lb_strdup(path);
	char *slash = strrchr(folder, '/');

	switch (sqlite3_extended_errcode(db) & 0xff) {
	case SQLITE_IOERR:
		return sqlite3_system_errno(db);
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY: /* of the files beside it, too */
		if (access(path, R_OK | W_OK) < 0)
			return errno;
		if (slash)
			*slash = '\0';
		if (slash && access(folder, R_OK | W_OK | X_OK) < 0)
			return errno;
		return sqlite3_system_errno(db);
	}
	return 0;
}

/* Our statements name none that a whole file has not. */
static bool misses_a_table(struct sqlite3 *db)
{
	return strncmp(sqlite3_errmsg(db), "no such table", 13) == 0 ||
	       strncmp(sqlite3_errmsg(db), "no such column", 14) == 0;
}

int lb_db_fail(struct sqlite3 *db, const char *path, const char *what,
	       struct lb_error *err)
{
	enum lb_exit code = code_of(sqlite3_extended_errcode(db));
	int why;

	if (code == LB_BUG && misses_a_table(db))
		code = LB_DATA;
	if (code == LB_DATA)
		return lb_fail(err, code,
			       "'%s' is damaged (%s): move it away or put a "
			       "copy in its place",
			       path, sqlite3_errmsg(db));
	why = system_errno(db, path);
	if (why != 0)
		return lb_fail(err, code, "%s '%s': %s: %s", what, path,
			       sqlite3_errmsg(db), strerror(why));
	return lb_fail(err, code, "%s '%s': %s", what, path,
		       sqlite3_errmsg(db));
}

int lb_db_run(struct sqlite3 *db, const char *path, const char *sql,
	      struct lb_error *err)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return lb_db_fail(db, path, "cannot change", err);
}

static void shut(struct lb_store *store)
{
	for (int i = 0; i < store->n_queries; i++)
		sqlite3_finalize(store->queries[i].query);
	store->n_queries = 0;
	sqlite3_close(store->db);
	store->db = NULL;
}

/* Open the file that is there now; 1: it went away meanwhile. */
static int open_file(struct lb_store *store, struct lb_error *err)
{
	struct stat st;
	int r;

	if (lb_place_make(store->state, store->path, err) < 0)
		return -1;
	if (stat(store->path, &st) < 0)
		return 1;
	store->dev = st.st_dev;
	store->ino = st.st_ino;
	r = sqlite3_open_v2(store->path, &store->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (r == SQLITE_OK)
		return 0;
	if (stat(store->path, &st) < 0)
		return 1;
	return lb_db_fail(store->db, store->path, "cannot open", err);
}

static int set_up(struct lb_store *store, struct lb_error *err)
{
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, OPEN_BUSY_MS);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (lb_schema_update(store->db, store->path, store->schema, err) < 0 ||
	    lb_db_run(store->db, store->path, store->schema->pragmas, err) < 0)
		return -1;
	sqlite3_busy_timeout(store->db, store->busy_ms);
	store->opened++;
	return 0;
}

/* Before the first: there are no threads here, and nobody asks how much
 * memory it has, so that nothing need be locked for either. */
static void configure(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int open_db(struct lb_store *store, struct lb_error *err)
{
	int r = 1;

	for (int i = 0; r == 1 && i < OPEN_TRIES; i++) {
		shut(store);
		r = open_file(store, err);
	}
	if (r == 1)
		lb_fail(err, LB_IO, "'%s' goes away whenever it is made",
			store->path);
	if (r == 0 && set_up(store, err) == 0)
		return 0;
	shut(store);
	return -1;
}

static bool in_the_middle(const struct lb_store *store)
{
	if (lb_store_is_open(store))
		return true;
	for (int i = 0; i < store->n_queries; i++)
		if (sqlite3_stmt_busy(store->queries[i].query))
			return true;
	return false;
}

/* Have the file open that is there now. */
static int refresh(struct lb_store *store, struct lb_error *err)
{
	struct stat st;

	if (!store->db) /* opening it anew failed before */
		return open_db(store, err);
	if (in_the_middle(store))
		return 0;
	if (stat(store->path, &st) == 0 && st.st_dev == store->dev &&
	    st.st_ino == store->ino)
		return 0;
	lb_warn("'%s' was deleted or replaced: opening it anew", store->path);
	return open_db(store, err);
}

struct lb_store *lb_db_open(const char *state, const struct lb_schema *schema,
			    int busy_ms, struct lb_error *err)
{
	struct lb_store *store = lb_alloc(sizeof(*store));

	store->state = lb_strdup(state);
	store->path = lb_printf("%s/%s", state, schema->file);
	store->schema = schema;
	store->busy_ms = busy_ms;
	configure();
	if (open_db(store, err) == 0)
		return store;
	lb_store_close(store);
	return NULL;
}

struct lb_store *lb_store_open(const char *state, int busy_ms,
			       struct lb_error *err)
{
	return lb_db_open(state, &lb_schema_lb, busy_ms, err);
}

bool lb_db_exists(const char *state, const struct lb_schema *schema)
{
	lb_autofree char *path = lb_printf("%s/%s", state, schema->file);
	struct stat st;

	return stat(path, &st) == 0 || errno != ENOENT;
}

bool lb_store_exists(const char *state)
{
	return lb_db_exists(state, &lb_schema_lb);
}

void lb_store_close(struct lb_store *store)
{
	if (!store)
		return;
	shut(store);
	free(store->state);
	free(store->path);
	free(store);
}

bool lb_store_is_open(const struct lb_store *store)
{
	return store->db && !sqlite3_get_autocommit(store->db);
}

int lb_store_begin(struct lb_store *store, struct lb_error *err)
{
	if (lb_store_is_open(store))
		return 0;
	if (refresh(store, err) < 0)
		return -1;
	return lb_db_run(store->db, store->path, "BEGIN IMMEDIATE", err);
}

int lb_store_commit(struct lb_store *store, struct lb_error *err)
{
	if (!lb_store_is_open(store))
		return 0;
	return lb_db_run(store->db, store->path, "COMMIT", err);
}

void lb_store_rollback(struct lb_store *store)
{
	if (lb_store_is_open(store))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

int lb_db_begin(struct lb_store *store, bool *own, struct lb_error *err)
{
	*own = !lb_store_is_open(store);
	return lb_store_begin(store, err);
}

int lb_db_end(struct lb_store *store, bool own, int result,
	      struct lb_error *err)
{
	if (own && result == 0 && lb_store_commit(store, err) < 0)
		result = -1;
	if (own && result < 0)
		lb_store_rollback(store);
	return result;
}

struct sqlite3_stmt *lb_db_query(struct lb_store *store, const char *sql,
				 struct lb_error *err)
{
	struct sqlite3_stmt *query = NULL;

	if (refresh(store, err) < 0)
		return NULL;
	for (int i = 0; i < store->n_queries; i++)
		if (store->queries[i].sql == sql)
			return store->queries[i].query;
	if (store->n_queries == LB_DB_QUERIES) {
		lb_fail(err, LB_BUG, "more than %d statements", LB_DB_QUERIES);
		return NULL;
	}
	if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
			       &query, NULL) != SQLITE_OK) {
		lb_db_fail(store->db, store->path, "cannot read", err);
		return NULL;
	}
	store->queries[store->n_queries].sql = sql;
	store->queries[store->n_queries++].query = query;
	return query;
}

void lb_db_vbind(struct sqlite3_stmt *query, const char *types, va_list args)
{
	const char *text;

	for (int i = 1; *types; types++, i++) {
		if (*types == 'i') {
			sqlite3_bind_int64(query, i, va_arg(args, int64_t));
			continue;
		}
		text = va_arg(args, const char *);
		sqlite3_bind_text64(query, i, text,
				    *types == 't'  ? va_arg(args, size_t)
				    : text != NULL ? strlen(text)
						   : 0,
				    SQLITE_STATIC, SQLITE_UTF8);
	}
}

void lb_db_bind(struct sqlite3_stmt *query, const char *types, ...)
{
	va_list args;

	va_start(args, types);
	lb_db_vbind(query, types, args);
	va_end(args);
}

int lb_db_step(struct lb_store *store, struct sqlite3_stmt *query,
	       struct lb_error *err)
{
	int r = sqlite3_step(query);

	if (r == SQLITE_ROW)
		return 1;
	if (r == SQLITE_DONE)
		return 0;
	return lb_db_fail(store->db, store->path, "cannot use", err);
}

void lb_db_reset(struct sqlite3_stmt *const *query)
{
	if (*query) {
		sqlite3_reset(*query);
		sqlite3_clear_bindings(*query);
	}
}

int lb_db_write(struct lb_store *store, const char *sql, struct lb_error *err,
		const char *types, ...)
{
	lb_autoquery struct sqlite3_stmt *query = lb_db_query(store, sql, err);
	va_list args;

	if (!query)
		return -1;
	va_start(args, types);
	lb_db_vbind(query, types, args);
	va_end(args);
	return lb_db_step(store, query, err) < 0 ? -1 : 0;
}
