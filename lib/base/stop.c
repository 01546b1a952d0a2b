#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"

static volatile sig_atomic_t came;
static int ends[2];
static lb_timer_fn *on_stop;
static void *on_stop_arg;

static void on_signal(int number)
{
	int saved = errno;

	if (came) { /* again: now */
		signal(number, SIG_DFL);
		raise(number);
	}
	came = number;
	if (write(ends[1], "", 1) < 0)
		signal(number, SIG_DFL);
	errno = saved;
}

static void on_readable(int fd, uint32_t events, void *arg)
{
	char byte;

	(void)events;
	(void)arg;
	if (read(fd, &byte, 1) == 1)
		on_stop(on_stop_arg);
}

void lb_stop_watch(struct lb_loop *loop, lb_timer_fn *fn, void *arg)
{
	struct sigaction act = {.sa_handler = on_signal,
				.sa_flags = SA_NODEFER};

	on_stop = fn;
	on_stop_arg = arg;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) {
		lb_complain("cannot watch for signals: %s", strerror(errno));
		_exit(LB_OS);
	}
	lb_loop_watch(loop, ends[0], EPOLLIN, on_readable, NULL);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void lb_stop_forget(struct lb_loop *loop)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	lb_loop_watch(loop, ends[0], 0, NULL, NULL);
	close(ends[0]);
	close(ends[1]);
}

int lb_stop_signal(void)
{
	return came;
}

void lb_stop_raise(void)
{
	signal(came, SIG_DFL);
	raise(came);
	_exit(128 + came);
}

void lb_die_of_sigpipe(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	_exit(128 + SIGPIPE);
}
