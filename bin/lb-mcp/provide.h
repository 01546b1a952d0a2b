/* provide.h - what the files of lb-mcp provide share. */
#ifndef LB_MCP_PROVIDE_H
#define LB_MCP_PROVIDE_H

#include <signal.h>

#include "mcp.h"
#include "mcp/pool.h"
#include "provider/server.h"

struct providing {
	struct office office;
	struct lb_mcp_pool *pool;
	struct lb_server *server;
	bool listed;      /* somebody has a list that may change */
	json_t *cache;    /* of resources: provide-resources.c */
	json_t *left_out; /* what was complained of: provide-context.c */
};

/* Whose pipeline it is. */
struct asked {
	struct providing *providing;
	const char *pipeline;
};

bool provide_may(struct providing *p, const json_t *context,
		 const char *server);

/* provide-resources.c: resources as tools. */
bool resources_may(struct providing *p, const json_t *context);
void resources_offer(json_t *tools);
/* Is it one of those? Then it is under way, or was answered. */
bool resources_call(struct providing *p, struct lb_job *job);
bool resources_cancel(struct lb_job *job);

/* provide-context.c: resources that are put into a prompt; as above. */
bool context_call(struct providing *p, struct lb_job *job);
bool context_cancel(struct lb_job *job);

#endif
