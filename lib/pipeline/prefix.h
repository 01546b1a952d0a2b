/*
 * pipeline/prefix.h - texts that begin with one of a list.
 */
#ifndef LB_PIPELINE_PREFIX_H
#define LB_PIPELINE_PREFIX_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The first of the list that the text begins with, borrowed, or NULL. `whole`:
 * one that ends in a letter or digit must be a word of its own, so that "ai"
 * does not begin "aircraft". Scripts without blanks between words (Chinese,
 * Japanese ...) have no such words.
 */
const char *lb_prefix_find(const json_t *list, const char *text, size_t len,
			   bool whole);

#endif
