/* lb-run - without a queue: what the flow is fed. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "super.h"

/* What may be in the flow at a time; what may wait for it, bytes. */
enum { MAX_IN_FLOW = 10000, MAX_BYTES = 64 << 20, MAX_WAITING = 1 << 20 };

bool feed_is_full(const struct super *s)
{
	return s->in_flow >= MAX_IN_FLOW || s->in_flow_bytes >= MAX_BYTES ||
	       s->out.len >= MAX_WAITING;
}

void feed_line(struct super *s, const struct lb_line *line)
{
	fate_keep(s, line);
	lb_buf_put(&s->out, line->text, line->len);
	lb_buf_putc(&s->out, '\n');
	s->fed += line->len + 1;
	feed_write(s);
}

static void close_input(struct super *s)
{
	lb_loop_watch(s->loop, s->flow->to, 0, NULL, NULL);
	close(s->flow->to);
	s->flow->to = -1;
}

static void on_writable(int fd, uint32_t events, void *arg)
{
	(void)fd;
	(void)events;
	feed_write(arg);
}

/* How much it is to get: of a pause the rest of a line. */
static size_t wanted(const struct super *s)
{
	const char *newline;

	if (!s->pausing || s->out.len == 0)
		return s->out.len;
	newline = s->half ? memchr(s->out.data, '\n', s->out.len) : NULL;
	return newline ? (size_t)(newline - s->out.data) + 1 : 0;
}

/* As much as the flow takes; then the end, when there is no more. */
void feed_write(struct super *s)
{
	size_t done = 0, want = wanted(s);
	int fd = s->flow ? s->flow->to : -1;

	while (fd >= 0 && done < want) {
		ssize_t n = write(fd, s->out.data + done, want - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN) {
			close_input(s); /* it is gone; its end will tell */
			fd = -1;
		}
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done > 0)
		s->half = s->out.data[done - 1] != '\n';
	lb_buf_shift(&s->out, done);
	s->written += done;
	if (fd < 0)
		return;
	if (done == want && (s->pausing || (s->feed_ends && s->out.len == 0)))
		close_input(s);
	else
		lb_loop_watch(s->loop, fd, done < want ? EPOLLOUT : 0,
			      on_writable, s);
}

void feed_pause(struct super *s)
{
	s->pausing = true;
	feed_write(s);
}

void feed_end(struct super *s)
{
	s->feed_ends = true;
	feed_write(s);
}

/* A line that was written by half is not for the next flow. */
static void drop_half_line(struct super *s)
{
	const char *newline;

	if (s->out.len == 0 || !s->half)
		return;
	newline = memchr(s->out.data, '\n', s->out.len);
	s->written += (size_t)(newline - s->out.data) + 1;
	lb_buf_shift(&s->out, (size_t)(newline - s->out.data) + 1);
	s->half = false;
}

/* The flow ended: what it had been given is lost; the rest waits. */
void feed_lost(struct super *s)
{
	size_t n;

	if (s->flow->to >= 0)
		close_input(s);
	s->pausing = false;
	drop_half_line(s);
	n = fate_lost(s);
	if (n > 0)
		lb_complain("%zu message%s in the flow when it died: lost; a "
			    "queue would have kept them",
			    n, n == 1 ? " was" : "s were");
}

void feed_release(struct super *s)
{
	fate_release(s);
	lb_buf_release(&s->out);
}
