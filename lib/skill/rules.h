/*
 * skill/rules.h - the open Agent Skills specification, held against a skill.
 *
 * For skill/skill.c.
 */
#ifndef LB_SKILL_RULES_H
#define LB_SKILL_RULES_H

#include "config/yaml.h"
#include "skill/skill.h"

/* Adds what is wrong with the fields that were read. */
void lb_skill_rules(struct lb_skill *s, const struct lb_yaml *root,
		    const char *folder);

/* And with its body, which begins in that line. */
void lb_skill_rules_body(struct lb_skill *s, size_t line);

#endif
