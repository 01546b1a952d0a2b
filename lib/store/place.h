/*
 * store/place.h - the folder and the file a database lives in.
 */
#ifndef LB_STORE_PLACE_H
#define LB_STORE_PLACE_H

#include "base/error.h"

/*
 * Make the folder (0700) and an empty file (0600) in it where they are
 * missing, whatever the umask. LB_CONFIG when the folder is on a network file
 * system, where SQLite's locks cannot be trusted.
 */
int lb_place_make(const char *folder, const char *file, struct lb_error *err);

/* Is that folder on a disk of this machine? LB_CONFIG: on another's. */
int lb_place_check(const char *folder, struct lb_error *err);

/* Is a file system of this type, as /proc/self/mountinfo names it, remote? */
int lb_place_is_remote(const char *type);

/*
 * Hold the lock file `path`, waiting at most wait_ms. Returns a descriptor;
 * closing it lets go. LB_AGAIN when another process holds it for too long.
 */
int lb_place_lock(const char *path, int wait_ms, struct lb_error *err);

#endif
