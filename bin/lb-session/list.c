/* lb-session list */
#include "base/json.h"
#include "base/table.h"
#include "session.h"

static bool json, all;

const struct lb_opt list_options[] = {
	{'a', "all", .help = "list those no longer in use too", .flag = &all},
	{.name = "json", .help = "write a line of JSON each", .flag = &json},
	{0},
};

static const char *const columns[] = {"session", "pipeline", "turns",
				      "in_use",  "last",     NULL};

static void show(struct lb_table *table, json_t *conversation)
{
	int64_t updated = 0;

	lb_json_int(conversation, "updated", &updated);
	lb_table_time(table, conversation, "last", updated);
	lb_table_row(table, json_incref(conversation));
}

int list_verb(int argc, char **argv)
{
	struct lb_error err;
	struct lb_store *store;
	json_auto_t *list = NULL;
	int got = session_store(&store, &err);

	(void)argc;
	(void)argv;
	if (got > 0)
		list = session_conversations(store, NULL, all, NULL, &err);
	lb_store_close(store);
	if (got < 0 || (got > 0 && !list))
		return lb_report(&err);
	struct lb_table *table = lb_table_open(columns, json);

	for (size_t i = json_array_size(list); i > 0; i--) /* newest first */
		show(table, json_array_get(list, i - 1));
	lb_table_close(table);
	return LB_OK;
}
