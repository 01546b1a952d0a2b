/*
 * tool/pattern.h - names of files by a pattern, as git and ripgrep mean it.
 *
 *     *        any characters but '/', a leading '.' included
 *     ?        one of them
 *     [a-z]    one of these; [!a-z] and [^a-z], one of the others
 *     {a,b}    one of these patterns
 *     **       between slashes, or at an end: any number of folders, none
 *              included; at the end: all that is below
 *     \x       x itself
 *
 * A pattern without a slash matches the last name of a path at any depth; any
 * other one the whole path. One that ends with a slash matches folders alone.
 */
#ifndef LB_TOOL_PATTERN_H
#define LB_TOOL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { LB_PATTERN_MAX = 1024 }; /* bytes of one */

struct lb_path_pattern;

/* NULL: LB_USAGE says what is wrong. */
struct lb_path_pattern *lb_path_pattern_open(const char *text,
					     struct lb_error *err);
void lb_path_pattern_close(struct lb_path_pattern *p);

/* Does it match the path, which is relative and has no "." and ".."? */
bool lb_path_pattern_match(const struct lb_path_pattern *p, const char *path,
			   size_t len, bool is_folder);

/* Could it match anything below that folder? */
bool lb_path_pattern_reaches(const struct lb_path_pattern *p,
			     const char *folder, size_t len);

#endif
