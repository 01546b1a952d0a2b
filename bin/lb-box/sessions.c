/* lb-box sessions */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "box.h"
#include "box/profile.h"
#include "box/sessions.h"

static bool json, alive;
static const char *config_file;

const struct lb_opt sessions_options[] = {
	{.name = "alive",
	 .help = "only those in use or mounted",
	 .flag = &alive},
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	BOX_WORKSPACE,
	{0},
};

static const char *const columns[] = {"session", "used",       "files",
				      "quota",   "last_used",  "in_use",
				      "mounted", "persistent", NULL};

struct found {
	bool people;
	int64_t quota_mb; /* of those that have no size of their own */
	json_t *rows;
};

/* "1.5M": what people compare; programs get the bytes. */
static json_t *amount(int64_t bytes)
{
	static const char units[] = "BKMGTP";
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 2 < sizeof(units)) {
		value /= 1024;
		unit++;
	}
	return json_sprintf(unit == 0 || value >= 10 ? "%.0f%c" : "%.1f%c",
			    value, units[unit]);
}

static void set_words(json_t *row, const struct lb_box_about *a, int64_t quota)
{
	if (a->is_measured)
		json_object_set_new(row, "used", amount(a->bytes));
	if (quota > 0)
		json_object_set_new(row, "quota", amount(quota));
	json_object_set_new(row, "in_use", json_string(a->in_use ? "yes" : ""));
	json_object_set_new(row, "mounted",
			    json_string(a->mounted ? "yes" : ""));
	json_object_set_new(row, "persistent",
			    json_string(a->persistent ? "yes" : ""));
}

static void add(void *arg, const struct lb_box_about *a)
{
	struct found *f = arg;
	int64_t quota = (a->size_mb ? a->size_mb : f->quota_mb) << 20;
	json_t *row;

	if (alive && !a->alive)
		return;
	row = json_object();
	json_object_set_new(row, "session",
			    lb_json_text(a->name, strlen(a->name)));
	json_object_set_new(row, "last_used", json_integer(a->last_used));
	if (a->is_measured)
		json_object_set_new(row, "files", json_integer(a->files));
	if (f->people) {
		set_words(row, a, quota);
	} else {
		if (a->is_measured)
			json_object_set_new(row, "bytes",
					    json_integer(a->bytes));
		json_object_set_new(row, "quota_bytes", json_integer(quota));
		json_object_set_new(row, "in_use", json_boolean(a->in_use));
		json_object_set_new(row, "mounted", json_boolean(a->mounted));
		json_object_set_new(row, "persistent",
				    json_boolean(a->persistent));
		json_object_set_new(row, "workspace",
				    lb_json_text(a->workspace,
						 strlen(a->workspace)));
	}
	json_array_append_new(f->rows, row);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(lb_json_str(*(json_t *const *)a, "session"),
		      lb_json_str(*(json_t *const *)b, "session"));
}

static void print(const struct found *f, struct lb_table *table)
{
	size_t n = json_array_size(f->rows);
	lb_autofree json_t **sorted = lb_alloc((n + 1) * sizeof(json_t *));

	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(f->rows, i);
	qsort(sorted, n, sizeof(json_t *), by_name);
	for (size_t i = 0; i < n; i++) {
		int64_t time = 0;

		lb_json_int(sorted[i], "last_used", &time);
		lb_table_time(table, sorted[i], "last_used", time);
		lb_table_row(table, json_incref(sorted[i]));
	}
}

int sessions_verb(int argc, char **argv)
{
	struct lb_error err;
	struct box_place p;
	json_auto_t *rows = json_array();
	struct found f = {.people = !json && isatty(STDOUT_FILENO),
			  .rows = rows};
	struct lb_table *table;
	int64_t n;

	(void)argc;
	(void)argv;
	if (box_place(&p, config_file, &err) < 0)
		return lb_report(&err);
	f.quota_mb = lb_box_profile_quota(p.config, NULL, &err);
	n = f.quota_mb < 0
		    ? -1
		    : lb_box_sessions(p.config, p.state, true, add, &f, &err);
	box_place_release(&p);
	if (n < 0)
		return lb_report(&err);
	table = lb_table_open(columns, json);
	print(&f, table);
	lb_table_close(table);
	return LB_OK;
}
