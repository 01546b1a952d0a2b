/* value.c - asking a loaded configuration. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/load.h"

const json_t *lb_config_get(const struct lb_config *config, const char *path)
{
	return lb_json_path(config->all, path);
}

const char *lb_config_str(const struct lb_config *config, const char *path)
{
	return json_string_value(lb_config_get(config, path));
}

int64_t lb_config_int(const struct lb_config *config, const char *path)
{
	return json_integer_value(lb_config_get(config, path));
}

int64_t lb_config_ms(const struct lb_config *config, const char *path)
{
	static const struct lb_key duration = {.type = LB_KEY_DURATION};

	return lb_coerced_amount(&duration, lb_config_get(config, path));
}

int64_t lb_config_bytes(const struct lb_config *config, const char *path)
{
	static const struct lb_key size = {.type = LB_KEY_SIZE};

	return lb_coerced_amount(&size, lb_config_get(config, path));
}

const char *lb_config_user(struct lb_config *config)
{
	if (!config->user)
		config->user = lb_config_login();
	return config->user;
}

const json_t *lb_config_section(const struct lb_config *config,
				const char *name)
{
	return json_object_get(config->all, name);
}

const char *lb_config_origin(const struct lb_config *config, const char *path)
{
	lb_autofree char *up = lb_strdup(path);
	const struct lb_key *key;
	const char *from;

	while (!(from = lb_json_str(config->origins, up)) && strchr(up, '.'))
		*strrchr(up, '.') = '\0';
	if (from)
		return from;
	for (key = lb_keys; key->path; key++)
		if (key->initial && lb_key_matches(key->path, path, true))
			return "default";
	return NULL;
}

int lb_config_blame(const struct lb_config *config, const char *path,
		    struct lb_error *err)
{
	const char *where = lb_config_origin(config, path);

	err->code = LB_CONFIG;
	return where ? lb_error_wrap(err, "%s: %s", where, path)
		     : lb_error_wrap(err, "%s", path);
}

char *lb_config_beside(const struct lb_config *config, const char *name)
{
	const char *slash = config->file ? strrchr(config->file, '/') : NULL;

	if (*name == '/' || !slash)
		return lb_strdup(name);
	return lb_printf("%.*s/%s", (int)(slash - config->file), config->file,
			 name);
}

static bool always_there(const char *section, const char *name)
{
	return (strcmp(section, "bots") == 0 && strcmp(name, "-") == 0) ||
	       (strcmp(section, "pipelines") == 0 &&
		strcmp(name, "default") == 0);
}

/* A new value: the defaults of a section's keys under what is written. */
static json_t *merged(const struct lb_config *config, const char *section,
		      const char *name)
{
	size_t len = strlen(section);
	const json_t *own =
		json_object_get(json_object_get(config->all, section), name);
	json_t *out;

	if (!own && !always_there(section, name))
		return NULL;
	out = json_object();
	for (const struct lb_key *k = lb_keys; k->path; k++)
		if (k->initial && strncmp(k->path, section, len) == 0 &&
		    strncmp(k->path + len, ".*.", 3) == 0)
			lb_json_put(out, k->path + len + 3,
				    json_loads(k->initial, JSON_DECODE_ANY,
					       NULL));
	if (strcmp(section, "bots") == 0 && strcmp(name, "-") == 0)
		json_object_set_new(out, "stream", json_true());
	if (own)
		lb_json_merge(out, own);
	return out;
}

/* Durations as ms and sizes as bytes. */
static void count_amounts(json_t *value, const char *section)
{
	size_t len = strlen(section);

	for (const struct lb_key *k = lb_keys; k->path; k++) {
		json_t *at;

		if ((k->type != LB_KEY_DURATION && k->type != LB_KEY_SIZE) ||
		    strncmp(k->path, section, len) != 0 ||
		    strncmp(k->path + len, ".*.", 3) != 0)
			continue;
		at = lb_json_path(value, k->path + len + 3);
		if (at)
			lb_json_put(value, k->path + len + 3,
				    json_integer(lb_coerced_amount(k, at)));
	}
}

static const json_t *named(struct lb_config *config, const char *section,
			   const char *name)
{
	lb_autofree char *slot = lb_printf("%s.%s", section, name);
	json_t *full = json_object_get(config->full, slot);

	if (full)
		return full;
	full = merged(config, section, name);
	if (!full)
		return NULL;
	count_amounts(full, section);
	json_object_set_new(config->full, slot, full);
	return full;
}

const json_t *lb_config_bot(struct lb_config *config, const char *name)
{
	return named(config, "bots", name);
}

const json_t *lb_config_pipeline(struct lb_config *config, const char *name)
{
	return named(config, "pipelines", name);
}

const json_t *lb_config_provider(struct lb_config *config, const char *name)
{
	return named(config, "providers", name);
}

const json_t *lb_config_webhook(struct lb_config *config, const char *name)
{
	return named(config, "webhooks", name);
}

/* Webhooks have settings of their own beside their names. */
static bool has_names(const struct lb_config *config, const char *section,
		      const char *name)
{
	if (strcmp(section, "webhooks") == 0)
		return json_is_object(
			json_object_get(json_object_get(config->all, section),
					name));
	return strcmp(section, "bots") == 0 ||
	       strcmp(section, "pipelines") == 0 ||
	       strcmp(section, "providers") == 0;
}

json_t *lb_config_value(struct lb_config *config, const char *path)
{
	const char *dot = strchr(path, '.');
	size_t len = dot ? strcspn(dot + 1, ".") : 0;
	lb_autofree char *section = NULL, *name = NULL;
	json_auto_t *whole = NULL;

	if (!dot)
		return json_incref(lb_json_path(config->all, path));
	section = lb_strndup(path, (size_t)(dot - path));
	name = lb_strndup(dot + 1, len);
	if (!has_names(config, section, name))
		return json_incref(lb_json_path(config->all, path));
	whole = merged(config, section, name);
	return json_incref(
		lb_json_path(whole, dot + 1 + len + (dot[1 + len] == '.')));
}
