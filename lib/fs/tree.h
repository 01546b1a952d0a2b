/*
 * fs/tree.h - a folder with all that is in it.
 *
 * Safe against whoever else writes there: no link is followed, no other file
 * system entered, and a tree may be deeper than a path can be long.
 */
#ifndef LB_FS_TREE_H
#define LB_FS_TREE_H

#include <stdint.h>

#include "base/error.h"
#include "fs/walk.h"

/* 0 is no limit. */
struct lb_tree_limits {
	int64_t max_bytes, max_entries, max_ms;
};

struct lb_tree_size {
	int64_t bytes;   /* on disk; a file of several names counts once */
	int64_t entries; /* files, folders and the rest */
	int64_t unread;  /* folders that we may not look into */
	int64_t took_us;
	/* LB_WALK_WHOLE, or why there may be more than this. */
	enum lb_walk_end end;
};

/* Was a limit of bytes or entries passed, or is there more than was counted? */
bool lb_tree_is_over(const struct lb_tree_size *size,
		     const struct lb_tree_limits *limits);

/*
 * How much is below the folder, until one of the limits is passed. -1: LB_IO,
 * LB_DENIED, the folder itself cannot be read.
 */
int lb_tree_size(int folder, const struct lb_tree_limits *limits,
		 struct lb_tree_size *size, struct lb_error *err);

/*
 * Remove `name` in a folder with all that is below it; what is not there is
 * removed. Limits are of entries and time: LB_AGAIN when they ended it, or when
 * others kept adding to it; LB_IO: something cannot be removed.
 */
int lb_tree_remove(int parent, const char *name,
		   const struct lb_tree_limits *limits, struct lb_error *err);

#endif
