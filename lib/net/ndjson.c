#include "net/ndjson.h"

#include <string.h>

enum {
	MAX_LINE = 16 << 20,
	KEEP = 64 << 10, /* bytes of memory a decoder keeps between lines */
};

static int add(struct lb_ndjson *nd, const char *data, size_t len,
	       struct lb_error *err)
{
	size_t max = nd->max_line ? nd->max_line : MAX_LINE;

	if (nd->line.len + len > max)
		return lb_fail(err, LB_DATA,
			       "a line of the stream exceeds %zu bytes", max);
	lb_buf_put(&nd->line, data, len);
	return 0;
}

/* The line is whole, but for its end. */
static int done(struct lb_ndjson *nd, lb_ndjson_fn *fn, void *arg,
		struct lb_error *err)
{
	const char *text = lb_buf_str(&nd->line);
	size_t len = nd->line.len;
	int r = 0;

	if (!nd->started && len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		len -= 3;
	}
	nd->started = true;
	if (strspn(text, " \t\r") < len)
		r = fn(arg, text, len, err);
	if (nd->line.cap > KEEP)
		lb_buf_release(&nd->line);
	else
		lb_buf_reset(&nd->line);
	return r;
}

int lb_ndjson_feed(struct lb_ndjson *nd, const char *data, size_t len,
		   lb_ndjson_fn *fn, void *arg, struct lb_error *err)
{
	const char *end = data + len, *lf;

	for (; data < end; data = lf + 1) {
		lf = memchr(data, '\n', (size_t)(end - data));
		if (add(nd, data, (size_t)((lf ? lf : end) - data), err) < 0)
			return -1;
		if (!lf)
			return 0;
		if (done(nd, fn, arg, err) < 0)
			return -1;
	}
	return 0;
}

int lb_ndjson_finish(struct lb_ndjson *nd, lb_ndjson_fn *fn, void *arg,
		     struct lb_error *err)
{
	return done(nd, fn, arg, err);
}

void lb_ndjson_release(struct lb_ndjson *nd)
{
	lb_buf_release(&nd->line);
}
