#include "base/utf8.h"

#include <string.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes the lead byte asks for; 0 for a byte that cannot lead. */
static size_t wanted(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	if (lead >= 0xf0 && lead <= 0xf4)
		return 4;
	return 0;
}

/* May `second` follow `lead`? Keeps out overlong forms and surrogates. */
static bool second_fits(unsigned char lead, unsigned char second)
{
	if (lead == 0xe0 && second < 0xa0)
		return false;
	if (lead == 0xed && second > 0x9f)
		return false;
	if (lead == 0xf0 && second < 0x90)
		return false;
	if (lead == 0xf4 && second > 0x8f)
		return false;
	return is_tail(second);
}

size_t lb_utf8_char(const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = len > 0 ? wanted(s[0]) : 0;

	if (n > len)
		return 0;
	if (n > 1 && !second_fits(s[0], s[1]))
		return 0;
	for (size_t i = 2; i < n; i++)
		if (!is_tail(s[i]))
			return 0;
	return n;
}

/* Bytes of plain ASCII at the start of text. */
static size_t ascii_run(const char *text, size_t len)
{
	size_t i = 0;
	unsigned long word;

	for (; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, text + i, sizeof(word));
		if (word & 0x8080808080808080UL)
			break;
	}
	while (i < len && !(text[i] & 0x80))
		i++;
	return i;
}

/* Bytes at the start of text that are well-formed. */
static size_t valid_run(const char *text, size_t len)
{
	size_t i = 0, n;

	while (i < len) {
		i += ascii_run(text + i, len - i);
		n = lb_utf8_char(text + i, len - i);
		if (i < len && n == 0)
			break;
		i += n;
	}
	return i;
}

bool lb_utf8_valid(const char *text, size_t len)
{
	return valid_run(text, len) == len;
}

void lb_utf8_clean(struct lb_buf *out, const char *text, size_t len)
{
	while (len > 0) {
		size_t n = valid_run(text, len);

		lb_buf_put(out, text, n);
		if (n < len) {
			lb_buf_puts(out, "\xef\xbf\xbd");
			n++;
		}
		text += n;
		len -= n;
	}
}

bool lb_utf8_is_odd(const char *c, size_t n)
{
	const unsigned char *b = (const unsigned char *)c;

	if (n == 2)
		return b[0] == 0xc2 && (b[1] < 0xa0 || b[1] == 0xad);
	/* U+200B-200F, 2028-202F, 2060-206F, FEFF */
	return n == 3 && ((b[0] == 0xe2 && b[1] == 0x80 &&
			   ((b[2] >= 0x8b && b[2] <= 0x8f) || b[2] >= 0xa8)) ||
			  (b[0] == 0xe2 && b[1] == 0x81 && b[2] >= 0xa0 &&
			   b[2] <= 0xaf) ||
			  (b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf));
}

size_t lb_utf8_cut(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && is_tail((unsigned char)text[max]))
		max--;
	return max;
}

size_t lb_utf8_count(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += !is_tail((unsigned char)text[i]);
	return n;
}

size_t lb_utf8_partial(const char *text, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)text[len - back];

		if (is_tail(c))
			continue;
		return wanted(c) > back ? back : 0;
	}
	return 0;
}

/* Bytes of the escape sequence at text, which starts with ESC. */
static size_t escape_len(const char *text, size_t len)
{
	size_t i = 2;

	if (len < 2)
		return len;
	if (text[1] == '[') { /* CSI: parameters, then one final byte */
		while (i < len && (text[i] < 0x40 || text[i] > 0x7e))
			i++;
		return i < len ? i + 1 : len;
	}
	if (strchr("]PX^_", text[1])) { /* a string, to BEL or ESC \ */
		while (i < len && text[i] != 7 && text[i] != 27)
			i++;
		if (i < len && text[i] == 27)
			return i + 1 < len ? i + 2 : len;
		return i < len ? i + 1 : len;
	}
	return 2;
}

/* U+202A-202E, 2066-2069: what follows them is shown in another order. */
static bool reorders(const char *c, size_t n)
{
	const unsigned char *b = (const unsigned char *)c;

	return n == 3 && b[0] == 0xe2 &&
	       ((b[1] == 0x80 && b[2] >= 0xaa && b[2] <= 0xae) ||
		(b[1] == 0x81 && b[2] >= 0xa6 && b[2] <= 0xa9));
}

void lb_text_visible(struct lb_buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)text[i];
		size_t n = lb_utf8_char(text + i, len - i);

		if (c == 27) {
			i += escape_len(text + i, len - i);
			continue;
		}
		if (n == 0)
			lb_buf_puts(out, "\xef\xbf\xbd");
		else if (c == '\n' || c == '\t' ||
			 (c >= 0x20 && c != 0x7f && !reorders(text + i, n) &&
			  !(c == 0xc2 && n == 2 &&
			    (unsigned char)text[i + 1] < 0xa0)))
			lb_buf_put(out, text + i, n);
		i += n ? n : 1;
	}
}
