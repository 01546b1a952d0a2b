#include "box/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { READ_SIZE = 64 * 1024, TURNS = 16, WRITE_SIZE = 4096, MOST_HELD = 4096 };

static void on_readable(int fd, uint32_t events, void *arg);

/* A pipe that poll(2) calls writable takes PIPE_BUF bytes at once. */
static bool can_write(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) > 0;
}

static void on_sink(int fd, uint32_t events, void *arg);

static void watch(struct lb_box_stream *s)
{
	bool waits = s->text.len > 0;

	if (s->waits != waits)
		lb_loop_watch(s->loop, s->sink, waits ? EPOLLOUT : 0, on_sink,
			      s);
	s->waits = waits;
	if (s->fd >= 0)
		lb_loop_watch(s->loop, s->fd, waits ? 0 : EPOLLIN, on_readable,
			      s);
}

static void end(struct lb_box_stream *s)
{
	if (s->fd < 0)
		return;
	lb_loop_watch(s->loop, s->fd, 0, NULL, NULL);
	close(s->fd);
	s->fd = -1;
}

/* Whoever writes to us is told as if he wrote there himself: by SIGPIPE. */
static void lose(struct lb_box_stream *s, int why)
{
	s->sink_gone = true;
	s->trouble = why == EPIPE ? 0 : why;
	lb_buf_reset(&s->text);
	lb_buf_reset(&s->held);
	end(s);
}

/* Hand on what can be handed on without waiting. */
static void hand_on(struct lb_box_stream *s)
{
	while (s->text.len > 0 && can_write(s->sink)) {
		size_t n = s->text.len < WRITE_SIZE ? s->text.len : WRITE_SIZE;
		ssize_t done = write(s->sink, s->text.data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EAGAIN)
			return;
		if (done < 0) {
			lose(s, errno);
			return;
		}
		lb_buf_shift(&s->text, (size_t)done);
	}
}

static void on_sink(int fd, uint32_t events, void *arg)
{
	struct lb_box_stream *s = arg;

	(void)fd;
	(void)events;
	hand_on(s);
	watch(s);
	s->changed(s->arg);
}

/* For a terminal: whole characters, and nothing that it would obey. */
static void show(struct lb_box_stream *s, const char *text, size_t len)
{
	struct lb_buf clean = {NULL};
	size_t rest;

	lb_buf_put(&s->part, text, len);
	rest = lb_utf8_partial(s->part.data, s->part.len);
	lb_utf8_clean(&clean, s->part.data, s->part.len - rest);
	lb_text_visible(&s->text, lb_buf_str(&clean), clean.len);
	lb_buf_release(&clean);
	lb_buf_shift(&s->part, s->part.len - rest);
}

static void put(struct lb_box_stream *s, const char *text, size_t len)
{
	if (s->sink_gone)
		return;
	if (s->shows)
		show(s, text, len);
	else
		lb_buf_put(&s->text, text, len);
}

/* Can it be that it begins with what is held back? */
static bool may_hold(const struct lb_box_stream *s)
{
	size_t n = strlen(s->holds);

	return s->held.len < MOST_HELD &&
	       memcmp(s->held.data, s->holds,
		      s->held.len < n ? s->held.len : n) == 0;
}

static void take(struct lb_box_stream *s, const char *text, size_t len)
{
	s->bytes += len;
	if (s->sink < 0) {
		lb_box_output_add(s->kept, text, len);
	} else if (s->holds) {
		lb_buf_put(&s->held, text, len);
		if (!may_hold(s))
			lb_box_stream_let_go(s);
	} else {
		put(s, text, len);
	}
}

void lb_box_stream_forget(struct lb_box_stream *s)
{
	lb_box_stream_drain(s);
	s->bytes = 0;
	s->holds = NULL;
	lb_buf_reset(&s->held);
	lb_box_output_release(s->kept);
}

void lb_box_stream_let_go(struct lb_box_stream *s)
{
	s->holds = NULL;
	if (s->held.len == 0)
		return;
	put(s, s->held.data, s->held.len);
	lb_buf_reset(&s->held);
	hand_on(s);
	watch(s);
}

void lb_box_stream_drain(struct lb_box_stream *s)
{
	/* Not on the stack, every page of which would be touched. */
	lb_autofree char *text = lb_alloc_raw(READ_SIZE);

	for (int i = 0; s->fd >= 0 && s->text.len == 0 && i < TURNS; i++) {
		ssize_t got = read(s->fd, text, READ_SIZE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			break;
		if (got <= 0) { /* EIO: the other side of a terminal closed */
			end(s);
			break;
		}
		take(s, text, (size_t)got);
		if (s->sink >= 0)
			hand_on(s);
	}
	if (s->sink >= 0)
		watch(s);
}

static void on_readable(int fd, uint32_t events, void *arg)
{
	struct lb_box_stream *s = arg;

	(void)fd;
	(void)events;
	lb_box_stream_drain(s);
	s->changed(s->arg);
}

void lb_box_stream_open(struct lb_box_stream *s, int take_fd)
{
	s->fd = take_fd;
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
	if (s->sink >= 0)
		s->shows = s->shows && isatty(s->sink);
	lb_loop_watch(s->loop, s->fd, EPOLLIN, on_readable, s);
}

void lb_box_stream_close(struct lb_box_stream *s)
{
	end(s);
	if (s->waits)
		lb_loop_watch(s->loop, s->sink, 0, NULL, NULL);
	s->waits = false;
	lb_buf_release(&s->text);
	lb_buf_release(&s->part);
	lb_buf_release(&s->held);
}

static void on_from(int fd, uint32_t events, void *arg);
static void on_to(int fd, uint32_t events, void *arg);

/* Either more is to come, or what came is to be written; or all is over. */
static void feed_watch(struct lb_box_feed *f)
{
	bool writes = f->at < f->len;

	if (f->from < 0 && !writes && f->to >= 0) {
		lb_loop_watch(f->loop, f->to, 0, NULL, NULL);
		close(f->to);
		f->to = -1;
	}
	if (f->from >= 0)
		lb_loop_watch(f->loop, f->from, writes ? 0 : EPOLLIN, on_from,
			      f);
	if (f->to >= 0)
		lb_loop_watch(f->loop, f->to, writes ? EPOLLOUT : 0, on_to, f);
}

static void feed_stop(struct lb_box_feed *f)
{
	if (f->from >= 0)
		lb_loop_watch(f->loop, f->from, 0, NULL, NULL);
	f->from = -1;
}

static void on_from(int fd, uint32_t events, void *arg)
{
	struct lb_box_feed *f = arg;
	ssize_t got = read(fd, f->text, sizeof(f->text));

	(void)events;
	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0)
		feed_stop(f);
	f->at = 0;
	f->len = got > 0 ? (size_t)got : 0;
	feed_watch(f);
}

static void on_to(int fd, uint32_t events, void *arg)
{
	struct lb_box_feed *f = arg;
	ssize_t done = write(fd, f->text + f->at, f->len - f->at);

	(void)events;
	if (done < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (done < 0) { /* it does not want more */
		feed_stop(f);
		f->at = f->len;
	} else {
		f->at += (size_t)done;
	}
	feed_watch(f);
}

void lb_box_feed_open(struct lb_box_feed *f, struct lb_loop *loop, int from,
		      int take_to)
{
	f->loop = loop;
	f->from = from;
	f->to = take_to;
	fcntl(f->to, F_SETFL, O_NONBLOCK);
	feed_watch(f);
}

void lb_box_feed_close(struct lb_box_feed *f)
{
	feed_stop(f);
	if (f->to >= 0) {
		lb_loop_watch(f->loop, f->to, 0, NULL, NULL);
		close(f->to);
	}
	f->to = -1;
}
