/*
 * store/db.h - what the files of this room share; nobody else includes it.
 *
 * A statement is named by its text: the address of a string literal, compared
 * as a pointer and prepared once. It is reset when its scope ends:
 *     lb_autoquery struct sqlite3_stmt *q = lb_db_query(store, "...", err);
 */
#ifndef LB_STORE_DB_H
#define LB_STORE_DB_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "store/store.h"

struct sqlite3;
struct sqlite3_stmt;

struct lb_schema;

enum { LB_DB_QUERIES = 64 };

struct lb_store {
	struct sqlite3 *db;
	const struct lb_schema *schema;
	unsigned long opened; /* how often: what was known of it may be old */
	char *state, *path;
	int busy_ms;
	dev_t dev; /* of the open file, to notice that it was replaced */
	ino_t ino;
	struct {
		const char *sql;
		struct sqlite3_stmt *query;
	} queries[LB_DB_QUERIES];
	int n_queries;
};

/* lb_store_open() for any file of ours. */
struct lb_store *lb_db_open(const char *state, const struct lb_schema *schema,
			    int busy_ms, struct lb_error *err);

/* Is the file there? */
bool lb_db_exists(const char *state, const struct lb_schema *schema);

/* Fill err from what SQLite said last; `what` is what failed. Returns -1. */
int lb_db_fail(struct sqlite3 *db, const char *path, const char *what,
	       struct lb_error *err);

/* Run statements that answer nothing. */
int lb_db_run(struct sqlite3 *db, const char *path, const char *sql,
	      struct lb_error *err);

/* The statement, ready for its values, or NULL. */
struct sqlite3_stmt *lb_db_query(struct lb_store *store, const char *sql,
				 struct lb_error *err);

/*
 * Bind values from the first: s text (NULL is null), i int64_t, t text and
 * its size_t length. Texts are borrowed until the statement is reset.
 */
void lb_db_bind(struct sqlite3_stmt *query, const char *types, ...);
void lb_db_vbind(struct sqlite3_stmt *query, const char *types, va_list args);

/* Bind them and run it once: a statement that answers nothing. -1 failed. */
int lb_db_write(struct lb_store *store, const char *sql, struct lb_error *err,
		const char *types, ...);

/* 1 a row, 0 no more, -1 failed. */
int lb_db_step(struct lb_store *store, struct sqlite3_stmt *query,
	       struct lb_error *err);

void lb_db_reset(struct sqlite3_stmt *const *query);
#define lb_autoquery __attribute__((cleanup(lb_db_reset)))

/*
 * Be in a transaction: *own says whether this call began it. Then end it with
 * lb_db_end(), which commits or, for result -1, rolls back one of our own.
 */
int lb_db_begin(struct lb_store *store, bool *own, struct lb_error *err);
int lb_db_end(struct lb_store *store, bool own, int result,
	      struct lb_error *err);

#endif
