/*
 * skill/name.h - what a skill may be called.
 *
 * A name is a folder, a place in a sandbox and a word that a model writes: 1 to
 * 64 of a-z, 0-9 and hyphens, none at an end and no two in a row. That is the
 * rule of the open Agent Skills specification, without letters beyond ASCII.
 */
#ifndef LB_SKILL_NAME_H
#define LB_SKILL_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum { LB_SKILL_NAME_MAX = 64 };

/* NULL, or which part of the rule a name breaks: "has upper-case letters". */
const char *lb_skill_name_why(const char *name, size_t len);

/*
 * A name by the rule made of any text: letters are lowered, accents of Latin
 * letters left out, all else becomes a hyphen. Where nothing is left, it is
 * "skill-" and eight digits that the text decides. Caller frees.
 */
char *lb_skill_name_of(const char *text);

#endif
