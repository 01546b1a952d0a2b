/* lb-box audit */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "box.h"
#include "store/audit.h"

static bool json;
static int64_t since;
static const char *sender, *session;
static long limit;

const struct lb_opt audit_options[] = {
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{'n', "limit", "N", "only the last N", .number = &limit, .min = 1,
	 .max = 1000000000},
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

static const char *const columns[] = {"time",     "session",  "sender",
				      "tool",     "decision", "exit",
				      "duration", "command",  NULL};

/* What is short of it, for people; in JSON the members stay as they are. What
 * ended it says more than its status, and why it did not run belongs to it. */
static void shorten(json_t *row)
{
	int64_t ms;
	json_t *killed = json_object_get(row, "killed_by");
	const char *reason = lb_json_str(row, "reason");
	const char *command = lb_json_str(row, "command");
	lb_autofree char *both = NULL;

	if (lb_json_int(row, "duration_ms", &ms)) {
		lb_autofree char *text = lb_printf("%lldms", (long long)ms);

		lb_json_set_str(row, "duration", text, strlen(text));
	}
	json_object_set(row, "exit",
			killed ? killed : json_object_get(row, "exit_code"));
	if (!reason)
		return;
	both = command ? lb_printf("%s (%s)", command, reason)
		       : lb_strdup(reason);
	lb_json_set_str(row, "command", both, strlen(both));
}

struct show {
	struct lb_table *table;
	bool people;
};

static int show(void *arg, const json_t *row)
{
	const struct show *s = arg;
	json_t *copy = json_copy((json_t *)(uintptr_t)row);
	int64_t time = 0;

	lb_json_int(row, "time", &time);
	if (s->people)
		shorten(copy);
	lb_table_time(s->table, copy, "time", time);
	lb_table_row(s->table, copy);
	return 0;
}

int audit_verb(int argc, char **argv)
{
	struct lb_error err;
	struct lb_store *store;
	int got = box_store(&store, &err);
	struct show s = {.people = !json && isatty(STDOUT_FILENO)};
	const struct lb_audit_which which = {
		.since = since > 0 && since < INT64_MAX ? lb_clock_now() - since
							: 0,
		.session = session,
		.sender = sender,
		.workspace = box_whose(),
		.limit = limit,
	};

	(void)argc;
	(void)argv;
	if (got < 0)
		return lb_report(&err);
	s.table = lb_table_open(columns, json);
	if (got > 0)
		got = lb_audit_each(store, &which, show, &s, &err);
	lb_table_close(s.table);
	lb_store_close(store);
	return got < 0 ? lb_report(&err) : LB_OK;
}
