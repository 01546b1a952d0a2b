/* lb-config env - the variables of the environment, from one table. */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/keys.h"
#include "verbs.h"

static bool as_json;

const struct lb_opt env_options[] = {
	{.name = "json",
	 .help = "JSON lines, also on a terminal",
	 .flag = &as_json},
	{0},
};

struct variable {
	const char *name, *about;
	bool secret;
};

static const struct variable table[] = {
	{"LB_CONFIG", "the configuration file"},
	{"LB_STATE", "folder of what the programs keep"},
	{"LB_SHARE", "folder of the data files"},
	{"LB_MODEL", "the model, as provider/model"},
	{"LB_MAX_LINE", "longest line of a stream, 16M without it"},
	{"LB_LOG", "error, warning, info or debug"},
	{"LB_LOG_FORMAT", "json: log lines as JSON objects"},
	{"LB_LOG_BODIES", "1: request bodies too at level debug"},
	{"OPENAI_API_KEY", "key of provider openai", .secret = true},
	{"OPENAI_BASE_URL", "endpoint of provider openai"},
	{"XDG_CONFIG_HOME", "folder of configurations, else ~/.config"},
	{"XDG_STATE_HOME", "folder of states, else ~/.local/state"},
	{"HTTP_PROXY", "proxy of http requests"},
	{"HTTPS_PROXY", "proxy of https requests"},
	{"NO_PROXY", "hosts that are reached without a proxy"},
	{"SSL_CERT_FILE", "certificates that are trusted"},
	{"NO_COLOR", "no colours"},
	{"TMPDIR", "folder of temporary files"},
};

extern char **environ;

static void show(struct lb_table *out, const char *name, const char *value,
		 const char *about, bool secret)
{
	json_t *row = lb_json_pack("{s:s, s:b, s:s}", "name", name, "set",
				   value != NULL, "about", about);

	if (value && secret)
		value = "***";
	if (value)
		lb_json_set_str(row, "value", value, strlen(value));
	lb_table_row(out, row);
}

/* The variables that set a key: LB__SECTION__KEY and the like. */
static void show_keys(struct lb_table *out, const struct lb_config *config)
{
	for (char **e = environ; *e; e++) {
		const char *equals = strchr(*e, '=');
		lb_autofree char *name = NULL, *path = NULL, *about = NULL;
		const struct lb_key *key;

		if (!equals || !equals[1])
			continue;
		name = lb_strndup(*e, (size_t)(equals - *e));
		path = lb_config_env_key(config, name);
		if (!path)
			continue;
		key = lb_key_find(path);
		about = lb_printf("sets %s", path);
		show(out, name, equals + 1, about,
		     key->type == LB_KEY_SECRET || key->type == LB_KEY_SECRETS);
	}
}

int verb_env(int argc, char **argv)
{
	static const char *const columns[] = {"name", "value", "about", NULL};
	struct lb_config *config = lb_config_gather(&(struct lb_sources){0});
	struct lb_table *out = lb_table_open(columns, as_json);

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		show(out, table[i].name, lb_config_env(table[i].name),
		     table[i].about, table[i].secret);
	show_keys(out, config);
	lb_table_close(out);
	lb_config_close(config);
	return LB_OK;
}
