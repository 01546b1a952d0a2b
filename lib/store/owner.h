/*
 * store/owner.h - is a process still there? Inside the room.
 *
 * Owner N holds byte N of a file, which the kernel lets go of when the process
 * ends, however it ends. Zeroed but for fd -1 before first use.
 */
#ifndef LB_STORE_OWNER_H
#define LB_STORE_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lb_owners {
	int fd;
	int64_t *mine; /* those of this process */
	size_t n;
};

/* Open the file, made when missing. Does nothing a second time. */
int lb_owners_open(struct lb_owners *o, const char *path, struct lb_error *err);
void lb_owners_release(struct lb_owners *o);

/* Be that owner; `path` as for lb_owners_open(). */
int lb_owners_lock(struct lb_owners *o, const char *path, int64_t owner,
		   struct lb_error *err);
void lb_owners_unlock(struct lb_owners *o, int64_t owner);

/* When in doubt it is there: nothing is given out twice for that. */
bool lb_owners_has(const struct lb_owners *o, int64_t owner);

#endif
