/* client-refused.c - a handshake that HTTP refused, or that a program ended. */
#include <string.h>

#include "base/json.h"
#include "mcp/client-in.h"

static bool probe_refused(struct lb_mcp_client *c,
			  const struct lb_mcp_refusal *refusal)
{
	json_auto_t *body = json_loads(refusal->body, 0, NULL);
	const json_t *error = json_object_get(body, "error"), *versions;
	int64_t code = 0;

	lb_json_int(error, "code", &code);
	if (c->forced ||
	    lb_mcp_is_modern_failure(code, json_object_get(error, "data"),
				     &versions))
		return false;
	lb_peer_cancel(c->shake, NULL);
	lb_mcp_initialize(c, LB_MCP_LATEST_LEGACY);
	return true;
}

static bool init_refused(struct lb_mcp_client *c,
			 const struct lb_mcp_refusal *refusal)
{
	json_auto_t *body = json_loads(refusal->body, 0, NULL);
	const json_t *data =
		json_object_get(json_object_get(body, "error"), "data");
	struct lb_peer_call *shake = c->shake;

	if (refusal->status == 400 &&
	    lb_mcp_try_another(c, refusal->body, data)) {
		lb_peer_cancel(shake, NULL);
		return true;
	}
	if (c->how.launch->server->mode != LB_MCP_REMOTE || c->old_way ||
	    c->state == LB_MCP_IS_RENEWING ||
	    (refusal->status != 400 && refusal->status != 404 &&
	     refusal->status != 405))
		return false;
	c->old_way = true;
	c->known = LB_MCP_ERA_LEGACY;
	lb_mcp_reconnect(c);
	return true;
}

bool lb_mcp_handshake_refused(struct lb_mcp_client *c,
			      const struct lb_mcp_refusal *refusal,
			      const struct lb_error *why)
{
	(void)why;
	if (!c->shake || !refusal || lb_peer_call_id(c->shake) != refusal->id)
		return false;
	/* A key is missing, or it has to wait: that is no era. */
	if (refusal->status < 400 || refusal->status >= 500 ||
	    refusal->status == 401 || refusal->status == 403 ||
	    refusal->status == 429)
		return false;
	return c->probing ? probe_refused(c, refusal)
			  : init_refused(c, refusal);
}

bool lb_mcp_handshake_lost(struct lb_mcp_client *c, enum lb_mcp_phase phase)
{
	if (phase == LB_MCP_DEP_INSTALL && !c->installed &&
	    c->state == LB_MCP_IS_STARTING) {
		if (c->shake)
			lb_peer_cancel(c->shake, NULL);
		c->shake = NULL;
		lb_mcp_install(c);
		return true;
	}
	if (c->state != LB_MCP_IS_STARTING || !lb_mcp_is_program(c) ||
	    phase != LB_MCP_INIT || c->respawned)
		return false;
	if (c->probing && !c->forced)
		c->known = LB_MCP_ERA_LEGACY;
	else if (!lb_mcp_forget_era(c))
		return false;
	c->respawned = true;
	lb_mcp_reconnect(c);
	return true;
}
