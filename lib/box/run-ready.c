/* run-ready.c - a sandbox that is laid out, before anything runs in it. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "box/run.h"

enum { INIT_SLACK = 2 }; /* processes of the backend's own inside */

/* Is what is mounted what was judged? */
static bool is_mounted(const struct lb_box_run *run,
		       const struct lb_box_source *s)
{
	lb_autofree char *seen =
		run->driver->inside(run->report.child, s->target);
	struct stat st;

	return stat(seen, &st) == 0 && st.st_dev == s->dev &&
	       st.st_ino == s->ino;
}

/* The same by a process that is who the sandbox is: root may lack the right to
 * limit what is not its own. */
static bool limit_as_owner(const struct lb_box_run *run,
			   const struct rlimit *processes)
{
	const struct lb_box_exec *x = &run->x;
	struct lb_error err;
	int from, status = -1;
	pid_t pid = lb_proc_split(&from, &err);

	if (pid == 0)
		_exit(setresgid(x->gid, x->gid, x->gid) < 0 ||
		      setresuid(x->uid, x->uid, x->uid) < 0 ||
		      prlimit(run->report.child, RLIMIT_NPROC, processes,
			      NULL) < 0);
	if (pid < 0)
		return false;
	close(from);
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* It counts within the namespace that the process is in by now. */
static int limit_processes(const struct lb_box_run *run, struct lb_error *err)
{
	uint64_t most = (uint64_t)run->job.spec->pids_limit + INIT_SLACK;
	struct rlimit had, processes = {most, most};

	/* Less than that, from whoever started us, is not made more. */
	if (prlimit(run->report.child, RLIMIT_NPROC, NULL, &had) == 0 &&
	    had.rlim_max < most)
		processes.rlim_cur = processes.rlim_max = had.rlim_max;
	if (prlimit(run->report.child, RLIMIT_NPROC, &processes, NULL) == 0)
		return 0;
	if (errno == EPERM && run->x.drop && limit_as_owner(run, &processes))
		return 0;
	return lb_fail_sys(err, LB_UNAVAILABLE,
			   "cannot limit the processes of a sandbox");
}

static int check_mounts(const struct lb_box_run *run, struct lb_error *err)
{
	for (int i = 0; i < run->x.n_sources; i++)
		if (!is_mounted(run, &run->sources[i]))
			return lb_fail(err, LB_DENIED,
				       "'%s' was changed while it was mounted; "
				       "nothing was run",
				       run->sources[i].path);
	return 0;
}

/*
 * All is as it should be, and the guard knows of it: it may go on. Mounts are
 * looked at where no stage keeps them from being changed, and processes are
 * counted where no group does: a limit on them that is set before the namespace
 * is made would count those of all sandboxes with that user id.
 */
int lb_run_let_go(struct lb_box_run *run, struct lb_error *err)
{
	const struct lb_box_driver *driver = run->driver;

	if (run->child_fd < 0)
		return lb_fail(err, LB_UNAVAILABLE,
			       "%s does not say what it started", driver->name);
	if (driver->check && driver->check(&run->x, run->report.child,
					   &run->result.limits, err) < 0)
		return -1;
	if (driver->has_limits && check_mounts(run, err) < 0)
		return -1;
	if (!driver->has_limits && (!run->x.drop || !run->x.group) &&
	    (check_mounts(run, err) < 0 || limit_processes(run, err) < 0))
		return -1;
	if (run->job.need_groups && run->result.limits != LB_BOX_CGROUP)
		return lb_fail(err, LB_UNAVAILABLE,
			       "control groups are needed, and %s has none "
			       "here",
			       driver->name);
	if (driver->is_tended) { /* nothing of the command's yet */
		lb_box_stream_forget(&run->out);
		lb_box_stream_forget(&run->err);
	}
	return run->driver->let_go(run->x.ready) == 0
		       ? 0
		       : lb_fail_sys(err, LB_OS, "cannot let a sandbox begin");
}
