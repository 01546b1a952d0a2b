#include "net/resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc.h"

size_t lb_lookup(const char *name, int port, union lb_address to[LB_ADDRESSES])
{
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV,
	};
	struct addrinfo *list = NULL;
	char service[16];
	size_t n = 0;

	snprintf(service, sizeof(service), "%d", port);
	if (getaddrinfo(name, service, &hints, &list) != 0)
		return 0;
	for (struct addrinfo *a = list; a && n < LB_ADDRESSES; a = a->ai_next)
		if (a->ai_addrlen <= sizeof(to[0]))
			memcpy(&to[n++], a->ai_addr, a->ai_addrlen);
	freeaddrinfo(list);
	return n;
}

/* The other process: what it finds goes to standard output. */
static void __attribute__((noreturn))
look_up(const char *name, int port, lb_lookup_fn *lookup)
{
	union lb_address found[LB_ADDRESSES];
	ssize_t wrote;
	size_t n;

	/* Connections of ours would stay open as long as this takes. */
	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	memset(found, 0, sizeof(found));
	n = lookup(name, port, found);
	wrote = write(STDOUT_FILENO, found, n * sizeof(found[0]));
	/* What else may be about to be said (valgrind empties buffers of ours
	 * even now) is no address. */
	close(STDOUT_FILENO);
	_exit(wrote < 0);
}

/* Nothing of it is left. */
static void end(struct lb_resolve *r)
{
	if (r->pid <= 0)
		return;
	lb_loop_watch(r->loop, r->fd, 0, NULL, NULL);
	lb_timer_cancel(r->loop, &r->late);
	close(r->fd);
	kill(r->pid, SIGKILL);
	waitpid(r->pid, NULL, 0);
	r->pid = 0;
}

static void on_late(void *arg)
{
	struct lb_resolve *r = arg;

	end(r);
	r->done(r->arg, NULL, 0);
}

static void on_found(int fd, uint32_t events, void *arg)
{
	struct lb_resolve *r = arg;
	ssize_t n =
		read(fd, (char *)r->found + r->got, sizeof(r->found) - r->got);

	(void)events;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	r->got += n > 0 ? (size_t)n : 0;
	if (n > 0 && r->got < sizeof(r->found))
		return;
	end(r);
	r->done(r->arg, r->found, r->got / sizeof(r->found[0]));
}

int lb_resolve_start(struct lb_resolve *r, const char *name, int port,
		     lb_lookup_fn *lookup, int64_t timeout_ms,
		     struct lb_error *err)
{
	pid_t pid = lb_proc_split(&r->fd, err);

	if (pid == 0)
		look_up(name, port, lookup);
	if (pid < 0)
		return -1;
	r->pid = pid;
	r->got = 0;
	lb_loop_watch(r->loop, r->fd, EPOLLIN, on_found, r);
	lb_timer_set(r->loop, &r->late, lb_clock_mono() + timeout_ms, on_late,
		     r);
	return 0;
}

void lb_resolve_cancel(struct lb_resolve *r)
{
	end(r);
}
