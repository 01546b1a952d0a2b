/* lb-config list - the bots, pipelines and providers there are. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "config/config.h"
#include "verbs.h"

static bool as_json;

const struct lb_opt list_options[] = {
	{.name = "json",
	 .help = "JSON lines, also on a terminal",
	 .flag = &as_json},
	{0},
};

static json_t *row(struct lb_config *config, const char *section,
		   const char *name)
{
	lb_autofree char *path = lb_printf("%s.%s", section, name);
	const char *kind = section;
	json_auto_t *plain = lb_config_value(config, path);
	json_t *out;

	out = lb_json_pack("{s:s#, s:s}", "kind", kind, (int)strlen(kind) - 1,
			   "name", name);
	if (strcmp(section, "pipelines") == 0) {
		json_object_set(out, "runner",
				lb_json_path(plain, "ai.runner.runner"));
		json_object_set(out, "model",
				lb_json_path(plain,
					     "ai.local-agent.model.primary"));
	} else {
		json_auto_t *hidden = masked(path, plain);

		json_object_update(out, hidden);
	}
	return out;
}

static void list(struct lb_config *config, const char *section,
		 const char *const columns[])
{
	struct lb_table *table = lb_table_open(columns, as_json);
	json_auto_t *names = json_deep_copy(lb_config_section(config, section));
	const char *name;
	json_t *any;

	if (strcmp(section, "bots") == 0 && !json_object_get(names, "-"))
		json_object_set_new(names, "-", json_null());
	if (strcmp(section, "pipelines") == 0 &&
	    !json_object_get(names, "default"))
		json_object_set_new(names, "default", json_null());
	json_object_foreach(names, name, any)
	{
		lb_table_row(table, row(config, section, name));
	}
	lb_table_close(table);
}

int verb_list(int argc, char **argv)
{
	static const char *const bots[] = {"kind",     "name",   "adapter",
					   "pipeline", "stream", NULL};
	static const char *const pipelines[] = {"kind", "name", "runner",
						"model", NULL};
	static const char *const providers[] = {"kind",     "name",
						"preset",   "base-url",
						"api-keys", "default-model",
						NULL};
	const char *only = argc > 0 ? section_named(argv[0]) : NULL;
	struct lb_error err;
	struct lb_config *config = lb_config_load(NULL, &err);

	if (!config)
		return lb_report(&err);
	if (!only || strcmp(only, "bots") == 0)
		list(config, "bots", bots);
	if (!only || strcmp(only, "pipelines") == 0)
		list(config, "pipelines", pipelines);
	if (!only || strcmp(only, "providers") == 0)
		list(config, "providers", providers);
	lb_config_close(config);
	return LB_OK;
}
