/*
 * skill/own.h - skills that are made and edited here.
 */
#ifndef LB_SKILL_OWN_H
#define LB_SKILL_OWN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "skill/shelf.h"

/* What lock.json has as the source of a skill that was made here. */
#define LB_SKILL_LOCAL "local"

/* A file that is to be in a skill. */
struct lb_own_file {
	const char *path;
	const char *text;
	size_t len;
	enum { LB_OWN_AS_IS, LB_OWN_EXEC, LB_OWN_PLAIN } mode;
};

/* A SKILL.md. */
void lb_own_compose(struct lb_buf *out, const char *name,
		    const char *description, const char *body, size_t len);

/*
 * Make a skill of that one file, SKILL.md. LB_USAGE: the name is not by the
 * rule; LB_DENIED: there is one; LB_DATA: the file makes no skill.
 */
int lb_own_create(const struct lb_shelf *shelf, const char *name,
		  const struct lb_own_file *file, struct lb_error *err);

/*
 * Put a file into a skill of the store, in place of one or as a new one; as it
 * is, its mode is that of the old one, else it may be run when it begins with
 * "#!". LB_NOINPUT, LB_USAGE; LB_DENIED: the skill is one of a search path;
 * LB_DATA: it would be none any more.
 */
int lb_own_write(const struct lb_shelf *shelf, const char *name,
		 const struct lb_own_file *file, struct lb_error *err);

/*
 * Change a member of the frontmatter of a SKILL.md, at a dotted path; NULL
 * takes it out. All else, members that are not known here, too, stays as it is
 * spelt, but for quotes that were missing. LB_DATA: there is no frontmatter
 * that can be read, or none that is simple enough.
 */
int lb_own_set(const char *text, size_t len, const char *path,
	       const json_t *value, struct lb_buf *out, struct lb_error *err);

/* The same with another body. */
int lb_own_body(const char *text, size_t len, const char *body, size_t body_len,
		struct lb_buf *out, struct lb_error *err);

#endif
