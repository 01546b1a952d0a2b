/* lb-box errors */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "box.h"
#include "store/audit.h"

enum { USUAL = 50 };

static bool json;
static int64_t since;
static const char *sender, *session;
static long limit = USUAL;

const struct lb_opt errors_options[] = {
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{'n', "limit", "N", "only the last N (default 50)", .number = &limit,
	 .min = 1, .max = 10000},
	{.name = "sender",
	 .arg = "BOT:person_ID",
	 .help = "only what that one caused; an id alone is at any bot",
	 .text = &sender},
	{.name = "session",
	 .arg = "SESSION",
	 .help = "only what was done in BOT/person_ID or another chat",
	 .text = &session},
	{.name = "since",
	 .arg = "TIME",
	 .help = "only what began at most that long ago, such as 2h",
	 .duration = &since},
	BOX_WORKSPACE,
	{0},
};

const char *const error_classes[] = {"denied", "failed", "tool",      "timeout",
				     "memory", "output", "cancelled", "quota",
				     "cpu",    "disk",   "other",     NULL};

static const char *class_named(const char *name)
{
	for (size_t i = 0; error_classes[i]; i++)
		if (strcmp(error_classes[i], name) == 0)
			return error_classes[i];
	return "other";
}

const char *error_class(const json_t *row)
{
	const char *decision = lb_json_str(row, "decision");
	const char *killed_by = lb_json_str(row, "killed_by");
	const char *tool = lb_json_str(row, "tool");

	if (decision && strcmp(decision, "denied") == 0)
		return "denied";
	if (decision && strcmp(decision, "pending") == 0)
		return NULL;
	if (killed_by)
		return class_named(killed_by);
	if (!lb_json_str(row, "reason"))
		return NULL;
	return tool && strcmp(tool, "exec") == 0 ? "failed" : "tool";
}

/* The last so many, in a ring. */
struct last {
	json_t **rows;
	size_t most, n;
};

static int keep(void *arg, const json_t *row)
{
	struct last *last = arg;
	const char *class = error_class(row);
	json_t **at, *copy;

	if (!class)
		return 0;
	copy = json_copy((json_t *)(uintptr_t)row);
	json_object_set_new(copy, "class", json_string(class));
	at = &last->rows[last->n++ % last->most];
	json_decref(*at);
	*at = copy;
	return 0;
}

/* What is short of it, for people: why, else what it was. */
static void shorten(json_t *row)
{
	json_t *reason = json_object_get(row, "reason");

	json_object_set(row, "why",
			reason ? reason : json_object_get(row, "command"));
}

static void print(struct last *last, bool people)
{
	static const char *const columns[] = {"time",   "class", "session",
					      "sender", "tool",  "why",
					      NULL};
	struct lb_table *table = lb_table_open(columns, json);
	size_t first = last->n > last->most ? last->n - last->most : 0;

	for (size_t i = first; i < last->n; i++) {
		json_t *row = lb_steal(&last->rows[i % last->most]);
		int64_t time = 0;

		lb_json_int(row, "time", &time);
		if (people)
			shorten(row);
		lb_table_time(table, row, "time", time);
		lb_table_row(table, row);
	}
	lb_table_close(table);
}

int errors_verb(int argc, char **argv)
{
	struct lb_error err;
	struct lb_store *store;
	int got = box_store(&store, &err);
	struct last last = {.most = (size_t)limit};
	const struct lb_audit_which which = {
		.since = since > 0 && since < INT64_MAX ? lb_clock_now() - since
							: 0,
		.session = session,
		.sender = sender,
		.workspace = box_whose(),
	};

	(void)argc;
	(void)argv;
	last.rows = lb_alloc(last.most * sizeof(json_t *));
	if (got > 0)
		got = lb_audit_each(store, &which, keep, &last, &err);
	if (got >= 0)
		print(&last, !json && isatty(STDOUT_FILENO));
	for (size_t i = 0; i < last.most; i++)
		json_decref(last.rows[i]);
	free(last.rows);
	lb_store_close(store);
	return got < 0 ? lb_report(&err) : LB_OK;
}
