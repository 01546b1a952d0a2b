/*
 * fuzz-envelope - any bytes, cut at places that the bytes choose: the messages
 * are those of the same bytes fed whole.
 */
#include <stdint.h>
#include <stdlib.h>

#include "net/envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int note(void *arg, bool is_last, const char *text, size_t len,
		struct lb_error *err)
{
	struct lb_buf *got = arg;

	(void)err;
	lb_buf_printf(got, "%d|%zu|", is_last, len);
	lb_buf_put(got, text, len);
	return 0;
}

/* Pieces of `step` bytes, where 0 takes each length from the data itself. */
static void play(const uint8_t *data, size_t size, size_t step,
		 struct lb_buf *got)
{
	struct lb_envelope e = {.max = size > 0 ? data[0] : 0};
	struct lb_error err;
	int r = 0;

	for (size_t at = 0, n; r == 0 && at < size; at += n) {
		n = step ? step : 1 + data[at] % 7u;
		if (n > size - at)
			n = size - at;
		r = lb_envelope_feed(&e, (const char *)data + at, n, note, got,
				     &err);
	}
	lb_buf_puts(got, r < 0 ? "failed" : "done");
	lb_envelope_release(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf whole = {0}, cut = {0};

	play(data, size, size + 1, &whole);
	play(data, size, 0, &cut);
	if (whole.len != cut.len ||
	    memcmp(whole.data, cut.data, whole.len) != 0)
		abort();
	return 0;
}
