/*
 * fs/atomic.h - a file is the old one or the new one, never half of either.
 */
#ifndef LB_FS_ATOMIC_H
#define LB_FS_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Make `path` hold these bytes: a new file in the same folder, synced, is
 * renamed over it and the folder synced. It keeps the old file's mode, else
 * it is 0600. A symbolic link stays, and what it points to is written. LB_IO.
 */
int lb_atomic_write(const char *path, const char *text, size_t len,
		    struct lb_error *err);

/* The same, but 0600, and a link in its place is replaced, not followed. */
int lb_atomic_replace(const char *path, const char *text, size_t len,
		      struct lb_error *err);

/* The same, but fails with LB_DENIED when there is a file already. */
int lb_atomic_create(const char *path, const char *text, size_t len,
		     struct lb_error *err);

#endif
