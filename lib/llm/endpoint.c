#include "llm/endpoint.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "llm/model.h"
#include "llm/wire.h"

int lb_endpoint_find(struct lb_config *config, const json_t *presets,
		     const char *name, json_t **take, struct lb_error *err)
{
	const json_t *own = lb_config_provider(config, name);
	const char *preset = own ? lb_json_str(own, "preset") : NULL;
	const json_t *base =
		lb_config_preset(presets, preset && *preset ? preset : name,
				 NULL);
	const char *why = lb_json_str(base, "not-offered");

	*take = NULL;
	if (why)
		return lb_fail(err, LB_CONFIG,
			       "provider '%s' is not offered: %s", name, why);
	if (preset && *preset && !base)
		return lb_fail(err, LB_CONFIG,
			       "provider '%s': there is no preset '%s'", name,
			       preset);
	if (!own && !base)
		return 0;
	*take = base ? json_deep_copy(base) : json_object();
	if (!own)
		return 1;
	/*
	 * Its own address replaces the environment's, and gets no key that
	 * belongs to another: that one is named in api-keys.
	 */
	if (lb_json_str(own, "base-url")) {
		json_object_del(*take, "base-url-env");
		json_object_del(*take, "rerank-url");
		json_object_del(*take, "models-url");
	}
	if (lb_json_str(own, "base-url") || lb_json_str(own, "rerank-url"))
		json_object_del(*take, "key-env");
	if (json_array_size(json_object_get(own, "api-keys")) > 0)
		json_object_del(*take, "key-env");
	lb_json_merge(*take, own);
	return 1;
}

const char *lb_endpoint_env(const json_t *provider, const char *key)
{
	const char *name = lb_json_str(provider, key);

	return name ? lb_config_env(name) : NULL;
}

/* Is there a key, or a base URL, in the environment for it? */
static bool is_ready(const json_t *provider)
{
	return lb_endpoint_env(provider, "key-env") ||
	       lb_endpoint_env(provider, "base-url-env");
}

bool lb_endpoint_can(const json_t *provider, const char *what)
{
	const json_t *can = json_object_get(provider, "can"), *word;
	size_t i;

	if (lb_json_str(provider, "not-offered"))
		return false;
	json_array_foreach(can, i, word)
	{
		if (strcmp(json_string_value(word), what) == 0)
			return true;
	}
	return json_array_size(can) == 0;
}

/* One key may be that of two names of a service: the first counts. */
static bool is_again(const json_t *presets, const char *name,
		     const json_t *provider)
{
	const char *key = lb_json_str(provider, "key-env"), *before, *other;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)presets, before, value)
	{
		if (strcmp(before, name) == 0)
			return false;
		other = lb_json_str(value, "key-env");
		if (key && other && strcmp(key, other) == 0)
			return true;
	}
	return false;
}

static void add_candidate(struct lb_candidates *c, const char *name)
{
	lb_buf_printf(&c->names, "%s%s", c->n ? ", " : "", name);
	if (c->n++ == 0)
		c->first = name;
}

static json_t *own_providers(struct lb_config *config)
{
	return (json_t *)(uintptr_t)lb_config_section(config, "providers");
}

void lb_endpoint_candidates(struct lb_config *config, const json_t *presets,
			    const char *what, struct lb_candidates *c)
{
	json_t *ours = own_providers(config), *value;
	const char *name;

	json_object_foreach(ours, name, value)
	{
		json_auto_t *whole = NULL;
		struct lb_error err;

		/* one that is wrong is said to be so when it is opened */
		if (lb_endpoint_find(config, presets, name, &whole, &err) < 0 ||
		    lb_endpoint_can(whole, what))
			add_candidate(c, name);
	}
	json_object_foreach((json_t *)(uintptr_t)presets, name, value)
	{
		if (is_ready(value) && lb_endpoint_can(value, what) &&
		    !json_object_get(ours, name) &&
		    !is_again(presets, name, value))
			add_candidate(c, name);
	}
}

const char *lb_endpoint_near(struct lb_config *config, const json_t *presets,
			     const char *name)
{
	json_t *ours = own_providers(config), *value;
	const char *other;

	json_object_foreach(ours, other,
			    value) if (lb_near(name, other) <= 2 &&
				       strlen(other) > 3) return other;
	json_object_foreach((json_t *)(uintptr_t)presets, other,
			    value) if (lb_near(name, other) <= 2 &&
				       strlen(other) > 3) return other;
	return NULL;
}

/* Is there a key to be had? A file or command is taken at its word. */
static bool has_key(const json_t *provider)
{
	const char *key = json_string_value(
		json_array_get(json_object_get(provider, "api-keys"), 0));

	if (!key || strncmp(key, "env:", 4) != 0)
		return key != NULL;
	return lb_config_env(key + 4) != NULL;
}

static json_t *provider_row(struct lb_config *config, const json_t *all,
			    const char *name, const char *from)
{
	json_auto_t *p = NULL;
	lb_autofree char *shown = NULL;
	struct lb_error err;
	const char *model, *url, *why;
	bool key;

	if (lb_endpoint_find(config, all, name, &p, &err) <= 0)
		p = json_deep_copy(lb_config_preset(all, name, NULL));
	model = lb_json_str(p, "default-model");
	url = lb_endpoint_env(p, "base-url-env");
	key = lb_endpoint_env(p, "key-env") || has_key(p);
	why = lb_json_str(lb_config_preset(all, name, NULL), "not-offered");

	if (!url)
		url = lb_json_str(p, "base-url");
	shown = url ? lb_wire_shown_url(url) : NULL;
	return lb_json_pack(
		"{s:s, s:s*, s:s*, s:s*, s:O*, s:b, s:s*, s:s, s:s*}", "name",
		name, "protocol", lb_json_str(p, "protocol"), "base_url", shown,
		"default_model", model, "can", json_object_get(p, "can"), "key",
		key, "key_env", why ? NULL : lb_keys_env(p), "from", from,
		"not_offered", why);
}

json_t *lb_model_providers(struct lb_config *config, struct lb_error *err)
{
	json_auto_t *all = lb_config_presets(err);
	json_t *rows, *ours, *value;
	const char *name;

	if (!all)
		return NULL;
	rows = json_array();
	json_array_append_new(rows,
			      lb_json_pack("{s:s, s:s, s:s, s:b, s:s}", "name",
					   "offline", "protocol", "offline",
					   "default_model", "offline", "key", 0,
					   "from", "built in"));
	ours = (json_t *)(uintptr_t)lb_config_section(config, "providers");
	json_object_foreach(ours, name, value)
		json_array_append_new(rows, provider_row(config, all, name,
							 "config"));
	json_object_foreach(all, name, value) if (!json_object_get(ours, name))
		json_array_append_new(rows, provider_row(config, all, name,
							 "preset"));
	return rows;
}
