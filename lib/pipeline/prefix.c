#include "pipeline/prefix.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

/*
 * Is the character at text part of a word? Of ASCII what is; beyond it the
 * blocks of alphabets, from Latin with accents to those of India and Ethiopia,
 * and not the signs between them.
 */
static bool is_word(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = lb_utf8_char(text, len);
	unsigned code;

	if (n == 1)
		return isalnum(*p);
	if (n == 2) {
		code = (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU);
		return code >= 0xc0 && code != 0xd7 && code != 0xf7;
	}
	if (n == 3) {
		code = (p[0] & 0x0fU) << 12 | (p[1] & 0x3fU) << 6 |
		       (p[2] & 0x3fU);
		return code < 0x2000;
	}
	return false;
}

/* The last character of a text that is not empty. */
static bool ends_in_word(const char *text, size_t len)
{
	size_t at = len - 1;

	while (at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80)
		at--;
	return is_word(text + at, len - at);
}

const char *lb_prefix_find(const json_t *list, const char *text, size_t len,
			   bool whole)
{
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		const char *prefix = json_string_value(one);
		size_t n = json_string_length(one);

		if (n > len || memcmp(text, prefix, n) != 0)
			continue;
		if (!whole || n == 0 || n == len || !ends_in_word(prefix, n) ||
		    !is_word(text + n, len - n))
			return prefix;
	}
	return NULL;
}
