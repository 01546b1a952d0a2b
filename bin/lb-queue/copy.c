/* lb-queue work - a running CMD, its input and its output. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "work.h"

/* How long one that was told to end may take; the longest pause before one
 * that keeps dying is started again. */
enum { LEAVE_MS = 5000, PAUSE_MS = 100, PAUSE_MAX_MS = 30000, PIPE = 1 << 20 };

void item_free(struct item *item)
{
	free(item->id);
	free(item->session);
	free(item->into);
	free(item->drop);
	free(item->text);
	free(item);
}

void copy_sweep(struct copy *c)
{
	int kept = 0;

	for (int i = 0; i < c->n; i++)
		if (c->items[i]->over) {
			c->tied -= c->items[i]->into != NULL;
			item_free(c->items[i]);
		} else {
			c->items[kept++] = c->items[i];
		}
	c->n = kept;
}

static void on_readable(int fd, uint32_t events, void *arg)
{
	struct copy *c = arg;
	struct lb_error err;
	struct lb_line line;
	int got = lb_lines_fill(c->lines, &err), more;

	(void)fd;
	(void)events;
	while ((more = lb_lines_take(c->lines, &line, &err)) != 0) {
		if (more > 0)
			answer_line(c, &line);
		else
			lb_complain("a copy wrote: %s", err.text);
	}
	copy_sweep(c);
	if (got > 0)
		return;
	lb_loop_watch(c->work->loop, c->from, 0, NULL, NULL);
	close(c->from);
	c->from = -1;
	copy_look(c);
}

static void on_writable(int fd, uint32_t events, void *arg)
{
	(void)fd;
	(void)events;
	copy_write(arg);
}

static int make_pipes(int to[2], int from[2], struct lb_error *err)
{
	if (pipe2(to, O_CLOEXEC) < 0)
		return lb_fail_sys(err, LB_OS, "cannot make a pipe");
	if (pipe2(from, O_CLOEXEC) == 0)
		return 0;
	lb_fail_sys(err, LB_OS, "cannot make a pipe");
	close(to[0]);
	close(to[1]);
	return -1;
}

int copy_start(struct copy *c, struct lb_error *err)
{
	struct work *w = c->work;
	int to[2], from[2], r;

	if (make_pipes(to, from, err) < 0)
		return -1;
	r = lb_guard_start(w->guard, w->command, to[0], from[1], &c->pid, err);
	close(to[0]);
	close(from[1]);
	if (r < 0) {
		close(to[1]);
		close(from[0]);
		c->pid = 0;
		return -1;
	}
	fcntl(to[1], F_SETFL, O_NONBLOCK);
	fcntl(from[0], F_SETFL, O_NONBLOCK);
	fcntl(to[1], F_SETPIPE_SZ, PIPE); /* fewer wake-ups; as it may be */
	c->to = to[1];
	c->from = from[0];
	c->given = c->written = 0;
	c->closing = c->draining = c->dead = false;
	c->lines = lb_lines_open(c->from, w->max_line);
	lb_loop_watch(w->loop, c->from, EPOLLIN, on_readable, c);
	return 0;
}

void copy_give(struct copy *c, struct item *item, const char *text, size_t len)
{
	if (c->n == c->size) {
		c->size = c->size * 2 + 16;
		c->items =
			lb_grow(c->items, (size_t)c->size * sizeof(*c->items));
	}
	c->items[c->n++] = item;
	lb_buf_put(&c->out, text, len);
	lb_buf_putc(&c->out, '\n');
	item->from = c->given;
	c->given += len + 1;
	item->to = c->given;
}

static void close_input(struct copy *c)
{
	lb_loop_watch(c->work->loop, c->to, 0, NULL, NULL);
	close(c->to);
	c->to = -1;
	c->since = lb_clock_mono();
}

void copy_write(struct copy *c)
{
	size_t done = 0;

	while (c->to >= 0 && done < c->out.len) {
		ssize_t n = write(c->to, c->out.data + done, c->out.len - done);

		if (n > 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			close_input(c); /* it reads no more; does it end? */
	}
	c->written += done;
	lb_buf_shift(&c->out, done);
	for (int i = 0; i < c->n; i++)
		if (!c->items[i]->ends && c->items[i]->to <= c->written)
			answer_written(c, c->items[i]);
	copy_sweep(c);
	if (c->to < 0)
		return;
	if (c->closing && c->out.len == 0)
		close_input(c);
	else
		lb_loop_watch(c->work->loop, c->to,
			      c->out.len > 0 ? EPOLLOUT : 0, on_writable, c);
}

void copy_close(struct copy *c)
{
	c->closing = true;
	copy_write(c);
}

void copy_kill(struct copy *c)
{
	struct work *w = c->work;

	if (c->pid == 0)
		return;
	if (c->to >= 0)
		close_input(c);
	if (c->from >= 0) {
		lb_loop_watch(w->loop, c->from, 0, NULL, NULL);
		close(c->from);
		c->from = -1;
	}
	lb_guard_kill(w->guard, c->pid);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	lb_lines_close(c->lines);
	c->lines = NULL;
	lb_buf_reset(&c->out);
}

/* It is gone, or must go: with records in hand that is a death. */
static void die(struct copy *c, const char *why)
{
	struct work *w = c->work;
	bool good = c->closing && c->n == 0; /* it was told to */
	int64_t pause;

	if (c->n > 0 && !w->stopping)
		lb_warn("a copy of '%s' %s with %d record%s in hand",
			w->command[0], why, c->n, c->n == 1 ? "" : "s");
	copy_kill(c);
	c->dead = true;
	w->failures += !good && w->failures < 16;
	pause = w->failures < 2 ? 0 : (int64_t)PAUSE_MS << (w->failures - 2);
	c->wait_until =
		lb_clock_mono() + (pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS);
}

static bool is_late(const struct copy *c, int64_t now)
{
	for (int i = 0; i < c->n; i++)
		if (c->items[i]->deadline <= now)
			return true;
	return false;
}

/*
 * Its group is gone: what it said before lies in the pipe. Another that has
 * the pipe may write on for ever, so there is an end to it.
 */
static void hear_last_words(struct copy *c)
{
	struct pollfd there = {.fd = c->from, .events = POLLIN};

	for (int i = 0; i < 64 && c->from >= 0 && poll(&there, 1, 0) > 0; i++)
		on_readable(c->from, EPOLLIN, c);
}

void copy_look(struct copy *c)
{
	int64_t now = lb_clock_mono();
	struct lb_error err;

	if (c->pid == 0 || c->dead)
		return;
	if (c->from < 0 && c->n > 0) {
		die(c, "closed its output");
	} else if (c->from < 0) {
		/* All is done; it may put things in order before it goes. */
		if (c->to >= 0)
			close_input(c);
		if (waitpid(c->pid, NULL, WNOHANG) != 0 ||
		    now - c->since > LEAVE_MS)
			die(c, "ended");
	} else if (is_late(c, now)) {
		on_readable(c->from, EPOLLIN, c); /* is it there already? */
		if (c->pid != 0 && !c->dead && is_late(c, now))
			die(c, "passed its deadline");
	} else if (waitpid(c->pid, NULL, WNOHANG) == c->pid ||
		   kill(c->pid, 0) < 0) {
		/* Its group may go on without it. */
		if (kill(-c->pid, 0) == 0 || errno != ESRCH)
			return;
		hear_last_words(c);
		if (c->pid != 0 && !c->dead)
			die(c, "ended");
	} else if (lb_guard_check(c->work->guard, &err) < 0) {
		lb_report(&err);
	}
}
