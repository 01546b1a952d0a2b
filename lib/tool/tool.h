/*
 * tool/tool.h - the tools a model has for files, one file each.
 *
 * A tool is a row of the table in table.c. Its result is an object, {"ok":true,
 * ...} or {"ok":false,"error":TEXT}: nothing that it meets is more than that.
 */
#ifndef LB_TOOL_TOOL_H
#define LB_TOOL_TOOL_H

#include <jansson.h>
#include <stdbool.h>

#include "tool/place.h"

enum {
	LB_TOOL_BYTES = 51200,    /* of what a result shows */
	LB_TOOL_ENTRIES = 100000, /* that one call looks at */
	LB_TOOL_SEARCH_MS = 5000, /* that one looks for something */
	LB_TOOL_CALL_MS = 30000,  /* that a call of a file tool may take */
};

struct lb_tool {
	const char *name, *description;
	const char *parameters; /* JSON Schema, as text */
	/*
	 * Runs in a process of its own (run.h), which sees the place alone.
	 * `arguments` are as the schema says. A new object.
	 */
	json_t *(*work)(const struct lb_place *place, const json_t *arguments);
};

/* Ends with no name. */
extern const struct lb_tool lb_tools[];

/* NULL: there is none of that name. */
const struct lb_tool *lb_tool_find(const char *name);

/* What is offered of a tool: {name, description, parameters}, new. */
json_t *lb_tool_offer(const struct lb_tool *tool);

/* The files of them, with their schemas. */
json_t *lb_tool_read(const struct lb_place *place, const json_t *arguments);
json_t *lb_tool_write(const struct lb_place *place, const json_t *arguments);
json_t *lb_tool_edit(const struct lb_place *place, const json_t *arguments);
json_t *lb_tool_glob(const struct lb_place *place, const json_t *arguments);
json_t *lb_tool_grep(const struct lb_place *place, const json_t *arguments);
extern const char lb_tool_read_schema[], lb_tool_write_schema[],
	lb_tool_edit_schema[], lb_tool_glob_schema[], lb_tool_grep_schema[];

#endif
