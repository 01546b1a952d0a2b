/*
 * store/schema.h - making a database and bringing an old one up to date.
 *
 * The schema's version is the number of steps taken, kept in SQLite's
 * user_version. A step, once released, never changes: a new version is one
 * more entry.
 */
#ifndef LB_STORE_SCHEMA_H
#define LB_STORE_SCHEMA_H

#include "base/error.h"

struct sqlite3;

struct lb_schema {
	const char *file; /* its name below $LB_STATE */
	int id;           /* what tells our file from another program's */
	const char *const *steps; /* ends with NULL; the first makes `about` */
	const char *pragmas;      /* run at each open */
};

extern const struct lb_schema lb_schema_lb; /* conversations and answers */
extern const struct lb_schema lb_schema_queue;
extern const struct lb_schema lb_schema_limits; /* what is limited */

/*
 * Take the steps that are missing, all or none, under an exclusive lock beside
 * `path`; the database as it was is kept in PATH.schema-N. LB_CONFIG when it
 * has taken more steps than we know, LB_DATA when it is not a database of
 * ours.
 */
int lb_schema_update(struct sqlite3 *db, const char *path,
		     const struct lb_schema *schema, struct lb_error *err);

#endif
