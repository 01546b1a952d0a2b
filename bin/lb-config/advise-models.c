/* advise-models.c - models and tools that would not be there when asked. */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "llm/model.h"
#include "verbs.h"

static const json_t *section(struct lb_config *config, const char *path)
{
	return lb_config_get(config, path);
}

static bool is_of_file(struct lb_config *config, const char *path)
{
	const char *where = lb_config_origin(config, path);

	return where && strncmp(where, "environment ", 12) != 0;
}

static void warn(struct lb_config *config, const char *path, const char *what,
		 const char *why)
{
	lb_config_problem(config, LB_PROBLEM_ADVICE,
			  lb_config_origin(config, path), "%s: %s%s%s%s", path,
			  what ? "'" : "", what ? what : "", what ? "' " : "",
			  why);
}

/* What one model of the key at `path` lacks here. False: it is no model. */
static bool advise_model(struct lb_config *config, const char *path,
			 const char *spec)
{
	struct lb_error err;
	struct lb_model *m = lb_model_glance(config, spec, &err);

	if (!m) {
		warn(config, path, NULL, err.text);
		return false;
	}
	if (m->key_hint) {
		lb_autofree char *why =
			lb_printf("needs a key: %s is not set here",
				  m->key_hint);

		warn(config, path, spec, why);
	}
	lb_model_close(m);
	return true;
}

/* How much is thought is looked up by whole names alone. */
static void advise_reasoning(struct lb_config *config, const char *path,
			     const json_t *levels)
{
	const char *name;
	json_t *level;

	json_object_foreach((json_t *)(uintptr_t)levels, name, level)
	{
		struct lb_error err;
		struct lb_model *m = lb_model_glance(config, name, &err);
		lb_autofree char *why = NULL;

		if (!m)
			why = lb_printf("reasoning: %s", err.text);
		else if (strcmp(m->label, name) != 0)
			why = lb_printf("reasoning: '%s' is written '%s' there",
					name, m->label);
		else if (lb_model_thinks(m, json_string_value(level), &err) < 0)
			why = lb_printf("reasoning: %s", err.text);
		if (why)
			warn(config, path, NULL, why);
		lb_model_close(m);
	}
}

/* The limit at `path` goes by what a model costs. */
static void advise_price(struct lb_config *config, const char *path,
			 const char *spec)
{
	struct lb_error err;
	struct lb_model *m =
		spec && *spec ? lb_model_glance(config, spec, &err) : NULL;

	if (m && !m->price.known)
		warn(config, path, m->label,
		     "has no price that is known, so this does not hold for "
		     "it: see llm.prices");
	lb_model_close(m);
}

/* Each of a list of models, and whether it costs what is limited. */
static void advise_list(struct lb_config *config, const char *path,
			const json_t *list, const char *limit)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		const char *spec = json_string_value(one);

		if (spec && advise_model(config, path, spec) && limit)
			advise_price(config, limit, spec);
	}
}

static void advise_pipeline(struct lb_config *config, const char *name,
			    const json_t *pipeline)
{
	const json_t *agent = lb_json_path(pipeline, "ai.local-agent");
	const json_t *model = json_object_get(agent, "model");
	const char *primary = lb_json_str(agent, "model");
	lb_autofree char *path =
		lb_printf("pipelines.%s.ai.local-agent.model", name);
	lb_autofree char *limit =
		lb_printf("pipelines.%s.ai.local-agent.limits.cost", name);
	bool limited =
		json_number_value(lb_json_path(agent, "limits.cost")) > 0;

	if (!primary)
		primary = lb_json_str(model, "primary");
	if (primary && *primary)
		advise_model(config, path, primary);
	if (limited)
		advise_price(config, limit,
			     primary && *primary
				     ? primary
				     : lb_config_str(config, "llm.model"));
	advise_list(config, path, json_object_get(model, "fallbacks"),
		    limited ? limit : NULL);
	advise_reasoning(config, path, json_object_get(model, "reasoning"));
}

static void advise_tools(struct lb_config *config)
{
	const char *name;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)section(config,
							 "tools.providers"),
			    name, one)
	{
		const json_t *command = json_object_get(one, "command");
		const char *first =
			json_string_value(json_array_get(command, 0));
		lb_autofree char *path =
			lb_printf("tools.providers.%s.command", name);
		lb_autofree char *file =
			first && strchr(first, '/')
				? lb_config_beside(config, first)
				: NULL;
		lb_autofree char *why = NULL;

		if (first && !is_program(file ? file : first))
			why = lb_printf("there is no program '%s' here%s",
					file ? file : first,
					strchr(first, ' ')
						? "; its arguments are further "
						  "elements of the list"
						: "");
		if (why)
			warn(config, path, NULL, why);
	}
}

void advise_models(struct lb_config *config)
{
	const char *name, *spec = lb_config_str(config, "llm.model");
	json_t *pipeline;

	if (spec && *spec && is_of_file(config, "llm.model"))
		advise_model(config, "llm.model", spec);
	advise_list(config, "llm.fallbacks", section(config, "llm.fallbacks"),
		    NULL);
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "pipelines"),
			    name, pipeline)
		advise_pipeline(config, name, pipeline);
	advise_tools(config);
}
