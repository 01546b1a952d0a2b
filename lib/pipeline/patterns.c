#include "pipeline/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/utf8.h"

int lb_patterns_add(struct lb_patterns *p, const char *text, bool anchored,
		    struct lb_error *err)
{
	struct lb_regex *regex;

	if (p->n == LB_PATTERNS_MAX)
		return lb_fail(err, LB_CONFIG, "more than %d patterns",
			       LB_PATTERNS_MAX);
	if (lb_utf8_count(text, strlen(text)) > LB_PATTERN_MAX)
		return lb_fail(err, LB_CONFIG,
			       "a pattern has more than %d characters",
			       LB_PATTERN_MAX);
	regex = anchored ? lb_regex_open_anchored(text, err)
			 : lb_regex_open(text, err);
	if (!regex) {
		err->code = LB_CONFIG;
		return -1;
	}
	p->at = lb_grow(p->at, (p->n + 1) * sizeof(*p->at));
	p->at[p->n++] = (struct lb_pattern){lb_strdup(text), regex, false};
	return 0;
}

int lb_patterns_open(struct lb_patterns *p, const char *key, const json_t *list,
		     bool anchored, struct lb_error *err)
{
	const json_t *one;
	size_t i;

	p->key = lb_strdup(key);
	json_array_foreach(list, i, one)
	{
		if (lb_patterns_add(p, json_string_value(one), anchored, err) <
		    0)
			return -1;
	}
	return 0;
}

void lb_patterns_release(struct lb_patterns *p)
{
	for (size_t i = 0; i < p->n; i++) {
		lb_regex_close(p->at[i].regex);
		free(p->at[i].text);
	}
	free(p->at);
	free(p->key);
	*p = (struct lb_patterns){0};
}

bool lb_pattern_match(const struct lb_patterns *p, size_t i, const char *text,
		      size_t len)
{
	struct lb_pattern *pattern = &p->at[i];
	struct lb_regex_place place = {0};
	bool gave_up = false, found;

	found = lb_regex_find(pattern->regex, text, len, &place, &gave_up);
	if (gave_up && !pattern->warned) {
		pattern->warned = true;
		lb_warn("%s: the pattern '%s' needs too much work on some "
			"text: that counts as no match",
			p->key, pattern->text);
	}
	return found;
}

const char *lb_patterns_match(const struct lb_patterns *p, const char *text,
			      size_t len)
{
	for (size_t i = 0; i < p->n; i++)
		if (lb_pattern_match(p, i, text, len))
			return p->at[i].text;
	return NULL;
}
