/*
 * box/place.h - where the files of sandboxes are, and whose they are.
 */
#ifndef LB_BOX_PLACE_H
#define LB_BOX_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "config/config.h"

/* `box.local.host_root`, else $LB_STATE/box; a relative one is below
 * $LB_STATE. Caller frees. */
char *lb_box_root(struct lb_config *config, const char *state);

/* `box.local.default_workspace`, else "workspaces"; a relative one is below
 * the root. Caller frees. */
char *lb_box_workspaces(struct lb_config *config, const char *state);

/* What there is of them. All owned, real names; `workspaces` NULL: there are
 * none. */
struct lb_box_places {
	char *root, *sessions, *workspaces;
};

/* 1; 0: nothing was ever made there; -1: LB_DENIED, the root is not ours. */
int lb_box_places_find(struct lb_box_places *places, struct lb_config *config,
		       const char *state, struct lb_error *err);
void lb_box_places_release(struct lb_box_places *places);

/* `box.local.skills_root`, where a relative one is below the root; else
 * $LB_STATE/skills. Caller frees. */
char *lb_box_skills(struct lb_config *config, const char *state);

/* How many files a workspace of that many MiB may hold: one for each 16 KiB, at
 * least 1,000, and at most `box.limits.max_workspace_entries`. */
int64_t lb_box_files(struct lb_config *config, int64_t mb);

/* The user ids of sandboxes that root starts, `box.uid-range`. The first one is
 * for those without a session. LB_CONFIG. */
struct lb_box_uids {
	uid_t first, last;
};

int lb_box_uids(struct lb_config *config, struct lb_box_uids *uids,
		struct lb_error *err);

/*
 * A user id for the session with that folder: the one it has, or one that
 * nobody has. Kept below `root`. 0: LB_UNAVAILABLE, all are taken; LB_IO.
 */
uid_t lb_box_uid(const struct lb_box_uids *uids, const char *root,
		 const char *folder, struct lb_error *err);

/* The session with that folder is gone: another one may have its user id. */
void lb_box_uid_free(const char *root, const char *folder);

#endif
