/*
 * langbot/patterns.h - lists of regular expressions, each of which must be one
 * for our programs, too.
 */
#ifndef LB_LANGBOT_PATTERNS_H
#define LB_LANGBOT_PATTERNS_H

#include "langbot/items.h"

/* Is it one that our programs start with? Empty ones and long ones are none. */
bool lb_langbot_is_pattern(const char *pattern);

/* The list without those that are none, which is noted; `list` is taken. */
json_t *lb_langbot_patterns(struct lb_item_report *item, const char *path,
			    json_t *take);

/*
 * data/metadata/sensitive-words.json as the keys of a pipeline's content
 * filter below `base`; nothing without such a file.
 */
void lb_langbot_words(struct lb_langbot *in, struct lb_item_report *item,
		      json_t *out, const char *base);

#endif
