/* lb-mcp tools */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "mcp.h"

const struct lb_opt tools_options[] = {REACH_OPTIONS, {0}};

static json_t *row_of(const struct line *line, const json_t *tool)
{
	json_t *row = json_copy((json_t *)(uintptr_t)tool);

	if (!reach_is_nameless())
		json_object_set_new(row, "server", json_string(line->name));
	return row;
}

/* For people: the first line of what it is for. */
static void shorten(json_t *row)
{
	const char *text = lb_json_str(row, "description");

	if (!text)
		text = lb_json_str(row, "title");
	if (text)
		lb_json_set_str(row, "description", text, strcspn(text, "\n"));
}

bool list_for_people(void)
{
	return !reach.json && isatty(STDOUT_FILENO);
}

static int list_out(struct line *line, const char *what,
		    const char *const *columns)
{
	autoreply struct reply reply = {.result = NULL};
	struct lb_table *table;
	const json_t *list, *one;
	size_t i;

	if (line_list(line, what, &reply) < 0)
		return line_refused(line, &reply);
	table = lb_table_open(columns, reach.json);
	list = json_object_get(reply.result, what);
	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		json_t *row = row_of(line, one);

		if (list_for_people())
			shorten(row);
		lb_table_row(table, row);
	}
	lb_table_close(table);
	return LB_OK;
}

int list_of(int argc, char **argv, const char *what, const char *const *columns)
{
	struct line line;
	int code;

	if ((argc == 0) != reach_is_nameless())
		lb_usage(argc ? "a server is named twice"
			      : "which server? name one, or --stdio or --url");
	code = line_open(&line, argc ? argv[0] : NULL);
	if (code == LB_OK)
		code = list_out(&line, what, columns);
	line_close(&line);
	return code;
}

int tools_verb(int argc, char **argv)
{
	static const char *const columns[] = {"name", "description", NULL};

	return list_of(argc, argv, "tools", columns);
}
