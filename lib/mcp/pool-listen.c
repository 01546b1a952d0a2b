/*
 * pool-listen.c - a server of the newer era is asked to tell of changes: it tells
 * nobody who did not ask. That request has no answer until the server ends it.
 */
#include "base/clock.h"
#include "base/json.h"
#include "mcp/pool-in.h"

static void ask(void *arg)
{
	lb_mcp_member_listen(arg);
}

static void on_end(void *arg, const struct lb_peer_answer *answer)
{
	struct lb_mcp_member *m = arg;

	m->hears = NULL;
	if (answer->failure) /* it cannot */
		return;
	/* The stream broke, or was ended: there may be another. */
	lb_timer_set(m->pool->loop, &m->hears_again,
		     lb_clock_mono() + LB_MCP_PING_MS, ask, m);
}

void lb_mcp_member_listen(struct lb_mcp_member *m)
{
	const json_t *tools =
		json_object_get(lb_mcp_client_capabilities(m->client), "tools");

	if (m->hears || !lb_json_bool(tools, "listChanged", false) ||
	    !lb_mcp_is_modern(lb_mcp_client_revision(m->client)))
		return;
	m->hears =
		lb_mcp_client_ask(m->client,
				  &(struct lb_mcp_ask){
					  .method = "subscriptions/listen",
					  .take_params = lb_json_pack(
						  "{s:{s:b}}", "notifications",
						  "toolsListChanged", 1),
					  .timeout_ms = INT64_MAX,
					  .fn = on_end,
					  .arg = m,
				  });
}

void lb_mcp_member_unlisten(struct lb_mcp_member *m)
{
	lb_timer_cancel(m->pool->loop, &m->hears_again);
	if (m->hears)
		lb_mcp_request_cancel(m->hears, NULL);
	m->hears = NULL;
}
