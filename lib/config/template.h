/*
 * config/template.h - templates of the names of sandbox sessions, such as
 * "{launcher_type}_{launcher_id}". What they become is box/key.h's.
 */
#ifndef LB_CONFIG_TEMPLATE_H
#define LB_CONFIG_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct lb_template_part {
	const char
		*text; /* borrowed: a variable's name, or what stands there */
	size_t len;
	bool variable;
};

/* The next part of it; *at moves on. False at its end, and where it is none. */
bool lb_template_next(const char **at, struct lb_template_part *part);

/* Has it this variable? */
bool lb_template_has(const char *template, const char *variable);

/*
 * Can sessions be named by it? LB_CONFIG: it is empty, has a brace too much or
 * an unknown variable, or two values could change places unseen: between two
 * variables there must be something that is in no value, such as '_' or '/'.
 */
int lb_template_check(const char *template, struct lb_error *err);

#endif
