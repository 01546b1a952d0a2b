/*
 * tool/shown.h - bytes of files, as a result can hold them.
 */
#ifndef LB_TOOL_SHOWN_H
#define LB_TOOL_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Append text as valid UTF-8 without zero bytes (U+FFFD stands for each) and
 * with line feeds for CR LF, at most `max` bytes of it, cut between characters.
 * Returns how many bytes of `text` that took. `is_end`: nothing follows it;
 * else the start of a character at its end is left.
 */
size_t lb_show(struct lb_buf *out, const char *text, size_t len, size_t max,
	       bool is_end);

#endif
