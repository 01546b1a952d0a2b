#include "record/plain.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

enum { MAX_DEPTH = 500, MAX_DIGITS = 18, MAX_MEMBERS = 64 };

static const char *value(const char *p, const char *end, int depth);

/* \uXXXX that is no surrogate and no NUL: where it ends, or NULL. */
static const char *unicode(const char *p, const char *end)
{
	static const char hex[] = "0123456789abcdefABCDEF";

	if (end - p < 5)
		return NULL;
	for (int i = 1; i < 5; i++)
		if (!p[i] || !strchr(hex, p[i]))
			return NULL;
	if (memcmp(p + 1, "0000", 4) == 0 ||
	    ((p[1] == 'd' || p[1] == 'D') && !strchr("01234567", p[2])))
		return NULL;
	return p + 5;
}

/* Over text that needs no look, eight bytes at a time: ASCII that is neither
 * a control character nor a quote nor a backslash. */
static const char *skip_plain(const char *p, const char *end)
{
	static const uint64_t ones = UINT64_C(0x0101010101010101),
			      high = UINT64_C(0x8080808080808080);
	uint64_t v, quote, slash;

	for (; end - p >= 8; p += 8) {
		memcpy(&v, p, sizeof(v));
		quote = v ^ ones * '"';
		slash = v ^ ones * '\\';
		/* A borrow reaches the high bit of each byte below the limit. */
		if ((v | (v - ones * ' ') | (quote - ones) | (slash - ones)) &
		    high)
			break;
	}
	return p;
}

/* What follows the closing quote; p is behind the opening one. */
static const char *string(const char *p, const char *end)
{
	while (p < end) {
		unsigned char c = (unsigned char)*p;
		size_t n;

		if (c == '"')
			return p + 1;
		if (c == '\\') {
			if (++p == end || !*p || !strchr("\"\\/bfnrtu", *p))
				return NULL;
			p = *p == 'u' ? unicode(p, end) : p + 1;
			if (!p)
				return NULL;
		} else if (c < 0x80) {
			if (c < 0x20)
				return NULL;
			p = skip_plain(p + 1, end);
		} else {
			n = lb_utf8_char(p, (size_t)(end - p));
			if (n == 0)
				return NULL;
			p += n;
		}
	}
	return NULL;
}

static const char *digits(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p > from && p - from <= MAX_DIGITS ? p : NULL;
}

/* Numbers that fit whatever they are read as; no exponents. */
static const char *number(const char *p, const char *end)
{
	const char *from;

	if (p < end && *p == '-')
		p++;
	from = p;
	p = digits(p, end);
	if (!p || (*from == '0' && p - from > 1))
		return NULL;
	if (p < end && *p == '.')
		p = digits(p + 1, end);
	if (p && p < end && (*p == 'e' || *p == 'E'))
		return NULL;
	return p;
}

static const char *word(const char *p, const char *end, const char *is)
{
	size_t n = strlen(is);

	return (size_t)(end - p) >= n && memcmp(p, is, n) == 0 ? p + n : NULL;
}

/* What follows the key, its colon and its value. */
static const char *member(const char *p, const char *end, int depth)
{
	if (p == end || *p != '"')
		return NULL;
	p = string(p + 1, end);
	p = p ? lb_scan_blanks(p, end) : NULL;
	if (!p || p == end || *p != ':')
		return NULL;
	return value(lb_scan_blanks(p + 1, end), end, depth);
}

/* An array or object; p is behind what opens it. */
static const char *container(const char *p, const char *end, char close,
			     int depth)
{
	if (depth == MAX_DEPTH)
		return NULL;
	p = lb_scan_blanks(p, end);
	if (p < end && *p == close)
		return p + 1;
	for (;;) {
		p = close == '}' ? member(p, end, depth + 1)
				 : value(p, end, depth + 1);
		p = p ? lb_scan_blanks(p, end) : NULL;
		if (!p || p == end)
			return NULL;
		if (*p == close)
			return p + 1;
		if (*p != ',')
			return NULL;
		p = lb_scan_blanks(p + 1, end);
	}
}

static const char *value(const char *p, const char *end, int depth)
{
	if (p == end)
		return NULL;
	switch (*p) {
	case '"':
		return string(p + 1, end);
	case '{':
		return container(p + 1, end, '}', depth);
	case '[':
		return container(p + 1, end, ']', depth);
	case 't':
		return word(p, end, "true");
	case 'f':
		return word(p, end, "false");
	case 'n':
		return word(p, end, "null");
	default:
		return number(p, end);
	}
}

static bool is_twice(const struct lb_members *m, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (m->at[k].key.len == m->at[i].key.len &&
		    memcmp(m->at[k].key.at, m->at[i].key.at,
			   m->at[i].key.len) == 0)
			return true;
	return false;
}

bool lb_plain(const char *text, size_t len, struct lb_members *m)
{
	const char *end = text + len, *p = lb_scan_blanks(text, end);

	if (p == end || *p != '{')
		return false;
	p = value(p, end, 0);
	if (!p || lb_scan_blanks(p, end) != end || !lb_scan(text, len, m) ||
	    m->n > MAX_MEMBERS)
		return false;
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].escaped || is_twice(m, i))
			return false;
	return true;
}

bool lb_plain_str(const struct lb_members *m, const char *key,
		  struct lb_span *span, bool *there)
{
	const struct lb_member *member = lb_member_find(m, key);

	*there = member != NULL;
	if (!member || member->value.at[0] != '"')
		return false;
	span->at = member->value.at + 1;
	span->len = member->value.len - 2;
	return memchr(span->at, '\\', span->len) == NULL;
}
