#include "record/out.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum { DIRECT = 16 * 1024, KEEP = 1024 * 1024 };

struct lb_out {
	int fd;
	struct lb_buf buf;
	size_t skip;   /* bytes of it that are not written here */
	int bad;       /* the errno of the write that failed */
	lb_out_fn *fn; /* gets it, instead of fd */
	void *arg;
	struct lb_error why; /* fn failed, unless LB_OK */
};

struct lb_out *lb_out_open(int fd)
{
	struct lb_out *out = lb_alloc(sizeof(*out));

	out->fd = fd;
	return out;
}

struct lb_out *lb_out_to(lb_out_fn *fn, void *arg)
{
	struct lb_out *out = lb_out_open(-1);

	out->fn = fn;
	out->arg = arg;
	return out;
}

void lb_out_close(struct lb_out *out)
{
	if (!out)
		return;
	lb_buf_release(&out->buf);
	free(out);
}

static void write_all(struct lb_out *out, const char *text, size_t len)
{
	if (out->fn) {
		if (len > 0 && out->why.code == LB_OK)
			out->fn(out->arg, text, len, &out->why);
		return;
	}
	while (len > 0 && !out->bad) {
		ssize_t n = write(out->fd, text, len);

		if (n >= 0) {
			text += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {.fd = out->fd, .events = POLLOUT};

			poll(&p, 1, -1);
		} else if (errno != EINTR) {
			out->bad = errno;
		}
	}
}

static void drain(struct lb_out *out)
{
	write_all(out, lb_buf_str(&out->buf) + out->skip,
		  out->buf.len - out->skip);
	out->skip = 0;
	if (out->buf.cap > KEEP)
		lb_buf_release(&out->buf); /* one huge line, long ago */
	else
		lb_buf_reset(&out->buf);
}

void lb_out_built(struct lb_out *out)
{
	/* A burst is to be one whole for fn, as far as that is bounded. */
	if (out->buf.len >= (out->fn ? KEEP : LB_OUT_FULL))
		drain(out);
}

void lb_out_put(struct lb_out *out, const char *text, size_t len)
{
	if (len >= DIRECT) {
		drain(out);
		write_all(out, text, len);
		return;
	}
	lb_buf_put(&out->buf, text, len);
	lb_out_built(out);
}

void lb_out_line(struct lb_out *out, const char *text, size_t len)
{
	lb_buf_put(&out->buf, text, len);
	lb_buf_putc(&out->buf, '\n');
	lb_out_built(out);
}

void lb_out_skip(struct lb_out *out, size_t len)
{
	out->skip = len;
}

struct lb_buf *lb_out_buf(struct lb_out *out)
{
	return &out->buf;
}

int lb_out_flush(struct lb_out *out, struct lb_error *err)
{
	drain(out);
	if (out->why.code != LB_OK)
		*err = out->why;
	if (out->why.code != LB_OK)
		return -1;
	if (!out->bad)
		return 0;
	errno = out->bad;
	return lb_fail_sys(err, LB_IO, "cannot write output");
}

bool lb_out_left(const struct lb_out *out)
{
	return out->bad == EPIPE;
}
