/*
 * fuzz-sse - any bytes, cut at places that the bytes choose: the events are
 * those of the same bytes fed whole.
 */
#include <stdint.h>
#include <stdlib.h>

#include "net/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int note(void *arg, const struct lb_sse_event *e, struct lb_error *err)
{
	struct lb_buf *got = arg;

	(void)err;
	if (e->data[e->len] != '\0')
		abort();
	lb_buf_printf(got, "%s|%s|%zu|", e->name, e->id, e->len);
	lb_buf_put(got, e->data, e->len);
	return 0;
}

/* Pieces of `step` bytes, where 0 takes each length from the data itself. */
static void play(const uint8_t *data, size_t size, size_t step,
		 struct lb_buf *got)
{
	struct lb_sse sse = {.max_event = size > 0 ? data[0] : 0};
	struct lb_error err;
	int r = 0;

	for (size_t at = 0, n; r == 0 && at < size; at += n) {
		n = step ? step : 1 + data[at] % 7u;
		if (n > size - at)
			n = size - at;
		r = lb_sse_feed(&sse, (const char *)data + at, n, note, got,
				&err);
	}
	if (r == 0)
		r = lb_sse_finish(&sse, note, got, &err);
	lb_buf_puts(got, r < 0 ? "failed" : "done");
	lb_sse_release(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf whole = {0}, cut = {0};

	play(data, size, size + 1, &whole);
	play(data, size, 0, &cut);
	if (whole.len != cut.len || memcmp(whole.data, cut.data, cut.len) != 0)
		abort();
	return 0;
}
