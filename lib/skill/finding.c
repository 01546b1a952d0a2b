#include "skill/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { MAX_TEXT = 512 };

void lb_skill_find(struct lb_skill_findings *all, enum lb_skill_grade grade,
		   size_t line, const char *rule, const char *fmt, ...)
{
	char text[MAX_TEXT];
	va_list args;

	/* An unfit skill is never fit for want of room. */
	if (all->n == LB_SKILL_FINDINGS && grade == LB_SKILL_UNFIT)
		free(all->at[--all->n].text);
	if (all->n == LB_SKILL_FINDINGS)
		return;
	if ((all->n & (all->n - 1)) == 0)
		all->at = lb_grow(all->at,
				  (all->n ? 2 * all->n : 1) * sizeof(*all->at));
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	all->at[all->n++] = (struct lb_skill_finding){
		.grade = grade,
		.line = line,
		.rule = rule,
		.text = lb_strdup(text),
	};
}

void lb_skill_findings_release(struct lb_skill_findings *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->at[i].text);
	free(all->at);
	*all = (struct lb_skill_findings){0};
}

const struct lb_skill_finding *lb_skill_worst(
	const struct lb_skill_findings *all)
{
	const struct lb_skill_finding *worst = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (!worst || all->at[i].grade > worst->grade)
			worst = &all->at[i];
	return worst;
}

const char *lb_skill_grade_word(enum lb_skill_grade grade)
{
	static const char *const words[] = {"advice", "off", "unfit"};

	return words[grade];
}
