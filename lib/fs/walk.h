/*
 * fs/walk.h - what is in a folder, and in the folders of it.
 *
 *     while ((r = lb_walk_next(walk, &entry)) > 0)
 *             if (entry.type == DT_DIR)
 *                     lb_walk_enter(walk);
 *
 * No link is ever followed, nothing is opened but folders, each from the one
 * it is in, so that whatever others move meanwhile, it is a part of the tree
 * or was one. Uses few descriptors however deep a tree is.
 */
#ifndef LB_FS_WALK_H
#define LB_FS_WALK_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct lb_walk;

struct lb_walk_options {
	size_t max_entries; /* 0: no limit; it is memory, too */
	size_t max_depth;   /* 0: no limit */
	int64_t deadline;   /* mono ms; 0: none */
	bool sort;          /* each folder by the bytes of its names */
	bool paths;         /* tell paths; none is longer than PATH_MAX */
	bool leave;         /* tell when a folder was seen whole */
};

/* Borrowed until the next call. */
struct lb_walk_entry {
	int folder; /* a descriptor of what it is in */
	const char *name;
	unsigned char type; /* DT_DIR ...; never DT_UNKNOWN unless it went */
	const char *path;   /* from the root, or NULL */
	size_t path_len;
	bool leaving; /* a folder that was entered is behind us */
};

/* Why it ended before it was through. */
enum lb_walk_end {
	LB_WALK_WHOLE,
	LB_WALK_ENTRIES,
	LB_WALK_DEPTH,
	LB_WALK_TIME,
	LB_WALK_CHANGED, /* a folder we were in was moved elsewhere */
};

/* NULL: LB_IO, LB_DENIED. `root` may be O_PATH, and stays the caller's. */
struct lb_walk *lb_walk_open(int root, const struct lb_walk_options *options,
			     struct lb_error *err);
void lb_walk_close(struct lb_walk *walk);

/* 1: one more; 0: that was all, or lb_walk_ended() says what ended it. */
int lb_walk_next(struct lb_walk *walk, struct lb_walk_entry *entry);

/*
 * Go into the folder that was told of last. -1 and errno when that cannot be:
 * EACCES, EXDEV (another file system), ENAMETOOLONG or ELOOP (too deep), ENOENT,
 * ENOTDIR (it is another thing by now). The walk goes on.
 */
int lb_walk_enter(struct lb_walk *walk);

enum lb_walk_end lb_walk_ended(const struct lb_walk *walk);

#endif
