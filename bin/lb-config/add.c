/* lb-config add and rm: bots, pipelines and providers as wholes. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/edit.h"
#include "config/keys.h"
#include "verbs.h"

const char *section_named(const char *word)
{
	static const char *const names[] = {"bots", "pipelines", "providers",
					    NULL};

	for (int i = 0; names[i]; i++)
		if (strncmp(word, names[i], strlen(names[i]) - 1) == 0 &&
		    (!word[strlen(names[i]) - 1] || !strcmp(word, names[i])))
			return names[i];
	lb_usage("'%s' is not bot, pipeline or provider", word);
}

static int add(struct change *c, int argc, char **argv, struct lb_error *err)
{
	const char *section = section_named(argv[0]);
	lb_autofree char *path = lb_printf("%s.%s", section, argv[1]);
	lb_autobuf struct lb_buf text = {0};
	json_auto_t *empty = json_object();

	if (lb_key_name_check(argv[1], err) < 0)
		return -1;
	if (json_object_get(lb_config_section(c->config, section), argv[1]))
		return lb_fail(err, LB_DENIED, "there is a %s '%s' already",
			       argv[0], argv[1]);
	if (lb_edit_set(c->text, c->len, path, empty, &text, err) < 0)
		return -1;
	for (int i = 2; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');
		lb_autofree char *key = NULL;

		if (!equals)
			return lb_fail(err, LB_USAGE, "'%s' is not KEY=VALUE",
				       argv[i]);
		key = lb_printf("%s.%.*s", path, (int)(equals - argv[i]),
				argv[i]);
		if (change_set(key, equals + 1, &text, err) < 0)
			return -1;
	}
	return change_commit(c, &text, err);
}

int verb_add(int argc, char **argv)
{
	autochange struct change c = {.lock = -1};
	struct lb_error err;

	section_named(argv[0]);
	if (change_begin(&c, &err) < 0 || add(&c, argc, argv, &err) < 0)
		return lb_report(&err);
	return LB_OK;
}

static bool is_model_of(const json_t *model, const char *provider)
{
	const char *name = json_string_value(model);
	size_t len = strlen(provider);

	return name && strncmp(name, provider, len) == 0 && name[len] == '/';
}

/* The key that needs this provider, or NULL. Caller frees. */
static char *who_uses(struct lb_config *config, const char *provider)
{
	const char *name;
	json_t *pipeline;

	if (is_model_of(lb_config_get(config, "llm.model"), provider))
		return lb_strdup("llm.model");
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "pipelines"),
			    name, pipeline)
	{
		const json_t *model =
			lb_json_path(pipeline, "ai.local-agent.model");

		if (is_model_of(json_object_get(model, "primary"), provider))
			return lb_printf("pipelines.%s.ai.local-agent.model",
					 name);
	}
	return NULL;
}

/* The key that needs this pipeline, or NULL. Caller frees. */
static char *who_runs(struct lb_config *config, const char *pipeline)
{
	const char *name;
	json_t *bot;

	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "bots"),
			    name, bot)
	{
		const char *to = lb_json_str(bot, "pipeline");

		/* the built-in pipeline 'default' stays when its keys go */
		if (to && strcmp(to, pipeline) == 0 &&
		    strcmp(to, "default") != 0)
			return lb_printf("bots.%s.pipeline", name);
	}
	return NULL;
}

static int rm(struct change *c, char **argv, struct lb_error *err)
{
	const char *section = section_named(argv[0]);
	lb_autofree char *path = lb_printf("%s.%s", section, argv[1]);
	lb_autofree char *user = NULL;
	lb_autobuf struct lb_buf text = {0};
	int done;

	if (strcmp(section, "pipelines") == 0)
		user = who_runs(c->config, argv[1]);
	else if (strcmp(section, "providers") == 0)
		user = who_uses(c->config, argv[1]);
	if (user)
		return lb_fail(err, LB_DENIED,
			       "cannot remove %s '%s': %s (%s) refers to it",
			       argv[0], argv[1], user,
			       lb_config_origin(c->config, user));
	done = lb_edit_unset(c->text, c->len, path, &text, err);
	if (done == 0)
		return lb_fail(err, LB_NO, "there is no %s '%s' in '%s'",
			       argv[0], argv[1], c->file);
	return done < 0 ? -1 : change_commit(c, &text, err);
}

int verb_rm(int argc, char **argv)
{
	autochange struct change c = {.lock = -1};
	struct lb_error err;

	(void)argc;
	section_named(argv[0]);
	if (change_begin(&c, &err) < 0 || rm(&c, argv, &err) < 0)
		return lb_report(&err);
	return LB_OK;
}
