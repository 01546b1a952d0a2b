/* transport-stdio.c - a server that is a program: a line a message. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mcp/stdio-in.h"

enum {
	MAX_WORDS = 4096,      /* bytes of a line to standard error */
	MAX_UNSENT = 64 << 20, /* asked and not read yet */
	MAX_READS = 16,        /* in one turn: others want to be heard, too */
	MAX_LAST = 64,         /* when it has ended */
	LAST_MS = 200,         /* from the end of its output to its own */
};

static void on_words(int fd, uint32_t events, void *arg)
{
	struct lb_stdio *s = arg;

	(void)fd;
	(void)events;
	if (!lb_stdio_words(s))
		lb_stdio_shut(s, &s->log);
}

/* 1: go on; 0: the end of its output; -1: it is gone. */
static int read_some(struct lb_stdio *s)
{
	struct lb_lines *lines = s->lines;
	struct lb_line line;
	struct lb_error err;
	int more = lb_lines_fill(lines, &err), got;

	while ((got = lb_lines_take(lines, &line, &err)) != 0) {
		if (got < 0) {
			s->t.events->on_noise(s->t.arg, line.text, line.len,
					      &err);
			continue;
		}
		s->heard = true;
		s->t.events->on_message(s->t.arg, line.text, line.len);
		/* Whoever heard that may have ended it. */
		if (s->out < 0)
			return -1;
	}
	return more > 0;
}

static void closed(void *arg)
{
	lb_stdio_ended(arg);
}

/* Most that close their output are about to end: how is worth knowing. */
static void out_closed(struct lb_stdio *s)
{
	lb_loop_watch(s->t.loop, s->out, 0, NULL, NULL);
	lb_timer_set(s->t.loop, &s->timer,
		     lb_clock_mono() + (s->watch < 0 ? 0 : LAST_MS), closed, s);
}

static void on_out(int fd, uint32_t events, void *arg)
{
	struct lb_stdio *s = arg;
	struct pollfd more = {.fd = fd, .events = POLLIN};

	(void)events;
	for (int i = 0; i < MAX_READS; i++) {
		int r = read_some(s);

		if (r == 0)
			out_closed(s);
		if (r <= 0 || poll(&more, 1, 0) <= 0)
			return;
	}
}

/* It ended, maybe with children that hold its output open. */
static void on_end(int fd, uint32_t events, void *arg)
{
	struct lb_stdio *s = arg;
	struct pollfd more = {.fd = s->out, .events = POLLIN};
	int r = 1;

	(void)fd;
	(void)events;
	/* What it wrote is in a pipe; what they write has no end. */
	for (int i = 0; r > 0 && i < MAX_LAST && poll(&more, 1, 0) > 0; i++)
		r = read_some(s);
	if (r >= 0)
		lb_stdio_ended(s);
}

static void on_in(int fd, uint32_t events, void *arg)
{
	struct lb_stdio *s = arg;
	ssize_t put = write(fd, lb_buf_str(&s->unsent), s->unsent.len);

	(void)events;
	if (put > 0)
		lb_buf_shift(&s->unsent, (size_t)put);
	else if (put < 0 && errno != EAGAIN && errno != EINTR)
		lb_buf_reset(&s->unsent); /* it closed it; its end tells */
	if (s->unsent.len > 0)
		return;
	lb_loop_watch(s->t.loop, fd, 0, NULL, NULL);
	if (s->ending)
		lb_stdio_shut(s, &s->in);
	else if (s->unsent.cap > 1 << 20)
		lb_buf_release(&s->unsent);
}

static int stdio_send(struct lb_mcp_transport *t, const struct lb_peer_out *out,
		      struct lb_error *err)
{
	struct lb_stdio *s = (struct lb_stdio *)t;
	bool idle = s->unsent.len == 0;

	if (s->failed.code != LB_OK || s->ending)
		return 0; /* on_gone tells */
	if (s->in < 0)
		return lb_fail(err, LB_AGAIN, "it has ended");
	if (s->unsent.len + out->len > MAX_UNSENT)
		return lb_fail(err, LB_AGAIN, "it does not read");
	lb_buf_put(&s->unsent, out->text, out->len);
	lb_buf_putc(&s->unsent, '\n');
	if (!idle)
		return 0;
	lb_loop_watch(t->loop, s->in, EPOLLOUT, on_in, s);
	on_in(s->in, 0, s);
	return 0;
}

static void stdio_end(struct lb_mcp_transport *t)
{
	struct lb_stdio *s = (struct lb_stdio *)t;

	if (s->ending || s->in < 0)
		return;
	s->ending = true;
	if (s->unsent.len > 0)
		on_in(s->in, 0, s); /* what it still is to be told */
	else
		lb_stdio_shut(s, &s->in);
}

static const struct lb_mcp_transport_kind stdio_kind = {
	.send = stdio_send,
	.end = stdio_end,
	.close = lb_stdio_close,
};

static void not_started(void *arg)
{
	struct lb_stdio *s = arg;

	s->is_gone = true;
	s->t.events->on_gone(s->t.arg, s->failed_in, &s->failed);
}

static int make_pipe(int ends[2], struct lb_error *err)
{
	return pipe2(ends, O_CLOEXEC) < 0
		       ? lb_fail_sys(err, LB_OS, "cannot make a pipe")
		       : 0;
}

static int spawn(struct lb_stdio *s, const struct lb_mcp_program *p,
		 struct lb_error *err)
{
	int to[2] = {-1, -1}, from[2] = {-1, -1}, log[2] = {-1, -1},
	    status[2] = {-1, -1}, r = -1;

	if (make_pipe(to, err) == 0 && make_pipe(from, err) == 0 &&
	    make_pipe(log, err) == 0 &&
	    (!p->boxed || make_pipe(status, err) == 0))
		r = lb_child_start(
			&(struct lb_child){
				.argv = p->argv,
				.env = p->env,
				.fds = (const int[]){to[0], from[1], log[1],
						     status[1]},
				.n_fds = p->boxed ? 4 : 3,
				.apart = true,
			},
			&s->pid, err);
	if (r == 0)
		r = lb_guard_add(s->guard, s->pid, err);
	lb_close_fd(&to[0]);
	lb_close_fd(&from[1]);
	lb_close_fd(&log[1]);
	lb_close_fd(&status[1]);
	s->in = to[1];
	s->out = from[0];
	s->log = log[0];
	s->status = status[0];
	return r;
}

/* Who looks for a program wants to know where it was looked for. */
static void add_path(struct lb_error *err, const struct lb_mcp_program *p)
{
	const char *path = NULL;
	struct lb_error was = *err;

	for (size_t i = 0; p->env && p->env[i]; i++)
		if (strncmp(p->env[i], "PATH=", 5) == 0)
			path = p->env[i] + 5;
	if (path && err->code == LB_NOINPUT && !strchr(p->argv[0], '/'))
		lb_fail(err, was.code, "%s (PATH: %s)", was.text, path);
}

static void start(struct lb_stdio *s, const struct lb_mcp_program *p)
{
	struct lb_loop *loop = s->t.loop;

	if (spawn(s, p, &s->failed) < 0) {
		if (s->pid > 0)
			lb_stdio_bury(s);
		lb_stdio_let_go(s);
		s->failed_in = LB_MCP_PROCESS_START;
		add_path(&s->failed, p);
		if (s->failed.code == LB_NOINPUT || s->failed.code == LB_DENIED)
			s->failed.code = LB_UNAVAILABLE;
		lb_timer_set(loop, &s->timer, lb_clock_mono(), not_started, s);
		return;
	}
	fcntl(s->in, F_SETFL, O_NONBLOCK);
	fcntl(s->out, F_SETFL, O_NONBLOCK);
	fcntl(s->log, F_SETFL, O_NONBLOCK);
	s->lines = lb_lines_open(s->out, p->max_line);
	s->words = lb_lines_open(s->log, MAX_WORDS);
	lb_loop_watch(loop, s->out, EPOLLIN, on_out, s);
	lb_loop_watch(loop, s->log, EPOLLIN, on_words, s);
	s->watch = lb_proc_watch(s->pid);
	if (s->watch >= 0)
		lb_loop_watch(loop, s->watch, EPOLLIN, on_end, s);
}

struct lb_mcp_transport *lb_mcp_stdio_open(
	struct lb_loop *loop, const struct lb_mcp_program *program,
	const struct lb_mcp_transport_events *events, void *arg)
{
	struct lb_stdio *s = lb_alloc(sizeof(*s));

	*s = (struct lb_stdio){
		.t = {&stdio_kind, loop, events, arg},
		.guard = program->guard,
		.installs = program->installs,
		.in = -1,
		.out = -1,
		.log = -1,
		.status = -1,
		.watch = -1,
	};
	start(s, program);
	return &s->t;
}
