/*
 * fuzz-cut - any text, any limit: no piece is longer than it may be, whole
 * characters stay whole, and nothing is lost but what should be.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "record/cut.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct got {
	size_t limit, bytes;
	enum lb_unit unit;
	bool valid;
};

static size_t solid(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !memchr(" \t\r\n`~", text[i], 6);
	return n;
}

static int check(void *arg, const char *text, size_t len)
{
	struct got *g = arg;

	if (len == 0 || lb_text_units(text, len, g->unit) > g->limit ||
	    (g->valid && !lb_utf8_valid(text, len)))
		abort();
	g->bytes += solid(text, len);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 2;
	struct got g = {0};
	struct lb_error err;

	if (size < 2)
		return 0;
	size -= 2;
	g.limit = data[0];
	g.unit = data[1] % 3;
	g.valid = lb_utf8_valid(text, size);
	if (lb_cut(text, size, g.limit, g.unit, check, &g, &err) == 0 &&
	    g.bytes < solid(text, size))
		abort();
	for (size_t at = 0, n; at < size; at += n) {
		n = lb_cut_first(text + at, size - at, g.limit, g.unit);
		if (n == 0 || n > size - at)
			abort();
	}
	return 0;
}
