/*
 * fs/lock.h - one of a kind: a file that one process holds.
 */
#ifndef LB_FS_LOCK_H
#define LB_FS_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Hold the file, made with its folder where it is missing, for as long as the
 * descriptor is open; our pid stands in it. Returns the descriptor, or -1:
 * LB_AGAIN when another process holds it, and then *holder is its pid, or 0
 * when it has not said so yet. The file stays, and says nothing when nobody
 * holds it.
 */
int lb_lock_hold(const char *path, pid_t *holder, struct lb_error *err);

/* Who holds it: its pid, 0 for nobody, -1 for somebody who did not say. */
pid_t lb_lock_holder(const char *path);

#endif
