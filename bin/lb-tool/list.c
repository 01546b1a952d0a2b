/* lb-tool list */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/table.h"
#include "lb-tool.h"
#include "tool/exec.h"
#include "tool/tool.h"

static bool as_json;

const struct lb_opt list_options[] = {
	{.name = "json",
	 .help = "write lines of JSON to a terminal too",
	 .flag = &as_json},
	{0},
};

/* For people: what it takes, the optional ones in brackets. */
static void put_arguments(json_t *tool)
{
	const json_t *parameters = json_object_get(tool, "parameters");
	const json_t *required = json_object_get(parameters, "required");
	lb_autobuf struct lb_buf text = {0};
	const char *name;
	json_t *value, *one;
	size_t i;

	json_object_foreach(json_object_get(parameters, "properties"), name,
			    value)
	{
		bool needed = false;

		json_array_foreach(required, i, one) needed |=
			strcmp(json_string_value(one), name) == 0;
		lb_buf_printf(&text, needed ? "%s%s" : "%s[%s]",
			      text.len ? " " : "", name);
	}
	lb_json_set_str(tool, "takes", lb_buf_str(&text), text.len);
}

static void put_row(struct lb_table *table, json_t *tool)
{
	if (isatty(STDOUT_FILENO))
		put_arguments(tool);
	lb_table_row(table, tool);
}

int list_verb(int argc, char **argv)
{
	static const char *const columns[] = {"name", "takes", NULL};
	struct lb_table *table = lb_table_open(columns, as_json);

	(void)argc;
	(void)argv;
	put_row(table, lb_exec_offer(NULL, NULL));
	for (const struct lb_tool *t = lb_tools; t->name; t++)
		put_row(table, lb_tool_offer(t));
	lb_table_close(table);
	return LB_OK;
}
