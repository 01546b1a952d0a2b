/*
 * skill/copy.h - the files of a skill in a session, to be written to there.
 *
 * They are in the session's workspace, .skills/NAME, where they count and go
 * with it. The skill itself stays as it is. A copy is made anew when its skill
 * is another one by now, unless somebody wrote to it.
 */
#ifndef LB_SKILL_COPY_H
#define LB_SKILL_COPY_H

#include <stdbool.h>

#include "base/error.h"
#include "box/session.h"
#include "skill/shelf.h"

struct lb_skill_copy {
	int folder;  /* O_PATH; -1: there is none */
	char *path;  /* of it; owned */
	bool is_old; /* written to here, while its skill changed */
};

/* LB_DATA: the skill has what cannot be copied; LB_DENIED: something else is in
 * its place; LB_IO. Release it whatever happened. */
int lb_skill_copy_open(struct lb_skill_copy *c, const struct lb_shelved *one,
		       const struct lb_box_session *session,
		       struct lb_error *err);
void lb_skill_copy_release(struct lb_skill_copy *c);

/* The folder of the workspace that skills are below, made where it is missing;
 * -1: something else is in its place. */
int lb_skill_copies(const struct lb_box_session *session, struct lb_error *err);

#endif
