/* client-asked.c - what a server asks of us, and what it tells. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp/client-in.h"
#include "mcp/elicit.h"

enum { MAX_INPUTS = 32, DECLINED = -1 };

json_t *lb_mcp_own_capabilities(const struct lb_mcp_client *c)
{
	json_t *all = json_object();

	if (c->how.launch->server->roots)
		json_object_set_new(all, "roots", json_object());
	if (c->how.elicit)
		json_object_set_new(all, "elicitation",
				    lb_json_pack("{s:{s:b}}", "form",
						 "applyDefaults", 1));
	return all;
}

static json_t *roots_of(const struct lb_mcp_client *c)
{
	const json_t *uris = c->how.launch->server->roots, *uri;
	json_t *roots = json_array();
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)uris, i, uri)
		json_array_append_new(roots, lb_json_pack("{s:O}", "uri", uri));
	return lb_json_pack("{s:o}", "roots", roots);
}

/* The answer to what a server wants; NULL: there is none, and err says why. */
static json_t *answer_to(struct lb_mcp_client *c, const char *method,
			 const json_t *params, struct lb_error *err)
{
	if (strcmp(method, "ping") == 0)
		return json_object();
	if (strcmp(method, "roots/list") == 0 && c->how.launch->server->roots)
		return roots_of(c);
	if (strcmp(method, "elicitation/create") == 0)
		return lb_mcp_elicit(params, c->how.elicit);
	if (strcmp(method, "sampling/createMessage") == 0)
		lb_fail(err, LB_DENIED, "sampling is declined");
	else
		lb_fail(err, LB_USAGE, "there is no method '%.100s'", method);
	return NULL;
}

void lb_mcp_on_request(void *arg, const struct lb_rpc_message *m)
{
	struct lb_mcp_client *c = arg;
	struct lb_error err, why;
	json_t *answer = answer_to(c, m->method, m->params, &why);

	if (answer)
		lb_peer_answer(c->peer, m->id, answer, &err);
	else
		lb_peer_refuse(c->peer, m->id,
			       why.code == LB_DENIED ? DECLINED
						     : LB_RPC_NO_METHOD,
			       why.text, &err);
}

json_t *lb_mcp_input_responses(struct lb_mcp_client *c, const json_t *requests,
			       struct lb_error *err)
{
	json_auto_t *answers = json_object();
	const char *key;
	json_t *one, *answer;

	if (json_object_size(requests) > MAX_INPUTS) {
		lb_fail(err, LB_PROTOCOL, "it asks for too much at once");
		return NULL;
	}
	json_object_foreach((json_t *)(uintptr_t)requests, key, one)
	{
		const char *method = lb_json_str(one, "method");

		answer = answer_to(c, method ? method : "",
				   json_object_get(one, "params"), err);
		if (!answer) {
			lb_error_wrap(err, "it wants something first");
			return NULL;
		}
		json_object_set_new(answers, key, answer);
	}
	return lb_steal(&answers);
}

static void on_progress(struct lb_mcp_client *c, const json_t *params)
{
	const json_t *token = json_object_get(params, "progressToken");
	const json_t *done = json_object_get(params, "progress");
	const json_t *total = json_object_get(params, "total");
	struct lb_peer_call *call = lb_peer_find(c->peer, token);
	struct lb_mcp_progress p = {
		.progress = json_number_value(done),
		.total = json_is_number(total) ? json_number_value(total) : -1,
		.message = lb_json_str(params, "message"),
	};

	if (!call)
		return;
	lb_peer_touch(call);
	if (c->how.events->on_progress)
		c->how.events->on_progress(c->how.arg, &p);
}

static void on_log(struct lb_mcp_client *c, const json_t *params)
{
	const json_t *data = json_object_get(params, "data");
	lb_autofree char *text = NULL;

	if (!c->how.events->on_log || !data)
		return;
	if (!json_is_string(data))
		text = json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY);
	c->how.events->on_log(c->how.arg,
			      lb_mcp_log_level(lb_json_str(params, "level")),
			      lb_json_str(params, "logger"),
			      text ? text : json_string_value(data));
}

void lb_mcp_on_notification(void *arg, const struct lb_rpc_message *m)
{
	static const struct {
		const char *method, *what;
	} lists[] = {
		{"notifications/tools/list_changed", "tools"},
		{"notifications/resources/list_changed", "resources"},
		{"notifications/resources/updated", "resources"},
		{"notifications/prompts/list_changed", "prompts"},
	};
	struct lb_mcp_client *c = arg;

	if (strcmp(m->method, "notifications/progress") == 0)
		on_progress(c, m->params);
	else if (strcmp(m->method, "notifications/message") == 0)
		on_log(c, m->params);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(m->method, lists[i].method) == 0 &&
		    c->how.events->on_changed)
			c->how.events->on_changed(c->how.arg, lists[i].what);
}
