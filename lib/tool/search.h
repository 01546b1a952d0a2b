/*
 * tool/search.h - what glob and grep share: where they look, and where not.
 */
#ifndef LB_TOOL_SEARCH_H
#define LB_TOOL_SEARCH_H

#include <stdbool.h>

#include "base/error.h"
#include "fs/walk.h"
#include "tool/place.h"

/* The folder of a spot, to be walked with paths, within the limits of tool.h. */
struct lb_walk *lb_search_open(const struct lb_spot *spot, bool sort,
			       struct lb_error *err);

/* What ended it, as results say it; NULL: nothing did. */
const char *lb_search_ended(const struct lb_walk *walk);

/* A name that is passed over at any depth: .git, node_modules ... */
bool lb_search_skips(const char *name);

/* A pattern without the folder it is looked for in, if it begins with that. */
const char *lb_search_below(const struct lb_spot *spot, const char *pattern);

#endif
