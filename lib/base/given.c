#include "base/given.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"

/* A text of JSON that is as deep as one may be takes half of this. */
enum { LEAST_STACK = 512 * 1024 };

void lb_given_take(void)
{
	/*
	 * What was closed must not become some other file, and using it must
	 * fail: a standard output that is not there is no place to write to.
	 */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY) < 0)
			_exit(LB_OS);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit says so itself */
	/* What we make for ourselves is of no use where we may not touch it. */
	umask(umask(0777) & 0077);
}

void lb_given_check(void)
{
	struct rlimit stack;
	rlim_t had;

	if (getrlimit(RLIMIT_STACK, &stack) < 0 ||
	    stack.rlim_cur >= LEAST_STACK)
		return;
	had = stack.rlim_cur;
	stack.rlim_cur = LEAST_STACK;
	if (stack.rlim_max < LEAST_STACK)
		stack.rlim_max = LEAST_STACK; /* root may */
	if (setrlimit(RLIMIT_STACK, &stack) == 0)
		return;
	lb_complain("the stack may have %lu KiB, and %d are needed: start it "
		    "with a higher 'ulimit -s'",
		    (unsigned long)(had / 1024), LEAST_STACK / 1024);
	exit(LB_OS);
}
