/*
 * store/limits-db.h - the inside of store/limits.h; for limits*.c alone.
 */
#ifndef LB_STORE_LIMITS_DB_H
#define LB_STORE_LIMITS_DB_H

#include "base/map.h"
#include "store/db.h"
#include "store/limits-window.h"

struct lb_cell {
	struct lb_counter counter;
	size_t slots;
	int64_t id;    /* of its row; 0 while there is none */
	int64_t until; /* when nothing in it counts any more */
	bool dirty;    /* not written yet */
	char key[];
};

struct lb_limits {
	char *state; /* NULL: in memory alone */
	int busy_ms;
	struct lb_store *store;
	struct lb_map cells; /* what is known, by key */
	struct lb_map notes; /* limits-notes.c */
	struct lb_cell **dirty;
	size_t n_dirty, room;
	bool joined;          /* a transaction of ours is open */
	int64_t version;      /* of the data, when it last was */
	unsigned long opened; /* and of the file */
	bool failing;
	int64_t retry_ms; /* of the monotonic clock */
	int64_t expired_ms;
};

/* The file is open, for reading outside of a transaction. */
bool lb_limits_look(struct lb_limits *l);
/* Be in a transaction; false while the file cannot be used. */
bool lb_limits_join(struct lb_limits *l);
void lb_limits_rollback(struct lb_limits *l);

/* The counter of a window, read if it is not known and there is a
 * transaction. Valid until the next lb_limits_join(). Never NULL. */
struct lb_cell *lb_limits_cell(struct lb_limits *l, const struct lb_limit *w);

/* It changed. */
void lb_limits_touch(struct lb_limits *l, struct lb_cell *cell,
		     const struct lb_limit *w);

#endif
