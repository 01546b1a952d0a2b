/*
 * net/ndjson.h - a decoder for streams of JSON values, one a line.
 *
 * Feed it bytes cut anywhere. Lines end with LF or CRLF, the last one may lack
 * its end; blank lines and a leading BOM are skipped. What a line holds is the
 * caller's to judge.
 */
#ifndef LB_NET_NDJSON_H
#define LB_NET_NDJSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * A line, borrowed, ended by a NUL that len does not count. Return 0 to go on,
 * -1 to stop feeding; err is then the callback's.
 */
typedef int lb_ndjson_fn(void *arg, const char *line, size_t len,
			 struct lb_error *err);

/* Zeroed memory is a decoder at the start of a stream. */
struct lb_ndjson {
	struct lb_buf line;
	size_t max_line; /* bytes; 0 for 16 MiB */
	bool started;    /* the BOM was looked for */
};

/* LB_DATA when a line exceeds max_line, or what fn failed with. */
int lb_ndjson_feed(struct lb_ndjson *nd, const char *data, size_t len,
		   lb_ndjson_fn *fn, void *arg, struct lb_error *err);

/* The stream ended: the last line needs no end. */
int lb_ndjson_finish(struct lb_ndjson *nd, lb_ndjson_fn *fn, void *arg,
		     struct lb_error *err);
void lb_ndjson_release(struct lb_ndjson *nd);

#endif
