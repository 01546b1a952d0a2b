/*
 * mcp/client.h - one MCP server, connected.
 *
 *     client.c          requests, and what comes of them
 *     client-connect.c  from the start of a transport to `ready`
 *     client-asked.c    what a server asks of us, and tells us
 *     client-list.c     lists, all pages of them
 *     client-refused.c, client-install.c  starts that do not go as they should
 *
 * A client is opened, and tells on_ready or on_gone. Once it is gone it is only
 * to be closed; whoever wants the server again opens another one.
 *
 * Which era a server is of is found out once and remembered below the state
 * folder. A server whose era is unknown is asked server/discover: an error
 * means that it is of the older era, and it is told `initialize`; where it says
 * nothing for probe_ms, or ends, it is started again for that.
 */
#ifndef LB_MCP_CLIENT_H
#define LB_MCP_CLIENT_H

#include "mcp/launch.h"
#include "mcp/peer.h"
#include "mcp/transport.h"

struct lb_mcp_client;
struct lb_mcp_request; /* asked and not answered */

enum lb_mcp_era { LB_MCP_ERA_UNKNOWN, LB_MCP_ERA_LEGACY, LB_MCP_ERA_MODERN };

enum {
	LB_MCP_PROBE_MS = 2000,
	LB_MCP_PAGES = 1000,  /* of a list, */
	LB_MCP_ITEMS = 10000, /* and what is in it, at most */
	LB_MCP_LIST_BYTES = 64 << 20,
	LB_MCP_ROUNDS = 8, /* of questions within one request */
};

struct lb_mcp_progress {
	double progress, total; /* total < 0: unknown */
	const char *message;    /* or NULL */
};

/* Any may be NULL. */
struct lb_mcp_events {
	void (*on_ready)(void *arg);
	void (*on_gone)(void *arg, enum lb_mcp_phase phase,
			const struct lb_error *why);
	/* A list ("tools", "resources", "prompts") is another one now. */
	void (*on_changed)(void *arg, const char *what);
	void (*on_progress)(void *arg, const struct lb_mcp_progress *progress);
	/* Its log: a level as lb_mcp_log_level() has it. */
	void (*on_log)(void *arg, int level, const char *logger,
		       const char *text);
	/* A line of its standard error. */
	void (*on_words)(void *arg, const char *text, size_t len);
	/* A line that is no message: why. */
	void (*on_noise)(void *arg, const char *text, size_t len,
			 const struct lb_error *why);
};

/* All borrowed until it is closed. */
struct lb_mcp_client_how {
	const struct lb_mcp_launch *launch;
	enum lb_mcp_era era; /* forced; UNKNOWN: found out */
	int64_t probe_ms;    /* 0: LB_MCP_PROBE_MS */
	int64_t init_ms;     /* for initialize; 0: the server's */
	int log_level;       /* what is wanted of its log; -1: as it likes */
	bool elicit;         /* questions are answered by their defaults */
	bool strict;         /* noise is the end of it */
	const struct lb_mcp_events *events;
	void *arg;
};

struct lb_mcp_client *lb_mcp_client_open(struct lb_loop *loop,
					 const struct lb_mcp_client_how *how);
/* Nothing more is asked: a session is ended, while the loop turns and
 * is_ending() says so; then close it. */
void lb_mcp_client_end(struct lb_mcp_client *client);
bool lb_mcp_client_is_ending(const struct lb_mcp_client *client);

/* The server has until `until` (mono ms) to end by itself. NULL is allowed;
 * not inside on_noise, on_words, on_log, on_progress and on_changed. */
void lb_mcp_client_close(struct lb_mcp_client *client, int64_t until);

/* Once it is ready. Borrowed. */
enum lb_mcp_revision lb_mcp_client_revision(const struct lb_mcp_client *c);
const json_t *lb_mcp_client_capabilities(const struct lb_mcp_client *c);
const json_t *lb_mcp_client_info(const struct lb_mcp_client *c); /* or NULL */
const char *lb_mcp_client_instructions(const struct lb_mcp_client *c);
/* "stdio", "http" or "sse". */
const char *lb_mcp_client_transport(const struct lb_mcp_client *c);

struct lb_mcp_ask {
	const char *method;
	json_t *take_params; /* or NULL */
	int64_t timeout_ms;
	bool progress;         /* it may tell of it */
	const json_t *headers; /* {name: text} for HTTP, or NULL */
	lb_peer_fn *fn;
	void *arg;
};

/* Once it is ready. Never answered before it returns. */
struct lb_mcp_request *lb_mcp_client_ask(struct lb_mcp_client *client,
					 const struct lb_mcp_ask *ask);
void lb_mcp_request_cancel(struct lb_mcp_request *request, const char *why);

/*
 * All pages of `what`: "tools", "resources", "resourceTemplates" or "prompts".
 * The result is {WHAT: [...]}; entries that are no objects are left out. A
 * server that has none says so by its capabilities, and is not asked.
 */
struct lb_mcp_listing;
struct lb_mcp_listing *lb_mcp_client_list(struct lb_mcp_client *client,
					  const char *what, int64_t timeout_ms,
					  lb_peer_fn *fn, void *arg);
void lb_mcp_listing_cancel(struct lb_mcp_listing *listing);

#endif
