#include "llm/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/yaml.h"
#include "llm/protocol.h"

enum { MAX_PRESETS = 256 * 1024 };

void lb_model_close(struct lb_model *m)
{
	if (!m)
		return;
	free(m->label);
	free(m->provider);
	free(m->name);
	free(m->base_url);
	free(m->key);
	free(m->key_hint);
	json_decref(m->extra);
	free(m);
}

bool lb_model_is_offline(const struct lb_model *model)
{
	return model->protocol == &lb_offline;
}

static struct lb_model *offline(const char *spec, struct lb_error *err)
{
	const char *colon = strchr(spec, ':');
	struct lb_model *m;

	if (!lb_offline_knows(colon ? colon + 1 : "")) {
		lb_fail(err, LB_CONFIG,
			"'%s' is nothing the offline model plays; see "
			"lb-llm(1)",
			spec);
		return NULL;
	}
	m = lb_alloc(sizeof(*m));
	m->label = lb_strdup(spec);
	m->provider = lb_strdup("offline");
	m->name = lb_strdup(colon ? colon + 1 : "");
	m->protocol = &lb_offline;
	return m;
}

static bool means_offline(const char *spec)
{
	return strcmp(spec, "offline") == 0 ||
	       strncmp(spec, "offline:", 8) == 0;
}

static json_t *presets(struct lb_error *err)
{
	lb_autofree char *path = lb_config_share("providers.yaml");
	json_t *all = lb_yaml_load(path, MAX_PRESETS, err);

	if (!all)
		lb_error_wrap(err, "cannot read the presets");
	return all;
}

/* What is known of a provider: its preset, and the config over it. NULL: no
 * such provider. New. */
static json_t *provider_find(struct lb_config *config, const json_t *all,
			     const char *name)
{
	const json_t *own = lb_config_provider(config, name);
	const char *preset = own ? lb_json_str(own, "preset") : NULL;
	const json_t *base;
	json_t *p;

	if (!preset || !*preset)
		preset = name;
	base = json_object_get(all, preset);
	if (!own && !base)
		return NULL;
	p = base ? json_deep_copy(base) : json_object();
	if (own) {
		/* Its own address or keys replace what the environment says. */
		if (lb_json_str(own, "base-url"))
			json_object_del(p, "base-url-env");
		if (json_array_size(json_object_get(own, "api-keys")) > 0)
			json_object_del(p, "key-env");
		lb_json_merge(p, own);
	}
	return p;
}

static const char *env_of(const json_t *provider, const char *key)
{
	const char *name = lb_json_str(provider, key);

	return name ? lb_config_env(name) : NULL;
}

/* Is there a key, or a base URL, in the environment for it? */
static bool is_ready(const json_t *provider)
{
	return env_of(provider, "key-env") || env_of(provider, "base-url-env");
}

static int set_key(struct lb_model *m, const json_t *provider,
		   struct lb_error *err)
{
	const json_t *keys = json_object_get(provider, "api-keys");
	const char *from_env = env_of(provider, "key-env");
	const char *hint = lb_json_str(provider, "key-env");
	const char *value = from_env;

	if (json_array_size(keys) > 0)
		value = json_string_value(json_array_get(keys, 0));
	m->key_hint = hint ? lb_strdup(hint) : NULL;
	if (value == from_env && from_env) {
		lb_log_secret(from_env);
		m->key = lb_strdup(from_env);
	} else if (value) {
		m->key = lb_config_secret(value, err);
		if (!m->key)
			return lb_error_wrap(err, "provider '%s'", m->provider);
	}
	if (m->key && strpbrk(m->key, "\r\n"))
		return lb_fail(err, LB_CONFIG,
			       "provider '%s': the key holds a line break",
			       m->provider);
	return 0;
}

static int set_url(struct lb_model *m, const json_t *provider,
		   struct lb_error *err)
{
	const char *url = env_of(provider, "base-url-env");
	size_t len;

	if (!url)
		url = lb_json_str(provider, "base-url");
	if (!url || !*url)
		return lb_fail(err, LB_CONFIG, "provider '%s' has no base-url",
			       m->provider);
	len = strlen(url);
	while (len > 0 && url[len - 1] == '/')
		len--;
	m->base_url = lb_strndup(url, len);
	return 0;
}

static int64_t limit_of(struct lb_config *config, const json_t *provider,
			const char *key, const char *otherwise)
{
	int64_t ms;

	if (lb_json_int(provider, key, &ms))
		return ms;
	return lb_config_ms(config, otherwise);
}

static int fill(struct lb_model *m, struct lb_config *config,
		const json_t *provider, struct lb_error *err)
{
	const char *protocol = lb_json_str(provider, "protocol");
	const json_t *extra = json_object_get(provider, "extra-args");

	m->protocol = lb_protocol_find(protocol ? protocol : "openai-chat");
	if (!m->protocol)
		return lb_fail(err, LB_CONFIG,
			       "provider '%s': protocol '%s' is not in this "
			       "version",
			       m->provider, protocol);
	m->extra = json_is_object(extra) ? json_deep_copy(extra) : NULL;
	m->connect_ms = limit_of(config, provider, "connect-timeout",
				 "llm.connect-timeout");
	m->first_byte_ms = limit_of(config, provider, "first-byte-timeout",
				    "llm.first-byte-timeout");
	m->idle_ms =
		limit_of(config, provider, "idle-timeout", "llm.idle-timeout");
	if (set_url(m, provider, err) < 0)
		return -1;
	return set_key(m, provider, err);
}

static struct lb_model *open_at(struct lb_config *config, const char *name,
				const json_t *provider, const char *model,
				struct lb_error *err)
{
	struct lb_model *m = lb_alloc(sizeof(*m));

	m->provider = lb_strdup(name);
	m->name = lb_strdup(model);
	m->label = lb_printf("%s/%s", name, model);
	if (fill(m, config, provider, err) == 0)
		return m;
	lb_model_close(m);
	return NULL;
}

/* Providers that may be meant when none is named; counts, keeps the first. */
struct candidates {
	const char *first;
	size_t n;
	struct lb_buf names;
};

static void add_candidate(struct candidates *c, const char *name)
{
	lb_buf_printf(&c->names, "%s%s", c->n ? ", " : "", name);
	if (c->n++ == 0)
		c->first = name;
}

static void gather(struct lb_config *config, const json_t *all,
		   struct candidates *c)
{
	const char *name;
	json_t *preset, *own;
	json_t *ours =
		(json_t *)(uintptr_t)lb_config_section(config, "providers");

	json_object_foreach(ours, name, own)
	{
		(void)own;
		add_candidate(c, name);
	}
	json_object_foreach((json_t *)(uintptr_t)all, name,
			    preset) if (is_ready(preset) &&
					!json_object_get(ours, name))
		add_candidate(c, name);
}

static struct lb_model *open_default(struct lb_config *config,
				     const json_t *all, struct lb_error *err)
{
	struct candidates c = {0};
	struct lb_model *m;
	json_auto_t *provider = NULL;
	const char *model;

	gather(config, all, &c);
	if (c.n > 1)
		lb_warn("several models could answer (%s): set LB_MODEL to "
			"provider/model; using offline",
			lb_buf_str(&c.names));
	lb_buf_release(&c.names);
	if (c.n != 1)
		return offline("offline", err);
	provider = provider_find(config, all, c.first);
	model = lb_json_str(provider, "default-model");
	if (!model || !*model) {
		lb_fail(err, LB_CONFIG,
			"provider '%s' has no default-model: set LB_MODEL to "
			"%s/MODEL",
			c.first, c.first);
		return NULL;
	}
	m = open_at(config, c.first, provider, model, err);
	return m;
}

/* A bare name, passed on to the one endpoint there is. */
static struct lb_model *open_bare(struct lb_config *config, const json_t *all,
				  const char *spec, struct lb_error *err)
{
	struct candidates c = {0};
	json_auto_t *provider = NULL;
	struct lb_model *m = NULL;

	gather(config, all, &c);
	if (c.n == 1)
		provider = provider_find(config, all, c.first);
	if (provider)
		m = open_at(config, c.first, provider, spec, err);
	else if (c.n == 0)
		lb_fail(err, LB_CONFIG,
			"no endpoint for model '%s': set OPENAI_API_KEY or "
			"OPENAI_BASE_URL, or name provider/model",
			spec);
	else
		lb_fail(err, LB_CONFIG,
			"model '%s' could be at %s: name provider/model", spec,
			lb_buf_str(&c.names));
	lb_buf_release(&c.names);
	return m;
}

struct lb_model *lb_model_open(struct lb_config *config, const char *spec,
			       struct lb_error *err)
{
	json_auto_t *all = NULL, *provider = NULL;
	lb_autofree char *name = NULL;
	const char *slash;

	if (!spec || !*spec)
		spec = lb_config_str(config, "llm.model");
	if (spec && means_offline(spec))
		return offline(spec, err);
	all = presets(err);
	if (!all)
		return NULL;
	if (!spec || !*spec)
		return open_default(config, all, err);
	slash = strchr(spec, '/');
	if (slash && slash > spec && slash[1]) {
		name = lb_strndup(spec, (size_t)(slash - spec));
		provider = provider_find(config, all, name);
	}
	if (provider)
		return open_at(config, name, provider, slash + 1, err);
	return open_bare(config, all, spec, err);
}

static json_t *provider_row(struct lb_config *config, const json_t *all,
			    const char *name, const char *from)
{
	json_auto_t *p = provider_find(config, all, name);
	const char *model = lb_json_str(p, "default-model");
	const char *url = env_of(p, "base-url-env");
	bool key = env_of(p, "key-env") ||
		   json_array_size(json_object_get(p, "api-keys")) > 0;

	if (!url)
		url = lb_json_str(p, "base-url");
	return lb_json_pack("{s:s, s:s*, s:s*, s:s*, s:b, s:s}", "name", name,
			    "protocol", lb_json_str(p, "protocol"), "base_url",
			    url, "default_model", model, "key", key, "from",
			    from);
}

json_t *lb_model_providers(struct lb_config *config, struct lb_error *err)
{
	json_auto_t *all = presets(err);
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
