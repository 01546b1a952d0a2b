#include "fs/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close all from 3 on but the folders and what is kept: what is between two of
 * them. */
static int close_others(const struct lb_confine *c)
{
	size_t n = c->n + c->n_keep;
	lb_autofree int *keep = lb_alloc((n + 1) * sizeof(*keep));
	unsigned from = STDERR_FILENO + 1;

	for (size_t i = 0; i < c->n; i++)
		keep[i] = c->folders[i].fd;
	for (size_t i = 0; i < c->n_keep; i++)
		keep[c->n + i] = c->keep[i];
	qsort(keep, n, sizeof(*keep), compare);
	for (size_t i = 0; i < n; i++) {
		unsigned fd = (unsigned)keep[i];

		if (fd > from && close_range(from, fd - 1, 0) < 0)
			return -1;
		from = fd >= from ? fd + 1 : from;
	}
	return close_range(from, UINT_MAX, 0);
}

static int silence_input(void)
{
	lb_autoclose int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	return null < 0 ? -1 : dup2(null, STDIN_FILENO);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* write() says EFBIG then */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int limit(int which, int64_t most)
{
	struct rlimit now, new = {(rlim_t)most, (rlim_t)most};

	if (most <= 0 || getrlimit((__rlimit_resource_t)which, &now) < 0)
		return 0;
	if (new.rlim_max > now.rlim_max)
		new.rlim_cur = new.rlim_max = now.rlim_max;
	return setrlimit((__rlimit_resource_t)which, &new);
}

static int set_limits(const struct lb_confine *c)
{
	struct rlimit files;

	if (limit(RLIMIT_CPU, c->cpu_seconds) < 0 ||
	    limit(RLIMIT_FSIZE, c->file_size) < 0 ||
	    getrlimit(RLIMIT_NOFILE, &files) < 0)
		return -1;
	/* It keeps a mistake small; valgrind has no other limit lowered. */
	if (files.rlim_cur > (rlim_t)c->files)
		files.rlim_cur = (rlim_t)c->files;
	if (setrlimit(RLIMIT_NOFILE, &files) < 0)
		return -1;
	/* What watches over memory needs terabytes of addresses. */
	return SANITIZED ? 0 : limit(RLIMIT_AS, c->memory);
}

static int become(const struct lb_confine *c)
{
	if (!c->drop)
		return 0;
	if (c->uid == 0 || c->gid == 0) {
		errno = EPERM;
		return -1;
	}
	if (setgroups(0, NULL) < 0 || setresgid(c->gid, c->gid, c->gid) < 0)
		return -1;
	return setresuid(c->uid, c->uid, c->uid);
}

/* After the change of user, which unties. */
static int tie(const struct lb_confine *c)
{
	if (prctl(PR_SET_DUMPABLE, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -1;
	if (getppid() != c->parent)
		raise(SIGKILL);
	return 0;
}

int lb_confine(const struct lb_confine *c, int *abi, struct lb_error *err)
{
	reset_signals();
	if (silence_input() < 0 || close_others(c) < 0)
		return lb_fail_sys(err, LB_OS,
				   "cannot close what is not needed");
	if (set_limits(c) < 0)
		return lb_fail_sys(err, LB_OS, "cannot limit this process");
	if (become(c) < 0)
		return lb_fail_sys(err, LB_OS, "cannot become user %lu",
				   (unsigned long)c->uid);
	if (tie(c) < 0)
		return lb_fail_sys(err, LB_OS, "cannot tie this process");
	return lb_landlock_confine(c->folders, c->n, abi, err);
}
