#include "agent/preload.h"

#include "agent/turn.h"
#include "base/json.h"
#include "base/log.h"

/* What lb-mcp answers it by; it is in no list, so no model may call it. */
#define CONTEXT "mcp_context"

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

static bool has_some(const struct turn *t)
{
	const json_t *pipeline =
		lb_config_pipeline(agent_of(t)->options->config, t->pipeline);
	const json_t *own =
		lb_json_path(pipeline, "ai.local-agent.mcp-resources");

	if (!own)
		own = lb_json_path(pipeline,
				   "extensions_preferences.mcp_resources");
	return json_array_size(own) > 0;
}

static void on_answer(void *arg, const struct lb_provider_answer *answer)
{
	struct turn *t = arg;
	const struct lb_subject of = lb_record_subject(t->query);

	t->preload.call = NULL;
	if (json_is_string(answer->content))
		t->preload.text =
			json_incref((json_t *)(uintptr_t)answer->content);
	else
		lb_log(LB_WARNING, &of,
		       "answered without the resources of MCP servers: %s",
		       answer->message ? answer->message : "no text");
	t->preload.then(t);
}

bool preload_start(struct turn *t, void (*then)(struct turn *turn))
{
	struct agent *a = agent_of(t);
	const struct asker who = turn_asker(t);
	struct lb_provider *p = has_some(t) && native_has_mcp(a)
					? providers_find(a, PROVIDER_MCP)
					: NULL;
	json_auto_t *context = NULL, *arguments = NULL;

	if (!p)
		return false;
	context = asker_context(&who);
	arguments = json_object();
	t->preload.then = then;
	t->preload.call = lb_provider_start(
		p,
		&(struct lb_provider_request){
			.name = CONTEXT,
			.arguments = arguments,
			.context = context,
			.timeout_ms = lb_config_ms(a->options->config,
						   "tools.list-timeout"),
		},
		on_answer, t);
	return true;
}

void preload_cancel(struct turn *t)
{
	if (t->preload.call)
		lb_provider_cancel(t->preload.call);
	t->preload.call = NULL;
}

void preload_put(const struct turn *t, json_t *user)
{
	size_t len = json_string_length(t->preload.text);

	if (len > 0 && json_is_object(user))
		attach_add_text(user, json_string_value(t->preload.text), len);
}

void preload_release(struct turn *t)
{
	preload_cancel(t);
	json_decref(t->preload.text);
}
