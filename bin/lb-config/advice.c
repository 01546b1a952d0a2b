/* advice.c - what works, and is hardly what was meant. */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "pipeline/pipeline.h"
#include "pipeline/rights.h"
#include "store/conversation.h"
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

void advise(struct lb_config *config)
{
	const char *name;
	const json_t *any;
	struct lb_error err;

	lb_config_check_languages(config);
	if (lb_config_verdict(config, &err) < 0)
		return;
	advise_admins(config);
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "pipelines"),
			    name, any)
	{
		advise_renderer(config, name);
	}
}

struct kept {
	struct lb_config *config;
	json_t *bots; /* those that something is kept of */
};

static int keep(void *arg, const struct lb_conversation *c)
{
	json_object_set_new(((struct kept *)arg)->bots, c->bot, json_true());
	return 0;
}

/* The first bot that is kept, and that no configuration has; or NULL. */
static const char *gone(const struct kept *k)
{
	const json_t *any;
	const char *name;

	json_object_foreach(k->bots, name, any)
	{
		if (!lb_config_bot(k->config, name))
			return name;
	}
	return NULL;
}

/* A bot that nobody has talked with, while one is gone: it had another name. */
static void tell_renamed(const struct kept *k)
{
	const char *before = gone(k), *name;
	const json_t *any;

	if (!before)
		return;
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(k->config,
								   "bots"),
			    name, any)
	{
		lb_autofree char *path = lb_printf("bots.%s", name);

		if (json_object_get(k->bots, name))
			continue;
		lb_config_problem(k->config, LB_PROBLEM_ADVICE,
				  lb_json_str(k->config->places, path),
				  "bots.%s: nothing was said to it yet, and "
				  "conversations are kept of '%s', which is "
				  "no bot: one that is renamed begins anew",
				  name, before);
	}
}

void advise_renamed(struct lb_config *config)
{
	enum { BUSY_MS = 1000 };
	struct lb_error err;
	json_auto_t *bots = json_object();
	struct kept k = {config, bots};
	lb_autofree char *state = lb_config_state(&err);
	struct lb_store *store;

	if (!state || !lb_store_exists(state))
		return;
	store = lb_store_open(state, BUSY_MS, &err);
	/* what is wrong with the store is not what was asked */
	if (store && lb_conversation_each(store, NULL, keep, &k, &err) == 0)
		tell_renamed(&k);
	lb_store_close(store);
}
