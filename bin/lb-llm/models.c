/* models.c - what can be asked. */
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "llm.h"

static const char *config_file;
static bool as_json;

const struct lb_opt models_options[] = {
	{0, "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "json", .help = "print JSON lines also on a terminal",
	 .flag = &as_json},
	{0},
};

static int providers(struct lb_config *config, struct lb_error *err)
{
	static const char *const columns[] =
		{"name",          "key",      "key_env", "can",
		 "default_model", "base_url", NULL};
	json_auto_t *rows = lb_model_providers(config, err);
	struct lb_table *table;
	json_t *row;
	size_t i;

	if (!rows)
		return lb_report(err);
	table = lb_table_open(columns, as_json);
	json_array_foreach(rows, i, row)
	{
		/* for people, why there is none stands where it would be */
		const char *why = lb_json_str(row, "not_offered");

		if (why && isatty(STDOUT_FILENO) && !as_json)
			json_object_set_new(row, "base_url",
					    lb_json_pack("s+",
							 "not offered: ", why));
		lb_table_row(table, json_incref(row));
	}
	lb_table_close(table);
	return LB_OK;
}

static bool is_provider(struct lb_config *config, const char *name,
			struct lb_error *err)
{
	json_auto_t *presets = lb_config_presets(err);

	if (!presets)
		return false;
	if (strcmp(name, "offline") == 0 || lb_config_provider(config, name) ||
	    lb_config_preset(presets, name, NULL))
		return true;
	lb_fail(err, LB_CONFIG,
		"no provider '%s'; lb-llm models lists those there are", name);
	return false;
}

/* What its endpoint says. New; NULL when that cannot be had. */
static json_t *ask_endpoint(struct lb_config *config, const char *provider,
			    struct lb_error *err)
{
	bool offline = strcmp(provider, "offline") == 0;
	lb_autofree char *spec =
		lb_printf("%s%s", provider, offline ? "" : "/-");
	struct lb_model *model =
		lb_model_open_for(config, LB_FOR_LISTING, spec, err);
	json_t *rows = model ? lb_llm_models(model, err) : NULL;

	lb_model_close(model);
	return rows;
}

static int offered(struct lb_config *config, const char *provider,
		   struct lb_error *err)
{
	static const char *const columns[] = {"id", "type", "abilities",
					      "context_length", NULL};
	json_auto_t *rows = NULL;
	struct lb_table *table;
	json_t *row;
	size_t i;

	if (is_provider(config, provider, err))
		rows = ask_endpoint(config, provider, err);
	if (!rows)
		return lb_report(err);
	table = lb_table_open(columns, as_json);
	json_array_foreach(rows, i, row) if (json_is_object(row))
		lb_table_row(table, json_incref(row));
	lb_table_close(table);
	return LB_OK;
}

int models_main(int argc, char **argv)
{
	struct lb_error err;
	struct lb_config *config = lb_config_load(config_file, &err);
	int code;

	if (!config)
		return lb_report(&err);
	code = argc ? offered(config, argv[0], &err) : providers(config, &err);
	lb_config_close(config);
	return code;
}
