/* lb-queue work - a running CMD, its input and its output. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "work.h"

enum { PIPE = 1 << 20 };

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

void copy_read(struct copy *c)
{
	struct lb_error err;
	struct lb_line line;
	int got = lb_lines_fill(c->lines, &err), more;

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

static void on_readable(int fd, uint32_t events, void *arg)
{
	(void)fd;
	(void)events;
	copy_read(arg);
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

void copy_shut(struct copy *c)
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
			copy_shut(c); /* it reads no more; does it end? */
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
		copy_shut(c);
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
		copy_shut(c);
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
