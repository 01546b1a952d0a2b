#include "store/foreign.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "store/foreign-copy.h"

enum { MAX_COLUMNS = 100, STEPS = 10000 };

struct lb_foreign {
	char *path, *folder;
	struct sqlite3 *db;
	size_t bytes;
	int64_t until; /* mono ms: the end of patience with this table */
};

static int fail(struct lb_foreign *f, struct lb_error *err)
{
	int code = sqlite3_errcode(f->db) & 0xff;

	if (code == SQLITE_NOTADB)
		return lb_fail(err, LB_DATA, "'%s' is not a SQLite database",
			       f->path);
	if (code == SQLITE_INTERRUPT)
		return lb_fail(err, LB_DATA, "'%s' takes too long to read",
			       f->path);
	if (code == SQLITE_TOOBIG)
		return lb_fail(err, LB_DATA,
			       "'%s' holds a value of more than %d bytes",
			       f->path, LB_FOREIGN_TEXT);
	return lb_fail(err, LB_DATA, "cannot read '%s': %s", f->path,
		       sqlite3_errmsg(f->db));
}

static int on_steps(void *arg)
{
	const struct lb_foreign *f = arg;

	return lb_clock_mono() > f->until;
}

static int open_copy(struct lb_foreign *f, struct lb_error *err)
{
	lb_autofree char *file = lb_printf("%s/db", f->folder);

	if (sqlite3_open_v2(file, &f->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return fail(f, err);
	sqlite3_limit(f->db, SQLITE_LIMIT_LENGTH, LB_FOREIGN_TEXT);
	sqlite3_limit(f->db, SQLITE_LIMIT_COLUMN, MAX_COLUMNS);
	sqlite3_limit(f->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_progress_handler(f->db, STEPS, on_steps, f);
	f->until = lb_clock_mono() + LB_FOREIGN_MS;
	if (sqlite3_exec(f->db,
			 "PRAGMA cell_size_check=1; PRAGMA mmap_size=0;"
			 "SELECT count(*) FROM sqlite_master",
			 NULL, NULL, NULL) != SQLITE_OK)
		return fail(f, err);
	return 0;
}

struct lb_foreign *lb_foreign_open(const char *path, const char *tmp,
				   struct lb_error *err)
{
	struct lb_foreign *f = lb_alloc(sizeof(*f));

	f->path = lb_strdup(path);
	f->folder = lb_copy_make(path, tmp, err);
	if (f->folder && open_copy(f, err) == 0)
		return f;
	lb_foreign_close(f);
	return NULL;
}

void lb_foreign_close(struct lb_foreign *f)
{
	if (!f)
		return;
	sqlite3_close(f->db);
	lb_copy_remove(f->folder);
	free(f->path);
	free(f);
}

bool lb_foreign_has(struct lb_foreign *f, const char *table)
{
	struct sqlite3_stmt *query = NULL;
	bool has = false;

	f->until = lb_clock_mono() + LB_FOREIGN_MS;
	if (sqlite3_prepare_v2(f->db,
			       "SELECT 1 FROM sqlite_master WHERE "
			       "type = 'table' AND name = ? AND "
			       "sql NOT LIKE 'create virtual%'",
			       -1, &query, NULL) == SQLITE_OK) {
		sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
		has = sqlite3_step(query) == SQLITE_ROW;
	}
	sqlite3_finalize(query);
	return has;
}

static json_t *value(struct sqlite3_stmt *query, int i, size_t *bytes)
{
	const unsigned char *text;
	size_t len;

	switch (sqlite3_column_type(query, i)) {
	case SQLITE_INTEGER:
		return json_integer(sqlite3_column_int64(query, i));
	case SQLITE_FLOAT: {
		/* what is no number is no JSON either */
		json_t *real = json_real(sqlite3_column_double(query, i));

		return real ? real : json_null();
	}
	case SQLITE_TEXT:
		text = sqlite3_column_text(query, i);
		len = (size_t)sqlite3_column_bytes(query, i);
		*bytes += len;
		return lb_json_text(text ? (const char *)text : "",
				    text ? len : 0);
	}
	return json_null();
}

static json_t *row(struct lb_foreign *f, struct sqlite3_stmt *query)
{
	json_t *out = json_object();
	int n = sqlite3_column_count(query);

	for (int i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(query, i);

		/* a name that is no UTF-8 names nothing we know */
		if (name)
			json_object_set_new(out, name,
					    value(query, i, &f->bytes));
	}
	return out;
}

static int read_rows(struct lb_foreign *f, struct sqlite3_stmt *query,
		     json_t *out, struct lb_error *err)
{
	int r;

	while ((r = sqlite3_step(query)) == SQLITE_ROW) {
		if (json_array_size(out) == LB_FOREIGN_ROWS)
			return lb_fail(err, LB_DATA,
				       "'%s' has more than %d rows in a table",
				       f->path, LB_FOREIGN_ROWS);
		json_array_append_new(out, row(f, query));
		if (f->bytes > LB_FOREIGN_ALL)
			return lb_fail(err, LB_DATA,
				       "'%s' holds more than %d bytes", f->path,
				       LB_FOREIGN_ALL);
	}
	return r == SQLITE_DONE ? 0 : fail(f, err);
}

json_t *lb_foreign_rows(struct lb_foreign *f, const char *table,
			struct lb_error *err)
{
	/* the callers' own names: no quotes in them */
	lb_autofree char *sql = lb_printf("SELECT * FROM \"%s\"", table);
	json_auto_t *out = json_array();
	struct sqlite3_stmt *query = NULL;
	int r;

	if (!lb_foreign_has(f, table))
		return lb_steal(&out);
	if (sqlite3_prepare_v2(f->db, sql, -1, &query, NULL) != SQLITE_OK)
		r = fail(f, err);
	else
		r = read_rows(f, query, out, err);
	sqlite3_finalize(query);
	return r < 0 ? NULL : lb_steal(&out);
}
