/*
 * box/mounts-never.h - what no sandbox sees, whoever asks. For mounts.c.
 */
#ifndef LB_BOX_MOUNTS_NEVER_H
#define LB_BOX_MOUNTS_NEVER_H

#include "base/error.h"

/* Where lb keeps things; real paths. */
struct lb_box_ours {
	char *state, *root;        /* these are never mounted, */
	char *workspaces, *skills; /* but what is in these may be */
};

/*
 * Is this real path one that is never mounted, in one or above one? -1 and
 * LB_DENIED: why, and what to do.
 */
int lb_box_never(const struct lb_box_ours *ours, const char *path,
		 struct lb_error *err);

#endif
