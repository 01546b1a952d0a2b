/* source.c - LangBot's files: its config.yaml and its database. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/yaml.h"
#include "langbot/items.h"
#include "store/foreign.h"

/* All that are looked at; without one of the first four it is not LangBot. */
static const char *const tables[] = {
	"bots",
	"legacy_pipelines",
	"model_providers",
	"llm_models",
	"bot_admins",
	"webhooks",
	"mcp_servers",
	"plugin_settings",
	"knowledge_bases",
	"embedding_models",
	"rerank_models",
	"api_keys",
	NULL,
};

enum { NEEDED = 4 };

static int read_settings(struct lb_langbot *in, struct lb_error *err)
{
	lb_autofree char *file = lb_printf("%s/config.yaml", in->dir);

	if (access(file, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		in->settings = json_object();
		return 0;
	}
	in->settings = lb_yaml_load(file, LB_YAML_MAX, err);
	if (!in->settings)
		return -1;
	if (!json_is_object(in->settings))
		return lb_fail(err, LB_DATA, "'%s' is not a mapping", file);
	return 0;
}

/* Its path stands for the folder that LangBot was started in. */
static char *database_file(const struct lb_langbot *in)
{
	const char *set = json_string_value(
		lb_json_path(in->settings, "database.sqlite.path"));
	const char *base;
	char *file;

	if (!set || !*set)
		return lb_printf("%s/langbot.db", in->dir);
	if (*set == '/')
		return lb_strdup(set);
	base = strrchr(set, '/');
	file = lb_printf("%s/%s", in->dir, base ? base + 1 : set);
	if (access(file, F_OK) == 0 || strncmp(set, "data/", 5) == 0)
		return file;
	free(file);
	return lb_printf("%s/../%s", in->dir, set);
}

static int read_tables(struct lb_langbot *in, struct lb_foreign *f,
		       const char *file, struct lb_error *err)
{
	size_t known = 0;

	for (size_t i = 0; i < NEEDED; i++)
		known += lb_foreign_has(f, tables[i]);
	if (known == 0)
		return lb_fail(err, LB_DATA, "'%s' has no table of LangBot's",
			       file);
	for (size_t i = 0; tables[i]; i++) {
		json_t *rows = lb_foreign_rows(f, tables[i], err);

		if (!rows)
			return lb_error_wrap(err, "table '%s'", tables[i]);
		json_object_set_new(in->tables, tables[i], rows);
	}
	return 0;
}

int lb_langbot_read(struct lb_langbot *in, struct lb_error *err)
{
	lb_autofree char *file = NULL;
	const char *use;
	struct lb_foreign *f;
	int r;

	if (read_settings(in, err) < 0)
		return -1;
	use = json_string_value(lb_json_path(in->settings, "database.use"));
	if (use && strcmp(use, "sqlite") != 0)
		return lb_fail(err, LB_CONFIG,
			       "LangBot keeps its data in %.40s: only SQLite "
			       "can be read in this version",
			       use);
	file = database_file(in);
	f = lb_foreign_open(file, in->tmp, err);
	if (!f)
		return -1;
	r = read_tables(in, f, file, err);
	lb_foreign_close(f);
	return r;
}
