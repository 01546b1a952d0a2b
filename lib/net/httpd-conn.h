/*
 * net/httpd-conn.h - one client of a server. Inside the room only.
 *
 *     httpd.c         accepts them, and makes room
 *     httpd-conn.c    from bytes to requests, and from one to the next
 *     httpd-answer.c  what they are told
 */
#ifndef LB_NET_HTTPD_CONN_H
#define LB_NET_HTTPD_CONN_H

#include "base/buf.h"
#include "net/httpd-body.h"
#include "net/httpd.h"

struct lb_httpd_conn {
	struct lb_httpd *server;
	struct lb_httpd_conn *next, **link;
	int fd;
	enum {
		LB_CONN_HEAD,   /* the head of a request is read */
		LB_CONN_BODY,   /* its body is */
		LB_CONN_ASKED,  /* it is to be answered */
		LB_CONN_STREAM, /* and is being */
		LB_CONN_DONE,   /* and was; the rest of it leaves */
		LB_CONN_LEAVE,  /* all is said; it may still be heard */
	} at;
	bool ends;   /* this request is its last one */
	bool chunks; /* a stream whose end can be said */
	bool is_gone;
	bool began;  /* something of a request came */
	bool served; /* it is not its first one */
	bool busy;   /* we are in it: what it asked for is being looked at */
	uint32_t watched;
	struct lb_buf in, out;
	size_t out_at;         /* of `out`: written until here */
	size_t thrown;         /* bytes that came when all was said */
	int64_t since;         /* mono ms: it is where it is */
	int64_t wrote;         /* mono ms: its client read something */
	struct lb_timer timer; /* it takes too long */
	struct lb_timer later; /* look at it, when the loop turns */
	struct lb_httpd_request request;
	struct lb_httpd_body body;
	size_t counted; /* bytes of the body, in the server's count */
	void (*gone)(void *arg);
	void *gone_arg;
};

struct lb_httpd {
	struct lb_loop *loop;
	struct lb_httpd_settings settings; /* without zeroes */
	int listener;
	bool listens;
	struct lb_timer again; /* when something was short */
	struct lb_httpd_conn *conns;
	int n_conns;
	size_t bodies; /* bytes of all of them */
};

/* A new client; it is gone. */
void lb_httpd_conn_open(struct lb_httpd *h, int take_client);
void lb_httpd_conn_close(struct lb_httpd_conn *c);
/* A connection is gone: there is room for another one. */
void lb_httpd_room(struct lb_httpd *h);

/* Look at it when the loop turns. */
void lb_httpd_later(struct lb_httpd_conn *c);

/* As much of `out` as the client takes. False: it is gone. */
bool lb_httpd_flush(struct lb_httpd_conn *c);
/* An answer of ours, after which nothing is heard. */
void lb_httpd_refuse(struct lb_httpd_conn *c, int status, const char *why);

#endif
