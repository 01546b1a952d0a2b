#include <string.h>

#include "base/json.h"
#include "tool/tool.h"

const struct lb_tool lb_tools[] = {
	{"read",
	 "Read a file of the workspace as text, by lines, or as base64, by "
	 "bytes; or list a folder, in which the names of folders end with '/' "
	 "and those of links with '@'.",
	 lb_tool_read_schema, lb_tool_read},
	{"write",
	 "Write a file of the workspace: all of it, or more at its end. "
	 "Folders "
	 "on the way are made.",
	 lb_tool_write_schema, lb_tool_write},
	{"edit",
	 "Replace a text that is exactly once in a file of the workspace. Copy "
	 "it from read, with enough around it that it is there only once.",
	 lb_tool_edit_schema, lb_tool_edit},
	{"glob",
	 "Find files and folders by a pattern, the newest first. '*' and '?' "
	 "do "
	 "not match '/', '**' is any number of folders, {a,b} is one of the "
	 "two; a pattern without '/' matches at any depth. Folders such as "
	 ".git "
	 "and node_modules are passed over.",
	 lb_tool_glob_schema, lb_tool_glob},
	{"grep",
	 "Find lines that match a regular expression (Perl's) in the files of "
	 "a "
	 "folder, or in one file. Binary files are passed over, and folders "
	 "such as .git and node_modules.",
	 lb_tool_grep_schema, lb_tool_grep},
	{0},
};

const struct lb_tool *lb_tool_find(const char *name)
{
	for (const struct lb_tool *t = lb_tools; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

json_t *lb_tool_offer(const struct lb_tool *tool)
{
	return lb_json_pack("{s:s, s:s, s:o}", "name", tool->name,
			    "description", tool->description, "parameters",
			    json_loads(tool->parameters, 0, NULL));
}
