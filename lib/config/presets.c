/* presets.c - the providers that are known by name, and those of the user. */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
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

	if (preset && *preset && !json_object_get(presets, preset))
		check_preset(config, presets, name, preset);
	else if ((!url || !*url) && (!preset || !*preset) &&
		 !json_object_get(presets, name))
		lb_config_problem(config, LB_PROBLEM,
				  place(config, name, "base-url"),
				  "providers.%s: has no base-url, and is no "
				  "preset",
				  name);
	if (url && *url && strncasecmp(url, "http://", 7) != 0 &&
	    strncasecmp(url, "https://", 8) != 0)
		lb_config_problem(config, LB_PROBLEM,
				  place(config, name, "base-url"),
				  "providers.%s.base-url: does not begin with "
				  "http:// or https://",
				  name);
}

void lb_config_check_providers(struct lb_config *config)
{
	json_t *ours = json_object_get(config->all, "providers");
	json_auto_t *presets = NULL;
	struct lb_error why;
	const char *name;
	json_t *own;

	if (json_object_size(ours) == 0)
		return;
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
}
