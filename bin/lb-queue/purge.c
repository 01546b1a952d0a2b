/* lb-queue purge */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/table.h"
#include "queue.h"

enum { BATCH = 1000 };

static int64_t older = 7LL * 24 * 3600 * 1000;
static bool dead, json;

const struct lb_opt purge_options[] = {
	{0, "dead", .help = "the dead letters, too", .flag = &dead},
	{.name = "json",
	 .help = "write the outcome as a line of JSON",
	 .flag = &json},
	{0, "older", "TIME", "what ended longer ago than this (default 7d)",
	 .duration = &older},
	{0},
};

static const char *const columns[] = {"queue", "purged", NULL};

int purge_verb(int argc, char **argv)
{
	const char *name = queue_name(argc, argv);
	int64_t n = 0, all = 0;
	struct lb_error err;
	struct lb_queue *q;
	struct lb_table *table;
	int r = queue_look(name, &q, &err);

	/* A little at a time: others want to write, too. */
	if (r > 0)
		do {
			n = lb_queue_purge(q, lb_clock_now() - older, dead,
					   BATCH, &err);
			all += n > 0 ? n : 0;
		} while (n == BATCH);
	lb_queue_close(q);
	if (r < 0 || n < 0)
		return lb_report(&err);
	table = lb_table_open(columns, json);
	lb_table_row(table, lb_json_pack("{s:s, s:I}", "queue", name, "purged",
					 (json_int_t)all));
	lb_table_close(table);
	return LB_OK;
}
