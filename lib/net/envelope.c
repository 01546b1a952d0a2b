#include "net/envelope.h"

#include <stdint.h>

enum {
	MAX = 4 << 20,
	HEAD = 5,
	COMPRESSED = 1,
	LAST = 2,
};

static size_t length_of(const unsigned char *head)
{
	return (size_t)head[1] << 24 | (size_t)head[2] << 16 |
	       (size_t)head[3] << 8 | head[4];
}

static int check(const struct lb_envelope *e, unsigned flags, size_t len,
		 struct lb_error *err)
{
	size_t max = e->max ? e->max : MAX;

	if (e->ended)
		return lb_fail(err, LB_PROTOCOL,
			       "the stream goes on after its end");
	if (flags & COMPRESSED)
		return lb_fail(err, LB_PROTOCOL,
			       "a message of the stream is compressed");
	if (len > max)
		return lb_fail(err, LB_PROTOCOL,
			       "a message of the stream exceeds %zu bytes",
			       max);
	return 0;
}

int lb_envelope_feed(struct lb_envelope *e, const char *data, size_t len,
		     lb_envelope_fn *fn, void *arg, struct lb_error *err)
{
	size_t at = 0;
	int result = 0;

	lb_buf_put(&e->got, data, len);
	while (result == 0 && e->got.len - at >= HEAD) {
		const char *text = e->got.data + at + HEAD;
		const unsigned char *head = (const unsigned char *)text - HEAD;
		size_t has = length_of(head);

		result = check(e, head[0], has, err);
		if (result < 0 || e->got.len - at - HEAD < has)
			break;
		at += HEAD + has;
		e->ended = (head[0] & LAST) != 0;
		result = fn(arg, e->ended, text, has, err);
	}
	lb_buf_shift(&e->got, at);
	return result;
}

void lb_envelope_release(struct lb_envelope *e)
{
	lb_buf_release(&e->got);
}

void lb_envelope_put(struct lb_buf *out, const char *text, size_t len)
{
	const char head[HEAD] = {0, (char)(len >> 24), (char)(len >> 16),
				 (char)(len >> 8), (char)len};

	lb_buf_put(out, head, HEAD);
	lb_buf_put(out, text, len);
}
