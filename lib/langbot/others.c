/* others.c - settings, webhooks, and what this version has no place for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/keys.h"
#include "langbot/items.h"

enum { USUAL_HOOKS = 16 };

/* Of config.yaml, with our name and theirs being the same. */
static const char *const settings[] = {
	"concurrency.pipeline",
	"command.enable",
	"command.prefix",
	"mcp.stdio.enabled",
	"webhooks.max_per_workspace",
	"webhooks.max_inflight_requests",
	NULL,
};

/* Sections of it with what lb does instead. */
static const struct section {
	const char *name, *why;
} sections[] = {
	{"api", "there is no HTTP API to manage lb"},
	{"monitoring", "each program's output is the record of what it did"},
	{"plugin", "plugins are not in this version"},
	{"proxy", "set HTTPS_PROXY in the environment"},
	{"storage", "files are kept in the folder of the state"},
	{"vdb", "knowledge bases are not in this version"},
	{NULL, NULL},
};

static void take_setting(struct lb_langbot *in, const char *path)
{
	static const char programs[] = "mcp.stdio.enabled";
	const json_t *value = lb_json_path(in->settings, path);
	json_auto_t *no = json_false();
	struct lb_item_report item;

	if (!value || json_is_null(value))
		return;
	lb_item_begin(&item, "setting", NULL);
	free(item.name);
	item.name = lb_strdup(path);
	if (strcmp(path, programs) == 0 && !json_is_boolean(value)) {
		lb_item_note(&item, "is no boolean, which means no there");
		value = no;
	}
	if (lb_langbot_set(in, &item, path, json_deep_copy(value)))
		item.as = lb_strdup(path);
	lb_item_end(in, &item, NULL);
}

/* "proxy: {http: '', https: ''}" asks for nothing. */
static bool says_something(const json_t *section)
{
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)section, key, one)
	{
		if (!json_is_string(one) || json_string_length(one) > 0)
			return true;
	}
	return false;
}

void lb_langbot_settings(struct lb_langbot *in)
{
	for (size_t i = 0; settings[i]; i++)
		take_setting(in, settings[i]);
	for (const struct section *s = sections; s->name; s++) {
		const json_t *value = json_object_get(in->settings, s->name);
		struct lb_item_report item;

		if (!says_something(value))
			continue;
		lb_item_begin(&item, "setting", NULL);
		free(item.name);
		item.name = lb_strdup(s->name);
		lb_item_refuse(&item, "%s", s->why);
		lb_item_end(in, &item, NULL);
	}
}

static int64_t most_hooks(const struct lb_langbot *in)
{
	int64_t most = USUAL_HOOKS;
	const json_t *section = json_object_get(in->settings, "webhooks");

	lb_json_int(section, "max_per_workspace", &most);
	return most;
}

static void take_webhook(struct lb_langbot *in, const json_t *row,
			 int64_t *enabled)
{
	struct lb_item_report item;
	json_auto_t *url = lb_langbot_secret(json_object_get(row, "url"));
	lb_autofree char *name = NULL;
	bool on = lb_row_bool(row, "enabled", true);

	lb_item_begin(&item, "webhook", row);
	if (!url || !lb_config_is_url(json_string_value(url)))
		lb_item_refuse(&item, "its URL is none that can be asked");
	else if (on && ++*enabled > most_hooks(in))
		lb_item_note(&item, "it is one more than is told there, and "
				    "switched off here");
	on = on && *enabled <= most_hooks(in);
	name = lb_langbot_name(in, "webhooks", item.name);
	if (!item.refused) {
		item.as = lb_printf("webhooks.%s", name);
		/* There each is waited for and may end a message. */
		lb_json_put(in->out, item.as,
			    lb_json_pack("{s:O, s:b, s:b}", "url", url,
					 "enabled", on, "wait", 1));
	}
	lb_item_end(in, &item, item.refused ? row : NULL);
}

void lb_langbot_webhooks(struct lb_langbot *in)
{
	const json_t *row;
	int64_t enabled = 0;
	size_t i;

	json_array_foreach(lb_langbot_table(in, "webhooks"), i, row)
	{
		take_webhook(in, row, &enabled);
	}
}

/* Kept as they are, for a version that has a place for them. */
static void keep_table(struct lb_langbot *in, const char *table,
		       const char *what, const char *why)
{
	const json_t *row;
	size_t i;

	json_array_foreach(lb_langbot_table(in, table), i, row)
	{
		struct lb_item_report item;
		lb_autofree char *plugin = lb_row_text(row, "plugin_name");
		lb_autofree char *author = lb_row_text(row, "plugin_author");

		lb_item_begin(&item, what, row);
		if (plugin) {
			free(item.name);
			item.name = lb_printf("%s/%s", author ? author : "",
					      plugin);
		}
		lb_item_refuse(&item, "%s", why);
		lb_item_end(in, &item, row);
	}
}

void lb_langbot_others(struct lb_langbot *in)
{
	static const char later[] = "is kept aside: not in this version";
	struct lb_item_report item;
	size_t keys = json_array_size(lb_langbot_table(in, "api_keys"));

	keep_table(in, "plugin_settings", "plugin", later);
	keep_table(in, "knowledge_bases", "knowledge base", later);
	keep_table(in, "embedding_models", "embedding model", later);
	keep_table(in, "rerank_models", "rerank model", later);
	if (keys == 0)
		return;
	lb_item_begin(&item, "API key", NULL);
	free(item.name);
	item.name = lb_printf("%zu of them", keys);
	lb_item_refuse(&item, "there is no HTTP API to manage lb");
	lb_item_end(in, &item, NULL);
}
