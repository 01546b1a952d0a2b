/* lb-config get - a value, and where it comes from. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"
#include "verbs.h"

static bool show_origin;

const struct lb_opt get_options[] = {
	{.name = "origin",
	 .help = "say of each key below KEY where its value comes from",
	 .flag = &show_origin},
	{0},
};

static json_t *mask_text(const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text)
		return json_deep_copy(value);
	return json_string(lb_secret_is_literal(text) ? "***" : text);
}

json_t *masked(const char *path, const json_t *value)
{
	const struct lb_key *key = lb_key_find(path);
	json_t *copy, *one;
	const char *name;
	size_t i;

	if (key && key->type == LB_KEY_SECRET)
		return mask_text(value);
	if (key && key->type == LB_KEY_SECRETS) {
		copy = json_array();
		json_array_foreach((json_t *)(uintptr_t)value, i, one)
		{
			json_array_append_new(copy, mask_text(one));
		}
		return copy;
	}
	if (key && key->type == LB_KEY_STRING) {
		lb_autofree char *text =
			without_user(json_string_value(value), false);

		return json_string(text);
	}
	if (key || !json_is_object(value))
		return json_deep_copy(value);
	copy = json_object();
	json_object_foreach((json_t *)(uintptr_t)value, name, one)
	{
		lb_autofree char *sub =
			lb_printf("%s%s%s", path, *path ? "." : "", name);

		json_object_set_new(copy, name, masked(sub, one));
	}
	return copy;
}

static void list_origins(struct lb_table *table, const struct lb_config *config,
			 const char *path, const json_t *value)
{
	const char *name;
	json_t *one;

	if (!lb_key_find(path) && json_is_object(value)) {
		json_object_foreach((json_t *)(uintptr_t)value, name, one)
		{
			lb_autofree char *sub =
				lb_printf("%s%s%s", path, *path ? "." : "",
					  name);

			list_origins(table, config, sub, one);
		}
		return;
	}
	lb_table_row(table, lb_json_pack("{s:s, s:O, s:s*}", "key", path,
					 "value", value, "origin",
					 lb_config_origin(config, path)));
}

static void print(const char *path, const json_t *value,
		  const struct lb_config *config)
{
	static const char *const columns[] = {"key", "value", "origin", NULL};

	if (show_origin) {
		struct lb_table *table = lb_table_open(columns, false);

		list_origins(table, config, path, value);
		lb_table_close(table);
	} else if (json_is_string(value)) {
		puts(json_string_value(value));
	} else {
		json_dumpf(value, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
		putchar('\n');
	}
}

/* No value: is it no key, or one that is not set? */
static int missing(const char *path, struct lb_error *err)
{
	lb_autofree char *near = NULL;

	if (lb_key_find(path) || lb_key_is_branch(path))
		return lb_fail(err, LB_NO, "'%s' is not set", path);
	near = lb_key_near(path);
	if (near)
		return lb_fail(err, LB_USAGE,
			       "'%s' is no key (did you mean '%s'?)", path,
			       near);
	return lb_fail(err, LB_USAGE, "'%s' is no key", path);
}

int verb_get(int argc, char **argv)
{
	const char *path = argc > 0 ? argv[0] : "";
	struct lb_error err;
	struct lb_config *config = lb_config_load(NULL, &err);
	json_auto_t *value = NULL, *shown = NULL;
	int code = LB_OK;

	if (!config)
		return lb_report(&err);
	value = lb_config_value(config, path);
	if (value) {
		shown = masked(path, value);
		print(path, shown, config);
	} else {
		missing(path, &err);
		code = lb_report(&err);
	}
	lb_config_close(config);
	return code;
}
