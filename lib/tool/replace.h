/*
 * tool/replace.h - a file gets another content, whole or not at all.
 */
#ifndef LB_TOOL_REPLACE_H
#define LB_TOOL_REPLACE_H

#include <stddef.h>

#include "base/error.h"
#include "tool/place.h"

/*
 * Make the file at the spot these bytes: a new file beside it is renamed over
 * it, and has its mode. Where there is none one is made, with its parents.
 * LB_DENIED also: there is no room for it, or it is read-only.
 */
int lb_tool_replace(const struct lb_place *place, const struct lb_spot *spot,
		    const char *text, size_t len, struct lb_error *err);

/* Put them at its end, all or nothing. */
int lb_tool_append(const struct lb_place *place, const struct lb_spot *spot,
		   const char *text, size_t len, struct lb_error *err);

#endif
