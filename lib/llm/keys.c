/* keys.c - the keys of a provider: one is in use, others stand behind it. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "llm/endpoint.h"
#include "llm/protocol.h"

void lb_model_use_key(struct lb_model *m, size_t key)
{
	m->key_in_use = key;
	m->key = m->keys[key];
}

/* Takes it over; one that is there already is no other. */
static int add_key(struct lb_model *m, char *key, struct lb_error *err)
{
	bool known = false;

	for (size_t i = 0; i < m->n_keys; i++)
		known = known || strcmp(m->keys[i], key) == 0;
	if (strpbrk(key, "\r\n")) {
		free(key);
		return lb_fail(err, LB_CONFIG,
			       "provider '%s': the key holds a line break",
			       m->provider);
	}
	if (known || !*key) {
		free(key);
		return 0;
	}
	if (m->n_keys == LB_MODEL_KEYS) {
		free(key);
		return lb_fail(err, LB_CONFIG,
			       "provider '%s' has more than %d keys",
			       m->provider, LB_MODEL_KEYS);
	}
	m->keys = lb_grow(m->keys, (m->n_keys + 1) * sizeof(*m->keys));
	m->keys[m->n_keys++] = key;
	return 0;
}

static int add_keys(struct lb_model *m, const json_t *keys,
		    struct lb_error *err)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)keys, i, one)
	{
		char *key = lb_config_secret(json_string_value(one), err);

		if (!key)
			return lb_error_wrap(err, "provider '%s'", m->provider);
		if (add_key(m, key, err) < 0)
			return -1;
	}
	return 0;
}

int lb_keys_set(struct lb_model *m, const json_t *provider,
		struct lb_error *err)
{
	const json_t *keys = json_object_get(provider, "api-keys");
	const char *from_env = lb_endpoint_env(provider, "key-env");
	const char *hint = lb_json_str(provider, "key-env");

	m->key_hint = hint ? lb_strdup(hint) : NULL;
	if (add_keys(m, keys, err) < 0)
		return -1;
	if (json_array_size(keys) == 0 && from_env) {
		lb_log_secret(from_env);
		if (add_key(m, lb_strdup(from_env), err) < 0)
			return -1;
	}
	if (m->n_keys > 0)
		lb_model_use_key(m, 0);
	/* At its own address a preset wants its key: nothing is asked without. */
	if (!m->key && hint && !lb_endpoint_env(provider, "base-url-env"))
		return lb_fail(err, LB_CONFIG, "provider '%s': %s is not set",
			       m->provider, hint);
	return 0;
}

const char *lb_keys_env(const json_t *provider)
{
	const json_t *keys = json_object_get(provider, "api-keys");
	const char *first = json_string_value(json_array_get(keys, 0));

	if (first)
		return strncmp(first, "env:", 4) == 0 ? first + 4 : NULL;
	return lb_json_str(provider, "key-env");
}

char *lb_keys_missing(const json_t *provider)
{
	const json_t *keys = json_object_get(provider, "api-keys"), *one;
	const char *hint = lb_json_str(provider, "key-env");
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)keys, i, one)
	{
		const char *key = json_string_value(one);

		if (strncmp(key, "env:", 4) == 0 && !lb_config_env(key + 4))
			return lb_strdup(key + 4);
	}
	if (json_array_size(keys) > 0 || !hint ||
	    lb_endpoint_env(provider, "key-env") ||
	    lb_endpoint_env(provider, "base-url-env"))
		return NULL;
	return lb_strdup(hint);
}
