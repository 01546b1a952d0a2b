/* change-in.h - what change.c, change-put.c and copy.c share. */
#ifndef LB_SKILL_CHANGE_IN_H
#define LB_SKILL_CHANGE_IN_H

#include "skill/change.h"

/* All files of one, in a folder that nobody else knows yet. */
int lb_change_write(int staging, const char *name, const struct lb_pack *pack,
		    struct lb_error *err);

/* lock.json becomes what c->skills is. */
int lb_change_keep(struct lb_change *c, struct lb_error *err);

#endif
