#include "box/way.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int lb_way_add(struct lb_way *w, const char *text, size_t len, size_t most)
{
	int left_out = 0;

	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) + 1 : len;

		if (!w->skips && w->part.len + n > most) {
			left_out++;
			lb_buf_release(&w->part);
			w->skips = true;
		}
		if (!w->skips)
			lb_buf_put(&w->part, text, n);
		if (end) {
			lb_buf_put(&w->out, w->part.data, w->part.len);
			lb_buf_reset(&w->part);
			w->skips = false;
		}
		text += n;
		len -= n;
	}
	return left_out;
}

bool lb_way_write(struct lb_way *w, int fd)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < w->out.len && n >= 0) {
		n = write(fd, w->out.data + done, w->out.len - done);
		if (n < 0 && errno == EINTR)
			n = 0;
		done += n > 0 ? (size_t)n : 0;
	}
	if (done > 0)
		lb_buf_shift(&w->out, done);
	return n >= 0 || errno == EAGAIN;
}

void lb_way_forget_part(struct lb_way *w)
{
	lb_buf_reset(&w->part);
	w->skips = false;
}

void lb_way_release(struct lb_way *w)
{
	lb_buf_release(&w->part);
	lb_buf_release(&w->out);
}
