#include "pipeline/grants.h"

#include <stdint.h>
#include <string.h>

#include "base/glob.h"
#include "base/json.h"
#include "pipeline/rights.h"

/* Is the sender one of those whom the sandbox is open to? */
static bool is_open(struct lb_config *config, const json_t *sandbox,
		    const struct lb_grantee *who)
{
	const char *to = lb_json_str(sandbox, "open-to");

	if (to && strcmp(to, "everyone") == 0)
		return true;
	if (to && strcmp(to, "listed") == 0)
		return lb_is_one_of(config, json_object_get(sandbox, "listed"),
				    who->bot, who->platform, who->sender);
	return lb_is_admin(config, who->bot, who->platform, who->sender);
}

void lb_grants_read(struct lb_grants *g, struct lb_config *config,
		    const struct lb_grantee *who)
{
	const json_t *pipeline = lb_config_pipeline(config, who->pipeline);
	const json_t *agent = lb_json_path(pipeline, "ai.local-agent");
	const json_t *tools = json_object_get(pipeline, "tools");

	*g = (struct lb_grants){
		.all = lb_json_bool(agent, "enable-all-tools", false),
		.open = is_open(config, json_object_get(pipeline, "sandbox"),
				who),
		.tools = json_object_get(agent, "tools"),
		.allow = json_object_get(tools, "allow"),
		.deny = json_object_get(tools, "deny"),
		.providers = json_object_get(tools, "providers"),
	};
}

bool lb_grants_any(const struct lb_grants *g)
{
	return g->all || json_array_size(g->tools) > 0;
}

static bool has(const json_t *list, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one)
	{
		if (json_is_string(one) &&
		    strcmp(json_string_value(one), name) == 0)
			return true;
	}
	return false;
}

static bool fits(const json_t *patterns, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)patterns, i, one)
	{
		if (json_is_string(one) &&
		    lb_glob(json_string_value(one), name, strlen(name)))
			return true;
	}
	return false;
}

/* What changes something on this machine: never for just anybody. */
static bool is_guarded(const char *name)
{
	static const char *const those[] = {"exec", "write", "edit",
					    "register_skill"};

	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		if (strcmp(those[i], name) == 0)
			return true;
	return false;
}

bool lb_grants_by_own_name(const struct lb_grants *g, const char *name)
{
	return !g->all && !has(g->tools, name);
}

bool lb_grants_deny(const struct lb_grants *g, const char *name,
		    const char *own)
{
	if (fits(g->deny, name) || fits(g->deny, own))
		return true;
	return json_array_size(g->allow) > 0 && !fits(g->allow, name) &&
	       !fits(g->allow, own);
}

/* A list that says `exec` means what everybody calls so. */
static bool means_guarded(const struct lb_grants *g, const char *name,
			  const char *own)
{
	return is_guarded(name) ||
	       (lb_grants_by_own_name(g, name) && is_guarded(own));
}

/*
 * A tool of an MCP server is SERVER__TOOL, and TOOL alone in the lists of
 * LangBot. What comes with lb is never meant by that.
 */
static bool has_tail(const json_t *list, const char *own)
{
	static const char *const ours[] = {"exec",     "read",          "write",
					   "edit",     "glob",          "grep",
					   "activate", "register_skill"};
	const char *tail = strstr(own, "__");
	bool is_ours = false;

	for (; tail; tail = strstr(tail, "__")) {
		tail += 2;
		for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
			is_ours = is_ours || strcmp(ours[i], tail) == 0;
		if (!is_ours && has(list, tail))
			return true;
	}
	return false;
}

bool lb_grants_allow(const struct lb_grants *g, const char *name,
		     const char *own)
{
	if (!g->all && !has(g->tools, name) && !has(g->tools, own) &&
	    !has_tail(g->tools, own))
		return false;
	return !lb_grants_deny(g, name, own) &&
	       (g->open || !means_guarded(g, name, own));
}

bool lb_grants_provider(const struct lb_grants *g, const char *provider)
{
	return json_array_size(g->providers) == 0 ||
	       has(g->providers, provider);
}
