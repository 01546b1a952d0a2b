/* absent.c - known keys that this version does not have. */
#include <string.h>

#include "config/keys.h"

#define P "pipelines.*."

struct absent {
	const char *path;
	/*
	 * NULL: no value will do, and the path stands for all below it.
	 * "any": all below is without effect while its switch is off.
	 * Else the values, as a JSON array, that mean "off".
	 */
	const char *off;
};

/* The first entry that matches decides. */
static const struct absent table[] = {
	{P "trigger", NULL},
	{P "safety", NULL},
	{P "ai.local-agent.knowledge-bases", "[[]]"},
	{P "ai.local-agent.rerank-model", "[\"\", \"__none__\"]"},
	{P "ai.local-agent.rerank-top-k", "any"},
	/* there is no sandbox yet whose session it could name */
	{P "ai.local-agent.box-session-id-template", "any"},
	{P "ai.local-agent", NULL},
	/* settings of runners that ai.runner.runner cannot name */
	{P "ai.dify-service-api", "any"},
	{P "ai.n8n-service-api", "any"},
	{P "ai.coze-api", "any"},
	{P "ai.tbox-app-api", "any"},
	{P "ai.dashscope-app-api", "any"},
	{P "ai.langflow-api", "any"},
	{P "ai.weknora-api", "any"},
	{P "ai.deerflow-api", "any"},
	{P "output.long-text-processing.font-path", "any"},
	{P "sandbox", NULL},
	{P "tools", NULL},
	{P "extensions_preferences", NULL},
	{"concurrency.session", "[1]"},
	{"concurrency.pending_queries", NULL},
	{"concurrency.pending_queries_per_workspace", NULL},
	{"api", NULL},
	{"box", NULL},
	{"cloud", NULL},
	{"database", NULL},
	{"mcp", NULL},
	{"monitoring", NULL},
	{"net", NULL},
	{"plugin", NULL},
	{"proxy", NULL},
	{"sandbox", NULL},
	{"space", NULL},
	{"storage", NULL},
	{"store", NULL},
	{"system", NULL},
	{"tools", NULL},
	{"vdb", NULL},
	{"workspace", NULL},
};

static bool is_off(const char *off, const json_t *value)
{
	json_auto_t *list = NULL;
	size_t i;
	json_t *one;

	if (!off || strcmp(off, "any") == 0)
		return off != NULL;
	list = json_loads(off, 0, NULL);
	json_array_foreach(list, i, one)
	{
		if (json_equal(one, value))
			return true;
	}
	return false;
}

enum lb_key_absence lb_key_absence(const char *path, const json_t *value)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (lb_key_matches(table[i].path, path, true))
			return is_off(table[i].off, value) ? LB_KEY_OFF
							   : LB_KEY_ABSENT;
	return LB_KEY_UNKNOWN;
}
