/* advise-box.c - keys that do nothing while there is no sandbox. */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/keys.h"
#include "verbs.h"

/* Those of other sections; a section's own end in its dot. */
static const char *const of_box[] = {
	"box.",
	"pipelines.*.sandbox-mode",
	"pipelines.*.elevated",
	"pipelines.*.elevated-profile",
	"pipelines.*.ai.local-agent.box-session-id-template",
	"system.limitation.force_box_session_id_template",
	NULL,
};

static const char sandbox_tools[] = "exec read write edit glob grep";

/* Commands may run on this machine all the same. */
static bool has_host(const struct lb_config *config)
{
	return json_is_true(lb_config_get(config, "box.allow_host"));
}

static bool needs_box(const struct lb_config *config, const char *pattern)
{
	if (has_host(config) &&
	    (strcmp(pattern, "box.allow_host") == 0 ||
	     strcmp(pattern, "pipelines.*.sandbox-mode") == 0))
		return false;
	if (strcmp(pattern, "box.enabled") == 0 ||
	    strcmp(pattern, "box.local.skills_root") == 0)
		return false; /* skills are there all the same */
	for (size_t i = 0; of_box[i]; i++) {
		size_t len = strlen(of_box[i]);

		if (of_box[i][len - 1] == '.'
			    ? strncmp(pattern, of_box[i], len) == 0
			    : strcmp(pattern, of_box[i]) == 0)
			return true;
	}
	return false;
}

/* A tool of the sandbox that a pipeline names. */
static void advise_tools(struct lb_config *config, const char *path)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)lb_config_get(config, path), i,
			   one)
	{
		const char *name = json_string_value(one);

		if (has_host(config) && name && strcmp(name, "exec") == 0)
			continue;
		if (lb_key_has_word(sandbox_tools, name))
			lb_config_problem(config, LB_PROBLEM_ADVICE,
					  lb_config_origin(config, path),
					  "%s: '%s' is not offered while "
					  "box.enabled is false",
					  path, name);
	}
}

void advise_box(struct lb_config *config)
{
	const char *path;
	const json_t *where;

	if (!json_is_false(lb_config_get(config, "box.enabled")))
		return;
	json_object_foreach(config->origins, path, where)
	{
		const struct lb_key *key = lb_key_find(path);

		if (!key)
			continue;
		if (strcmp(key->path, "pipelines.*.ai.local-agent.tools") == 0)
			advise_tools(config, path);
		else if (needs_box(config, key->path))
			lb_config_problem(config, LB_PROBLEM_ADVICE,
					  json_string_value(where),
					  "%s: has no effect while box.enabled "
					  "is false",
					  path);
	}
}
