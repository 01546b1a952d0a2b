/* mcp/pool-in.h - a pool at work. Inside the room only. */
#ifndef LB_MCP_POOL_IN_H
#define LB_MCP_POOL_IN_H

#include "mcp/log-file.h"
#include "mcp/pool.h"

struct lb_mcp_pool {
	struct lb_loop *loop;
	struct lb_mcp_pool_how how;
	struct lb_guard *guard;
	struct lb_http *http; /* NULL: nobody is asked by HTTP */
	struct lb_mcp_member *members[LB_MCP_MEMBERS];
	size_t n;
	int64_t opened; /* mono ms */
};

struct lb_mcp_member {
	struct lb_mcp_pool *pool;
	struct lb_mcp_server server;
	struct lb_mcp_launch launch;
	enum lb_mcp_era era;
	struct lb_log_file *log;
	enum {
		LB_MCP_WAITS,  /* for its turn, or its next try */
		LB_MCP_BEGINS, /* the client is not ready */
		LB_MCP_LISTS,  /* ready, and asked for its tools */
		LB_MCP_SERVES,
	} state;
	struct lb_mcp_client *client;
	struct lb_mcp_listing *listing;
	struct lb_mcp_request *ping;
	struct lb_mcp_request *hears; /* of changes; or NULL */
	struct lb_timer hears_again;  /* when it is asked for them next */
	json_t *tools;  /* as the server lists them; NULL: not known */
	int64_t listed; /* when, mono ms; 0: never */
	bool stale;     /* they changed while they were listed */
	bool tried;     /* it was reached, or failed, once */
	bool noisy;
	bool late; /* its last call had no answer in time */
	int retries;
	struct lb_timer timer; /* its next try, or its next ping */
	struct lb_timer gone;  /* it failed, and is to be told so */
	struct lb_timer again; /* its tools are to be listed anew */
	enum lb_mcp_phase failed_in;
	struct lb_error failed;
	struct lb_mcp_pool_call *first, *last;
	enum lb_mcp_phase phase;
	struct lb_error why; /* of the last failure */
};

struct lb_mcp_pool_call {
	struct lb_mcp_member *member;
	struct lb_mcp_pool_call *prev, *next;
	struct lb_mcp_request *request; /* NULL: it waits */
	char *method;
	json_t *params, *headers;
	int64_t timeout_ms, deadline;
	struct lb_timer timer; /* while it waits */
	lb_peer_fn *fn;
	void *arg;
};

/* pool-add.c: may it be used; it is a member from now on. LB_CONFIG. */
bool lb_mcp_pool_wants(const struct lb_mcp_pool *p, const char *name,
		       const json_t *entity);
int lb_mcp_pool_add(struct lb_mcp_pool *p, const char *name,
		    const json_t *entity, struct lb_error *err);

/*
 * pool-offer.c: of what a server lists, what can be offered to a model; new. What
 * is left out is told.
 */
json_t *lb_mcp_tools_usable(const struct lb_mcp_member *m, const json_t *tools);

/* pool.c: what a member is from now on, for others to read. */
void lb_mcp_member_keep(const struct lb_mcp_member *m, json_t *take);

/* pool-listen.c: hear of changes, once it is ready, and until it is gone. */
void lb_mcp_member_listen(struct lb_mcp_member *m);
void lb_mcp_member_unlisten(struct lb_mcp_member *m);

/* pool-tools.c: the member serves; it does not any more. */
void lb_mcp_calls_go(struct lb_mcp_member *m);
void lb_mcp_calls_fail(struct lb_mcp_member *m, const struct lb_error *why,
		       bool those_that_wait);
void lb_mcp_calls_forget(struct lb_mcp_member *m);

#endif
