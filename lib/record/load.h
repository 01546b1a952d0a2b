/*
 * record/load.h - JSON from outside as lb-records(7) has it read.
 */
#ifndef LB_RECORD_LOAD_H
#define LB_RECORD_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * Any JSON value; new, or NULL and *why. Bad UTF-8 and lone surrogates become
 * U+FFFD, and *text and *len then tell of the mended bytes, in `mended`. Whole
 * numbers beyond 64 bits are read as reals. A NUL in a string reads as U+FFFD;
 * a NUL byte is no JSON.
 */
json_t *lb_load(const char **text, size_t *len, struct lb_buf *mended,
		json_error_t *why);

/* Does a text hold more values than that reads? */
bool lb_has_too_many(const char *text, size_t len);

#endif
