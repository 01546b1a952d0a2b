#include "llm/endpoint.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/near.h"
#include "llm/model.h"

int lb_endpoint_find(struct lb_config *config, const json_t *presets,
		     const char *name, json_t **take, struct lb_error *err)
{
	const json_t *own = lb_config_provider(config, name);
	const char *preset = own ? lb_json_str(own, "preset") : NULL;
	const json_t *base =
		json_object_get(presets, preset && *preset ? preset : name);

	*take = NULL;
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
		json_object_del(*take, "key-env");
	}
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
			    struct lb_candidates *c)
{
	json_t *ours = own_providers(config), *value;
	const char *name;

	json_object_foreach(ours, name, value) add_candidate(c, name);
	json_object_foreach((json_t *)(uintptr_t)presets, name,
			    value) if (is_ready(value) &&
				       !json_object_get(ours, name))
		add_candidate(c, name);
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

/* A URL without the name and password in it. */
static char *without_user(const char *url)
{
	const char *host = strstr(url, "://");
	const char *end = host ? host + 3 + strcspn(host + 3, "/?#") : NULL;
	const char *at = end ? memrchr(host, '@', (size_t)(end - host)) : NULL;

	if (!at)
		return lb_strdup(url);
	return lb_printf("%.*s***%s", (int)(host + 3 - url), url, at);
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
	const char *model, *url;
	bool key;

	if (lb_endpoint_find(config, all, name, &p, &err) <= 0)
		p = json_object();
	model = lb_json_str(p, "default-model");
	url = lb_endpoint_env(p, "base-url-env");
	key = lb_endpoint_env(p, "key-env") || has_key(p);

	if (!url)
		url = lb_json_str(p, "base-url");
	shown = url ? without_user(url) : NULL;
	return lb_json_pack("{s:s, s:s*, s:s*, s:s*, s:b, s:s}", "name", name,
			    "protocol", lb_json_str(p, "protocol"), "base_url",
			    shown, "default_model", model, "key", key, "from",
			    from);
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
