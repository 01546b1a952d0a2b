/*
 * reload - the configuration is read anew: checked here, then the lb-run of
 * this state folder is told, which restarts what it runs.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/types.h>

#include "base/mem.h"
#include "config/notice.h"
#include "fs/lock.h"
#include "pipeline/command.h"

/* How many processes were told; one may do the work of both. */
static int tell(const char *state, struct lb_error *err)
{
	static const char *const roles[] = {"worker", "ingest"};
	pid_t last = 0;
	int told = 0;

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		lb_autofree char *path =
			lb_printf("%s/run/lb-run-%s.lock", state, roles[i]);
		pid_t pid = lb_lock_holder(path);

		if (pid <= 0 || pid == last)
			continue;
		if (kill(pid, SIGHUP) < 0)
			return lb_fail(err, LB_OS,
				       "cannot tell process %ld: %s", (long)pid,
				       strerror(errno));
		last = pid;
		told++;
	}
	return told;
}

int lb_command_reload(struct lb_call *call, struct lb_error *err)
{
	struct lb_commands *c = call->m->pipeline->commands;
	struct lb_error why;
	struct lb_config *fresh = lb_config_load(c->config_file, &why);
	int told;

	if (!fresh) {
		lb_notice_put(&call->out, c->config, "command-reload-bad",
			      "why", why.text, NULL);
		return 0;
	}
	lb_config_close(fresh);
	told = c->state ? tell(c->state, err) : 0;
	if (told < 0)
		return -1;
	lb_notice_put(&call->out, c->config,
		      told > 0 ? "command-reloaded" : "command-reload-none",
		      NULL);
	return 0;
}
