/*
 * box/alive.h - the sessions that are alive: somebody uses them, or they have a
 * file system that is mounted. Inside the room only.
 *
 * ROOT/alive/FOLDER is there from before a session is used until somebody finds
 * that it is not any more (box/reap.h): who counts them, and who looks for those
 * that are idle, need not look at all that have files.
 */
#ifndef LB_BOX_ALIVE_H
#define LB_BOX_ALIVE_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"

/*
 * Be one of them, before the session is used; what lb_box_alive_has() says once
 * it is, decides. `root` as box/place.h has it. LB_AGAIN: there are as many as
 * there may be (`box.limits.max_sessions`), even without those that are idle;
 * LB_DENIED: there may be none.
 */
int lb_box_alive_enter(struct lb_config *config, const char *state,
		       const char *root, const char *folder,
		       struct lb_error *err);
bool lb_box_alive_has(const char *root, const char *folder);
/* It is not one any more. By whoever holds it so that nobody can use it. */
void lb_box_alive_leave(const char *root, const char *folder);

#endif
