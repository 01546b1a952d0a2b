/* native.c - the providers that come with lb: of the sandbox, of skills, of MCP
 * servers. */
#include <stdint.h>
#include <string.h>

#include "agent/tools.h"
#include "pipeline/grants.h"

static const char *const of_sandbox[] = {"exec", "read", "write", "edit",
					 "glob", "grep", NULL};
static const char *const of_skills[] = {"activate", "register_skill", NULL};

static const struct native natives[] = {
	{"native", "lb-tool", "serve", of_sandbox},
	{PROVIDER_SKILL, "lb-skill", "serve", of_skills},
	{PROVIDER_MCP, "lb-mcp", "provide", NULL},
	{0},
};

const struct native *native_find(const char *name)
{
	for (const struct native *n = natives; n->name; n++)
		if (strcmp(n->name, name) == 0)
			return n;
	return NULL;
}

/* The one that has a tool of that name; NULL: none. */
static const struct native *whose(const char *tool)
{
	for (const struct native *n = natives; n->name; n++)
		for (size_t i = 0; n->tools && n->tools[i]; i++)
			if (strcmp(n->tools[i], tool) == 0)
				return n;
	return NULL;
}

/* Is it another's, whom the operator named so? */
static bool is_replaced(const struct lb_config *config, const struct native *n)
{
	return json_object_get(lb_config_get(config, "tools.providers"),
			       n->name) != NULL;
}

static bool has_sandbox(const struct lb_config *config)
{
	return !json_is_false(lb_config_get(config, "box.enabled"));
}

/*
 * Neither a sandbox, nor commands on this machine. Skills are of use without,
 * as instructions.
 */
static bool is_off(const struct lb_config *config, const struct native *n)
{
	return n->tools == of_sandbox && !has_sandbox(config) &&
	       !json_is_true(lb_config_get(config, "box.allow_host"));
}

static bool has_servers(const struct lb_config *config)
{
	const json_t *servers = lb_config_get(config, "mcp.servers");
	const char *name;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)servers, name, one)
	{
		if (!json_is_false(json_object_get(one, "enable")))
			return true;
	}
	return false;
}

bool native_has_mcp(const struct agent *a)
{
	const struct lb_config *config = a->options->config;

	return !is_replaced(config, native_find(PROVIDER_MCP)) &&
	       has_servers(config);
}

static bool is_wanted(const struct agent *a, const struct lb_grants *g,
		      const struct native *n)
{
	const struct lb_config *config = a->options->config;

	if (is_off(config, n) || is_replaced(config, n) ||
	    !lb_grants_provider(g, n->name))
		return false;
	if (!n->tools)
		return lb_grants_any(g) && has_servers(config);
	for (size_t i = 0; n->tools[i]; i++)
		if (lb_grants_allow(g, n->tools[i], n->tools[i]))
			return true;
	return false;
}

void native_each(const struct agent *a, const struct lb_grants *g,
		 void (*fn)(void *arg, const char *name), void *arg)
{
	for (const struct native *n = natives; n->name; n++)
		if (is_wanted(a, g, n))
			fn(arg, n->name);
}

bool native_is_known(struct agent *a, const struct lb_grants *g,
		     const char *pipeline, const char *name)
{
	const struct lb_config *config = a->options->config;
	const struct native *n = whose(name);

	if (!n || !lb_grants_provider(g, n->name) || is_replaced(config, n))
		return false;
	if (n->tools == of_sandbox && !has_sandbox(config))
		agent_complain_once(a, "pipeline", pipeline,
				    "grants tools of the sandbox, which is "
				    "switched off (box.enabled: false)");
	return true;
}

bool native_is_ours(const struct agent *a, const struct tool *tool)
{
	const struct native *n =
		tool->provider ? native_find(lb_provider_name(tool->provider))
			       : NULL;

	return n && n->tools == of_sandbox &&
	       !is_replaced(a->options->config, n);
}
