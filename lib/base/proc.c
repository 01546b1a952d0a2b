#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

extern char **environ;

static int set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *attr,
		  const int fds[3])
{
	sigset_t all, empty;

	sigfillset(&all);
	sigemptyset(&empty);
	if (posix_spawnattr_setsigdefault(attr, &all) != 0 ||
	    posix_spawnattr_setsigmask(attr, &empty) != 0 ||
	    posix_spawnattr_setpgroup(attr, 0) != 0 ||
	    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF |
						   POSIX_SPAWN_SETSIGMASK |
						   POSIX_SPAWN_SETPGROUP) != 0)
		return -1;
	for (int i = 0; i < 3; i++) {
		int bad = 0;

		if (fds[i] >= 0)
			bad = posix_spawn_file_actions_adddup2(files, fds[i],
							       i);
		else if (i < 2)
			bad = posix_spawn_file_actions_addopen(files, i,
							       "/dev/null",
							       O_RDWR, 0);
		if (bad)
			return -1;
	}
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
	/* Ours are closed by exec; these came from whoever started us. */
	if (posix_spawn_file_actions_addclosefrom_np(files, 3) != 0)
		return -1;
#endif
	return 0;
}

int lb_proc_start(char *const argv[], char *const env[], int in, int out,
		  int err_fd, pid_t *pid, struct lb_error *err)
{
	const int fds[3] = {in, out, err_fd};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int bad = ENOMEM;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	if (set_up(&files, &attr, fds) == 0)
		bad = posix_spawnp(pid, argv[0], &files, &attr, argv,
				   env ? env : environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (bad == 0)
		return 0;
	errno = bad;
	return lb_fail_sys(err, bad == ENOENT ? LB_NOINPUT : LB_OS,
			   "cannot start '%s'", argv[0]);
}

/* Read fd to its end into out. */
static int gather(int fd, size_t max, int64_t deadline, struct lb_buf *out,
		  struct lb_error *err)
{
	char part[4096];
	ssize_t got;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = deadline - lb_clock_mono();

		if (left <= 0)
			return lb_fail(err, LB_AGAIN, "no answer in time");
		if (poll(&p, 1, (int)(left > 1000 ? 1000 : left)) <= 0)
			continue;
		got = read(fd, part, sizeof(part));
		if (got == 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return lb_fail_sys(err, LB_IO, "cannot read");
		if (got < 0)
			continue;
		if (out->len + (size_t)got > max)
			return lb_fail(err, LB_DATA,
				       "it wrote more than %zu bytes", max);
		lb_buf_put(out, part, (size_t)got);
	}
}

/* Wait for a child that has closed its output; most are gone by then. */
static int reap(pid_t pid, int64_t deadline, int *status, struct lb_error *err)
{
	int nap = 1;

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid || (got < 0 && errno != EINTR))
			return 0;
		if (lb_clock_mono() >= deadline)
			return lb_fail(err, LB_AGAIN, "it does not end");
		poll(NULL, 0, nap);
		nap = nap < 50 ? nap * 2 : nap;
	}
}

static int capture(const struct lb_proc_job *job, int in, struct lb_buf *out,
		   struct lb_error *err)
{
	lb_autoclose int from = -1, to = -1;
	int64_t deadline = lb_clock_mono() + job->timeout_ms;
	char *const *argv = job->argv;
	int ends[2], status = 0, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	from = ends[0];
	to = ends[1];
	if (lb_proc_start(argv, job->env, in, to, -1, &pid, err) < 0)
		return -1;
	close(to);
	to = -1;
	r = gather(from, job->max, deadline, out, err);
	if (r == 0)
		r = reap(pid, deadline, &status, err);
	if (r < 0) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (r < 0)
		return lb_error_wrap(err, "'%s'", argv[0]);
	if (WIFSIGNALED(status))
		return lb_fail(err, LB_UNAVAILABLE, "'%s' died by signal %d",
			       argv[0], WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return lb_fail(err, LB_UNAVAILABLE, "'%s' exited %d", argv[0],
			       WEXITSTATUS(status));
	return 0;
}

int lb_proc_capture(char *const argv[], size_t max, int64_t timeout_ms,
		    struct lb_buf *out, struct lb_error *err)
{
	const struct lb_proc_job job = {.argv = argv,
					.max = max,
					.timeout_ms = timeout_ms};

	return capture(&job, -1, out, err);
}

/* A file of these bytes that nobody else sees; -1 and errno. */
static int file_of(const char *text, size_t len)
{
	int fd = memfd_create("lb-input", MFD_CLOEXEC);

	while (fd >= 0 && len > 0) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			close(fd);
			return -1;
		}
		text += n;
		len -= (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

int lb_proc_filter(const struct lb_proc_job *job, struct lb_buf *out,
		   struct lb_error *err)
{
	/* Not a pipe: a child that does not read it costs us no SIGPIPE. */
	lb_autoclose int in = file_of(job->text, job->len);

	if (in < 0)
		return lb_fail_sys(err, LB_OS, "cannot hand a text to '%s'",
				   job->argv[0]);
	return capture(job, in, out, err);
}
