#include "store/heal.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/utf8.h"

enum { ESCAPE = 6 }; /* \uXXXX */

/* The code unit of the escape at s, or -1. */
static int unit(const char *s, const char *end)
{
	int value = 0;

	if (end - s < ESCAPE || s[0] != '\\' || s[1] != 'u')
		return -1;
	for (int i = 2; i < ESCAPE; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *d = strchr(digits, s[i] | 0x20);

		if (!d || !*d)
			return -1;
		value = value * 16 + (int)(d - digits);
	}
	return value;
}

/* Append text with every escape of half a pair turned into \ufffd. */
static void pair_up(struct lb_buf *out, const char *text, size_t len)
{
	const char *s = text, *end = text + len;

	while (s < end) {
		const char *mark = memchr(s, '\\', (size_t)(end - s));
		int first, second;

		if (!mark)
			mark = end;
		lb_buf_put(out, s, (size_t)(mark - s));
		s = mark;
		if (s == end)
			break;
		first = unit(s, end);
		second = first < 0 ? -1 : unit(s + ESCAPE, end);
		if (first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 &&
		    second <= 0xdfff) {
			lb_buf_put(out, s, 2 * ESCAPE);
			s += 2 * ESCAPE;
		} else if (first >= 0xd800 && first <= 0xdfff) {
			lb_buf_puts(out, "\\ufffd");
			s += ESCAPE;
		} else {
			size_t n = end - s < 2 ? 1 : 2;

			lb_buf_put(out, s, n);
			s += n;
		}
	}
}

json_t *lb_heal_load(const char *text, size_t len)
{
	const size_t flags = JSON_ALLOW_NUL | JSON_DECODE_ANY;
	lb_autobuf struct lb_buf clean = {0}, paired = {0};
	json_t *value = json_loadb(text, len, flags, NULL);

	if (value)
		return value;
	lb_utf8_clean(&clean, text, len);
	pair_up(&paired, lb_buf_str(&clean), clean.len);
	value = json_loadb(lb_buf_str(&paired), paired.len, flags, NULL);
	if (value)
		return value;
	return json_loadb(lb_buf_str(&paired), paired.len,
			  flags | JSON_DECODE_INT_AS_REAL, NULL);
}
