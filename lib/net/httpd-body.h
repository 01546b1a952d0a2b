/*
 * net/httpd-body.h - the body of a request, however it is cut (RFC 9112, 6
 * and 7).
 */
#ifndef LB_NET_HTTPD_BODY_H
#define LB_NET_HTTPD_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

struct lb_httpd_body {
	struct lb_buf text; /* what came of it */
	size_t max;         /* bytes it may have */
	bool chunked;
	uint64_t left; /* of it, or of this chunk */
	enum {
		LB_HTTPD_SIZE,  /* of a chunk: its line */
		LB_HTTPD_BYTES, /* and what is in it, or in all */
		LB_HTTPD_AFTER, /* the end of its line */
		LB_HTTPD_LAST,  /* lines behind the last one */
	} at;
	struct lb_buf line; /* as far as it came */
	size_t lines;       /* bytes of those behind the last one */
};

/* `length` counts when it is not chunked. LB_DATA: too long. */
int lb_httpd_body_begin(struct lb_httpd_body *b, bool chunked, uint64_t length,
			size_t max, struct lb_error *err);

/*
 * More bytes, of which *used were of it. 1: it is whole; 0: more is needed; -1:
 * it is none, or too long: *status and err say which.
 */
int lb_httpd_body_feed(struct lb_httpd_body *b, const char *data, size_t len,
		       size_t *used, int *status, struct lb_error *err);

void lb_httpd_body_release(struct lb_httpd_body *b);

#endif
