/*
 * net/listen.h - a socket that listens for connections.
 */
#ifndef LB_NET_LISTEN_H
#define LB_NET_LISTEN_H

#include <stdbool.h>

#include "base/error.h"
#include "net/resolve.h"

struct lb_listen {
	union lb_address at;
	bool is_loopback; /* nobody but this machine reaches it */
};

/*
 * "8080", "127.0.0.1:8080", "localhost:8080", "[::1]:8080"; without an address
 * it is 127.0.0.1. Port 0 is any that is free. LB_USAGE.
 */
int lb_listen_read(struct lb_listen *l, const char *text, struct lb_error *err);

/*
 * Returns the socket, and puts its port into l. LB_AGAIN: somebody has it;
 * LB_DENIED, LB_OS.
 */
int lb_listen_open(struct lb_listen *l, struct lb_error *err);

/* "127.0.0.1:8080". Caller frees. */
char *lb_listen_text(const struct lb_listen *l);

#endif
