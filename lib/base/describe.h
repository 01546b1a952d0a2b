/*
 * base/describe.h - an option table, for people and for programs. What
 * base/prog answers --help and --describe with.
 */
#ifndef LB_BASE_DESCRIBE_H
#define LB_BASE_DESCRIBE_H

#include "base/prog.h"

/* --help of the program, or (verb not NULL) of one of its verbs. */
void lb_prog_help(const struct lb_prog *prog, const struct lb_verb *verb,
		  const struct lb_opt *common);

/* --describe: one JSON object with all verbs. */
void lb_prog_describe(const struct lb_prog *prog, const struct lb_opt *common);

#endif
