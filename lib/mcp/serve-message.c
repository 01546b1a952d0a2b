/* serve-message.c - from a message to what is to be done. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "mcp/serve-in.h"

enum {
	BATCH = 100,    /* messages that may come at once */
	TTL_MS = 10000, /* a server is what it is for so long */
};

struct method {
	const char *name;
	void (*take)(struct lb_serve_caller *c,
		     const struct lb_serve_request *r);
};

static void answer(const struct lb_serve_request *r, json_t *take_result)
{
	lb_serve_say_result(r->way, r->message->id, r->revision, take_result);
}

static void refuse(const struct lb_serve_request *r, int code, const char *why,
		   int status)
{
	lb_serve_say_failure(r->way, r->message->id, code, why, NULL, status);
}

/* ---- the older era ---- */

static void take_initialize(struct lb_serve_caller *c,
			    const struct lb_serve_request *r)
{
	json_t *result;

	if (c->revision != LB_MCP_UNKNOWN) {
		refuse(r, LB_RPC_INVALID, "that was initialized already", 400);
		return;
	}
	if (!lb_json_str(r->message->params, "protocolVersion")) {
		refuse(r, LB_RPC_PARAMS, "'protocolVersion' is missing", 400);
		return;
	}
	c->revision = lb_mcp_settle(r->message->params);
	result = lb_json_pack("{s:s, s:o, s:o}", "protocolVersion",
			      lb_mcp_revision_name(c->revision), "capabilities",
			      lb_serve_capabilities(c->serve), "serverInfo",
			      lb_mcp_implementation());
	if (c->serve->offer.instructions)
		json_object_set_new(result, "instructions",
				    json_string(c->serve->offer.instructions));
	answer(r, result);
}

static void take_ping(struct lb_serve_caller *c,
		      const struct lb_serve_request *r)
{
	(void)c;
	answer(r, json_object());
}

static void take_level(struct lb_serve_caller *c,
		       const struct lb_serve_request *r)
{
	int level = lb_mcp_log_level(lb_json_str(r->message->params, "level"));

	if (level < 0) {
		refuse(r, LB_RPC_PARAMS, "there is no such level", 200);
		return;
	}
	c->level = level;
	answer(r, json_object());
}

static const struct method old_methods[] = {
	{"initialize", take_initialize},
	{"ping", take_ping},
	{"logging/setLevel", take_level},
	{0},
};

/* ---- the newer one ---- */

static void take_discover(struct lb_serve_caller *c,
			  const struct lb_serve_request *r)
{
	json_t *result =
		lb_json_pack("{s:o, s:o, s:o, s:i, s:s}", "supportedVersions",
			     lb_mcp_revisions(), "capabilities",
			     lb_serve_capabilities(c->serve), "serverInfo",
			     lb_mcp_implementation(), "ttlMs", TTL_MS,
			     "cacheScope", "private");

	if (c->serve->offer.instructions)
		json_object_set_new(result, "instructions",
				    json_string(c->serve->offer.instructions));
	answer(r, result);
}

static const struct method new_methods[] = {
	{"server/discover", take_discover},
	{"subscriptions/listen", lb_serve_listen},
	{0},
};

static bool run(const struct method *methods, struct lb_serve_caller *c,
		const struct lb_serve_request *r)
{
	for (; methods->name; methods++) {
		if (strcmp(methods->name, r->message->method) != 0)
			continue;
		methods->take(c, r);
		return true;
	}
	return false;
}

/* ---- both ---- */

/* Is it of the newer era? That is said by the request itself, by HTTP, or by a
 * method that only that era has. */
static bool is_modern(const struct lb_serve_caller *c,
		      const struct lb_serve_request *r)
{
	return r->meta.version || c->is_modern ||
	       strcmp(r->message->method, "server/discover") == 0;
}

/* What the newer era wants to know of each request. */
static bool has_what_it_needs(struct lb_serve_request *r)
{
	if (!r->meta.version) {
		refuse(r, LB_RPC_PARAMS,
		       "'" LB_MCP_META_VERSION "' is missing in _meta", 400);
		return false;
	}
	r->revision = lb_mcp_revision(r->meta.version);
	if (!lb_mcp_is_modern(r->revision)) {
		json_auto_t *data = lb_mcp_unsupported(r->meta.version);

		r->revision = LB_MCP_LATEST;
		lb_serve_say_failure(r->way, r->message->id,
				     LB_MCP_UNSUPPORTED_VERSION,
				     "this version is not spoken in that way",
				     data, 400);
		return false;
	}
	if (!json_is_object(r->meta.capabilities)) {
		refuse(r, LB_RPC_PARAMS,
		       "'" LB_MCP_META_CAPABILITIES "' is missing in _meta",
		       400);
		return false;
	}
	return true;
}

static void take_request(struct lb_serve_caller *c,
			 const struct lb_rpc_message *m,
			 const struct lb_serve_way *way)
{
	struct lb_serve_request r = {.message = m, .way = way};
	bool modern;

	lb_mcp_read_meta(&r.meta, m->params);
	modern = is_modern(c, &r);
	if (modern && !has_what_it_needs(&r))
		return;
	if (!modern)
		r.revision = c->revision;
	if (json_is_array(m->params))
		refuse(&r, LB_RPC_PARAMS, "'params' is no object", 400);
	else if (run(modern ? new_methods : old_methods, c, &r))
		return;
	else if (r.revision == LB_MCP_UNKNOWN)
		refuse(&r, LB_RPC_INVALID,
		       "'initialize' comes first, or each request says its "
		       "'" LB_MCP_META_VERSION "'",
		       400);
	else if (!lb_serve_ask(c, &r))
		refuse(&r, LB_RPC_NO_METHOD, "there is no such method",
		       modern ? 404 : 200);
}

static void take_notification(struct lb_serve_caller *c,
			      const struct lb_rpc_message *m)
{
	const json_t *id = json_object_get(m->params, "requestId");
	struct lb_serve_ask *ask;

	if (strcmp(m->method, "notifications/cancelled") != 0 || !id)
		return;
	ask = lb_serve_ask_find(c, id);
	if (ask)
		lb_serve_cancel(ask, true);
	else
		lb_serve_unlisten(c, id);
}

/* True: it gets an answer. */
static bool take_one(struct lb_serve_caller *c, json_t *take,
		     const struct lb_serve_way *way)
{
	struct lb_rpc_message m;
	struct lb_error err;
	bool is_request = true;

	if (lb_rpc_read(&m, take, &err) < 0) {
		lb_serve_say_failure(way, m.id, LB_RPC_INVALID, err.text, NULL,
				     400);
	} else if (m.kind == LB_RPC_REQUEST) {
		take_request(c, &m, way);
	} else {
		is_request = false;
		/* Nothing is asked of a client, so nothing is answered. */
		if (m.kind == LB_RPC_NOTIFICATION)
			take_notification(c, &m);
	}
	lb_rpc_release(&m);
	return is_request;
}

bool lb_serve_takes_batch(const struct lb_serve_caller *c, const json_t *batch)
{
	return c->revision != LB_MCP_UNKNOWN &&
	       c->revision <= LB_MCP_2025_03_26 && json_array_size(batch) > 0 &&
	       json_array_size(batch) <= BATCH;
}

size_t lb_serve_take(struct lb_serve_caller *c, json_t *take,
		     const struct lb_serve_way *way)
{
	size_t n = 0, i;
	json_t *one;

	if (!json_is_array(take))
		return take_one(c, take, way);
	if (lb_serve_takes_batch(c, take)) {
		json_array_foreach(take, i, one) n +=
			take_one(c, json_incref(one), way);
	} else {
		lb_serve_say_failure(way, NULL, LB_RPC_INVALID,
				     "that many messages at once are not taken",
				     NULL, 400);
		n = 1;
	}
	json_decref(take);
	return n;
}
