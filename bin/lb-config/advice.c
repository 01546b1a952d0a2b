/* advice.c - what works, and is hardly what was meant. */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "pipeline/pipeline.h"
#include "pipeline/rights.h"
#include "verbs.h"

void check_rules(struct lb_config *config)
{
	struct lb_pipeline pipeline = {.config = config};
	struct lb_error err;
	const char *text;

	if (lb_config_verdict(config, &err) == 0 &&
	    lb_pipeline_ready(&pipeline, &err) < 0) {
		/* "file:line: key: why" */
		text = strstr(err.text, ": ");
		if (text) {
			lb_autofree char *where =
				lb_strndup(err.text, (size_t)(text - err.text));

			lb_config_problem(config, LB_PROBLEM, where, "%s",
					  text + 2);
		}
	}
	lb_pipeline_release(&pipeline);
}

/* An admin of a bot whose word on who speaks is not believed. */
static void advise_admins(struct lb_config *config)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)lb_config_get(config, "admins"),
			   i, one)
	{
		const char *person = json_string_value(one);
		const char *id = strstr(person, ":person_");
		lb_autofree char *bot =
			id ? lb_strndup(person, (size_t)(id - person)) : NULL;

		if (!bot || strcmp(bot, "-") == 0 ||
		    !json_object_get(lb_config_section(config, "bots"), bot) ||
		    lb_sender_is_known(config, bot))
			continue;
		lb_config_problem(config, LB_PROBLEM_ADVICE,
				  lb_config_origin(config, "admins"),
				  "admins: '%s' is none while "
				  "bots.%s.trust-sender is not true: its "
				  "adapter does not vouch for who speaks",
				  person, bot);
	}
}

static void advise_renderer(struct lb_config *config, const char *pipeline)
{
	const json_t *text = lb_json_path(lb_config_pipeline(config, pipeline),
					  "output.long-text-processing");
	const char *strategy = lb_json_str(text, "strategy");
	const char *renderer = lb_json_str(text, "renderer");
	lb_autofree char *path =
		lb_printf("pipelines.%s.output.long-text-processing.strategy",
			  pipeline);

	if (strategy && strcmp(strategy, "image") == 0 &&
	    (!renderer || strncmp(renderer, "cmd:", 4) != 0))
		lb_config_problem(config, LB_PROBLEM_ADVICE,
				  lb_config_origin(config, path),
				  "%s: image needs a renderer, as "
				  "cmd:COMMAND: long answers are forwarded",
				  path);
}

bool is_program(const char *program)
{
	const char *path = lb_config_env("PATH");

	if (strchr(program, '/'))
		return access(program, X_OK) == 0;
	while (path && *path) {
		size_t n = strcspn(path, ":");
		lb_autofree char *full =
			lb_printf("%.*s/%s", (int)n, path, program);

		if (access(full, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

/* The program of a hook, looked for as it will be when it is called. */
static void advise_hook(struct lb_config *config, const char *name,
			const char *hook)
{
	const char *at = strncmp(hook, "cmd:", 4) == 0 ? hook + 4 : hook;
	lb_autofree char *program = NULL;
	lb_autofree char *key = lb_printf("command.hooks.%s", name);

	at += strspn(at, " \t");
	program = lb_strndup(at, strcspn(at, " \t"));
	if (is_program(program))
		return;
	lb_config_problem(config, LB_PROBLEM_ADVICE,
			  lb_config_origin(config, key),
			  "%s: there is no program '%s' here", key, program);
}

/* A name that nobody wrote but here, and that is almost one there is. */
static void advise_name(struct lb_config *config, const char *section,
			const char *name, const char *why)
{
	struct lb_slip slip = {.typed = name};
	lb_autofree char *path = lb_printf("%s.%s", section, name);
	const char *other;
	const json_t *any;

	if (strlen(name) < 4)
		return; /* any such name is near another */
	if (strcmp(section, "pipelines") == 0)
		lb_slip_try(&slip, "default");
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   section),
			    other, any)
	{
		if (strcmp(other, name) != 0)
			lb_slip_try(&slip, other);
	}
	if (slip.meant)
		lb_config_problem(config, LB_PROBLEM_ADVICE,
				  lb_json_str(config->places, path),
				  "%s: %s (did you mean '%s'?)", path, why,
				  slip.meant);
}

/* Does a bot name this pipeline, or a rule of one? */
static bool is_used(struct lb_config *config, const char *pipeline)
{
	const json_t *bot, *rule;
	const char *name;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "bots"),
			    name, bot)
	{
		const char *to = lb_json_str(bot, "pipeline");

		if (to && strcmp(to, pipeline) == 0)
			return true;
		json_array_foreach(json_object_get(bot,
						   "pipeline-routing-rules"),
				   i, rule)
		{
			to = lb_json_str(rule, "pipeline");
			if (!to)
				to = lb_json_str(rule, "pipeline_uuid");
			if (to && strcmp(to, pipeline) == 0)
				return true;
		}
	}
	return strcmp(pipeline, "default") == 0;
}

static void advise_names(struct lb_config *config)
{
	const char *name;
	const json_t *any;

	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "pipelines"),
			    name, any)
	{
		advise_renderer(config, name);
		if (!is_used(config, name))
			advise_name(config, "pipelines", name,
				    "no bot uses it");
	}
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "bots"),
			    name, any)
	{
		if (!lb_json_str(any, "adapter"))
			advise_name(config, "bots", name, "it has no adapter");
	}
	json_object_foreach((json_t *)(uintptr_t)lb_config_get(config,
							       "command.hooks"),
			    name, any)
	{
		advise_hook(config, name, json_string_value(any));
	}
}

void advise(struct lb_config *config)
{
	struct lb_error err;

	lb_config_check_languages(config);
	if (lb_config_verdict(config, &err) < 0)
		return;
	advise_admins(config);
	advise_names(config);
	advise_models(config);
	advise_box(config);
}
