/* mcp/http-in.h - streamable HTTP at work. Inside the room only.
 *
 *     transport-http.c  what is sent, and with which headers
 *     http-exchange.c   one request, from its start to the end of its answer
 */
#ifndef LB_MCP_HTTP_IN_H
#define LB_MCP_HTTP_IN_H

#include "mcp/remote.h"

struct lb_exchange;

struct lb_http_way {
	struct lb_mcp_transport t;
	struct lb_mcp_place place;
	enum lb_mcp_revision revision;
	char *session;
	bool ending;
	bool held;     /* `initialized` is on its way: requests come after it */
	bool listened; /* its own stream was asked for in this session */
	struct lb_exchange *first;
};

struct lb_exchange {
	struct lb_http_way *h;
	struct lb_exchange *prev, *next;
	struct lb_http_call *call; /* NULL: between two tries */
	int64_t id;                /* of the request; 0: of none */
	enum { LB_POST, LB_LISTEN, LB_RESUME, LB_DELETE } what;
	struct lb_buf text; /* what is sent */
	struct lb_words headers;
	char *session; /* in which it was sent */
	struct lb_sse sse;
	struct lb_buf body, last_id;
	int status, resumes, redirects;
	bool is_stream, is_json, starts_session, redirected;
	bool once;  /* to be done twice by nobody */
	bool holds; /* what comes after it waits for its end */
	int64_t began;
	struct lb_timer timer;
	struct lb_error broken; /* by what it said */
};

struct lb_exchange *lb_exchange_make(struct lb_http_way *h, int what,
				     int64_t id);
/* Begin it, now; `arg` is the exchange. */
void lb_mcp_exchange_start(void *arg);
void lb_exchange_drop(struct lb_exchange *e);

/* What the server wants to say by itself, where that is wanted. */
void lb_http_way_listen(struct lb_http_way *h);

#endif
