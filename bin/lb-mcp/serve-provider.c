/* lb-mcp serve: lb-tool, which has the tools. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "serving.h"

enum { MAX_TEXTS = 128, CLOSE_MS = 2000 };

/* What lb-tool gets of our environment, beside keys of the configuration. */
static const char *const passed[] = {
	"PATH",     "HOME",           "USER",          "LOGNAME",
	"SHELL",    "LANG",           "LC_ALL",        "LC_CTYPE",
	"TZ",       "TMPDIR",         "XDG_DATA_HOME", "XDG_CONFIG_HOME",
	"NO_COLOR", "XDG_CACHE_HOME", "LB_SHARE",      "XDG_RUNTIME_DIR",
	"LB_LOG",   "LB_LOG_FORMAT",  "LB_MAX_LINE",   NULL,
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

static void release(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->at[i]);
}

static void make_argv(struct texts *t, const struct serving *s)
{
	lb_autofree char *beside = lb_path_program();

	add(t, lb_printf("%s/lb-tool", beside));
	add(t, lb_strdup("serve"));
	add(t, s->folder ? lb_printf("--workspace-dir=%s", s->folder)
			 : lb_printf("--session=%s", s->session));
	if (s->config_file)
		add(t, lb_printf("--config=%s", s->config_file));
}

static void make_env(struct texts *t, const struct serving *s)
{
	const char *keys[MAX_TEXTS], *value;
	size_t n = lb_config_env_keys(keys, MAX_TEXTS);

	for (size_t i = 0; passed[i]; i++) {
		value = lb_config_env(passed[i]);
		if (value)
			add(t, lb_printf("%s=%s", passed[i], value));
	}
	value = lb_config_env("LB_CONFIG");
	if (value)
		add(t, lb_printf("LB_CONFIG=%s", value));
	add(t, lb_printf("LB_STATE=%s", s->state));
	for (size_t i = 0; i < n; i++)
		add(t, lb_strdup(keys[i]));
}

static void on_changed(void *arg)
{
	struct serving *s = arg;

	if (s->serve)
		lb_serve_changed(s->serve, LB_SERVE_TOOLS);
}

/* The person at this machine. */
static json_t *make_context(struct serving *s)
{
	const char *user = lb_config_user(s->config);
	lb_autofree char *name = lb_printf("-/person_%s", user);

	return lb_json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "bot", "-",
			    "pipeline", s->pipeline, "session",
			    s->session ? s->session : name, "platform", "mcp",
			    "sender_id", user, "launcher_type", "person",
			    "launcher_id", user);
}

int tools_open(struct serving *s, struct lb_error *err)
{
	struct texts argv = {.n = 0}, env = {.n = 0};

	s->context = make_context(s);
	if (json_object_size(s->wanted) == 0)
		return 0;
	s->guard = lb_guard_open(err);
	if (!s->guard)
		return -1;
	make_argv(&argv, s);
	make_env(&env, s);
	s->provider =
		lb_provider_open(s->loop,
				 &(struct lb_provider_how){
					 .name = "tool",
					 .argv = (const char *const *)argv.at,
					 .env = (const char *const *)env.at,
					 .guard = s->guard,
					 .bare = true,
					 .changed = on_changed,
					 .arg = s,
				 });
	release(&argv);
	release(&env);
	return 0;
}

void tools_close(struct serving *s)
{
	if (s->provider)
		lb_provider_close(s->provider, lb_clock_mono() + CLOSE_MS);
	lb_guard_close(s->guard);
	json_decref(s->context);
	json_decref(s->wanted);
}
