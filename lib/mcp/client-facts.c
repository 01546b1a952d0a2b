/* client-facts.c - what is known of a server that is connected. */
#include "mcp/client-in.h"

enum lb_mcp_revision lb_mcp_client_revision(const struct lb_mcp_client *c)
{
	return c->revision;
}

const json_t *lb_mcp_client_capabilities(const struct lb_mcp_client *c)
{
	return c->theirs;
}

const json_t *lb_mcp_client_info(const struct lb_mcp_client *c)
{
	return c->info;
}

const char *lb_mcp_client_instructions(const struct lb_mcp_client *c)
{
	return c->instructions;
}

const char *lb_mcp_client_transport(const struct lb_mcp_client *c)
{
	return c->how.launch->server->mode == LB_MCP_STDIO ? "stdio"
	       : c->old_way                                ? "sse"
							   : "http";
}
