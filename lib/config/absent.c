/* absent.c - known keys that this version does not have. */
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
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
	const char *why; /* not only because it is not made yet; or NULL */
};

/* The first entry that matches decides. */
static const struct absent table[] = {
	{P "trigger", NULL},
	{P "safety", NULL},
	{P "ai.local-agent.knowledge-bases", "[[]]"},
	{P "ai.local-agent.rerank-model", "[\"\", \"__none__\"]"},
	{P "ai.local-agent.rerank-top-k", "any"},
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
	{"box.profiles.*.image", "[\"\"]"},
	{"box.limits.max_admission_records", "[100000]"},
	{"box.limits.max_rpc_file_bytes", "[20971520]"},
	{"box.runtime.endpoint", "[\"\"]",
	 "there is no program to reach over a network: whoever can reach one "
	 "can run commands; another machine is reached by "
	 "box.backend: \"exec:ssh HOST lb-exec --records\""},
	{"box.runtime", NULL},
	{"box.admission", NULL},
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

const char *lb_key_absence_why(const char *path)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (lb_key_matches(table[i].path, path, true))
			return table[i].why ? table[i].why
					    : "not in this version";
	return "unknown key";
}

enum lb_key_absence lb_key_absence(const char *path, const json_t *value)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (lb_key_matches(table[i].path, path, true))
			return is_off(table[i].off, value) ? LB_KEY_OFF
							   : LB_KEY_ABSENT;
	return LB_KEY_UNKNOWN;
}

static const char *last_word(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

int lb_key_refuse_absent(const char *path, struct lb_error *err)
{
	lb_autofree char *near = lb_key_near(path);

	if (near && lb_near(last_word(near), last_word(path)) <= 1)
		return lb_fail(err, LB_CONFIG,
			       "'%s' is not in this version (did you mean "
			       "'%s'?)",
			       path, near);
	return lb_fail(err, LB_CONFIG, "'%s' is not in this version", path);
}
