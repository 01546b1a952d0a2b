#include "base/proc-fork.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"

extern char **environ;

/* Beyond any descriptor that is given to a child on purpose, and not more:
 * the limit may be low. */
enum { HIGH = LB_CHILD_FDS };

void lb_fork_reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The child: becomes the program, or says through `why` what hinders it. */
static void __attribute__((noreturn))
become(int (*prepare)(void *arg), void *arg, char *const argv[], int why)
{
	int high = fcntl(why, F_DUPFD_CLOEXEC, HIGH), bad;

	if (high >= 0 && prepare(arg) == 0) {
		lb_fork_reset_signals();
		execvp(argv[0], argv);
	}
	bad = errno;
	if (write(high < 0 ? why : high, &bad, sizeof(bad)) < 0)
		_exit(LB_OS);
	_exit(LB_OS);
}

/*
 * The child borrows our memory until it is the program, which saves copying it;
 * we wait meanwhile. No signal may find our handlers in it, and what it changes
 * is put back: its environment.
 */
int lb_fork(int (*prepare)(void *arg), void *arg, char *const argv[],
	    pid_t *pid, struct lb_error *err)
{
	char **const env = environ;
	sigset_t all, old;
	int ends[2], bad = 0;
	ssize_t got;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	*pid = vfork();
	if (*pid == 0)
		become(prepare, arg, argv, ends[1]);
	bad = *pid < 0 ? errno : 0;
	environ = env;
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(ends[1]);
	if (*pid > 0)
		do
			got = read(ends[0], &bad, sizeof(bad));
		while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (bad == 0)
		return 0;
	while (*pid > 0 && waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	errno = bad;
	return lb_fail_sys(err,
			   bad == ENOENT   ? LB_NOINPUT
			   : bad == EACCES ? LB_DENIED
					   : LB_OS,
			   "cannot start '%s'", argv[0]);
}
