/* serve.h - the connections of the test server. */
#ifndef LB_TEST_SERVE_H
#define LB_TEST_SERVE_H

#include "base/loop.h"
#include "script.h"

struct server {
	struct lb_loop *loop;
	struct exchange *script;
	int log; /* -1: none */
	int64_t started;
	int connections, requests;
};

/* Serve what comes in on a listening socket. */
void serve_listener(struct server *server, int fd);

/* log.c: one JSON line each. */
void log_request(struct server *server, int connection, const struct request *r,
		 const struct exchange *x);
void log_gone(struct server *server, int connection, size_t sent);

#endif
