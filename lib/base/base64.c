#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

static int value_of(char c)
{
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

static bool give_up(struct lb_buf *out, size_t began)
{
	out->len = began;
	out->data[began] = '\0';
	return false;
}

bool lb_base64_decode(struct lb_buf *out, const char *text, size_t len)
{
	size_t began = out->len, n = 0, padding = 0;
	uint32_t bits = 0;

	lb_buf_reserve(out, len / 4 * 3 + 3);
	lb_buf_put(out, "", 0);
	for (size_t i = 0; i < len; i++) {
		int v = value_of(text[i]);

		if (text[i] == '\n' || text[i] == '\r' || text[i] == ' ')
			continue;
		if (text[i] == '=' && n % 4 >= 2 && padding < 2) {
			padding++;
			continue;
		}
		if (v < 0 || padding > 0)
			return give_up(out, began);
		bits = bits << 6 | (uint32_t)v;
		/* The second digit ends a byte, the third and fourth, too. */
		if (++n % 4 != 1)
			lb_buf_putc(out, (char)(bits >> (8 - n % 4 * 2) % 8));
	}
	if (n % 4 == 1 || (padding > 0 && (n + padding) % 4 != 0))
		return give_up(out, began);
	return true;
}

void lb_base64_encode(struct lb_buf *out, const char *data, size_t len)
{
	lb_buf_reserve(out, len / 3 * 4 + 4);
	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t v = 0;
		char four[4] = {0, 0, '=', '='};

		for (size_t j = 0; j < 3; j++)
			v = v << 8 | (j < n ? (unsigned char)data[i + j] : 0);
		for (size_t j = 0; j <= n; j++)
			four[j] = digits[v >> (18 - 6 * j) & 63];
		lb_buf_put(out, four, 4);
	}
}
