/* lb-box status */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "box.h"
#include "box/backend.h"
#include "box/place.h"
#include "box/sessions.h"

static bool json;
static const char *config_file;

const struct lb_opt status_options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "json", .help = "write a line of JSON", .flag = &json},
	BOX_WORKSPACE,
	{0},
};

struct counts {
	json_int_t all, alive, in_use, mounted, persistent;
};

static void count(void *arg, const struct lb_box_about *a)
{
	struct counts *c = arg;

	c->all++;
	c->alive += a->alive;
	c->in_use += a->in_use;
	c->mounted += a->mounted;
	c->persistent += a->persistent;
}

/* Keys that say what is in force, as they are called there. */
static json_t *limits(const struct lb_config *config)
{
	static const char *const keys[] = {
		"box.limits.max_sessions",
		"box.limits.max_workspace_entries",
		"box.session_ttl",
		"box.workspace_retention_days",
		"box.local.profile",
		"box.local.workspace_quota_mb",
		"box.quota",
	};
	json_t *o = json_object();

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *value = lb_config_get(config, keys[i]);

		if (value && !json_is_null(value))
			json_object_set(o, keys[i], (json_t *)(uintptr_t)value);
	}
	return o;
}

static void add_workspace(void *arg, const char *tenant)
{
	lb_autofree char *name = lb_box_tenant_name(tenant);

	json_array_append_new(arg, lb_json_text(name, strlen(name)));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(json_string_value(*(json_t *const *)a),
		      json_string_value(*(json_t *const *)b));
}

static json_t *sorted(const json_t *texts)
{
	size_t n = json_array_size(texts);
	lb_autofree json_t **all = lb_alloc((n + 1) * sizeof(json_t *));
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		all[i] = json_array_get(texts, i);
	qsort(all, n, sizeof(json_t *), by_name);
	for (size_t i = 0; i < n; i++)
		json_array_append(out, all[i]);
	return out;
}

/* The one in force; else those there are, where there is any. */
static void put_workspaces(json_t *o, const struct box_place *p)
{
	json_t *all = json_array();

	if (box_whose())
		json_object_set_new(o, "workspace",
				    lb_json_text(box_whose(),
						 strlen(box_whose())));
	else
		lb_box_tenants(p->config, p->state, add_workspace, all);
	if (json_array_size(all) > 0)
		json_object_set_new(o, "workspaces", sorted(all));
	json_decref(all);
}

static json_t *gather(const struct box_place *p, struct lb_error *err)
{
	struct counts c = {0};
	struct lb_error why;
	const char *backend = "";
	bool enabled = !json_is_false(lb_config_get(p->config, "box.enabled"));
	bool works = lb_box_probe(p->config, &backend, &why) == 0;
	lb_autofree char *root = lb_box_root(p->config, p->state);
	json_t *o;

	if (lb_box_sessions(p->config, p->state, false, count, &c, err) < 0)
		return NULL;
	o = lb_json_pack("{s:s, s:b, s:b}", "backend", backend, "enabled",
			 enabled, "available", enabled && works);
	if (!works)
		json_object_set_new(o, "why",
				    lb_json_text(why.text, strlen(why.text)));
	json_object_set_new(o, "root", lb_json_text(root, strlen(root)));
	put_workspaces(o, p);
	json_object_set_new(o, "sessions",
			    lb_json_pack("{s:I, s:I, s:I, s:I, s:I}", "all",
					 c.all, "alive", c.alive, "in_use",
					 c.in_use, "mounted", c.mounted,
					 "persistent", c.persistent));
	json_object_set_new(o, "limits", limits(p->config));
	return o;
}

/* One line a member, those of members after their names. */
static void print(const json_t *o, const char *before)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)o, key, value)
	{
		lb_autofree char *text = NULL;
		lb_autofree char *name =
			lb_printf("%s%s%s", before, *before ? " " : "", key);

		if (json_is_object(value) && json_object_size(value) > 0) {
			print(value, strcmp(key, "limits") == 0 ? "" : name);
			continue;
		}
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		printf("%-34s %s\n", name,
		       json_is_string(value) ? json_string_value(value) : text);
	}
}

int status_verb(int argc, char **argv)
{
	static const char *const columns[] = {"backend", NULL};
	struct lb_error err;
	struct box_place p;
	json_auto_t *o = NULL;
	bool works;

	(void)argc;
	(void)argv;
	if (box_place(&p, config_file, &err) < 0)
		return lb_report(&err);
	o = gather(&p, &err);
	box_place_release(&p);
	if (!o)
		return lb_report(&err);
	works = lb_json_bool(o, "available", false);
	if (json || !isatty(STDOUT_FILENO)) {
		struct lb_table *table = lb_table_open(columns, true);

		lb_table_row(table, json_incref(o));
		lb_table_close(table);
	} else {
		print(o, "");
	}
	return works ? LB_OK : LB_NO;
}
