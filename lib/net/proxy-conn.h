/*
 * net/proxy-conn.h - one client of a proxy. Inside the room only.
 *
 *     proxy.c        accepts them; who may have what
 *     proxy-conn.c   from what a client asks to a connection for it
 *     proxy-relay.c  bytes, to and fro
 */
#ifndef LB_NET_PROXY_CONN_H
#define LB_NET_PROXY_CONN_H

#include "base/buf.h"
#include "net/proxy-request.h"
#include "net/proxy.h"

enum { LB_PROXY_CHUNK = 32 * 1024 };

/* One direction: what was read of `from` and is still to be written. */
struct lb_proxy_way {
	struct lb_buf text;
	size_t at;
	bool ended; /* nothing more will be read */
	bool shut;  /* and whoever gets it knows */
};

struct lb_proxy_conn {
	struct lb_proxy *proxy;
	struct lb_proxy_conn *next, **link;
	struct lb_proxy_conn *waiting; /* for a lookup, behind this one */
	bool waits;
	int client, host; /* -1 */
	struct lb_proxy_request request;
	struct lb_resolve resolve;
	union lb_address addresses[LB_ADDRESSES]; /* that may be dialled */
	size_t n_addresses, next_address;
	struct lb_proxy_way up, down; /* to the host, to the client */
	struct lb_timer timer;
	int64_t heard; /* the last byte, mono ms */
};

struct lb_proxy {
	struct lb_loop *loop;
	struct lb_proxy_settings settings; /* without zeroes */
	int listener;
	bool listens;
	struct lb_timer again; /* when descriptors were short */
	struct lb_proxy_conn *conns;
	int n_conns, n_lookups;
	struct lb_proxy_conn *first, **end; /* those that wait for a lookup */
};

/* A new client. */
void lb_proxy_conn_open(struct lb_proxy *proxy, int take_client);
/* It is gone, and with it all of it. */
void lb_proxy_conn_close(struct lb_proxy_conn *conn);

/* An answer of ours; then it is closed, when the client has read it. */
void lb_proxy_answer(struct lb_proxy_conn *conn, int status, const char *why);

/* Both ends are there: copy, until they have ended. */
void lb_proxy_relay(struct lb_proxy_conn *conn);

/* May the host be asked for at all? LB_DENIED says why not. */
int lb_proxy_may_ask(const struct lb_proxy *proxy, const struct lb_host *host,
		     struct lb_error *err);
/* Keep those addresses that may be dialled; how many they are. */
size_t lb_proxy_keep(const struct lb_proxy *proxy, int port,
		     union lb_address *addresses, size_t n);

/* A connection is gone: there is room for another one. */
void lb_proxy_room(struct lb_proxy *proxy);

#endif
