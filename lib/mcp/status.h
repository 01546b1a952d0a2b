/*
 * mcp/status.h - how a server is, as whoever used it last knew:
 * $LB_STATE/mcp/status/NAME, a JSON object:
 *
 *     status          "connecting", "connected", "error"
 *     error_message error_code error_phase   null, or why
 *     retry_count     tries that failed in a row
 *     time             when that was, ms since the epoch
 *     pid              of the provider that uses it; absent: it was tried
 *     tool_count tools[{name, description, parameters}]
 *     resource_count resource_template_count prompt_count
 *     server_info protocol transport
 */
#ifndef LB_MCP_STATUS_H
#define LB_MCP_STATUS_H

#include <jansson.h>

#include "mcp/client.h"

/* New. `tools` is a list as the server has it, or NULL. */
json_t *lb_mcp_status_connected(const struct lb_mcp_client *client,
				const json_t *tools);
json_t *lb_mcp_status_error(enum lb_mcp_phase phase, const struct lb_error *why,
			    int retries);
json_t *lb_mcp_status_connecting(int retries);

/* Keep it; a disk that is full is nothing to stop for. */
void lb_mcp_status_keep(const char *state, const char *name, json_t *take);
/* What was kept; NULL: nothing. Who said "connected" and is gone did not say
 * what it is now: "unknown". New. */
json_t *lb_mcp_status_recall(const char *state, const char *name);
void lb_mcp_status_remove(const char *state, const char *name);

#endif
