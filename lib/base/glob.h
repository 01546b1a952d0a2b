/*
 * base/glob.h - patterns of people, simpler than those of a shell.
 */
#ifndef LB_BASE_GLOB_H
#define LB_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Does a text fit a pattern in which '*' stands for anything? */
bool lb_glob(const char *pattern, const char *text, size_t len);

#endif
