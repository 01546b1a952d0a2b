/*
 * store/audit.h - what was done with tools, in $LB_STATE/lb.db.
 *
 * A row a call, see box/audit.h for what is in it. Programs that run a command
 * append rows to $LB_STATE/box/audit.jsonl; whoever reads them, cleans up or
 * lives long folds that file into the database. However a program ends
 * meanwhile, each row is there once in the end.
 */
#ifndef LB_STORE_AUDIT_H
#define LB_STORE_AUDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "store/store.h"

/* Are there rows that were not folded yet? */
bool lb_audit_waits(const char *state);

/*
 * Move what is in the file into the table. `state` is the store's folder. Not
 * within a transaction. LB_AGAIN: another does, for longer than `busy_ms` of
 * the store. A line that is no row (a full disk) is left out with a warning.
 */
int lb_audit_fold(struct lb_store *store, const char *state,
		  struct lb_error *err);

/* Which rows: all that is not NULL or 0 must fit. */
struct lb_audit_which {
	int64_t since;         /* ms since the epoch */
	const char *session;   /* as BOT/person_7 */
	const char *sender;    /* BOT:person_ID, or an id at any bot */
	const char *workspace; /* as box.workspace has it */
	int64_t limit;         /* the last so many; 0: all */
};

/* Call fn with each, the oldest first, until it returns other than 0. */
int lb_audit_each(struct lb_store *store, const struct lb_audit_which *which,
		  int (*fn)(void *arg, const json_t *row), void *arg,
		  struct lb_error *err);

/* Forget the rows before before_ms. How many, or -1. */
int64_t lb_audit_expire(struct lb_store *store, int64_t before_ms,
			struct lb_error *err);

#endif
