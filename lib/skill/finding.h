/*
 * skill/finding.h - what is wrong with a skill, line by line.
 */
#ifndef LB_SKILL_FINDING_H
#define LB_SKILL_FINDING_H

#include <stddef.h>

enum lb_skill_grade {
	LB_SKILL_ADVICE, /* works everywhere, but could be better */
	LB_SKILL_OFF,    /* not as the open specification has it; usable here */
	LB_SKILL_UNFIT,  /* cannot be used, here or elsewhere */
};

struct lb_skill_finding {
	enum lb_skill_grade grade;
	size_t line;      /* of SKILL.md, from 1; 0: the whole of it */
	const char *rule; /* a word for programs: "name", "description" ... */
	char *text;       /* what is wrong, and behind "; " what to do */
};

/* At most LB_SKILL_FINDINGS; more are left out. */
enum { LB_SKILL_FINDINGS = 64 };

struct lb_skill_findings {
	struct lb_skill_finding *at;
	size_t n;
};

/* `rule` is borrowed for good. */
void lb_skill_find(struct lb_skill_findings *all, enum lb_skill_grade grade,
		   size_t line, const char *rule, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void lb_skill_findings_release(struct lb_skill_findings *all);

/* The first of the worst, or NULL when nothing was found. Borrowed. */
const struct lb_skill_finding *lb_skill_worst(
	const struct lb_skill_findings *all);

/* "advice", "off", "unfit". */
const char *lb_skill_grade_word(enum lb_skill_grade grade);

#endif
