/*
 * skill/skill.h - what a SKILL.md says.
 *
 * Whatever bytes it is made of, there is a skill: one that cannot be used has
 * a finding that says why (LB_SKILL_UNFIT), and no field of it is believed.
 */
#ifndef LB_SKILL_SKILL_H
#define LB_SKILL_SKILL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "skill/finding.h"

enum {
	LB_SKILL_DESCRIPTION = 1024,  /* characters */
	LB_SKILL_COMPATIBILITY = 500, /* characters */
	LB_SKILL_BODY_LINES = 500,    /* more is advised against */
	LB_SKILL_TOOLS = 100,
	LB_SKILL_MD_MAX = 1 << 20, /* bytes of a SKILL.md */
};

struct lb_skill {
	bool fit;
	char *name;        /* what the file says; NULL: nothing, or no text */
	char *description; /* without blanks at its ends; "" when unfit */
	char *license, *compatibility; /* NULL: not said */
	/*
	 * It wants no other tools than these, each as it stands there
	 * ("Bash(git:*)"). NULL: it does not say, and "[]" is none at all.
	 */
	json_t *tools;
	json_t *matter; /* the whole frontmatter, each value a text; or NULL */
	const char *body; /* borrowed from the text that was read */
	size_t body_len;
	struct lb_skill_findings found;
};

/*
 * `folder` is the name of the folder it is in, to hold against the name it
 * gives itself; NULL when there is none. The skill is zeroed memory. `text`
 * must outlive its body.
 */
void lb_skill_read(struct lb_skill *s, const char *text, size_t len,
		   const char *folder);
void lb_skill_release(struct lb_skill *s);

#endif
