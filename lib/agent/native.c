/* native.c - the provider that comes with lb: the tools of the sandbox. */
#include <string.h>

#include "agent/tools.h"
#include "pipeline/grants.h"

static const char *const those[] = {"exec", "read", "write",
				    "edit", "glob", "grep"};

static bool is_of_sandbox(const char *name)
{
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		if (strcmp(those[i], name) == 0)
			return true;
	return false;
}

/* Is it another's, whom the operator named so? */
static bool is_replaced(const struct lb_config *config)
{
	return json_object_get(lb_config_get(config, "tools.providers"),
			       PROVIDER_NATIVE) != NULL;
}

/* Neither a sandbox, nor commands on this machine. */
static bool is_off(const struct lb_config *config)
{
	return json_is_false(lb_config_get(config, "box.enabled")) &&
	       !json_is_true(lb_config_get(config, "box.allow_host"));
}

bool native_is_wanted(const struct agent *a, const struct lb_grants *g)
{
	const struct lb_config *config = a->options->config;

	if (is_off(config) || is_replaced(config) ||
	    !lb_grants_provider(g, PROVIDER_NATIVE))
		return false;
	for (size_t i = 0; i < sizeof(those) / sizeof(those[0]); i++)
		if (lb_grants_allow(g, those[i], those[i]))
			return true;
	return false;
}

bool native_is_known(struct agent *a, const struct lb_grants *g,
		     const char *pipeline, const char *name)
{
	const struct lb_config *config = a->options->config;

	if (!is_of_sandbox(name) || !lb_grants_provider(g, PROVIDER_NATIVE) ||
	    is_replaced(config))
		return false;
	if (json_is_false(lb_config_get(config, "box.enabled")))
		agent_complain_once(a, "pipeline", pipeline,
				    "grants tools of the sandbox, which is "
				    "switched off (box.enabled: false)");
	return true;
}

bool native_is_ours(const struct agent *a, const struct tool *tool)
{
	return tool->provider &&
	       strcmp(lb_provider_name(tool->provider), PROVIDER_NATIVE) == 0 &&
	       !is_replaced(a->options->config);
}
