/*
 * net/proxy-request.h - what a client asks of a proxy (RFC 9110, RFC 9112).
 */
#ifndef LB_NET_PROXY_REQUEST_H
#define LB_NET_PROXY_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/host.h"

enum { LB_PROXY_HEAD = 16 * 1024 /* bytes of a request's head, at most */ };

struct lb_proxy_request {
	bool tunnel;         /* CONNECT */
	struct lb_host host; /* with its port */
	struct lb_buf head;  /* what the host gets for it; empty for a tunnel */
};

/*
 * Read a head from `text`. 1: it is whole, and *used bytes of text are it;
 * 0: more is needed; -1: it is none that is served, *status is what HTTP calls
 * that and err says it. Release the request in any case.
 *
 * Only what leaves no doubt is taken: lines end in CR LF, nothing is folded,
 * no control characters. The host gets the path alone, a Host that is what was
 * asked for, and "Connection: close": the next request, which may be for
 * another host, needs a connection of its own.
 */
int lb_proxy_request_read(const char *text, size_t len,
			  struct lb_proxy_request *request, size_t *used,
			  int *status, struct lb_error *err);
void lb_proxy_request_release(struct lb_proxy_request *request);

#endif
