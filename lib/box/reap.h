/*
 * box/reap.h - the end of what is idle.
 *
 * A session has two lives. What it runs on (a file system that is mounted, its
 * place among those that are alive) ends when nobody has used it for
 * `box.session_ttl`; its files stay until lb_box_session_delete(), or until
 * nobody has used them for `box.workspace_retention_days`. A session that is
 * persistent keeps the first.
 *
 * Only what is provably ours and provably unused is touched: a session whose
 * `use` file nobody holds, what is mounted from its own image, control groups
 * of processes that are gone.
 */
#ifndef LB_BOX_REAP_H
#define LB_BOX_REAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"

/*
 * What was ended, one call each: `what` is "session" (it is idle), "leftover"
 * (half a session that somebody who was killed began), "user" (a user id of no
 * session), "process" (what is known of one that ended), "copy" (of /etc) or "files" (gc: all of a session); `name` is whose
 * or which, borrowed.
 */
typedef void lb_box_reaped(void *arg, const char *what, const char *name);

/* All of it, of the workspace in force or, where none is (box.workspace), of
 * each that there is and of none. What cannot be ended is said in the log and left to the next
 * time. LB_DENIED: the folder of sandboxes is not ours. */
int lb_box_reap(struct lb_config *config, const char *state, lb_box_reaped *fn,
		void *arg, struct lb_error *err);

/* Idle sessions, of few; at most every 30 s whoever calls it. */
void lb_box_reap_sometimes(struct lb_config *config, const char *state);

/* Those that nobody uses and nothing is mounted for need not be idle for long:
 * there is no room for another. For box/alive.c. */
void lb_box_reap_for_room(struct lb_config *config, const char *state);

/* Remove the files of sessions (of the same) that nobody used for
 * `box.workspace_retention_days`. -1: LB_IO, LB_DENIED. */
int lb_box_gc(struct lb_config *config, const char *state, lb_box_reaped *fn,
	      void *arg, struct lb_error *err);

#endif
