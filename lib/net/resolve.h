/*
 * net/resolve.h - what addresses a name has, asked without waiting for it.
 *
 * The system's own way of looking names up (hosts, DNS, whatever
 * nsswitch.conf says) waits; so it is done in a process of its own, which ends
 * when this one does.
 */
#ifndef LB_NET_RESOLVE_H
#define LB_NET_RESOLVE_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"

enum { LB_ADDRESSES = 16 }; /* of a name; more are left out */

union lb_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* In the other process: fill `to`, ports and all; how many there are. */
typedef size_t lb_lookup_fn(const char *name, int port,
			    union lb_address to[LB_ADDRESSES]);

/* getaddrinfo(3). */
lb_lookup_fn lb_lookup;

/* One that is asked. Caller's memory; must not move. */
struct lb_resolve {
	struct lb_loop *loop;
	/* Called once, from the loop, unless cancelled: n is 0 when there is no
	 * such name, or when that took too long. */
	void (*done)(void *arg, const union lb_address *addresses, size_t n);
	void *arg;
	/* The room's own. */
	int fd;
	int pid;
	size_t got;
	struct lb_timer late;
	union lb_address found[LB_ADDRESSES];
};

/* LB_OS: there is no process for it. */
int lb_resolve_start(struct lb_resolve *r, const char *name, int port,
		     lb_lookup_fn *lookup, int64_t timeout_ms,
		     struct lb_error *err);

/* done is not called any more. Of zeroes or after the end, nothing happens. */
void lb_resolve_cancel(struct lb_resolve *r);

#endif
