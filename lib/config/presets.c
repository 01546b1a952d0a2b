/* presets.c - the providers that are known by name, and those of the user. */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "config/blocks.h"
#include "config/config.h"
#include "config/load.h"
#include "config/yaml.h"

enum { MAX_PRESETS = 256 * 1024 };

json_t *lb_config_presets(struct lb_error *err)
{
	lb_autofree char *path = lb_config_share("providers.yaml");
	json_t *all = lb_yaml_load(path, MAX_PRESETS, err);

	if (!all)
		lb_error_wrap(err, "cannot read the presets");
	return all;
}

struct meant {
	const struct lb_config *config;
	const char *name;
};

static bool is_one(const char *name, const char *key, const char *requester)
{
	return name && (strcmp(name, key) == 0 ||
			(requester && strcmp(name, requester) == 0));
}

static bool is_set(const char *text, size_t len, const char *member)
{
	lb_autofree char *name = lb_block_value(text, len, member);

	return name && lb_config_env(name);
}

static bool is_meant(void *arg, const char *key, const char *text, size_t len)
{
	const struct meant *m = arg;
	lb_autofree char *requester = lb_block_value(text, len, "requester");
	json_t *ours = json_object_get(m->config->all, "providers"), *own;
	const char *name, *line = memchr(text, '\n', len);

	/* on one line, in braces: whatever is in them */
	if (memchr(text, '{', line ? (size_t)(line - text) : len))
		return true;
	if (is_one(m->name, key, requester) || is_set(text, len, "key-env") ||
	    is_set(text, len, "base-url-env"))
		return true;
	json_object_foreach(ours, name, own)
	{
		if (is_one(name, key, requester) ||
		    is_one(lb_json_str(own, "preset"), key, requester))
			return true;
	}
	return false;
}

json_t *lb_config_presets_of(const struct lb_config *config, const char *name,
			     struct lb_error *err)
{
	lb_autofree char *path = lb_config_share("providers.yaml");
	struct meant meant = {config, name};
	json_t *some = lb_blocks_load(path, MAX_PRESETS, is_meant, &meant, err);

	if (!some)
		lb_error_wrap(err, "cannot read the presets");
	return some;
}

const json_t *lb_config_preset(const json_t *presets, const char *name,
			       const char **own)
{
	json_t *preset = json_object_get(presets, name);
	const char *key = name;

	if (!preset)
		json_object_foreach((json_t *)(uintptr_t)presets, key, preset)
		{
			const char *alias = lb_json_str(preset, "requester");

			if (alias && strcmp(alias, name) == 0)
				break;
			preset = NULL;
		}
	if (own)
		*own = preset ? key : NULL;
	return preset;
}

bool lb_config_is_url(const char *text)
{
	size_t scheme = 0;

	if (strncasecmp(text, "http://", 7) == 0)
		scheme = 7;
	else if (strncasecmp(text, "https://", 8) == 0)
		scheme = 8;
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	return scheme && strcspn(text + scheme, "/?#:") > 0;
}

/* Where a provider's key is set, or else the provider itself. */
static const char *place(const struct lb_config *config, const char *provider,
			 const char *key)
{
	lb_autofree char *path = lb_printf("providers.%s", provider);
	lb_autofree char *full = lb_printf("%s.%s", path, key);
	const char *from = lb_json_str(config->origins, full), *other;
	size_t len = strlen(path);
	json_t *any;

	if (!from)
		from = lb_json_str(config->places, path);
	if (from)
		return from;
	/* it is in no file: any variable that makes it will do */
	json_object_foreach(config->origins, other, any)
	{
		if (strncmp(other, path, len) == 0 && other[len] == '.')
			return json_string_value(any);
	}
	return "";
}

static void check_preset(struct lb_config *config, const json_t *presets,
			 const char *provider, const char *preset)
{
	struct lb_slip slip = {.typed = preset};
	const char *name;
	json_t *any;

	json_object_foreach((json_t *)(uintptr_t)presets, name, any)
	{
		lb_slip_try(&slip, name);
	}
	if (slip.meant)
		lb_config_problem(config, LB_PROBLEM,
				  place(config, provider, "preset"),
				  "providers.%s.preset: there is no preset "
				  "'%s' (did you mean '%s'?)",
				  provider, preset, slip.meant);
	else
		lb_config_problem(config, LB_PROBLEM,
				  place(config, provider, "preset"),
				  "providers.%s.preset: there is no preset "
				  "'%s'; lb-llm models lists them",
				  provider, preset);
}

static void check_provider(struct lb_config *config, const json_t *presets,
			   const char *name, const json_t *own)
{
	const char *preset = lb_json_str(own, "preset");
	const char *url = lb_json_str(own, "base-url");

	if (preset && *preset && !lb_config_preset(presets, preset, NULL))
		check_preset(config, presets, name, preset);
	else if ((!url || !*url) && (!preset || !*preset) &&
		 !lb_config_preset(presets, name, NULL))
		lb_config_problem(config, LB_PROBLEM,
				  place(config, name, "base-url"),
				  "providers.%s: has no base-url, and is no "
				  "preset",
				  name);
	if (url && *url && !lb_config_is_url(url))
		lb_config_problem(config, LB_PROBLEM,
				  place(config, name, "base-url"),
				  "providers.%s.base-url: does not begin with "
				  "http:// or https:// and a host",
				  name);
}

/*
 * A model whose provider is almost one there is. Other names are for the
 * endpoint to know.
 */
static void check_model(struct lb_config *config, const json_t *presets,
			const char *path, const char *spec)
{
	json_t *ours = json_object_get(config->all, "providers"), *any;
	const char *slash = spec ? strchr(spec, '/') : NULL, *name;
	lb_autofree char *provider = NULL;
	struct lb_slip slip = {0};
	const char *where = lb_json_str(config->origins, path);

	if (!slash)
		return;
	provider = lb_strndup(spec, (size_t)(slash - spec));
	if (json_object_get(ours, provider) ||
	    lb_config_preset(presets, provider, NULL))
		return;
	slip.typed = provider;
	json_object_foreach(ours, name, any)
	{
		lb_slip_try(&slip, name);
	}
	json_object_foreach((json_t *)(uintptr_t)presets, name, any)
	{
		lb_slip_try(&slip, name);
	}
	if (slip.meant)
		lb_config_problem(config, LB_PROBLEM, where ? where : "",
				  "%s: there is no provider '%s' (did you "
				  "mean '%s'?)",
				  path, provider, slip.meant);
}

static void check_models(struct lb_config *config, const json_t *presets)
{
	const char *name;
	json_t *pipeline;

	check_model(config, presets, "llm.model",
		    json_string_value(lb_json_path(config->all, "llm.model")));
	json_object_foreach(json_object_get(config->all, "pipelines"), name,
			    pipeline)
	{
		lb_autofree char *path =
			lb_printf("pipelines.%s.ai.local-agent.model", name);

		const json_t *primary =
			lb_json_path(pipeline, "ai.local-agent.model.primary");

		check_model(config, presets, path, json_string_value(primary));
	}
}

void lb_config_check_providers(struct lb_config *config)
{
	json_t *ours = json_object_get(config->all, "providers");
	json_auto_t *presets = NULL;
	struct lb_error why;
	const char *name;
	json_t *own;

	presets = lb_config_presets(&why);
	if (!presets) {
		lb_config_problem(config, LB_PROBLEM_WARNING, "", "%s",
				  why.text);
		return;
	}
	json_object_foreach(ours, name, own)
	{
		check_provider(config, presets, name, own);
	}
	check_models(config, presets);
}
