/*
 * net/sse.h - a decoder for event streams (WHATWG HTML 9.2).
 *
 * Feed it bytes cut anywhere. Lines end with LF, CRLF or CR; a leading BOM is
 * dropped; one blank after the colon is; comments are skipped; several data
 * lines are joined by LF; an event is dispatched at the blank line, and, other
 * than a browser, also when the stream ends without one. Ill-formed UTF-8
 * becomes U+FFFD.
 */
#ifndef LB_NET_SSE_H
#define LB_NET_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* Everything is borrowed until the callback returns. */
struct lb_sse_event {
	const char *name; /* "message" when the stream names none */
	const char *data; /* ends with a NUL that len does not count */
	size_t len;
	const char *id; /* the last id seen, "" at first */
};

/* Return 0 to go on, -1 to stop feeding; err is then the callback's. */
typedef int lb_sse_fn(void *arg, const struct lb_sse_event *event,
		      struct lb_error *err);

/* Zeroed memory is a decoder at the start of a stream. */
struct lb_sse {
	struct lb_buf line, data, name, id;
	size_t max_event; /* bytes of one line or event; 0 for 16 MiB */
	bool started;     /* the BOM was looked for */
	bool after_cr;    /* a LF next belongs to the CR before it */
	bool has_data;
	long retry_ms; /* from a retry field; 0 when there was none */
};

/* LB_DATA when an event exceeds max_event, or what fn failed with. */
int lb_sse_feed(struct lb_sse *sse, const char *data, size_t len, lb_sse_fn *fn,
		void *arg, struct lb_error *err);

/* The stream ended: dispatch what is pending. */
int lb_sse_finish(struct lb_sse *sse, lb_sse_fn *fn, void *arg,
		  struct lb_error *err);
void lb_sse_release(struct lb_sse *sse);

#endif
