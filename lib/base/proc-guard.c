/* A process that kills others when its parent has ended. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc-fork.h"
#include "base/proc.h"

extern char **environ;

struct lb_guard {
	pid_t pid;
	int tell; /* a group's number: it begins; turned: it is gone */
	pid_t *groups;
	size_t n;
};

static void remember(pid_t **groups, size_t *n, pid_t group)
{
	if (group > 0) {
		for (size_t i = 0; i < *n; i++)
			if ((*groups)[i] == group)
				return;
		*groups = lb_grow(*groups, (*n + 1) * sizeof(**groups));
		(*groups)[(*n)++] = group;
		return;
	}
	for (size_t i = 0; i < *n; i++)
		if ((*groups)[i] == -group) {
			(*groups)[i] = (*groups)[--*n];
			return;
		}
}

/* The guard's life: listen on 0 until nobody can say anything any more. */
static void __attribute__((noreturn)) watch(void)
{
	pid_t *groups = NULL, said;
	size_t n = 0;
	ssize_t got;

	for (;;) {
		got = read(STDIN_FILENO, &said, sizeof(said));
		if (got < 0 && errno == EINTR)
			continue;
		if (got != sizeof(said))
			break;
		remember(&groups, &n, said);
	}
	for (size_t i = 0; i < n; i++)
		kill(-groups[i], SIGKILL);
	_exit(0);
}

static int tell(const struct lb_guard *guard, pid_t group)
{
	ssize_t put;

	do
		put = write(guard->tell, &group, sizeof(group));
	while (put < 0 && errno == EINTR);
	return put == sizeof(group) ? 0 : -1;
}

static int start_guard(struct lb_guard *guard, struct lb_error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	guard->pid = fork();
	if (guard->pid == 0) {
		lb_fork_reset_signals();
		setsid(); /* ^C is not meant for it */
		prctl(PR_SET_NAME, "lb-guard");
		if (dup2(ends[0], STDIN_FILENO) < 0 ||
		    close_range(1, UINT_MAX, 0) < 0)
			_exit(LB_OS);
		watch();
	}
	close(ends[0]);
	if (guard->pid < 0) {
		close(ends[1]);
		return lb_fail_sys(err, LB_OS, "cannot start the guard");
	}
	guard->tell = ends[1];
	for (size_t i = 0; i < guard->n; i++)
		if (tell(guard, guard->groups[i]) < 0)
			return lb_fail_sys(err, LB_OS, "the guard is gone");
	return 0;
}

struct lb_guard *lb_guard_open(struct lb_error *err)
{
	struct lb_guard *guard = lb_alloc(sizeof(*guard));

	guard->tell = -1;
	if (start_guard(guard, err) == 0)
		return guard;
	free(guard);
	return NULL;
}

int lb_guard_check(struct lb_guard *guard, struct lb_error *err)
{
	if (waitpid(guard->pid, NULL, WNOHANG) == 0)
		return 0;
	close(guard->tell);
	return start_guard(guard, err);
}

void lb_guard_dismiss(struct lb_guard *guard)
{
	close(guard->tell);
	guard->tell = -1;
}

void lb_guard_close(struct lb_guard *guard)
{
	if (!guard)
		return;
	if (guard->tell >= 0)
		close(guard->tell);
	/* Not left to the first process: a container's may reap nobody. */
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(guard->groups);
	free(guard);
}

struct start {
	const struct lb_guard *guard;
	const struct lb_guarded *what;
};

static int prepare(void *arg)
{
	const struct start *s = arg;
	const struct lb_guarded *w = s->what;

	setpgid(0, 0);
	/* Before it runs, and while our end of the pipe is still open: so
	 * there is no moment at which it runs and nobody would end it. */
	if (tell(s->guard, getpid()) < 0 || dup2(w->in, STDIN_FILENO) < 0 ||
	    dup2(w->out, STDOUT_FILENO) < 0 ||
	    (w->err_fd >= 0 && dup2(w->err_fd, STDERR_FILENO) < 0))
		return -1;
	if (w->env)
		environ = (char **)(uintptr_t)w->env;
	return close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
}

int lb_guard_spawn(struct lb_guard *guard, const struct lb_guarded *what,
		   pid_t *pid, struct lb_error *err)
{
	struct start start = {guard, what};

	if (lb_guard_check(guard, err) < 0)
		return -1;
	if (lb_fork(prepare, &start, what->argv, pid, err) == 0) {
		remember(&guard->groups, &guard->n, *pid);
		return 0;
	}
	if (*pid > 0)
		tell(guard, -*pid);
	return -1;
}

int lb_guard_start(struct lb_guard *guard, char *const argv[], int in, int out,
		   pid_t *pid, struct lb_error *err)
{
	const struct lb_guarded what = {argv, NULL, in, out, -1};

	return lb_guard_spawn(guard, &what, pid, err);
}

int lb_guard_add(struct lb_guard *guard, pid_t pid, struct lb_error *err)
{
	if (lb_guard_check(guard, err) < 0)
		return -1;
	remember(&guard->groups, &guard->n, pid);
	return tell(guard, pid) == 0
		       ? 0
		       : lb_fail_sys(err, LB_OS, "the guard is gone");
}

/* One that was killed has forgotten it already. */
void lb_guard_forget(struct lb_guard *guard, pid_t pid)
{
	struct lb_error ignored;

	remember(&guard->groups, &guard->n, -pid);
	if (lb_guard_check(guard, &ignored) == 0)
		tell(guard, -pid);
}

void lb_guard_kill(struct lb_guard *guard, pid_t pid)
{
	kill(-pid, SIGKILL);
	lb_guard_forget(guard, pid);
}
