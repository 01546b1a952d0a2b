#include "llm/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/near.h"
#include "llm/endpoint.h"
#include "llm/protocol.h"

void lb_model_close(struct lb_model *m)
{
	if (!m)
		return;
	free(m->label);
	free(m->provider);
	free(m->name);
	free(m->base_url);
	for (size_t i = 0; i < m->n_keys; i++)
		free(m->keys[i]);
	free(m->keys);
	free(m->key_hint);
	json_decref(m->extra);
	json_decref(m->about);
	free(m);
}

static struct lb_model *offline(struct lb_config *config, const char *spec,
				struct lb_error *err)
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
	m->blind = true;
	m->price = lb_price_of(config, spec, true);
	return m;
}

static bool means_offline(const char *spec)
{
	return strcmp(spec, "offline") == 0 ||
	       strncmp(spec, "offline:", 8) == 0;
}

/* Where a model is looked for. */
struct search {
	struct lb_config *config;
	const json_t *all; /* the presets that may be meant */
	bool dry;          /* its key stays where it is */
	enum lb_model_use use;
};

/* By use: what a provider `can`, what people call it, and where the default
 * is in the configuration and with a provider. */
static const struct {
	const char *can, *words, *key, *usual;
} uses[] = {
	[LB_FOR_CHAT] = {"llm", "chat", "llm.model", "default-model"},
	[LB_FOR_EMBEDDING] = {"embedding", "embedding", "llm.embedding-model",
			      "embedding-model"},
	[LB_FOR_RERANK] = {"rerank", "rerank", "llm.rerank-model",
			   "rerank-model"},
	[LB_FOR_LISTING] = {"llm", "any", "llm.model", "default-model"},
};

/* Of a service with two roots, the end of the one that is not meant. */
static size_t without_other_root(const struct lb_model *m, const char *url,
				 size_t len)
{
	static const struct {
		const struct lb_protocol *protocol;
		const char *end;
	} others[] = {{&lb_ollama, "/v1"}, {&lb_gemini, "/openai"}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		size_t n = strlen(others[i].end);

		if (m->protocol == others[i].protocol && len > n &&
		    strncmp(url + len - n, others[i].end, n) == 0)
			return len - n;
	}
	return len;
}

static int set_url(struct lb_model *m, const json_t *provider,
		   struct lb_error *err)
{
	const char *url = lb_endpoint_env(provider, "base-url-env");
	bool from_env = url != NULL;
	size_t len;

	if (!url)
		url = lb_json_str(provider, "base-url");
	if (!url || !*url)
		return lb_fail(err, LB_CONFIG, "provider '%s' has no base-url",
			       m->provider);
	if (!lb_config_is_url(url))
		return lb_fail(err, LB_CONFIG,
			       "%s: '%s' does not begin with http:// or "
			       "https:// and a host",
			       from_env ? lb_json_str(provider, "base-url-env")
					: "base-url",
			       url);
	len = strlen(url);
	while (len > 0 && url[len - 1] == '/')
		len--;
	len = without_other_root(m, url, len);
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

/* It is for something else, and that is worth knowing. */
static int cannot(const char *name, enum lb_model_use use,
		  const json_t *provider, struct lb_error *err)
{
	const json_t *can = json_object_get(provider, "can"), *one;
	lb_autobuf struct lb_buf those = {0};
	size_t i;

	json_array_foreach(can, i, one)
		lb_buf_printf(&those, "%s%s", i ? ", " : ": it is for ",
			      json_string_value(one));
	return lb_fail(err, LB_CONFIG, "provider '%s' has no %s models%s", name,
		       uses[use].words, lb_buf_str(&those));
}

static int fill(struct lb_model *m, const struct search *in,
		const json_t *provider, struct lb_error *err)
{
	struct lb_config *config = in->config;
	const char *protocol = lb_json_str(provider, "protocol");
	const json_t *extra = json_object_get(provider, "extra-args");

	m->protocol = lb_protocol_find(protocol ? protocol : "openai-chat");
	if (!m->protocol)
		return lb_fail(err, LB_CONFIG,
			       "provider '%s': protocol '%s' is not in this "
			       "version",
			       m->provider, protocol);
	if (in->use != LB_FOR_LISTING &&
	    !lb_endpoint_can(provider, uses[in->use].can))
		return cannot(m->provider, in->use, provider, err);
	m->about = json_deep_copy(provider);
	json_object_del(m->about, "api-keys");
	m->blind = !lb_json_bool(provider, "vision", true);
	m->extra = json_is_object(extra) ? json_deep_copy(extra) : NULL;
	m->connect_ms = limit_of(config, provider, "connect-timeout",
				 "llm.connect-timeout");
	m->first_byte_ms = limit_of(config, provider, "first-byte-timeout",
				    "llm.first-byte-timeout");
	m->idle_ms =
		limit_of(config, provider, "idle-timeout", "llm.idle-timeout");
	if (set_url(m, provider, err) < 0)
		return -1;
	if (in->use != LB_FOR_LISTING)
		m->price = lb_price_of(config, m->label,
				       lb_endpoint_env(provider,
						       "base-url-env") != NULL);
	if (!in->dry)
		return lb_keys_set(m, provider, err);
	m->key_hint = lb_keys_missing(provider);
	return 0;
}

static struct lb_model *open_at(const struct search *in, const char *name,
				const json_t *provider, const char *model,
				struct lb_error *err)
{
	struct lb_model *m = lb_alloc(sizeof(*m));

	m->provider = lb_strdup(name);
	m->name = lb_strdup(model);
	m->label = in->use == LB_FOR_LISTING ? lb_strdup(name)
					     : lb_printf("%s/%s", name, model);
	if (fill(m, in, provider, err) == 0)
		return m;
	lb_model_close(m);
	return NULL;
}

/* The model a provider asks when none is named. */
static struct lb_model *open_usual(const struct search *in, const char *name,
				   const json_t *provider, struct lb_error *err)
{
	const char *usual = uses[in->use].usual;
	const char *model = lb_json_str(provider, usual);

	if (!lb_endpoint_can(provider, uses[in->use].can))
		cannot(name, in->use, provider, err);
	else if (model && *model)
		return open_at(in, name, provider, model, err);
	else
		lb_fail(err, LB_CONFIG,
			"provider '%s' has no %s: name %s/MODEL, of those that "
			"'lb-llm models %s' lists",
			name, usual, name, name);
	return NULL;
}

/* Nothing is played where a number is wanted: that could not be told. */
static void none_usual(const struct search *in, const struct lb_candidates *c,
		       struct lb_error *err)
{
	const char *words = uses[in->use].words, *key = uses[in->use].key;

	if (c->n == 0)
		lb_fail(err, LB_CONFIG,
			"no provider of %s models: name provider/model, or "
			"set %s",
			words, key);
	else
		lb_fail(err, LB_CONFIG,
			"several have %s models (%s): name provider/model, or "
			"set %s",
			words, lb_buf_str(&c->names), key);
}

static struct lb_model *open_default(const struct search *in,
				     struct lb_error *err)
{
	struct lb_candidates c = {0};
	json_auto_t *provider = NULL;

	lb_endpoint_candidates(in->config, in->all, uses[in->use].can, &c);
	if (c.n != 1 && in->use != LB_FOR_CHAT) {
		none_usual(in, &c, err);
		lb_buf_release(&c.names);
		return NULL;
	}
	if (c.n > 1)
		lb_warn("several models could answer (%s): set LB_MODEL to "
			"provider/model; using offline",
			lb_buf_str(&c.names));
	lb_buf_release(&c.names);
	if (c.n != 1)
		return offline(in->config, "offline", err);
	if (lb_endpoint_find(in->config, in->all, c.first, &provider, err) < 0)
		return NULL;
	return open_usual(in, c.first, provider, err);
}

/* Some names have a slash: what stands before it may be a slip. */
static void several_bare(const char *spec, const struct lb_candidates *c,
			 struct lb_error *err)
{
	int head = (int)strcspn(spec, "/");

	if (spec[head])
		lb_fail(err, LB_CONFIG,
			"no provider '%.*s', and model '%s' could be at %s: "
			"name provider/model",
			head, spec, spec, lb_buf_str(&c->names));
	else
		lb_fail(err, LB_CONFIG,
			"model '%s' could be at %s: name provider/model", spec,
			lb_buf_str(&c->names));
}

/* A name that is no provider's, passed on to the one endpoint there is. */
static struct lb_model *open_bare(const struct search *in, const char *spec,
				  struct lb_error *err)
{
	struct lb_candidates c = {0};
	json_auto_t *provider = NULL;
	struct lb_model *m = NULL;

	lb_endpoint_candidates(in->config, in->all, uses[in->use].can, &c);
	if (c.n == 0)
		lb_fail(err, LB_CONFIG,
			"no endpoint for model '%s': set OPENAI_API_KEY or "
			"OPENAI_BASE_URL, or name provider/model",
			spec);
	else if (c.n > 1)
		several_bare(spec, &c, err);
	else if (lb_endpoint_find(in->config, in->all, c.first, &provider,
				  err) > 0)
		m = open_at(in, c.first, provider, spec, err);
	lb_buf_release(&c.names);
	return m;
}

/* "provider/name", "provider" for its default model, or a name to pass on. */
static struct lb_model *open_named(const struct search *in, const char *spec,
				   struct lb_error *err)
{
	size_t len = strcspn(spec, "/");
	lb_autofree char *name = lb_strndup(spec, len);
	const char *model = spec[len] ? spec + len + 1 : "", *near;
	json_auto_t *provider = NULL, *every = NULL;
	int got = lb_endpoint_find(in->config, in->all, name, &provider, err);

	if (got < 0)
		return NULL;
	if (got > 0 && *model)
		return open_at(in, name, provider, model, err);
	if (got > 0)
		return open_usual(in, name, provider, err);
	if (!spec[len] && lb_near(spec, "offline") <= 2) {
		lb_fail(err, LB_CONFIG,
			"no model '%s'; did you mean 'offline'?", spec);
		return NULL;
	}
	if (spec[len] && !(every = lb_config_presets(err)))
		return NULL;
	near = every ? lb_endpoint_near(in->config, every, name) : NULL;
	if (!near)
		return open_bare(in, spec, err);
	lb_fail(err, LB_CONFIG, "no provider '%s'; did you mean '%s/%s'?", name,
		near, model);
	return NULL;
}

static struct lb_model *search(struct search in, const char *spec,
			       struct lb_error *err)
{
	lb_autofree char *name = NULL;
	json_auto_t *all = NULL;

	if (!spec || !*spec)
		spec = lb_config_str(in.config, uses[in.use].key);
	if (spec && means_offline(spec))
		return offline(in.config, spec, err);
	if (spec)
		name = lb_strndup(spec, strcspn(spec, "/"));
	in.all = all = lb_config_presets_of(in.config, name, err);
	if (!all)
		return NULL;
	if (!spec || !*spec)
		return open_default(&in, err);
	return open_named(&in, spec, err);
}

struct lb_model *lb_model_open(struct lb_config *config, const char *spec,
			       struct lb_error *err)
{
	return lb_model_open_for(config, LB_FOR_CHAT, spec, err);
}

struct lb_model *lb_model_open_for(struct lb_config *config,
				   enum lb_model_use use, const char *spec,
				   struct lb_error *err)
{
	return search((struct search){.config = config, .use = use}, spec, err);
}

struct lb_model *lb_model_glance(struct lb_config *config, const char *spec,
				 struct lb_error *err)
{
	return search((struct search){.config = config, .dry = true}, spec,
		      err);
}

int lb_model_check(struct lb_config *config, const char *spec,
		   struct lb_error *err)
{
	struct lb_model *m = lb_model_glance(config, spec, err);

	lb_model_close(m);
	return m ? 0 : -1;
}
