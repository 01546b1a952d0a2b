#include "agent/active.h"

#include <stdlib.h>
#include <string.h>

#include "agent/turn.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/conversation.h"

static struct agent *agent_of(const struct turn *t)
{
	return agent_of_session(t->session);
}

int active_load(struct turn *t, struct lb_error *err)
{
	struct agent *a = agent_of(t);
	int64_t id = lb_conversation_find(a->store, t->conversation,
					  t->pipeline, err);

	if (id <= 0)
		return (int)id;
	t->active.names = lb_conversation_skills(a->store, id, err);
	while (json_array_size(t->active.names) > ACTIVE_MAX)
		json_array_remove(t->active.names, 0);
	return t->active.names ? 0 : -1;
}

/* Where it is among the names, or their number. */
static size_t place_of(const struct active *v, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)v->names, i, one)
	{
		if (strcmp(json_string_value(one), name) == 0)
			break;
	}
	return i;
}

static void forget(struct turn *t, const char *name)
{
	struct active *v = &t->active;

	agent_complain_once(agent_of(t), "skill", name,
			    "of a conversation is not there any more, so it is "
			    "left out");
	json_array_remove(v->names, place_of(v, name));
	v->changed = true;
}

static void on_text(void *arg, const struct lb_provider_answer *answer)
{
	struct turn *t = *(struct turn **)arg;
	struct active *v = &t->active;
	size_t i = 0;

	while (arg != &v->asked[i].turn)
		i++;
	v->asked[i].call = NULL;
	if (json_is_string(answer->content))
		json_array_append_new(v->texts,
				      lb_json_pack("{s:s, s:O}", "name",
						   v->asked[i].name, "text",
						   answer->content));
	else if (answer->code && strcmp(answer->code, "not_found") == 0)
		forget(t, v->asked[i].name);
	else
		lb_warn("the instructions of skill '%s' cannot be had: %s",
			v->asked[i].name,
			answer->message ? answer->message : "no text");
	if (--v->left == 0)
		v->done(t);
}

static const struct tool *find_activate(const struct turn *t)
{
	for (size_t i = 0; i < t->tools.n; i++) {
		const struct tool *tool = &t->tools.at[i];

		if (active_is_by(lb_provider_name(tool->provider), tool->own))
			return tool;
	}
	return NULL;
}

static void ask(struct turn *t, const struct tool *tool, size_t i)
{
	struct active *v = &t->active;
	const struct asker who = turn_asker(t);
	const char *name = json_string_value(json_array_get(v->names, i));
	json_auto_t *context = asker_context(&who);
	json_auto_t *arguments = lb_json_pack("{s:s}", "skill_name", name);

	v->asked[i].turn = t;
	v->asked[i].name = lb_strdup(name);
	v->asked[i].call = lb_provider_start(
		tool->provider,
		&(struct lb_provider_request){
			.name = tool->own,
			.arguments = arguments,
			.context = context,
			.timeout_ms = lb_config_ms(agent_of(t)->options->config,
						   "tools.list-timeout"),
		},
		on_text, &v->asked[i].turn);
}

bool active_start(struct turn *t, void (*done)(struct turn *turn))
{
	struct active *v = &t->active;
	size_t n = json_array_size(v->names);
	const struct tool *tool = n > 0 ? find_activate(t) : NULL;

	if (n > 0 && !tool)
		lb_log(LB_INFO, NULL,
		       "skills are left out: there is no tool to activate one");
	if (!tool)
		return false;
	v->texts = json_array();
	v->done = done;
	v->left = (int)n;
	for (size_t i = 0; i < n; i++)
		ask(t, tool, i);
	return true;
}

void active_cancel(struct turn *t)
{
	for (size_t i = 0; i < ACTIVE_MAX; i++) {
		if (t->active.asked[i].call)
			lb_provider_cancel(t->active.asked[i].call);
		t->active.asked[i].call = NULL;
	}
}

static bool has_text(const json_t *history, const json_t *text)
{
	const json_t *m;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)history, i, m)
	{
		if (json_object_get(m, "tool_call_id") &&
		    json_equal(json_object_get(m, "content"), text))
			return true;
	}
	return false;
}

void active_put(const struct turn *t, const json_t *history, json_t *messages)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)t->active.texts, i, one)
	{
		const json_t *text = json_object_get(one, "text");
		json_auto_t *answer =
			json_loads(json_string_value(text), 0, NULL);
		json_t *content = json_object_get(answer, "content");

		if (json_is_string(content) && !has_text(history, text))
			json_array_append_new(messages,
					      lb_json_pack("{s:s, s:O}", "role",
							   "system", "content",
							   content));
	}
}

bool active_is_by(const char *source, const char *own)
{
	return strcmp(source, PROVIDER_SKILL) == 0 &&
	       strcmp(own, "activate") == 0;
}

/* What it says of tools counts from now on, until the turn ends. */
static void use(struct active *v, const char *name, json_t *tools)
{
	if (!v->in_use)
		v->in_use = json_array();
	json_array_append_new(v->in_use,
			      lb_json_pack("{s:s, s:O}", "name", name, "tools",
					   json_is_array(tools) ? tools
								: json_null()));
}

void active_note(struct turn *t, const json_t *content)
{
	struct active *v = &t->active;
	const char *text = json_string_value(content);
	json_auto_t *answer = text ? json_loads(text, 0, NULL) : NULL;
	const char *name = lb_json_str(answer, "skill_name");
	size_t at;

	if (!name)
		return;
	if (!v->names)
		v->names = json_array();
	at = place_of(v, name);
	if (at < json_array_size(v->names))
		json_array_remove(v->names, at);
	else if (at == ACTIVE_MAX)
		json_array_remove(v->names, 0);
	json_array_append_new(v->names, json_string(name));
	v->changed = true;
	use(v, name, json_object_get(answer, "allowed_tools"));
}

int active_keep(struct turn *t, int64_t conversation, struct lb_error *err)
{
	if (!t->active.changed)
		return 0;
	return lb_conversation_set_skills(agent_of(t)->store, conversation,
					  t->active.names, err);
}

void active_release(struct active *v)
{
	for (size_t i = 0; i < ACTIVE_MAX; i++)
		free(v->asked[i].name);
	json_decref(v->names);
	json_decref(v->texts);
	json_decref(v->in_use);
}
