/* box.c - the sandbox: what LangBot says of it, as far as it may be said here.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"
#include "config/template.h"
#include "langbot/items.h"

#define USUAL "{launcher_type}_{launcher_id}"

#define E2B_URL "box.e2b.api_url"
#define E2B_TEMPLATE "box.e2b.template"

static const char forced[] = "system.limitation.force_box_session_id_template";

/* What both have under one name, with one meaning. */
static const char *const same[] = {
	"box.local.workspace_quota_mb",
	"box.limits.max_sessions",
	"box.limits.max_workspace_entries",
	NULL,
};

/* What has no place here, what it is when nobody changed it, and why. */
static const struct lost {
	const char *path, *usual, *why;
} lost[] = {
	{"box.runtime.endpoint", "",
	 "the sandbox is always on this machine: whoever could reach it over a "
	 "network could run commands"},
	{"box.local.host_root", "./data/box",
	 "lb keeps the files of its sandboxes in the folder of its state; "
	 "LangBot's stay where they are"},
	{"box.local.default_workspace", "",
	 "each session has a workspace of its own, in the folder of the state"},
	{"box.local.skills_root", "skills",
	 "skills are in the folder of the state"},
	{NULL, NULL, NULL},
};

/* Is it what it is here, too, when nobody says anything? */
static bool is_initial(const char *path, const json_t *value)
{
	const struct lb_key *key = lb_key_find(path);
	json_auto_t *initial =
		key && key->initial
			? json_loads(key->initial, JSON_DECODE_ANY, NULL)
			: NULL;

	return initial && json_equal(initial, value);
}

static void begin(struct lb_item_report *item, const char *path)
{
	lb_item_begin(item, "setting", NULL);
	free(item->name);
	item->name = lb_strdup(path);
}

static void take(struct lb_langbot *in, const char *path, json_t *take)
{
	struct lb_item_report item;

	begin(&item, path);
	if (lb_langbot_set(in, &item, path, take))
		item.as = lb_strdup(path);
	lb_item_end(in, &item, NULL);
}

static void drop(struct lb_langbot *in, const char *path, const char *why)
{
	struct lb_item_report item;

	begin(&item, path);
	lb_item_refuse(&item, "%s", why);
	lb_item_end(in, &item, NULL);
}

/* As LangBot reads it: a text may say no, and so does an empty one. */
static bool is_off(const json_t *value)
{
	const char *text = json_string_value(value);

	if (text)
		return !*text || lb_key_has_word("false False FALSE 0 no No "
						 "NO off Off OFF",
						 text);
	return json_is_false(value) ||
	       (json_is_integer(value) && json_integer_value(value) == 0);
}

static void take_backend(struct lb_langbot *in, const json_t *value)
{
	const char *name = json_string_value(value);
	lb_autofree char *why = NULL;

	if (!name || !*name || strcmp(name, "local") == 0)
		return;
	if (lb_key_has_word("docker podman nsjail e2b", name)) {
		take(in, "box.backend", json_string(name));
		return;
	}
	why = lb_printf("backend '%.40s' is not in this version: bubblewrap "
			"is what runs commands",
			name);
	drop(in, "box.backend", why);
}

static void take_image(struct lb_langbot *in, const json_t *value)
{
	const char *name = json_string_value(value);

	if (name && *name)
		take(in, "box.local.image", json_string(name));
}

/* What is asked for by name, and where; a key is taken as it is. */
static void take_e2b(struct lb_langbot *in)
{
	static const char key_path[] = "box.e2b.api_key";
	const json_t *key = lb_json_path(in->settings, key_path);
	const char *url =
		json_string_value(lb_json_path(in->settings, E2B_URL));
	lb_autofree char *full = NULL;
	json_t *template =
		lb_langbot_text(lb_json_path(in->settings, E2B_TEMPLATE));
	json_t *secret =
		json_string_length(key) ? lb_langbot_secret(key) : NULL;

	if (secret)
		take(in, key_path, secret);
	else if (json_string_length(key) > 0)
		drop(in, key_path, "it would not be read as a key here");
	if (url && *url) /* there it is the domain that the service is in */
		full = lb_printf("%s%s",
				 strstr(url, "://") ? "" : "https://api.", url);
	if (full && lb_config_is_url(full))
		take(in, E2B_URL, json_string(full));
	else if (full)
		drop(in, E2B_URL, "it is neither a URL nor a domain");
	if (json_string_length(template) > 0)
		take(in, E2B_TEMPLATE, json_incref(template));
	json_decref(template);
}

static void take_profile(struct lb_langbot *in, const json_t *value)
{
	static const char path[] = "box.local.profile";
	const char *name = json_string_value(value);

	if (!name || !*name || strcmp(name, "default") == 0)
		return;
	if (lb_key_has_word("offline_readonly network_basic network_extended",
			    name))
		take(in, path, json_string(name));
	else
		drop(in, path, "there is no profile of that name");
}

/* Folders, each by itself; a list, or a text with commas. */
static json_t *read_roots(const json_t *value)
{
	static const struct lb_key list = {.type = LB_KEY_LIST};
	size_t no_text = 0;
	struct lb_error why;

	if (json_is_string(value))
		return lb_coerce(&list, value, &why);
	return lb_langbot_texts(value, &no_text);
}

static void take_roots(struct lb_langbot *in, const json_t *value)
{
	static const char path[] = "box.local.allowed_mount_roots";
	json_auto_t *roots = read_roots(value), *out = json_array();
	struct lb_item_report item;
	const json_t *one;
	size_t i;

	begin(&item, path);
	json_array_foreach(roots, i, one)
	{
		const char *root = json_string_value(one);

		if (strcmp(root, "/tmp") == 0 || strcmp(root, "/") == 0)
			lb_item_note(&item,
				     "%s is left out: everybody's "
				     "files are in it",
				     root);
		else if (*root == '/')
			json_array_append(out, (json_t *)(uintptr_t)one);
		else if (strcmp(root, "./data/box") != 0)
			lb_item_note(&item,
				     "'%.60s' is left out: it is no absolute "
				     "path",
				     root);
	}
	if (json_array_size(out) > 0) {
		if (lb_langbot_set(in, &item, path, json_incref(out)))
			item.as = lb_strdup(path);
	} else if (item.why.len > 0) {
		item.refused = true;
	}
	if (item.why.len > 0 || item.as) {
		lb_item_end(in, &item, NULL);
		return;
	}
	free(item.name);
}

static void drop_lost(struct lb_langbot *in)
{
	for (const struct lost *l = lost; l->path; l++) {
		const char *text =
			json_string_value(lb_json_path(in->settings, l->path));

		if (text && *text && strcmp(text, l->usual) != 0)
			drop(in, l->path, l->why);
	}
}

static void take_forced(struct lb_langbot *in)
{
	const char *template =
		json_string_value(lb_json_path(in->settings, forced));
	lb_autofree char *all = NULL;
	struct lb_error why;

	if (!template || !*template)
		return;
	if (lb_template_check(template, &why) == 0) {
		take(in, forced, json_string(template));
		return;
	}
	all = lb_printf("%s; each chat has a sandbox of its own", why.text);
	drop(in, forced, all);
}

void lb_langbot_box(struct lb_langbot *in)
{
	const json_t *enabled = lb_json_path(in->settings, "box.enabled");

	if (enabled && is_off(enabled))
		take(in, "box.enabled", json_false());
	take_backend(in, lb_json_path(in->settings, "box.backend"));
	take_image(in, lb_json_path(in->settings, "box.local.image"));
	take_e2b(in);
	take_profile(in, lb_json_path(in->settings, "box.local.profile"));
	take_roots(in,
		   lb_json_path(in->settings, "box.local.allowed_mount_roots"));
	for (size_t i = 0; same[i]; i++) {
		const json_t *value = lb_json_path(in->settings, same[i]);

		if (json_is_integer(value) && !is_initial(same[i], value))
			take(in, same[i], json_deep_copy(value));
	}
	drop_lost(in);
	take_forced(in);
}

void lb_langbot_template(struct lb_item_report *item, const json_t *config,
			 json_t *out)
{
	static const char path[] = "ai.local-agent.box-session-id-template";
	const char *template = json_string_value(lb_json_path(config, path));
	struct lb_error why;

	/* what it is there when nobody changed it is what it is here */
	if (!template || !*template || strcmp(template, USUAL) == 0)
		return;
	if (lb_template_check(template, &why) < 0) {
		lb_item_note(item, "%s: %s; each chat has a sandbox of its own",
			     path, why.text);
		return;
	}
	lb_json_put(out, path, json_string(template));
	if (strcmp(template, "{global}") == 0)
		lb_item_note(item, "all chats of all bots share one sandbox "
				   "(box-session-id-template: {global})");
}
