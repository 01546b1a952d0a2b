/* boxed.c - a server's program in its sandbox. */
#include "mcp/boxed.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "mcp/stage.h"

extern char **environ;

/* Would it change lb-exec itself? Then it is said on its command line. */
static bool is_of_exec(const char *name)
{
	static const char *const begin[] = {"LB_",    "LD_",     "XDG_",
					    "GLIBC_", "MALLOC_", NULL};
	static const char *const whole[] = {"PATH",     "HOME",    "TMPDIR",
					    "USER",     "LOGNAME", "SHELL",
					    "TZ",       "LC_ALL",  "NO_COLOR",
					    "LANGUAGE", NULL};

	for (size_t i = 0; begin[i]; i++)
		if (strncmp(name, begin[i], strlen(begin[i])) == 0)
			return true;
	for (size_t i = 0; whole[i]; i++)
		if (strcmp(name, whole[i]) == 0)
			return true;
	return strncmp(name, "SECTION__", 9) == 0;
}

/* Secrets go by the environment of lb-exec, where others cannot see them. */
static int add_env(const struct lb_mcp_server *s, const json_t *more,
		   struct lb_words *argv, struct lb_words *env,
		   struct lb_error *err)
{
	const char *key;
	json_t *text;

	json_object_foreach((json_t *)(uintptr_t)more, key, text)
	{
		lb_autofree char *secret =
			lb_mcp_secret(s, json_string_value(text), err);

		if (!secret)
			return lb_error_wrap(err, "variable '%s'", key);
		lb_words_add(argv, lb_strdup("--env"));
		if (is_of_exec(key)) {
			lb_words_add(argv, lb_printf("%s=%s", key, secret));
			continue;
		}
		lb_words_add(argv, lb_strdup(key));
		lb_words_add(env, lb_printf("%s=%s", key, secret));
	}
	return 0;
}

static void add_text(struct lb_words *argv, const char *option, char *take)
{
	lb_words_add(argv, lb_strdup(option));
	lb_words_add(argv, take);
}

static void add_limits(const struct lb_mcp_launch *l, struct lb_words *argv)
{
	const json_t *box = l->server->box;
	int64_t n;

	if (lb_json_int(box, "pids_limit", &n))
		add_text(argv, "--pids", lb_printf("%lld", (long long)n));
	if (!lb_json_int(box, "memory_mb", &n))
		n = lb_config_int(l->config, "box.default_memory_mb");
	add_text(argv, "--memory", lb_printf("%lldM", (long long)n));
	if (json_is_number(json_object_get(box, "cpus")))
		add_text(argv, "--cpus",
			 lb_printf("%g",
				   json_number_value(
					   json_object_get(box, "cpus"))));
}

/* "on", "off", or the hosts of {"allow": [...]}. Absent is off. */
static void add_network(const json_t *box, struct lb_words *argv)
{
	const json_t *network = json_object_get(box, "network"), *host;
	const json_t *allow = json_object_get(network, "allow");
	lb_autobuf struct lb_buf hosts = {0};
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)allow, i, host)
	{
		if (json_is_string(host))
			lb_buf_printf(&hosts, "%s%s", hosts.len ? "," : "",
				      json_string_value(host));
	}
	lb_words_pair(argv, "--network",
		      json_is_string(network) ? json_string_value(network)
		      : hosts.len             ? hosts.data
					      : "off");
}

static void add_folder(const struct lb_mcp_server *s,
		       const struct lb_mcp_plan *plan, struct lb_words *argv)
{
	const char *mode = lb_json_str(s->box, "host_path_mode");

	if (!plan->project)
		return;
	lb_words_add(argv, lb_strdup("--mount"));
	lb_words_add(argv,
		     lb_printf("%s:" LB_MCP_PROJECT "%s", plan->project,
			       mode && strcmp(mode, "rw") == 0 ? "" : ":ro"));
}

/* lb-exec and its options up to "--"; env is what it is started with. */
static int put_options(const struct lb_mcp_launch *l,
		       const struct lb_mcp_plan *plan, struct lb_words *argv,
		       struct lb_words *env, struct lb_error *err)
{
	const struct lb_mcp_server *s = l->server;
	lb_autofree char *bin = lb_path_program();

	for (char **e = environ; *e; e++)
		lb_words_add(env, lb_strdup(*e));
	lb_words_add(argv, lb_printf("%s/lb-exec", bin));
	lb_words_pair(argv, "--status-fd", "3");
	if (l->config_file)
		lb_words_pair(argv, "--config", l->config_file);
	if (s->session)
		lb_words_pair(argv, "--session", s->session);
	add_limits(l, argv);
	add_folder(s, plan, argv);
	if (add_env(s, json_object_get(s->box, "env"), argv, env, err) < 0 ||
	    add_env(s, s->env, argv, env, err) < 0)
		return -1;
	return 0;
}

static struct lb_mcp_transport *open_boxed(
	const struct lb_mcp_launch *l, struct lb_loop *loop, bool install,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err)
{
	lb_autowords struct lb_words argv = {.n = 0}, env = {.n = 0};
	struct lb_mcp_transport *t = NULL;
	struct lb_mcp_plan plan;

	if (lb_mcp_plan_make(&plan, l->server, err) < 0)
		return NULL;
	if (put_options(l, &plan, &argv, &env, err) == 0) {
		lb_words_add(&argv, lb_strdup("--service"));
		if (install)
			lb_words_pair(&argv, "--network", "on");
		else
			add_network(l->server->box, &argv);
		lb_words_add(&argv, lb_strdup("--"));
		if (install)
			lb_mcp_plan_install(&plan, &argv);
		for (size_t i = 0; !install && i < plan.run.n; i++)
			lb_words_add(&argv, lb_strdup(plan.run.at[i]));
		t = lb_mcp_stdio_open(loop,
				      &(struct lb_mcp_program){
					      .argv = lb_words_list(&argv),
					      .env = lb_words_list(&env),
					      .guard = l->guard,
					      .max_line = l->max_line,
					      .boxed = true,
					      .installs = install,
				      },
				      events, arg);
	}
	lb_mcp_plan_release(&plan);
	return t;
}

struct lb_mcp_transport *lb_mcp_boxed_open(
	const struct lb_mcp_launch *l, struct lb_loop *loop,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err)
{
	return open_boxed(l, loop, false, events, arg, err);
}

struct lb_mcp_transport *lb_mcp_boxed_install(
	const struct lb_mcp_launch *l, struct lb_loop *loop,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err)
{
	return open_boxed(l, loop, true, events, arg, err);
}
