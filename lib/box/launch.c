#include "box/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"

struct task {
	const struct lb_launch *launch;
	int why; /* where the step that failed is written to */
};

static int failed(const struct task *t, const char *step, const char *name)
{
	return lb_stage_failed(t->why, step, name);
}

static int limit(const struct task *t, __rlimit_resource_t what, uint64_t value,
		 const char *name)
{
	struct rlimit old, new = {value, value};

	if (value == 0)
		return 0;
	if (getrlimit(what, &old) == 0 && old.rlim_max < new.rlim_max)
		new.rlim_cur = new.rlim_max = old.rlim_max;
	return setrlimit(what, &new) == 0 ? 0 : failed(t, "limit", name);
}

static int set_limits(const struct task *t)
{
	const struct lb_launch *l = t->launch;
	const struct rlimit none = {0, 0};
	int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* When memory is short it goes first. */
	if (score >= 0 && write(score, "500", 3) < 0)
		errno = 0;
	if (score >= 0)
		close(score);
	if (setrlimit(RLIMIT_CORE, &none) < 0)
		return failed(t, "limit", "core");
	if (limit(t, RLIMIT_FSIZE, l->file_bytes, "fsize") < 0 ||
	    limit(t, RLIMIT_AS, l->address_bytes, "as") < 0)
		return -1;
	return limit(t, RLIMIT_CPU, l->cpu_s, "cpu");
}

static int become(const struct task *t)
{
	const struct lb_launch *l = t->launch;

	if (l->uid == 0 || l->gid == 0) {
		errno = EPERM;
		return failed(t, "be", "root");
	}
	/* Its number may not be known here, in a container. */
	if (setgroups(0, NULL) < 0 || setresgid(l->gid, l->gid, l->gid) < 0 ||
	    setresuid(l->uid, l->uid, l->uid) < 0)
		return failed(t, "become a user of box.uid-range", NULL);
	if (geteuid() == 0 || setresuid((uid_t)-1, 0, (uid_t)-1) == 0) {
		errno = EPERM;
		return failed(t, "become", "another user");
	}
	return 0;
}

static int prepare(void *arg)
{
	const struct task *t = arg;

	if (t->launch->terminal &&
	    (setsid() < 0 || ioctl(t->launch->fds[0], TIOCSCTTY, 0) < 0))
		return failed(t, "have a terminal", NULL);
	if (t->launch->group && lb_cgroup_join(t->launch->group) < 0)
		return failed(t, "join", "control group");
	if (t->launch->drop && lb_stage_set(&t->launch->stage, t->why) < 0)
		return -1;
	if (set_limits(t) < 0)
		return -1;
	umask(0022);
	if (t->launch->folder && chdir(t->launch->folder) < 0)
		return failed(t, "enter", t->launch->folder);
	return t->launch->drop ? become(t) : 0;
}

int lb_launch(const struct lb_launch *l, pid_t *pid, struct lb_error *err)
{
	int ends[2];
	char step[PATH_MAX + 64];
	const char *end;
	struct lb_error why;
	ssize_t got;
	int bad;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	bad = lb_child_start(
		&(struct lb_child){
			.argv = l->argv,
			.fds = l->fds,
			.n_fds = l->n_fds,
			.apart = !l->terminal, /* a session is */
			.untied = l->untied,
			.env = l->env,
			.open_files = l->open_files,
			.prepare = prepare,
			.arg = &(struct task){l, ends[1]},
		},
		pid, err);
	got = bad < 0 ? read(ends[0], step, sizeof(step) - 1) : 0;
	close(ends[0]);
	close(ends[1]);
	if (got <= 0)
		return bad;
	step[got] = '\0';
	/* err ends with what errno says; what was to be done is in `step`. */
	why = *err;
	end = strrchr(why.text, ':');
	return lb_fail(err, LB_UNAVAILABLE,
		       "the sandbox cannot be prepared: %s%s", step,
		       end ? end : "");
}
