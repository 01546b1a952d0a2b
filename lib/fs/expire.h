/*
 * fs/expire.h - a folder of files that may go: the old ones, then the most.
 */
#ifndef LB_FS_EXPIRE_H
#define LB_FS_EXPIRE_H

#include <stdint.h>

#include "base/error.h"

struct lb_expired {
	int64_t files, bytes; /* that went */
};

/*
 * Remove the files below `folder` that were last changed before before_ms (INT64_MIN:
 * none for that), then the oldest until at most max_bytes (INT64_MAX: no
 * limit) are left. Goes one folder deep, follows no link and removes regular
 * files alone, and what is empty then. A folder that is not there holds
 * nothing. LB_IO: one that cannot be read.
 */
int lb_fs_expire(const char *folder, int64_t before_ms, int64_t max_bytes,
		 struct lb_expired *expired, struct lb_error *err);

#endif
