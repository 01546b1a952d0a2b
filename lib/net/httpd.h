/*
 * net/httpd.h - a server of HTTP/1.1, for programs with a loop.
 *
 * It reads requests whole, one after the other of each connection, and has each
 * answered: at once or later, with a body or a stream of events. Clients are
 * not trusted: connections, heads, bodies, what they do not read, and times
 * have a bound. Of those that connected and do not ask, the oldest makes room
 * for a new one, so that nobody keeps others out by being slow.
 */
#ifndef LB_NET_HTTPD_H
#define LB_NET_HTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "net/httpd-request.h"

struct lb_httpd;
struct lb_httpd_conn; /* a client, with what it asked for */

/* Bounds; 0 is the usual one. */
struct lb_httpd_limits {
	int connections;  /* at once: 256; more wait to be accepted */
	size_t body;      /* bytes of one: 16 MiB */
	size_t bodies;    /* of all at once: 64 MiB */
	size_t unread;    /* of a stream, that its client did not read: 4 MiB */
	size_t unsent;    /* of answers, of all clients: 64 MiB */
	int64_t head_ms;  /* until a request's head is whole: 10 s */
	int64_t body_ms;  /* and its body: 60 s */
	int64_t idle_ms;  /* between requests: 60 s */
	int64_t write_ms; /* in which a client has to read something: 30 s */
};

/*
 * A request. It ends with lb_httpd_answer(), or lb_httpd_stream() and
 * lb_httpd_end(), from here or later; or its client leaves. The request is
 * borrowed until then.
 */
typedef void lb_httpd_fn(void *arg, struct lb_httpd_conn *conn,
			 const struct lb_httpd_request *request);

struct lb_httpd_settings {
	struct lb_httpd_limits limits;
	/*
	 * May be NULL. The head is there, and no body yet: what is refused here
	 * (with lb_httpd_answer, at once) is not read.
	 */
	lb_httpd_fn *head;
	lb_httpd_fn *asked;
	void *arg;
};

/* Serve whoever connects to a listening socket. */
struct lb_httpd *lb_httpd_open(struct lb_loop *loop, int take_listener,
			       const struct lb_httpd_settings *settings);
/* With all its connections; nobody is told. NULL is allowed. */
void lb_httpd_close(struct lb_httpd *h);

/*
 * Whom to tell when the client leaves before its answer is whole: the request
 * is gone then, and nothing is to be said for it. Never from within a call of
 * one of these functions.
 */
void lb_httpd_on_gone(struct lb_httpd_conn *conn, void (*gone)(void *arg),
		      void *arg);

struct lb_httpd_reply {
	int status;
	const char *type; /* of what is in it; NULL: nothing is */
	const char *more; /* header lines, each with its CR LF; or NULL */
};

void lb_httpd_answer(struct lb_httpd_conn *conn,
		     const struct lb_httpd_reply *reply, const char *body,
		     size_t len);

/* Begin one whose end is not known; what is pushed leaves at once. */
void lb_httpd_stream(struct lb_httpd_conn *conn,
		     const struct lb_httpd_reply *reply);
/* False: its client does not read it, and will be gone. */
bool lb_httpd_push(struct lb_httpd_conn *conn, const char *text, size_t len);
void lb_httpd_end(struct lb_httpd_conn *conn);

#endif
