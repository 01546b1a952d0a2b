#include "record/fence.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool lb_fence_opens(const char *line, size_t len, struct lb_fence *fence)
{
	size_t indent = 0, n;
	char mark;

	while (indent < len && is_blank(line[indent]))
		indent++;
	if (indent == len || (line[indent] != '`' && line[indent] != '~'))
		return false;
	mark = line[indent];
	for (n = indent; n < len && line[n] == mark;)
		n++;
	if (n - indent < 3 || (mark == '`' && memchr(line + n, '`', len - n)))
		return false;
	if (len > 0 && line[len - 1] == '\r')
		len--;
	*fence = (struct lb_fence){line, len, indent, mark, n - indent};
	return true;
}

bool lb_fence_closes(const char *line, size_t len, const struct lb_fence *fence)
{
	size_t at = 0, n = 0;

	while (at < len && is_blank(line[at]))
		at++;
	for (; at < len && line[at] == fence->mark; at++)
		n++;
	while (at < len && is_blank(line[at]))
		at++;
	return at == len && n >= fence->count;
}

const char *lb_fence_language(const struct lb_fence *fence, size_t *len)
{
	size_t at = fence->indent + fence->count, end;

	while (at < fence->len && is_blank(fence->line[at]))
		at++;
	for (end = at; end < fence->len && !is_blank(fence->line[end]);)
		end++;
	*len = end - at;
	return fence->line + at;
}
