/*
 * store/foreign.h - reading the SQLite database of another program.
 *
 * The file is copied first, with the log or journal beside it, so that it is
 * never written to, not even by what SQLite does to recover it, and may be in
 * use meanwhile: a copy during which it changed is made again. What is in it
 * is not trusted: views, virtual tables and functions of its schema are not
 * used, and texts, rows and time are bounded.
 */
#ifndef LB_STORE_FOREIGN_H
#define LB_STORE_FOREIGN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct lb_foreign;

enum {
	LB_FOREIGN_TEXT = 1 << 20, /* bytes of a value */
	LB_FOREIGN_ROWS = 10000,   /* of a table */
	LB_FOREIGN_ALL = 64 << 20, /* bytes of all rows that are read */
	LB_FOREIGN_MS = 20000,     /* for a table */
};

/*
 * `tmp` is the folder for the copy. LB_NOINPUT: there is no such file;
 * LB_DATA: it is no database; LB_AGAIN: it changes all the time; LB_IO.
 */
struct lb_foreign *lb_foreign_open(const char *path, const char *tmp,
				   struct lb_error *err);
void lb_foreign_close(struct lb_foreign *f);

bool lb_foreign_has(struct lb_foreign *f, const char *table);

/*
 * The rows of a table as objects, in the order they were made; new. Texts are
 * repaired, blobs are null. LB_DATA: damaged, or beyond the limits. A table
 * that is not there has no rows.
 */
json_t *lb_foreign_rows(struct lb_foreign *f, const char *table,
			struct lb_error *err);

#endif
