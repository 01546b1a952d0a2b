/*
 * box/place.h - where the files of sandboxes are, and whose they are.
 */
#ifndef LB_BOX_PLACE_H
#define LB_BOX_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "config/config.h"

/*
 * Sandboxes of a workspace (`box.workspace`, the whole of one tenant) are apart
 * from those of others and of none: its root is BASE/tenants/WORKSPACE, and all
 * that is said of the root elsewhere is in there. WORKSPACE is its name as
 * lb_box_folder() writes it, which is never that of another. User ids alone are
 * kept at the base, since no two sessions may have one.
 */

/* The base: `box.local.host_root`, else $LB_STATE/box; a relative one is below
 * $LB_STATE. Caller frees. */
char *lb_box_base(struct lb_config *config, const char *state);

/* The workspace in force as the name of a folder; NULL: none is. Caller frees. */
char *lb_box_tenant(const struct lb_config *config);

/* Its name again. Caller frees. */
char *lb_box_tenant_name(const char *tenant);

/* Call fn with the folder's name of each workspace that has files. */
void lb_box_tenants(struct lb_config *config, const char *state,
		    void (*fn)(void *arg, const char *tenant), void *arg);

/* The root of the workspace in force; without one it is the base. Caller
 * frees. */
char *lb_box_root(struct lb_config *config, const char *state);

/* `box.local.default_workspace`, else "workspaces"; a relative one is below
 * the root, and in an absolute one a workspace has .tenants/WORKSPACE. Caller
 * frees. */
char *lb_box_workspaces(struct lb_config *config, const char *state);

/* What there is of them. All owned, real names; `workspaces` NULL: there are
 * none; `tenant` NULL: no workspace is in force. */
struct lb_box_places {
	char *base, *root, *sessions, *workspaces, *tenant;
	const struct lb_config *config; /* by which they were found; borrowed */
};

/* 1; 0: nothing was ever made there; -1: LB_DENIED, the root is not ours. */
int lb_box_places_find(struct lb_box_places *places, struct lb_config *config,
		       const char *state, struct lb_error *err);
/* The same for any workspace, by its folder's name; NULL: for none. */
int lb_box_places_of(struct lb_box_places *places, struct lb_config *config,
		     const char *state, const char *tenant,
		     struct lb_error *err);
void lb_box_places_release(struct lb_box_places *places);

/* `box.local.skills_root`, where a relative one is below the base; else
 * $LB_STATE/skills: they are the operator's, for all workspaces. Caller frees. */
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

/* Who has a user id: the session with that folder, of a workspace (NULL: of
 * none). Caller frees. */
char *lb_box_uid_owner(const char *tenant, const char *folder);

/*
 * A user id for that owner: the one he has, or one that nobody has. Kept below
 * `base`. 0: LB_UNAVAILABLE, all are taken; LB_IO.
 */
uid_t lb_box_uid(const struct lb_box_uids *uids, const char *base,
		 const char *owner, struct lb_error *err);

/* He is gone: another one may have his user id. */
void lb_box_uid_free(const char *base, const char *owner);

#endif
