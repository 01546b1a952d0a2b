/*
 * mcp/era.h - which era a server was of when it was reached last.
 *
 * A file of a fixed size below the state folder, $LB_STATE/mcp/eras: what is
 * lost there costs a question more at the next start.
 */
#ifndef LB_MCP_ERA_H
#define LB_MCP_ERA_H

#include "mcp/client.h"

/* `key` is lb_mcp_launch_key()'s; `state` NULL remembers nothing. */
enum lb_mcp_era lb_mcp_era_recall(const char *state, const char *key);
void lb_mcp_era_keep(const char *state, const char *key, enum lb_mcp_era era);

#endif
