#include "pipeline/split.h"

#include <string.h>

#include "base/utf8.h"

/* Bytes of the first n characters. */
static size_t window(const char *text, size_t len, size_t n)
{
	size_t at = 0;

	while (n-- > 0 && at < len) {
		size_t c = lb_utf8_char(text + at, len - at);

		at += c ? c : 1;
	}
	return at;
}

/* The last place in text[from..to) behind `mark`, or 0. */
static size_t behind(const char *text, size_t from, size_t to, const char *mark)
{
	size_t n = strlen(mark), best = 0;
	const char *p = text + from, *end = text + to;

	while ((p = memmem(p, (size_t)(end - p), mark, n))) {
		best = (size_t)(p - text) + n;
		p += n;
	}
	return best;
}

size_t lb_split(const char *text, size_t len, size_t max_chars)
{
	/* Best first; marks in one row count alike. */
	static const char *const marks[][8] = {
		{"\n\n"},
		{"\n"},
		{". ", "! ", "? ", "\xe3\x80\x82", "\xef\xbc\x81",
		 "\xef\xbc\x9f"},
		{" ", "\xef\xbc\x8c", "\xe3\x80\x81"},
	};
	size_t end = window(text, len, max_chars ? max_chars : 1);
	size_t half = end / 2;

	if (end == len)
		return len;
	for (size_t row = 0; row < sizeof(marks) / sizeof(marks[0]); row++) {
		size_t best = 0;

		for (size_t i = 0; i < 8 && marks[row][i]; i++) {
			size_t at = behind(text, half, end, marks[row][i]);

			best = at > best ? at : best;
		}
		if (best > 0)
			return best;
	}
	return end;
}
