#include "record/load.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "record/record.h"

/*
 * A value of three bytes takes a hundred times that in memory, so those of a
 * long line are counted first; a short one cannot hold too many.
 */
enum { MAX_VALUES = 1 << 19, FEW = 1 << 20 };

bool lb_has_too_many(const char *text, size_t len)
{
	const char *end = text + len;
	size_t n = 0;

	for (const char *p = text; len > FEW && p < end; p++) {
		if (*p == '"') {
			p = lb_scan_value(p, end);
			if (!p)
				return false; /* the parser will say so */
			p--;
		} else if (*p == ',' || *p == '{' || *p == '[') {
			n++;
		}
	}
	return n > MAX_VALUES;
}

/* Hex value of the four digits of a \u escape, or -1. */
static int escape_value(const char *p, const char *end)
{
	int v = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		const char *digits = "0123456789abcdef0123456789ABCDEF";
		const char *at = p[i] ? strchr(digits, p[i]) : NULL;

		if (!at)
			return -1;
		v = v * 16 + (int)((at - digits) % 16);
	}
	return v;
}

/* Replace \uD800-\uDFFF that have no partner by \ufffd, in place. */
static void mend_surrogates(struct lb_buf *b)
{
	char *p = b->data, *end = b->data + b->len;

	while (p < end) {
		int v, next;

		p = memchr(p, '\\', (size_t)(end - p));
		if (!p)
			return;
		v = escape_value(p, end);
		if (v < 0xd800 || v > 0xdfff) {
			p += 2;
			continue;
		}
		next = v < 0xdc00 ? escape_value(p + 6, end) : -1;
		if (next >= 0xdc00 && next <= 0xdfff) {
			p += 12;
			continue;
		}
		memcpy(p, "\\ufffd", 6);
		p += 6;
	}
}

/* Repair the bytes; false when there was nothing to repair. */
static bool mend(const char **text, size_t *len, struct lb_buf *mended)
{
	lb_buf_reset(mended);
	lb_utf8_clean(mended, *text, *len);
	if (mended->len > 0)
		mend_surrogates(mended);
	if (mended->len == *len && memcmp(lb_buf_str(mended), *text, *len) == 0)
		return false;
	*text = mended->data;
	*len = mended->len;
	return true;
}

/*
 * json_loadb() with the second tries that lb-records(7) grants. *text and *len
 * become the mended bytes when they had to be.
 */
static json_t *load(const char **text, size_t *len, struct lb_buf *mended,
		    json_error_t *why)
{
	size_t flags = JSON_ALLOW_NUL | JSON_DECODE_ANY;
	json_t *value;
	bool tried = false;
	const char *nul = memchr(*text, '\0', *len);

	if (nul) { /* jansson overlooks one that follows a number */
		why->column = (int)(nul - *text) + 1;
		snprintf(why->text, sizeof(why->text), "a NUL byte");
		return NULL;
	}
	if (lb_has_too_many(*text, *len)) {
		why->column = 0;
		snprintf(why->text, sizeof(why->text), "more than %d values",
			 MAX_VALUES);
		return NULL;
	}
	while (!(value = json_loadb(*text, *len, flags, why))) {
		bool number =
			json_error_code(why) == json_error_numeric_overflow;

		if (number ? (flags & JSON_DECODE_INT_AS_REAL) != 0
			   : tried || !mend(text, len, mended))
			return NULL;
		if (number)
			flags |= JSON_DECODE_INT_AS_REAL;
		else
			tried = true;
	}
	return value;
}

static json_t *without_nul(const json_t *text)
{
	lb_autobuf struct lb_buf b = {0};
	const char *s = json_string_value(text);

	for (size_t i = 0; i < json_string_length(text); i++)
		if (s[i])
			lb_buf_putc(&b, s[i]);
		else
			lb_buf_puts(&b, "\xef\xbf\xbd");
	return json_stringn_nocheck(lb_buf_str(&b), b.len);
}

/* NUL in strings becomes U+FFFD, all the way down. jansson bounds depth. */
static void replace_nuls(json_t *value)
{
	const char *key;
	json_t *kid;
	size_t i;
	void *safe;

	json_object_foreach_safe(value, safe, key, kid)
	{
		if (json_is_string(kid) &&
		    strlen(json_string_value(kid)) != json_string_length(kid))
			json_object_set_new_nocheck(value, key,
						    without_nul(kid));
		else
			replace_nuls(kid);
	}
	json_array_foreach(value, i, kid)
	{
		if (json_is_string(kid) &&
		    strlen(json_string_value(kid)) != json_string_length(kid))
			json_array_set_new(value, i, without_nul(kid));
		else
			replace_nuls(kid);
	}
}

/* May a string of it hold a NUL? Most texts hold no escape at all. */
static bool has_nul_escape(const char *text, size_t len)
{
	const char *first = memchr(text, '\\', len);

	return first &&
	       memmem(first, len - (size_t)(first - text), "\\u0000", 6);
}

json_t *lb_load(const char **text, size_t *len, struct lb_buf *mended,
		json_error_t *why)
{
	json_t *value = load(text, len, mended, why);

	if (value && has_nul_escape(*text, *len))
		replace_nuls(value);
	return value;
}

json_t *lb_record_load(const char *text, size_t len, struct lb_buf *mended)
{
	json_error_t why;

	return lb_load(&text, &len, mended, &why);
}
