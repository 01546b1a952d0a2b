/*
 * skill/lend.h - a skill of the store that is written to from sandboxes.
 */
#ifndef LB_SKILL_LEND_H
#define LB_SKILL_LEND_H

#include "base/error.h"

/*
 * Run by root, each session works as a user of its own: let all of them write
 * to the files below this folder, which nobody else can reach. Run by others
 * it does nothing, as sandboxes are they. LB_IO, LB_DENIED.
 */
int lb_skill_lend(int folder, struct lb_error *err);

#endif
