/*
 * net/httpd-request.h - what a client asks of a server (RFC 9110, RFC 9112).
 *
 * Only what leaves no doubt is taken: lines end in CR LF, nothing is folded, no
 * control characters, one Host, one length of the body. Whoever stands between
 * the client and us thus sees the same requests as we do.
 */
#ifndef LB_NET_HTTPD_REQUEST_H
#define LB_NET_HTTPD_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/host.h"

enum {
	LB_HTTPD_HEAD = 16 * 1024, /* bytes of a request's head, at most */
	LB_HTTPD_HEADERS = 100,    /* of them, at most */
};

struct lb_httpd_header {
	char *name;  /* in small letters */
	char *value; /* without blanks at its ends */
};

struct lb_httpd_request {
	char *method;
	char *path;          /* as it was written, up to a '?' */
	char *query;         /* what is behind it, or "" */
	struct lb_host host; /* of Host; its name "" when there is none */
	bool is_old;         /* HTTP/1.0 */
	bool stays;          /* the connection may be used again */
	bool waits;          /* for a "100 Continue", to send its body */
	bool chunked;        /* its body; or */
	uint64_t length;     /* its bytes */
	struct lb_httpd_header headers[LB_HTTPD_HEADERS];
	size_t n_headers;
	/* Of the server's, once the body is there; a NUL follows. */
	const char *body;
	size_t body_len;
};

/*
 * Read a head from `text`. 1: it is whole, and *used bytes of text are it; 0:
 * more is needed; -1: it is none that is served, *status is what HTTP calls that
 * and err says it. Release the request in any case.
 */
int lb_httpd_request_read(const char *text, size_t len,
			  struct lb_httpd_request *request, size_t *used,
			  int *status, struct lb_error *err);
void lb_httpd_request_release(struct lb_httpd_request *request);

/*
 * What a header says; NULL: it is not there. Of one that is there twice, the
 * values with a comma between, so that what must be one value is none.
 */
const char *lb_httpd_header(const struct lb_httpd_request *request,
			    const char *name);

#endif
