/*
 * mcp/pool.h - servers that live long: begun, watched, begun again.
 *
 *     pool.c        members, from their start to their end
 *     pool-offer.c  what they offer
 *     pool-tools.c  calls
 *     pool-listen.c what they tell of changes
 *
 * Each enabled server of the configuration is a member. One that fails is begun
 * again after 2, 4 and 8 s and from then on each minute; where there is no
 * sandbox, as soon as there is one, and that counts as no try. What a member is
 * can be read in its status file (status.h).
 */
#ifndef LB_MCP_POOL_H
#define LB_MCP_POOL_H

#include "mcp/client.h"
#include "mcp/server.h"

enum {
	LB_MCP_MEMBERS = 256,
	LB_MCP_AT_ONCE = 16,         /* that are begun at the same time */
	LB_MCP_RETRY_MS = 60 * 1000, /* in the end */
	LB_MCP_BOX_MS = 2 * 1000,    /* how often it is looked for a sandbox */
	LB_MCP_PING_MS = 60 * 1000,
	LB_MCP_LIST_MS = 1000, /* between two lists, however often it changes */
	LB_MCP_WAIT_MS = 8 * 1000, /* a first list waits for its members */
};

struct lb_mcp_pool;
struct lb_mcp_member;
struct lb_mcp_pool_call;

/* Borrowed while it is open. */
struct lb_mcp_pool_how {
	struct lb_config *config;
	const char *config_file, *state;
	const json_t *servers; /* {name: entity} */
	/* Their tools, or what they have beside, are others now. */
	void (*on_changed)(void *arg);
	void *arg;
};

/* NULL: LB_OS. A server whose entity is wrong is complained of and left out. */
struct lb_mcp_pool *lb_mcp_pool_open(struct lb_loop *loop,
				     const struct lb_mcp_pool_how *how,
				     struct lb_error *err);
void lb_mcp_pool_close(struct lb_mcp_pool *pool);

/* Has each member been reached, or failed, or had its LB_MCP_WAIT_MS? */
bool lb_mcp_pool_is_settled(const struct lb_mcp_pool *pool);

/* May a pipeline use that server? NULL: each. */
typedef bool lb_mcp_may_fn(const void *arg, const char *server);

/*
 * What the members offer: [{name: "SERVER__TOOL", description, parameters}], new. It
 * fits a line of lb-provider(7), and no more are told than lb-agent takes: each
 * member has a share of that, whatever the others list.
 */
json_t *lb_mcp_pool_tools(const struct lb_mcp_pool *pool, lb_mcp_may_fn *may,
			  const void *arg);
/* Has any of them resources? */
bool lb_mcp_pool_has_resources(const struct lb_mcp_pool *pool,
			       lb_mcp_may_fn *may, const void *arg);

/* The member of that name; and the one whose tool "SERVER__TOOL" is, with the
 * tool's own name in *tool, borrowed from `name`. NULL: there is none. */
struct lb_mcp_member *lb_mcp_pool_find(const struct lb_mcp_pool *pool,
				       const char *name);
struct lb_mcp_member *lb_mcp_pool_owner(const struct lb_mcp_pool *pool,
					const char *name, const char **tool);
const char *lb_mcp_member_name(const struct lb_mcp_member *member);

struct lb_mcp_pool_ask {
	const char *method;
	json_t *take_params;
	int64_t timeout_ms; /* the server's own limit holds, too */
	lb_peer_fn *fn;
	void *arg;
};

/*
 * Ask a member, waiting for it where it is being begun. Never answered before
 * it returns. A call whose time is over counts as a failure in its status.
 */
struct lb_mcp_pool_call *lb_mcp_member_ask(struct lb_mcp_member *member,
					   const struct lb_mcp_pool_ask *ask);
void lb_mcp_pool_cancel(struct lb_mcp_pool_call *call);

#endif
