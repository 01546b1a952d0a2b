/* change-in.h - what change.c and change-put.c share. */
#ifndef LB_SKILL_CHANGE_IN_H
#define LB_SKILL_CHANGE_IN_H

#include "skill/change.h"

/* lock.json becomes what c->skills is. */
int lb_change_keep(struct lb_change *c, struct lb_error *err);

#endif
