/* lb-session reset */
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "session.h"

static const char *pipeline;
static bool json;

const struct lb_opt reset_options[] = {
	{.name = "json",
	 .help = "write the outcome as a line of JSON",
	 .flag = &json},
	{'p', "pipeline", "NAME", "only the conversation with this pipeline",
	 .text = &pipeline},
	{0},
};

static const char *const columns[] = {"session", "ended", NULL};

static int reset(struct lb_store *store, const char *name, struct lb_error *err)
{
	bool known = false;
	json_auto_t *list =
		session_conversations(store, name, true, &known, err);
	struct lb_table *table;
	int64_t ended;

	if (!list)
		return -1;
	if (!known)
		return session_unknown(name, err);
	ended = lb_conversation_reset(store, name, pipeline, err);
	if (ended < 0)
		return -1;
	table = lb_table_open(columns, json);
	lb_table_row(table, lb_json_pack("{s:s, s:I}", "session", name, "ended",
					 (json_int_t)ended));
	lb_table_close(table);
	return 0;
}

int reset_verb(int argc, char **argv)
{
	lb_autofree char *name = session_name(argv[0]);
	struct lb_error err;
	struct lb_store *store;
	int got = session_store(&store, &err);

	(void)argc;
	if (got == 0)
		got = session_unknown(name, &err);
	else if (got > 0)
		got = reset(store, name, &err);
	lb_store_close(store);
	return got < 0 ? lb_report(&err) : LB_OK;
}
