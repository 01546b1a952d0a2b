/*
 * base/mistake.h - what is wrong with an option, in the words of the house.
 */
#ifndef LB_BASE_MISTAKE_H
#define LB_BASE_MISTAKE_H

#include <getopt.h>

#include "base/error.h"

/*
 * Why getopt_long() has just returned c ('?', or ':' for an argument that is
 * missing), with opterr 0 and ':' first in its letters: LB_USAGE. An unknown
 * long option names the nearest of `longs`.
 */
void lb_option_mistake(int c, char *const *argv, const struct option *longs,
		       struct lb_error *err);

#endif
