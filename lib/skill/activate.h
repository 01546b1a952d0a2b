/*
 * skill/activate.h - a skill that a model asked for.
 */
#ifndef LB_SKILL_ACTIVATE_H
#define LB_SKILL_ACTIVATE_H

#include <jansson.h>

#include "base/error.h"
#include "skill/index.h"

/* Below which skills are in a sandbox. */
#define LB_SKILL_MOUNT "/workspace/.skills"

enum { LB_SKILL_SHOWN = 64 << 10 }; /* bytes of instructions that are shown */

/*
 * {"activated":true,"skill_name","mount_path","content"}, new. The content has
 * the instructions between marks that they cannot forge. LB_NOINPUT: no skill
 * of that name can be used, and which are near or hold it.
 */
json_t *lb_skill_activate(const struct lb_visible *v, const char *name,
			  struct lb_error *err);

#endif
