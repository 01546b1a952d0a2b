/* lb-config env - the variables of the environment, from one table. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/near.h"
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

/* How a value is shown. */
enum shown { PLAIN, SECRET, PROXY };

struct variable {
	const char *name, *about;
	enum shown shown;
};

static const struct variable table[] = {
	{"LB_CONFIG", "the configuration file"},
	{"LB_STATE", "folder of what the programs keep"},
	{"LB_SHARE", "folder of the data files"},
	{"LB_MODEL", "the model, as provider/model"},
	{"LB_MAX_LINE", "longest line of a stream, 16M without it"},
	{"LB_OWNER", "process that what lb-box start starts ends with"},
	{"LB_LOG", "error, warning, info or debug"},
	{"LB_LOG_FORMAT", "json: log lines as JSON objects"},
	{"LB_LOG_BODIES", "1: request bodies too at level debug"},
	{"LANGBOT_DATA_ROOT", "data folder of LangBot, for lb-config import"},
	{"HOME", "where folders are that nothing else names"},
	{"USER", "who lb-ingest text speaks for"},
	{"XDG_CONFIG_HOME", "folder of configurations, else ~/.config"},
	{"XDG_STATE_HOME", "folder of states, else ~/.local/state"},
	{"http_proxy", "proxy of http requests, in small letters alone", PROXY},
	{"HTTPS_PROXY", "proxy of https requests", PROXY},
	{"NO_PROXY", "hosts that are reached without a proxy"},
	{"SSL_CERT_FILE", "certificates that are trusted"},
	{"NO_COLOR", "no colours"},
	{"TMPDIR", "folder of temporary files"},
};

enum { VARIABLES = sizeof(table) / sizeof(table[0]) };

extern char **environ;

char *without_user(const char *url, bool bare)
{
	const char *start = strstr(url, "://"), *at = NULL;
	size_t len;

	if (!start && !bare)
		return lb_strdup(url);
	start = start ? start + 3 : url;
	len = strcspn(start, "/?#");
	for (size_t i = 0; i < len; i++)
		if (start[i] == '@')
			at = start + i;
	if (!at)
		return lb_strdup(url);
	return lb_printf("%.*s***%s", (int)(start - url), url, at);
}

static void show(struct lb_table *out, const char *name, const char *value,
		 const char *about, enum shown how)
{
	json_t *row = lb_json_pack("{s:s, s:b, s:s}", "name", name, "set",
				   value != NULL, "about", about);
	lb_autofree char *text = NULL;

	if (value)
		text = how == SECRET ? lb_strdup("***")
				     : without_user(value, how == PROXY);
	if (text)
		lb_json_set_str(row, "value", text, strlen(text));
	lb_table_row(out, row);
}

/* The variables that a preset reads. */
static void show_preset(struct lb_table *out, const char *provider,
			const json_t *preset)
{
	const char *key = lb_json_str(preset, "key-env");
	const char *url = lb_json_str(preset, "base-url-env");
	lb_autofree char *of = NULL, *at = NULL;

	of = lb_printf("key of provider %s", provider);
	at = lb_printf("endpoint of provider %s", provider);
	if (key)
		show(out, key, lb_config_env(key), of, SECRET);
	if (url)
		show(out, url, lb_config_env(url), at, PLAIN);
}

static void show_presets(struct lb_table *out)
{
	struct lb_error err;
	json_auto_t *presets = lb_config_presets(&err);
	const char *name;
	json_t *preset;

	if (!presets)
		lb_warn("%s", err.text);
	json_object_foreach(presets, name, preset)
	{
		show_preset(out, name, preset);
	}
}

/* The variables that set a key: LB__SECTION__KEY and the like. */
static void show_keys(struct lb_table *out, const struct lb_config *config)
{
	for (char **e = environ; *e; e++) {
		const char *equals = strchr(*e, '=');
		lb_autofree char *name = NULL, *path = NULL, *about = NULL;
		const struct lb_key *key;
		bool secret;

		if (!equals || !equals[1])
			continue;
		name = lb_strndup(*e, (size_t)(equals - *e));
		path = lb_config_env_key(config, name);
		if (!path)
			continue;
		key = lb_key_find(path);
		about = lb_printf("sets %s", path);
		secret = key->type == LB_KEY_SECRET ||
			 key->type == LB_KEY_SECRETS;
		show(out, name, equals + 1, about, secret ? SECRET : PLAIN);
	}
}

int verb_env(int argc, char **argv)
{
	static const char *const columns[] = {"name", "value", "about", NULL};
	struct lb_config *config = lb_config_gather(&(struct lb_sources){0});
	struct lb_table *out = lb_table_open(columns, as_json);

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < VARIABLES; i++)
		show(out, table[i].name, lb_config_env(table[i].name),
		     table[i].about, table[i].shown);
	show_presets(out);
	show_keys(out, config);
	lb_table_close(out);
	lb_config_close(config);
	return LB_OK;
}

/* Of our own variables, the one that `name` is almost; NULL if it is one. */
static const char *almost(const char *name)
{
	struct lb_slip slip = {.typed = name};

	for (size_t i = 0; i < VARIABLES; i++) {
		if (strcmp(table[i].name, name) == 0)
			return NULL;
		if (strncmp(table[i].name, "LB_", 3) == 0)
			lb_slip_try(&slip, table[i].name);
	}
	return slip.meant;
}

void env_check(struct lb_config *config)
{
	for (char **e = environ; *e; e++) {
		size_t len = strcspn(*e, "=");
		lb_autofree char *name = NULL, *where = NULL;
		const char *meant;

		/* LB__SECTION__KEY is looked at when the keys are loaded */
		if (strncmp(*e, "LB_", 3) != 0 || (*e)[3] == '_')
			continue;
		name = lb_strndup(*e, len);
		meant = almost(name);
		where = lb_printf("environment %s", name);
		if (meant)
			lb_config_problem(config, LB_PROBLEM_ADVICE, where,
					  "sets nothing (did you mean '%s'?)",
					  meant);
	}
}
