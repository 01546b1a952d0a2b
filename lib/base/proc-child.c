/* Programs that are a part of this one: they end when it does. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/proc-fork.h"
#include "base/proc.h"

extern char **environ;

enum { HIGH = LB_CHILD_FDS };

struct start {
	const struct lb_child *child;
	pid_t parent;
};

/* The kernel kills it when we end; if we did already, it ends itself. */
static int tie(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -1;
	if (getppid() != parent)
		raise(SIGKILL);
	return 0;
}

/* All are moved out of the way first: one may stand in another's place. */
static int place(const int *fds, int n_fds, unsigned how)
{
	int high[LB_CHILD_FDS];

	for (int i = 0; i < n_fds; i++) {
		int fd = fds[i] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC)
				    : fds[i];

		high[i] = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH);
		if (high[i] < 0)
			return -1;
	}
	for (int i = 0; i < n_fds; i++)
		if (dup2(high[i], i) < 0)
			return -1;
	return close_range((unsigned)n_fds, UINT_MAX, how);
}

static int limit_files(uint64_t most)
{
	struct rlimit now, new = {most, most};

	if (most == 0)
		return 0;
	if (getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max < most)
		new.rlim_cur = new.rlim_max = now.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &new);
}

static int prepare(void *arg)
{
	const struct start *s = arg;

	if (s->child->apart && setpgid(0, 0) < 0)
		return -1;
	if (!s->child->untied && tie(s->parent) < 0)
		return -1;
	if (s->child->prepare && s->child->prepare(s->child->arg) < 0)
		return -1;
	/* Who became somebody else is tied no more. */
	if (!s->child->untied && tie(s->parent) < 0)
		return -1;
	if (s->child->env)
		environ = (char **)(uintptr_t)s->child->env;
	if (place(s->child->fds, s->child->n_fds, CLOSE_RANGE_CLOEXEC) < 0)
		return -1;
	return limit_files(s->child->open_files);
}

int lb_child_start(const struct lb_child *child, pid_t *pid,
		   struct lb_error *err)
{
	struct start start = {child, getpid()};

	return lb_fork(prepare, &start, child->argv, pid, err);
}

pid_t lb_proc_split(int *from, struct lb_error *err)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	pid = fork();
	if (pid == 0) {
		if (tie(parent) < 0 || dup2(ends[1], STDOUT_FILENO) < 0)
			_exit(LB_OS);
		close(ends[0]);
		close(ends[1]);
		return 0;
	}
	close(ends[1]);
	*from = ends[0];
	if (pid > 0)
		return pid;
	close(ends[0]);
	return lb_fail_sys(err, LB_OS, "cannot start a process");
}

pid_t lb_proc_split_off(const int *fds, int n_fds, struct lb_error *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return lb_fail_sys(err, LB_OS, "cannot start a process");
	if (pid > 0)
		return pid;
	lb_fork_reset_signals();
	setsid();
	if (place(fds, n_fds, 0) < 0)
		_exit(LB_OS);
	return 0;
}

int lb_proc_watch(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}
