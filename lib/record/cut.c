#include "record/cut.h"

#include <string.h>

#include "base/utf8.h"
#include "record/grapheme.h"

enum rank { PARAGRAPH, LINE, SENTENCE, BLANK, RANKS };

/* Bytes and units of the character at text. */
static size_t step(const char *text, size_t len, enum lb_unit unit,
		   size_t *units)
{
	size_t n = lb_utf8_char(text, len);

	if (n == 0)
		n = 1;
	if (unit == LB_UNIT_BYTES)
		*units = n;
	else
		*units = unit == LB_UNIT_UTF16 && n == 4 ? 2 : 1;
	return n;
}

size_t lb_text_units(const char *text, size_t len, enum lb_unit unit)
{
	size_t total = 0, units;

	if (unit == LB_UNIT_BYTES)
		return len;
	for (size_t at = 0; at < len; total += units)
		at += step(text + at, len - at, unit, &units);
	return total;
}

/* Bytes that the limit allows, at least one character. */
static size_t window(const char *text, size_t len, size_t limit,
		     enum lb_unit unit)
{
	size_t at = 0, used = 0, units;

	while (at < len) {
		size_t n = step(text + at, len - at, unit, &units);

		if (at > 0 && used + units > limit)
			break;
		at += n;
		used += units;
	}
	return at;
}

/* Does text[..at) end with one of these? */
static bool ends_with(const char *text, size_t at, const char *const *marks)
{
	for (; *marks; marks++) {
		size_t n = strlen(*marks);

		if (n <= at && memcmp(text + at - n, *marks, n) == 0)
			return true;
	}
	return false;
}

static const char *const stops[] = {
	"\xe3\x80\x82", "\xef\xbc\x81", "\xef\xbc\x9f", "\xef\xbd\xa1", NULL,
};
static const char *const commas[] = {
	" ", "\t", "\xef\xbc\x8c", "\xe3\x80\x81", "\xe3\x80\x80", NULL,
};
static const char *const latin[] = {". ", "! ", "? ", NULL};
/* Quotes and brackets that belong to the sentence before them. */
static const char *const closers[] = {
	"\xe3\x80\x8d", "\xe3\x80\x8f", "\xe2\x80\x9d", "\xe2\x80\x99",
	"\xef\xbc\x89", "\xe3\x80\x91", NULL,
};

/* How good is it to end behind text[..at)? RANKS: not at all. */
static enum rank rank_at(const char *text, size_t len, size_t at)
{
	unsigned char last = (unsigned char)text[at - 1];
	bool closed;

	if (last > ' ' && last < 0x80)
		return RANKS;
	/* All that is not ASCII here begins with one of three bytes. */
	if (last >= 0x80 &&
	    (at < 3 || !memchr("\xe2\xe3\xef", text[at - 3], 3)))
		return RANKS;
	closed = ends_with(text, at, closers);
	if (text[at - 1] == '\n') {
		size_t i = at - 1;

		if (i > 0 && text[i - 1] == '\r')
			i--;
		return i > 0 && text[i - 1] == '\n' ? PARAGRAPH : LINE;
	}
	if (len - at >= 3 && ends_with(text, at + 3, closers))
		return RANKS;
	if (ends_with(text, at, latin) || ends_with(text, at, stops) ||
	    (closed && ends_with(text, at - 3, stops)))
		return SENTENCE;
	return ends_with(text, at, commas) ? BLANK : RANKS;
}

size_t lb_cut_first(const char *text, size_t len, size_t limit,
		    enum lb_unit unit)
{
	size_t end = window(text, len, limit, unit);
	size_t best[RANKS + 1] = {0};

	if (end == len)
		return len;
	for (size_t at = end; at > end / 2 && !best[PARAGRAPH]; at--) {
		enum rank r = rank_at(text, len, at);

		if (!best[r] && r != RANKS && lb_grapheme_border(text, len, at))
			best[r] = at;
	}
	for (enum rank r = PARAGRAPH; r < RANKS; r++)
		if (best[r])
			return best[r];
	for (size_t at = end; at > 0; at--)
		if (lb_grapheme_border(text, len, at))
			return at;
	return end;
}
