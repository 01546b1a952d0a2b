/*
 * skill/stamp.h - has anything changed on the shelf?
 */
#ifndef LB_SKILL_STAMP_H
#define LB_SKILL_STAMP_H

#include "skill/shelf.h"

/*
 * A text that is another one once a skill came, went, or has another SKILL.md.
 * It reads no file: a stat for each skill.
 */
void lb_shelf_stamp(const struct lb_shelf *shelf, char stamp[72]);

/* The same of one skill, by a stat for each of its files. LB_DENIED, LB_IO. */
int lb_shelved_stamp(const struct lb_shelved *one, char stamp[72],
		     struct lb_error *err);

#endif
