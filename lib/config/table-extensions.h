/* table-extensions.h - the keys of what a pipeline may use: rows of table.c, and only
 * there. */
/* clang-format off */
{"pipelines.*.extensions_preferences.mcp_resources", LB_KEY_TABLE, NULL,
 .doc = "resources of MCP servers that are read for each query and shown with "
	"it, each with server_name, uri, and if need be max_tokens, max_bytes, "
	"mode and enabled"},
{"pipelines.*.extensions_preferences.mcp_resource_agent_read_enabled",
 LB_KEY_BOOL, "true",
 .doc = "may a model list and read resources of the MCP servers it has"},
{"pipelines.*.extensions_preferences.enable_all_skills", LB_KEY_BOOL, NULL,
 .doc = "may a model use all skills, or those of skills alone; where it is not "
	"said, all unless skills is there"},
{"pipelines.*.extensions_preferences.skills", LB_KEY_LIST, NULL,
 .doc = "the skills that a model may use, the first to be named first; an empty "
	"list is none of them"},
{"pipelines.*.extensions_preferences.enable_all_mcp_servers", LB_KEY_BOOL, NULL,
 .doc = "may a model use all MCP servers, or those of mcp_servers alone; where "
	"it is not said, all unless mcp_servers is there"},
{"pipelines.*.extensions_preferences.mcp_servers", LB_KEY_LIST, NULL,
 .doc = "the MCP servers that a model may use; an empty list is none of them"},
