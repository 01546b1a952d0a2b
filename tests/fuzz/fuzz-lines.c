/*
 * fuzz-lines - a pattern, a line feed, a text: grep's quick ways to find lines
 * find those that the pattern matches alone, and no others.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tool/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PATTERN = 200, MAX_TEXT = 40000 };

static bool note(void *arg, const struct lb_line_found *line)
{
	lb_buf_printf(arg, "%zu ", line->number);
	return true;
}

/* What each line says of itself; false: one was too hard. */
static bool slowly(struct lb_regex *re, const char *text, size_t len,
		   struct lb_buf *out)
{
	size_t at = 0;
	bool gave_up = false;

	for (size_t number = 1; at < len && !gave_up; number++) {
		const char *line = text + at;
		const char *nl = memchr(line, '\n', len - at);
		size_t n = nl ? (size_t)(nl - line) : len - at;
		struct lb_regex_place place = {0};

		at += n + 1;
		n -= n > 0 && line[n - 1] == '\r';
		if (lb_regex_find(re, line, n, &place, &gave_up))
			lb_buf_printf(out, "%zu ", number);
	}
	return !gave_up;
}

static void check(const char *pattern, const char *text, size_t len)
{
	struct lb_line_search s = {.deadline = INT64_MAX, .found = note};
	lb_autobuf struct lb_buf quick = {0}, slow = {0};
	struct lb_error err;

	s.arg = &quick;
	s.re = lb_regex_open_lines(pattern, &err);
	if (!s.re)
		return;
	lb_literal_read(&s.literal, pattern);
	lb_line_search(&s, text, len);
	if (slowly(s.re, text, len, &slow) && !s.gave_up &&
	    strcmp(lb_buf_str(&quick), lb_buf_str(&slow)) != 0)
		abort();
	lb_regex_close(s.re);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *all = (const char *)data;
	const char *nl = size > 0 ? memchr(all, '\n', size) : NULL;
	lb_autofree char *pattern = NULL, *text = NULL;
	size_t len;

	if (!nl || nl - all > MAX_PATTERN || memchr(all, 0, (size_t)(nl - all)))
		return 0;
	pattern = lb_strndup(all, (size_t)(nl - all));
	len = size - (size_t)(nl + 1 - all);
	len = len > MAX_TEXT ? MAX_TEXT : len;
	/* A copy of its own: what reads beyond it is seen. */
	text = lb_alloc_raw(len + 1);
	memcpy(text, nl + 1, len);
	check(pattern, text, len);
	return 0;
}
