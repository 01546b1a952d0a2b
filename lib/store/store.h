/*
 * store/store.h - the database of conversations and answers, $LB_STATE/lb.db.
 *
 * SQLite in WAL mode, synchronous=NORMAL, file 0600 in a folder 0700. Every
 * transaction that may write begins IMMEDIATE. The schema is made or migrated
 * under one exclusive lock, after a copy of the file; a schema newer than the
 * program is LB_CONFIG and names the version needed; a network file system is
 * refused. A database deleted or replaced under a running program is opened
 * anew with one warning.
 *
 * Writes gather in a transaction that the caller ends, once a turn of its
 * loop: lb_store_begin() does nothing inside one.
 *
 * Failures are LB_AGAIN (another process holds the lock for too long),
 * LB_IO (disk full, read-only) or LB_DATA (the file is damaged).
 */
#ifndef LB_STORE_STORE_H
#define LB_STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct lb_store;

/*
 * `state` is the folder, made when missing. `busy_ms` is how long to wait for
 * another writer: 5000 for programs that may block, 100 in a poll loop.
 */
struct lb_store *lb_store_open(const char *state, int busy_ms,
			       struct lb_error *err);
void lb_store_close(struct lb_store *store); /* rolls back what is open */

/*
 * Was anything ever stored there? Reading verbs need not make a database. True
 * too where that cannot be seen: lb_store_open() says why.
 */
bool lb_store_exists(const char *state);

int lb_store_begin(struct lb_store *store, struct lb_error *err);
int lb_store_commit(struct lb_store *store, struct lb_error *err);
void lb_store_rollback(struct lb_store *store);
bool lb_store_is_open(const struct lb_store *store); /* in a transaction */

#endif
