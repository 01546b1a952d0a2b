/* host.c - no sandbox at all: for operators who ask for it by name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "box/driver.h"
#include "box/launch.h"

enum { MAX_ENV = LB_BOX_MAX_ENV + 16, OPEN_FILES = 1024 };

/* Nothing of ours: no key is in it. */
static void put_env(char **env, const struct lb_box_exec *x)
{
	const char *work = x->n_sources > 0 ? x->sources[0].path : NULL;
	static const char *const usual[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		"LANG=C.UTF-8",
		"CI=1",
		"PAGER=cat",
		"GIT_PAGER=cat",
		"GIT_TERMINAL_PROMPT=0",
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		env[n++] = lb_strdup(usual[i]);
	if (x->session)
		env[n++] = lb_printf("HOME=%s/.home", work);
	else
		env[n++] = lb_strdup("HOME=/tmp");
	env[n++] = lb_strdup(x->terminal ? "TERM=xterm" : "TERM=dumb");
	if (!x->terminal)
		env[n++] = lb_strdup("NO_COLOR=1");
	for (char **e = x->spec->env; e && *e && n + 1 < MAX_ENV; e++)
		env[n++] = lb_strdup(*e);
	env[n] = NULL;
}

/*
 * Where the command begins: the workspace is a folder like others here. Without
 * one it is where we are. New.
 */
static char *folder_of(const struct lb_box_exec *x)
{
	const char *work = x->n_sources > 0 ? x->sources[0].path : NULL;
	const char *dir = x->spec->workdir, *top = x->spec->mount_path;

	if (!lb_box_is_below(dir, top))
		return lb_strdup(dir);
	return work ? lb_printf("%s%s", work, dir + strlen(top)) : NULL;
}

/* A shell says it when there is no such program, and by its status, too. The
 * list is new, its texts are not. */
static const char **argv_of(const struct lb_box_spec *spec)
{
	size_t n = 0;
	const char **argv;

	while (spec->argv && spec->argv[n])
		n++;
	argv = lb_alloc((n + 5) * sizeof(*argv));
	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = spec->argv ? "exec \"$@\"" : spec->cmd;
	argv[3] = spec->argv ? "sh" : NULL;
	for (size_t i = 0; i < n; i++)
		argv[4 + i] = spec->argv[i];
	argv[4 + n] = NULL;
	return argv;
}

static int host_exec(struct lb_box *box, struct lb_box_exec *x,
		     struct lb_error *err)
{
	lb_autofree char *folder = folder_of(x);
	const struct lb_box_spec *spec = x->spec;
	const int fds[] = {x->in, x->out, x->err};
	char *env[MAX_ENV + 1];
	lb_autofree const char **argv = argv_of(spec);
	int result;

	(void)box;
	if (folder && x->n_sources > 0 && lb_path_make(folder, err) < 0)
		return -1;
	put_env(env, x);
	result = lb_launch(
		&(struct lb_launch){
			.argv = (char *const *)(uintptr_t)argv,
			.env = env,
			.fds = fds,
			.n_fds = 3,
			.terminal = x->terminal,
			.group = x->group,
			.folder = folder,
			.open_files = OPEN_FILES,
		},
		&x->pid, err);
	for (char **e = env; *e; e++)
		free(*e);
	return result;
}

static int host_may(struct lb_box *box, struct lb_error *err)
{
	return json_is_true(lb_config_get(box->config, "box.allow_host"))
		       ? 0
		       : lb_fail(err, LB_DENIED,
				 "running without a sandbox is not allowed; "
				 "an operator allows it with "
				 "'lb-config set box.allow_host true'");
}

static void host_read(const char *line, struct lb_box_report *report)
{
	(void)line;
	(void)report;
}

const struct lb_box_driver lb_box_host = {
	.name = "host",
	.isolates = false,
	.may = host_may,
	.exec = host_exec,
	.read = host_read,
};
