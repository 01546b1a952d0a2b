/*
 * net/proxy.h - an HTTP proxy for clients that may reach a part of the world.
 *
 * CONNECT for what is encrypted, requests with a whole URL for what is not. It
 * looks names up itself, holds each address against the rules, and connects to
 * the very address that it held against them. Clients and hosts alike are not
 * trusted: connections, heads, buffers and times have a bound.
 */
#ifndef LB_NET_PROXY_H
#define LB_NET_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "net/resolve.h"

/* What may be reached; borrowed while the proxy is open. */
struct lb_proxy_policy {
	/* Rules of base/host.h, NULL-ended; NULL: every host, but not port 25,
	 * where mail servers are. */
	const char *const *allow;
	/* Networks of base/host.h, NULL-ended, or NULL: addresses that may be
	 * reached although they are not public (net/address.h) or are this
	 * machine's own. */
	const char *const *inner;
};

/* Bounds; 0 is the usual one. */
struct lb_proxy_limits {
	int connections; /* at once: 128; more wait to be accepted */
	int lookups;     /* at once: 16 */
	int64_t head_ms; /* until a request is whole: 10 s */
	int64_t lookup_ms, connect_ms; /* 10 s, 15 s for each address */
	int64_t idle_ms; /* without a byte in any direction: 300 s */
};

struct lb_proxy_settings {
	struct lb_proxy_policy policy;
	struct lb_proxy_limits limits;
	lb_lookup_fn *lookup; /* NULL: lb_lookup */
	/* May be NULL. Somebody may not have what he asked for: "HOST:PORT",
	 * and why. */
	void (*refused)(void *arg, const char *host, const char *why);
	void *arg;
};

struct lb_proxy;

/* Serve whoever connects to a listening socket. */
struct lb_proxy *lb_proxy_open(struct lb_loop *loop, int take_listener,
			       const struct lb_proxy_settings *settings);
/* With all its connections. NULL is allowed. */
void lb_proxy_close(struct lb_proxy *proxy);

#endif
