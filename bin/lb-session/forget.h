/* lb-session - forgetting somebody, in every store there is. */
#ifndef LB_SESSION_FORGET_H
#define LB_SESSION_FORGET_H

#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "base/table.h"
#include "store/erase.h"

/* Zeroed; the caller sets what is above `ids` and releases the maps. */
struct forgetting {
	struct lb_whom whom;
	const char *state;
	struct lb_table *table;
	const char *said; /* what people called it */
	struct lb_error *err;
	struct lb_map ids, paths; /* of what went; no values */
	int64_t all, held;
};

/* All of it. 0, or -1 and *err. What went is a row of the table. */
int forget(struct forgetting *f);

#endif
