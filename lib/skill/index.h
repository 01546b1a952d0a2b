/*
 * skill/index.h - which skills a pipeline has, and what its model is told of
 * them.
 */
#ifndef LB_SKILL_INDEX_H
#define LB_SKILL_INDEX_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "skill/shelf.h"

/* Bytes of an index at most: what may be asked for. */
enum { LB_INDEX_MIN = 512, LB_INDEX_MAX = 64 << 10 };

/* Those that may be used there; borrows from `all`. */
struct lb_visible {
	const struct lb_shelved **at;
	size_t n;
	json_t *missing; /* names that are listed and cannot be used */
};

/*
 * By extensions_preferences of the pipeline: all that are fit and not hidden, or
 * those that are listed. In the order of the list; else those of search paths,
 * those that were made here, those that were installed; by name.
 */
void lb_visible_find(struct lb_visible *v, struct lb_config *config,
		     const char *pipeline, const struct lb_shelved_all *all,
		     const json_t *known);
void lb_visible_release(struct lb_visible *v);

const struct lb_shelved *lb_visible_get(const struct lb_visible *v,
					const char *name);

/* What did not fit. */
struct lb_index_cut {
	size_t cut;   /* descriptions that were shortened */
	size_t named; /* of which there is only the name */
	size_t left_out;
};

/*
 * A line for each, at most `max` bytes in all: "- name: description", the
 * description in one line and without what could pass for the structure of a
 * prompt. Where that is too much, descriptions are cut, then left out, then
 * names, from the end; a last line says how many. "" for none.
 */
void lb_index_text(const struct lb_visible *v, size_t max, struct lb_buf *out,
		   struct lb_index_cut *cut);

/* One line of a stranger's text, as above: no newline, no control, no '<'. */
void lb_index_clean(struct lb_buf *out, const char *text, size_t len);

#endif
