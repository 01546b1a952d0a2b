/*
 * box/session.h - a session's files on this machine.
 *
 * Below `box.local.host_root` ($LB_STATE/box): sessions/FOLDER holds what we
 * know of a session, and the workspace is DEFAULT_WORKSPACE/FOLDER (by default
 * workspaces/FOLDER), 0700. FOLDER is key.h's. Run by root, a session's files
 * belong to a user id that no other session has (`box.uid-range`), else to
 * whoever runs us.
 */
#ifndef LB_BOX_SESSION_H
#define LB_BOX_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "box/result.h"
#include "config/config.h"

struct lb_box_session {
	char *name;       /* owned */
	char *folder;     /* of what we know of it; owned */
	char *workspace;  /* owned */
	int workspace_fd; /* O_PATH of it; whoever uses it opens from here */
	int used;         /* held while it is open: nobody deletes it */
	uid_t uid;        /* whose files they are; 0 never */
	gid_t gid;
	bool drop; /* we are root, and become that user before we touch them */
	enum lb_box_quota quota; /* as it is kept there */
	int64_t quota_mb; /* asked for; what it really is where it is hard */
};

/*
 * The session's folders, made where they are missing; with quota_mb and as
 * root, the workspace is a file system of that size. LB_DENIED: something that
 * is not ours is in its place.
 */
int lb_box_session_open(struct lb_box_session *s, struct lb_config *config,
			const char *state, const char *name, int64_t quota_mb,
			struct lb_error *err);
void lb_box_session_close(struct lb_box_session *s);

/*
 * Hold what we know of a session in that folder, made if it is missing: nobody
 * deletes the session until this is closed. LB_IO.
 */
int lb_box_session_use(const char *folder, struct lb_error *err);

/*
 * Remove the session: its files, its file system, what we know of it; its user
 * id is free then. LB_NOINPUT: there is none of that name; LB_AGAIN: somebody
 * uses it, or a machine it has elsewhere cannot be ended; LB_DENIED, LB_IO.
 */
int lb_box_session_delete(struct lb_config *config, const char *state,
			  const char *name, struct lb_error *err);

#endif
