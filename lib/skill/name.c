#include "skill/name.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "fs/digest.h"

static bool is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

const char *lb_skill_name_why(const char *name, size_t len)
{
	if (len == 0)
		return "is empty";
	if (len > LB_SKILL_NAME_MAX)
		return "is longer than 64 characters";
	for (size_t i = 0; i < len; i++)
		if (name[i] >= 'A' && name[i] <= 'Z')
			return "has upper-case letters";
	for (size_t i = 0; i < len; i++)
		if (!is_lower(name[i]) && name[i] != '-')
			return "has other characters than a-z, 0-9 and hyphens";
	if (name[0] == '-' || name[len - 1] == '-')
		return "begins or ends with a hyphen";
	for (size_t i = 1; i < len; i++)
		if (name[i] == '-' && name[i - 1] == '-')
			return "has two hyphens in a row";
	return NULL;
}

/* U+00C0 to U+00FF without their accents; '-' is no letter. */
static const char latin[] = "aaaaaaaceeeeiiiidnooooo-ouuuuyts"
			    "aaaaaaaceeeeiiiidnooooo-ouuuuyty";

/* The letter or digit that a character stands for; '-' for none. */
static char plain(const char *c, size_t n)
{
	const unsigned char *b = (const unsigned char *)c;

	if (n == 1 && *c >= 'A' && *c <= 'Z')
		return (char)(*c - 'A' + 'a');
	if (n == 1 && is_lower(*c))
		return *c;
	if (n == 2 && b[0] == 0xc3)
		return latin[b[1] & 0x3f];
	return '-';
}

static void put(struct lb_buf *b, char c)
{
	if (b->len == LB_SKILL_NAME_MAX)
		return;
	if (c != '-' || (b->len > 0 && b->data[b->len - 1] != '-'))
		lb_buf_putc(b, c);
}

static char *numbered(const char *text)
{
	unsigned char sum[LB_DIGEST_SIZE];
	const struct lb_piece piece = {text, strlen(text)};

	lb_digest(&piece, 1, sum);
	return lb_printf("skill-%02x%02x%02x%02x", sum[0], sum[1], sum[2],
			 sum[3]);
}

char *lb_skill_name_of(const char *text)
{
	lb_autobuf struct lb_buf b = {0};
	size_t len = strlen(text);

	for (size_t i = 0, n; i < len; i += n) {
		n = lb_utf8_char(text + i, len - i);
		n = n ? n : 1;
		put(&b, plain(text + i, n));
		if (n == 2 && memcmp(text + i, "\xc3\x9f", 2) == 0)
			put(&b, 's'); /* sharp s */
	}
	while (b.len > 0 && b.data[b.len - 1] == '-')
		b.data[--b.len] = '\0';
	return b.len > 0 ? lb_buf_take(&b) : numbered(text);
}
