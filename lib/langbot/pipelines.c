/* pipelines.c - how messages are answered. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/coerce.h"
#include "config/keys.h"
#include "langbot/items.h"
#include "langbot/patterns.h"

/*
 * What of a pipeline may become configuration: LangBot's own keys, and no
 * other, since ours may name commands and files. Those that guard it decide
 * whether it is taken at all.
 */
struct setting {
	const char *path;
	bool guards;
	enum { PLAIN, TEXTS, PATTERNS } kind;
};

static const struct setting settings[] = {
	{"trigger.group-respond-rules.at", false, PLAIN},
	{"trigger.group-respond-rules.prefix", false, TEXTS},
	{"trigger.group-respond-rules.regexp", false, PATTERNS},
	{"trigger.group-respond-rules.random", false, PLAIN},
	{"trigger.access-control.mode", true, PLAIN},
	{"trigger.access-control.blacklist", true, TEXTS},
	{"trigger.access-control.whitelist", true, TEXTS},
	{"trigger.ignore-rules.prefix", true, TEXTS},
	{"trigger.ignore-rules.regexp", true, PATTERNS},
	{"trigger.message-aggregation.enabled", false, PLAIN},
	{"trigger.message-aggregation.delay", false, PLAIN},
	{"trigger.misc.combine-quote-message", false, PLAIN},
	{"safety.content-filter.scope", true, PLAIN},
	{"safety.content-filter.check-sensitive-words", true, PLAIN},
	{"safety.rate-limit.window-length", true, PLAIN},
	{"safety.rate-limit.limitation", true, PLAIN},
	{"safety.rate-limit.strategy", true, PLAIN},
	{"ai.runner.expire-time", false, PLAIN},
	{"ai.local-agent.max-round", false, PLAIN},
	{"output.long-text-processing.threshold", false, PLAIN},
	{"output.long-text-processing.strategy", false, PLAIN},
	{"output.force-delay.min", false, PLAIN},
	{"output.force-delay.max", false, PLAIN},
	{"output.misc.exception-handling", false, PLAIN},
	{"output.misc.failure-hint", false, PLAIN},
	{"output.misc.at-sender", false, PLAIN},
	{"output.misc.quote-origin", false, PLAIN},
	{"output.misc.track-function-calls", false, PLAIN},
	{"output.misc.remove-think", false, PLAIN},
	{NULL, false, PLAIN},
};

/* A pipeline that is being made. */
struct making {
	struct lb_langbot *in;
	const json_t *from; /* its config */
	json_t *out;
	struct lb_item_report *item;
};

static void cannot(struct making *m, const struct setting *s, const char *why)
{
	if (s->guards)
		lb_item_refuse(m->item, "%s: %s", s->path, why);
	else
		lb_item_note(m->item, "%s: %s", s->path, why);
}

/* An empty entry names nobody, there and here. */
static void drop_empty(json_t *texts)
{
	for (size_t i = json_array_size(texts); i-- > 0;)
		if (json_string_length(json_array_get(texts, i)) == 0)
			json_array_remove(texts, i);
}

/* The value in the form that our keys have. */
static json_t *read_setting(struct making *m, const struct setting *s,
			    const json_t *value)
{
	size_t lost = 0;
	json_t *texts;

	if (s->kind == PLAIN && json_is_string(value))
		return lb_langbot_text(value);
	if (s->kind == PLAIN)
		return json_incref((json_t *)(uintptr_t)value);
	if (!json_is_array(value))
		return NULL;
	texts = lb_langbot_texts(value, &lost);
	if (lost > 0)
		cannot(m, s, "some of the list are no texts");
	if (strncmp(s->path, "trigger.access-control.", 23) == 0)
		drop_empty(texts);
	if (s->kind == PATTERNS)
		return lb_langbot_patterns(m->item, s->path, texts);
	return texts;
}

static void take_setting(struct making *m, const struct setting *s,
			 const json_t *value)
{
	lb_autofree char *full = lb_printf("pipelines.x.%s", s->path);
	const struct lb_key *key = lb_key_find(full);
	json_auto_t *read = read_setting(m, s, value), *fits = NULL;
	struct lb_error why;

	if (!read) {
		cannot(m, s, "is of the wrong kind");
	} else if (key) {
		fits = lb_coerce(key, read, &why);
		if (fits)
			lb_json_put(m->out, s->path, json_incref(fits));
		else
			cannot(m, s, why.text);
	} else if (lb_key_absence(full, read) != LB_KEY_OFF) {
		cannot(m, s, "is not in this version");
	}
}

static void take_settings(struct making *m)
{
	for (const struct setting *s = settings; s->path; s++) {
		const json_t *value = lb_json_path(m->from, s->path);

		if (value && !json_is_null(value))
			take_setting(m, s, value);
	}
	/* what hide was called before there were three ways */
	if (!lb_json_path(m->from, "output.misc.exception-handling") &&
	    json_is_true(lb_json_path(m->from, "output.misc.hide-exception")))
		lb_json_put(m->out, "output.misc.exception-handling",
			    json_string("hide"));
	if (json_is_true(lb_json_path(m->out, "safety.content-filter.check-"
					      "sensitive-words")))
		lb_langbot_words(m->in, m->item, m->out, "pipelines.x");
}

static void take_prompt(struct making *m)
{
	const json_t *list = lb_json_path(m->from, "ai.local-agent.prompt");
	json_auto_t *out = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *role = lb_json_str(one, "role");
		json_t *text = lb_langbot_text(json_object_get(one, "content"));

		if (role && text &&
		    lb_key_has_word("system user assistant", role))
			json_array_append_new(out,
					      lb_json_pack("{s:s, s:O}", "role",
							   role, "content",
							   text));
		else
			lb_item_note(m->item,
				     "message %zu of the prompt is "
				     "none that is known here",
				     i + 1);
		json_decref(text);
	}
	if (json_array_size(out) > 0)
		lb_json_put(m->out, "ai.local-agent.prompt", lb_steal(&out));
}

static void take_fallbacks(struct making *m, const json_t *theirs)
{
	json_auto_t *out = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)theirs, i, one)
	{
		const char *ours = lb_langbot_ours(m->in, "models", one);

		if (ours)
			json_array_append_new(out,
					      lb_json_text(ours, strlen(ours)));
		else
			lb_item_note(m->item, "fallback model %zu is not taken",
				     i + 1);
	}
	if (json_array_size(out) > 0)
		lb_json_put(m->out, "ai.local-agent.model.fallbacks",
			    lb_steal(&out));
}

/* {UUID: level}; "provider_default" says nothing. */
static void take_reasoning(struct making *m, const json_t *theirs)
{
	json_auto_t *out = json_object();
	const char *uuid;
	json_t *level;

	json_object_foreach((json_t *)(uintptr_t)theirs, uuid, level)
	{
		json_auto_t *id = lb_json_text(uuid, strlen(uuid));
		const char *ours = lb_langbot_ours(m->in, "models", id);

		if (ours)
			json_object_set(out, ours, level);
	}
	if (json_object_size(out) > 0)
		lb_json_put(m->out, "ai.local-agent.model.reasoning",
			    lb_steal(&out));
}

/* Text is a UUID, too: an older form. */
static void take_model(struct making *m)
{
	const json_t *set = lb_json_path(m->from, "ai.local-agent.model");
	const json_t *primary =
		json_is_object(set) ? json_object_get(set, "primary") : set;
	const char *ours = lb_langbot_ours(m->in, "models", primary);

	if (ours)
		lb_json_put(m->out, "ai.local-agent.model.primary",
			    lb_json_text(ours, strlen(ours)));
	else if (json_string_length(primary) > 0)
		lb_item_note(m->item,
			     "its model is not taken: llm.model answers");
	take_fallbacks(m, json_object_get(set, "fallbacks"));
	take_reasoning(m, json_object_get(set, "reasoning"));
}

/*
 * LangBot grants every tool where nothing is said, to everybody. What it says is
 * written out; tools that run or change something are for admins alone here.
 */
static void take_tools(struct making *m)
{
	const json_t *agent = lb_json_path(m->from, "ai.local-agent");
	const json_t *tools = json_object_get(agent, "tools");
	bool all = lb_json_bool(agent, "enable-all-tools", true);
	json_auto_t *names = NULL;
	size_t lost = 0;

	lb_json_put(m->out, "ai.local-agent.enable-all-tools",
		    json_boolean(all));
	if (!all) {
		names = lb_langbot_texts(tools, &lost);
		if (lost > 0)
			lb_item_note(m->item, "%zu of its tools have no name",
				     lost);
		lb_json_put(m->out, "ai.local-agent.tools", json_incref(names));
	}
	lb_json_put(m->out, "sandbox.open-to", json_string("admins"));
	if (all || json_array_size(names) > 0)
		lb_item_note(m->item,
			     "everybody may have tools run commands and write "
			     "files there: admins alone here "
			     "(sandbox.open-to)");
}

static void note_rest(struct making *m)
{
	const json_t *agent = lb_json_path(m->from, "ai.local-agent");
	const char *rerank = lb_json_str(agent, "rerank-model");

	if (json_array_size(json_object_get(agent, "knowledge-bases")) > 0)
		lb_item_note(m->item,
			     "its knowledge bases are not in this version");
	if (rerank && *rerank && strcmp(rerank, "__none__") != 0)
		lb_item_note(m->item,
			     "its rerank model is not in this version");
}

static bool is_texts(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_is_string(json_array_get(list, i)))
			return false;
	return json_is_array(list);
}

/* Which skills it may use, out of `said`. */
static void take_skills(struct making *m, json_t *said)
{
	static const char *const keys[] = {"enable_all_skills", "skills"};

	for (int i = 0; i < 2; i++) {
		lb_autofree char *path =
			lb_printf("extensions_preferences.%s", keys[i]);
		json_t *value = json_object_get(said, keys[i]);
		bool fits = i == 0 ? json_is_boolean(value) : is_texts(value);

		if (fits)
			lb_json_put(m->out, path, json_incref(value));
		if (value)
			json_object_del(said, keys[i]);
	}
}

/* Which MCP servers, and what is read of them. */
static void take_mcp(struct making *m, json_t *said)
{
	static const char *const keys[] = {"enable_all_mcp_servers",
					   "mcp_servers", "mcp_resources",
					   "mcp_resource_agent_read_enabled",
					   NULL};
	json_t *ours = json_object(), *value;
	const char *name;

	lb_langbot_mcp_of(m->in, m->item, m->from, said, ours);
	json_object_foreach(ours, name, value)
	{
		lb_autofree char *path =
			lb_printf("extensions_preferences.%s", name);

		lb_json_put(m->out, path, json_incref(value));
	}
	json_decref(ours);
	for (int i = 0; said && keys[i]; i++)
		json_object_del(said, keys[i]);
}

/* Plugins, MCP servers and skills that it may use: each of them or some. */
static void take_extensions(struct making *m, const json_t *row)
{
	bool broken = false;
	json_auto_t *said = lb_row_json(row, "extensions_preferences", &broken);

	take_skills(m, said);
	take_mcp(m, said);
	if (json_object_size(said) > 0 || broken)
		lb_item_note(m->item, "plugins are not in this version");
}

static void check_runner(struct making *m)
{
	const char *runner =
		json_string_value(lb_json_path(m->from, "ai.runner.runner"));
	const struct lb_key *key = lb_key_find("pipelines.x.ai.runner.runner");

	/* of those in the file and here; "exec:..." is no name of LangBot's */
	if (runner &&
	    (!lb_key_has_word(key->values, runner) || strchr(runner, ':')))
		lb_item_refuse(m->item, "runner '%.60s' is not in this version",
			       runner);
}

static void take_pipeline(struct lb_langbot *in, const json_t *row)
{
	struct lb_item_report item;
	bool broken = false;
	json_auto_t *config = lb_row_json(row, "config", &broken);
	json_auto_t *out = json_object();
	struct making m = {in, config, out, &item};
	lb_autofree char *name = NULL;

	lb_item_begin(&item, "pipeline", row);
	if (broken || !json_is_object(config)) {
		lb_item_refuse(&item, "its config is not JSON");
	} else {
		check_runner(&m);
		take_settings(&m);
		take_prompt(&m);
		take_model(&m);
		take_tools(&m);
		lb_langbot_template(&item, config, out);
		note_rest(&m);
		take_extensions(&m, row);
	}
	name = lb_langbot_name(in, "pipelines", item.name);
	if (!item.refused) {
		item.as = lb_printf("pipelines.%s", name);
		lb_langbot_is_ours(in, "pipelines", row, name);
		lb_json_put(in->out, item.as, json_incref(out));
	}
	lb_item_end(in, &item, row);
}

void lb_langbot_pipelines(struct lb_langbot *in)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_langbot_table(in, "legacy_pipelines"), i, row)
	{
		take_pipeline(in, row);
	}
}
