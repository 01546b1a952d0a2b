/*
 * pipeline/patterns.h - a list of patterns of the configuration.
 */
#ifndef LB_PIPELINE_PATTERNS_H
#define LB_PIPELINE_PATTERNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/regex.h"

enum { LB_PATTERNS_MAX = 64, LB_PATTERN_MAX = 1024 /* characters */ };

struct lb_pattern {
	char *text;
	struct lb_regex *regex;
	bool warned; /* that it needs too much work */
};

/* Zeroed memory is an empty list. */
struct lb_patterns {
	char *key; /* what warnings call it */
	struct lb_pattern *at;
	size_t n;
};

/*
 * `list` holds texts, and may be NULL. `anchored`: they match at the start of
 * a text. LB_CONFIG for one that is no pattern, is too long or one too many.
 */
int lb_patterns_open(struct lb_patterns *p, const char *key, const json_t *list,
		     bool anchored, struct lb_error *err);
int lb_patterns_add(struct lb_patterns *p, const char *text, bool anchored,
		    struct lb_error *err);
void lb_patterns_release(struct lb_patterns *p);

/*
 * Does it match? One that needs too much work counts as no match, which is
 * said once.
 */
bool lb_pattern_match(const struct lb_patterns *p, size_t i, const char *text,
		      size_t len);

/* The first that matches, borrowed, or NULL. */
const char *lb_patterns_match(const struct lb_patterns *p, const char *text,
			      size_t len);

#endif
