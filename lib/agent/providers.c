/* providers.c - the providers of the configuration, opened at first use. */
#include <stdlib.h>
#include <string.h>

#include "agent/tools.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"

/* How long they have to end, ms; argv and env are bounded. */
enum { CLOSE_MS = 2000, MAX_TEXTS = 256 };

/* What every provider gets of our environment: no key is among it. */
static const char *const usual[] = {
	"PATH",     "HOME",           "USER",          "LOGNAME",
	"SHELL",    "LANG",           "LC_ALL",        "LC_CTYPE",
	"TZ",       "TMPDIR",         "XDG_DATA_HOME", "XDG_CONFIG_HOME",
	"NO_COLOR", "XDG_CACHE_HOME", "LB_SHARE",      "XDG_RUNTIME_DIR",
	"LB_LOG",   "LB_LOG_FORMAT",  "LB_MAX_LINE",   "LB_OWNER",
	NULL,
};

struct texts {
	char *at[MAX_TEXTS + 1];
	size_t n;
};

static void add(struct texts *t, char *take)
{
	if (t->n == MAX_TEXTS)
		free(take);
	else
		t->at[t->n++] = take;
}

static void add_variable(struct texts *t, const char *name)
{
	const char *value = lb_config_env(name);

	if (value)
		add(t, lb_printf("%s=%s", name, value));
}

static void make_env(struct texts *t, const struct lb_agent_options *o,
		     const json_t *settings)
{
	const char *workspace = lb_config_str(o->config, "box.workspace");
	const json_t *name;
	size_t i;

	for (i = 0; usual[i]; i++)
		add_variable(t, usual[i]);
	add(t, lb_printf("LB_STATE=%s", o->state));
	if (o->config_file)
		add(t, lb_printf("LB_CONFIG=%s", o->config_file));
	else
		add_variable(t, "LB_CONFIG");
	/* What it runs is of the same workspace, whatever it may be. */
	if (workspace && *workspace)
		add(t, lb_printf("LB__BOX__WORKSPACE=%s", workspace));
	json_array_foreach(json_object_get(settings, "env"), i, name)
		add_variable(t, json_string_value(name));
}

static void make_argv(struct texts *t, struct lb_config *config,
		      const json_t *command)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)command, i, one)
	{
		const char *text = json_string_value(one);

		/* A file, not a name to be looked for. */
		add(t, i == 0 && strchr(text, '/')
			       ? lb_config_beside(config, text)
			       : lb_strdup(text));
	}
}

static void release(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->at[i]);
}

/* What is not in the configuration: our own, beside this program. */
static void make_native(const struct native *n, struct texts *argv,
			struct texts *env)
{
	lb_autofree char *folder = lb_path_program();
	const char *keys[MAX_TEXTS];
	size_t n_keys = lb_config_env_keys(keys, MAX_TEXTS);

	add(argv, lb_printf("%s/%s", folder, n->program));
	add(argv, lb_strdup(n->verb));
	for (size_t i = 0; i < n_keys; i++)
		add(env, lb_strdup(keys[i]));
}

/* The variables that servers are given by name: "env:NAME". */
static void add_secrets(struct texts *env, const json_t *servers)
{
	static const char *const places[] = {"env", "headers", "box.env"};
	const char *name, *key, *text;
	json_t *server, *one;

	json_object_foreach((json_t *)(uintptr_t)servers, name, server)
	{
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
			json_object_foreach(lb_json_path(server, places[i]),
					    key, one)
			{
				text = json_string_value(one);
				if (text && strncmp(text, "env:", 4) == 0)
					add_variable(env, text + 4);
			}
	}
}

static struct lb_provider *open_one(struct agent *a, const char *name,
				    const json_t *settings)
{
	const struct native *native = native_find(name);
	struct texts argv = {.n = 0}, env = {.n = 0};
	struct lb_provider *p;

	make_argv(&argv, a->options->config,
		  json_object_get(settings, "command"));
	make_env(&env, a->options, settings);
	if (!settings && native)
		make_native(native, &argv, &env);
	if (strcmp(name, PROVIDER_MCP) == 0)
		add_secrets(&env,
			    lb_config_get(a->options->config, "mcp.servers"));
	p = lb_provider_open(a->loop,
			     &(struct lb_provider_how){
				     .name = name,
				     .argv = (const char *const *)argv.at,
				     .env = (const char *const *)env.at,
				     .guard = a->guard,
				     .bare = native ||
					     lb_json_bool(settings,
							  "bare-names", false),
			     });
	release(&argv);
	release(&env);
	return p;
}

struct lb_provider *providers_find(struct agent *a, const char *name)
{
	const json_t *settings =
		json_object_get(lb_config_get(a->options->config,
					      "tools.providers"),
				name);
	struct lb_provider *p = lb_map_find(&a->providers, name);
	struct lb_error err;

	if (p || (settings ? json_array_size(
				     json_object_get(settings, "command")) == 0
			   : !native_find(name)))
		return p;
	if (!a->guard)
		a->guard = lb_guard_open(&err);
	if (!a->guard) {
		lb_complain("no provider can be started: %s", err.text);
		return NULL;
	}
	p = open_one(a, name, settings);
	lb_map_add(&a->providers, name, p);
	return p;
}

/* Do it with each that was opened. */
static void each_opened(struct agent *a,
			void (*fn)(struct lb_provider *p, int64_t until),
			int64_t until)
{
	for (size_t i = 0; i < a->providers.size; i++)
		for (struct lb_map_entry *e = a->providers.slots[i]; e;
		     e = e->next)
			fn(e->value, until);
}

static void end_one(struct lb_provider *p, int64_t until)
{
	(void)until;
	lb_provider_end(p);
}

void providers_close(struct agent *a)
{
	each_opened(a, end_one, 0); /* all at once, then wait for each */
	each_opened(a, lb_provider_close, lb_clock_mono() + CLOSE_MS);
	lb_map_release(&a->providers, NULL);
	lb_guard_close(a->guard);
	a->guard = NULL;
}
