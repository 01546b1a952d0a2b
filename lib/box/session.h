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
 * is not ours is in its place. LB_AGAIN and LB_DENIED also where there may be no
 * more sessions, see box/alive.h.
 */
int lb_box_session_open(struct lb_box_session *s, struct lb_config *config,
			const char *state, const char *name, int64_t quota_mb,
			struct lb_error *err);
void lb_box_session_close(struct lb_box_session *s);

/* What it runs on does not end by itself any more (box/reap.h), or does. */
int lb_box_session_persist(const struct lb_box_session *s, bool persistent,
			   struct lb_error *err);

/*
 * Remove the session: its files, its file system, what we know of it; its user
 * id is free then. LB_NOINPUT: there is none of that name; LB_AGAIN: somebody
 * uses it, or a machine it has elsewhere cannot be ended; LB_DENIED, LB_IO.
 */
int lb_box_session_delete(struct lb_config *config, const char *state,
			  const char *name, struct lb_error *err);

/* ---- for the files of this room ---- */

/*
 * Hold what we know of the session with that folder (key.h's) below that root,
 * made if it is missing: it is alive, and nobody deletes it until the descriptor
 * is closed. LB_IO, and as lb_box_session_open().
 */
int lb_box_session_hold(struct lb_config *config, const char *state,
			const char *root, const char *folder,
			struct lb_error *err);

struct lb_box_places; /* box/place.h */

/* Remove what somebody left in the folder of a session who was killed while he
 * wrote a file there; nobody does now. How many. */
int lb_box_session_tidy(const char *folder);

/* What the session with that folder is called; NULL: it was not made. New. */
char *lb_box_session_name(const char *sessions, const char *folder);

/*
 * Nobody uses the session with that folder and, as long as the descriptor is
 * open, nobody will. `name` is for the words of a failure. LB_NOINPUT: there is
 * none; LB_AGAIN: somebody does; LB_IO.
 */
int lb_box_session_claim(const char *sessions, const char *folder,
			 const char *name, struct lb_error *err);

/* Then: its end, with all its files. */
int lb_box_session_end(const struct lb_box_places *places, const char *folder,
		       struct lb_error *err);

#endif
