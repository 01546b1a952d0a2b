/* pool-add.c - which servers are members of a pool. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "mcp/pool-in.h"

int lb_mcp_pool_add(struct lb_mcp_pool *p, const char *name,
		    const json_t *entity, struct lb_error *err)
{
	struct lb_mcp_member *m = lb_alloc(sizeof(*m));
	const char *era = lb_json_str(entity, "era");

	*m = (struct lb_mcp_member){.pool = p};
	if (lb_mcp_server_read(&m->server, name, entity, err) < 0) {
		free(m);
		return -1;
	}
	m->era = !era                         ? LB_MCP_ERA_UNKNOWN
		 : strcmp(era, "legacy") == 0 ? LB_MCP_ERA_LEGACY
					      : LB_MCP_ERA_MODERN;
	if (m->server.mode != LB_MCP_STDIO && !p->http)
		p->http = lb_http_open(p->loop);
	m->launch = (struct lb_mcp_launch){
		.server = &m->server,
		.config = p->how.config,
		.config_file = p->how.config_file,
		.state = p->how.state,
		.guard = p->guard,
		.http = p->http,
		.listen = true,
		.max_line = (size_t)lb_config_max_line(),
	};
	m->log = lb_log_file_open(p->how.state, name);
	p->members[p->n++] = m;
	return 0;
}

bool lb_mcp_pool_wants(const struct lb_mcp_pool *p, const char *name,
		       const json_t *entity)
{
	bool programs =
		json_is_true(lb_config_get(p->how.config, "mcp.stdio.enabled"));

	if (!lb_json_bool(entity, "enable", true) || p->n == LB_MCP_MEMBERS)
		return false;
	if (programs || lb_mcp_entity_url(entity))
		return true;
	lb_warn("MCP server '%s' is a program, and those are switched off "
		"(mcp.stdio.enabled)",
		name);
	return false;
}
