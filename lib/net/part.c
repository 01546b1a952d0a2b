#include "net/part.h"

#include <string.h>
#include <strings.h>

bool lb_part_cut(struct lb_part s, char c, struct lb_part *before,
		 struct lb_part *rest)
{
	const char *at = memchr(s.at, c, s.len);

	if (!at)
		return false;
	*before = (struct lb_part){s.at, (size_t)(at - s.at)};
	*rest = (struct lb_part){at + 1, s.len - before->len - 1};
	return true;
}

bool lb_part_line(struct lb_part *text, struct lb_part *line)
{
	if (!lb_part_cut(*text, '\n', line, text) || line->len == 0 ||
	    line->at[line->len - 1] != '\r')
		return false;
	line->len--;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct lb_part lb_part_trim(struct lb_part s)
{
	while (s.len > 0 && is_blank(*s.at)) {
		s.at++;
		s.len--;
	}
	while (s.len > 0 && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

bool lb_part_is(struct lb_part s, const char *word)
{
	return s.len == strlen(word) && strncasecmp(s.at, word, s.len) == 0;
}

bool lb_part_is_token(struct lb_part s)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		      (c >= 'A' && c <= 'Z') || (c && strchr(others, c))))
			return false;
	}
	return s.len > 0;
}

bool lb_part_is_visible(struct lb_part s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.at[i] <= ' ' || s.at[i] == 0x7f)
			return false;
	return s.len > 0;
}

bool lb_part_is_value(struct lb_part s)
{
	for (size_t i = 0; i < s.len; i++)
		if (((unsigned char)s.at[i] < ' ' && s.at[i] != '\t') ||
		    s.at[i] == 0x7f)
			return false;
	return true;
}
