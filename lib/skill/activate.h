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

/* What can be done with its files. */
enum lb_skill_files {
	LB_SKILL_NO_FILES, /* no sandbox is on this machine */
	LB_SKILL_READ_ONLY,
	LB_SKILL_WRITABLE,  /* for everybody; one of a search path is not */
	LB_SKILL_COPIED,    /* in the session */
	LB_SKILL_RESOURCES, /* they are what lb-mcp serve has */
};

/*
 * {"activated":true,"skill_name","mount_path","allowed_tools"?,"content"}, new.
 * The content has the instructions between marks that they cannot forge.
 * LB_NOINPUT: no skill of that name can be used, and which are near or hold it.
 */
json_t *lb_skill_activate(const struct lb_visible *v, const char *name,
			  enum lb_skill_files files, struct lb_error *err);

#endif
