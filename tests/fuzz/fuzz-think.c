/*
 * fuzz-think - any text, cut anywhere: the same comes out as of the whole, no
 * byte is made up, and no complete tag is left in the answer.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "record/think.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct got {
	struct lb_buf answer;
	size_t all;
};

static void take(void *arg, bool reasoning, const char *text, size_t len)
{
	struct got *g = arg;

	g->all += len;
	if (reasoning && len == 0)
		lb_buf_reset(&g->answer);
	else if (!reasoning)
		lb_buf_put(&g->answer, text, len);
}

static void run(struct got *g, const char *text, size_t len, bool orphans,
		size_t piece)
{
	struct lb_think t = {.orphans = orphans};

	while (len > 0) {
		size_t n = piece < len ? piece : len;

		lb_think_feed(&t, text, n, take, g);
		if (t.n_held >= sizeof("</think>") - 1)
			abort();
		text += n;
		len -= n;
	}
	lb_think_finish(&t, take, g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct got whole = {{0}, 0}, cut = {{0}, 0};
	bool orphans;

	if (size < 2)
		return 0;
	orphans = data[0] & 1;
	run(&whole, text, size - 1, orphans, size);
	run(&cut, text, size - 1, orphans, (size_t)(data[0] >> 1) % 16 + 1);
	if (whole.answer.len != cut.answer.len || whole.all > size - 1 ||
	    memcmp(lb_buf_str(&whole.answer), lb_buf_str(&cut.answer),
		   whole.answer.len) != 0)
		abort();
	lb_buf_release(&whole.answer);
	lb_buf_release(&cut.answer);
	return 0;
}
