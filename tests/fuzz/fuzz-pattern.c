/*
 * fuzz-pattern - a pattern for paths, a line feed, paths: what matches is what
 * a regular expression of the same meaning matches, and no folder above it is
 * passed over.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "tool/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PATTERN = 100, MAX_PATHS = 8 };

/* One character, as PCRE2 takes it whatever it is. */
static const char *put_char(struct lb_buf *re, const char *p, unsigned *code)
{
	size_t n = lb_utf8_char(p, strlen(p));
	unsigned char c = (unsigned char)*p;

	*code = n == 1 ? c : n == 2 ? c & 31U : n == 3 ? c & 15U : c & 7U;
	for (size_t i = 1; i < n; i++)
		*code = *code << 6 | ((unsigned char)p[i] & 63);
	lb_buf_printf(re, "\\x{%x}", *code);
	return p + n;
}

static const char *put_set(struct lb_buf *re, const char *p)
{
	lb_autobuf struct lb_buf set = {0};
	bool inverted = p[1] == '!' || p[1] == '^';

	p += inverted ? 2 : 1;
	do {
		unsigned from, to;
		size_t before = set.len;

		p = put_char(&set, p + (*p == '\\'), &from);
		if (*p != '-' || p[1] == ']')
			continue;
		lb_buf_putc(&set, '-');
		p++;
		p = put_char(&set, p + (*p == '\\'), &to);
		if (from > to)
			set.len = before;
	} while (*p != ']');
	if (set.len > 0)
		lb_buf_printf(re, "[%s%.*s]", inverted ? "^/" : "",
			      (int)set.len, set.data);
	else
		lb_buf_puts(re, inverted ? "[^/]" : "(*F)");
	return p + 1;
}

/* What is between two slashes. */
static void put_part(struct lb_buf *re, const char *p, const char *end)
{
	unsigned code;

	lb_buf_puts(re, "(?=[^/])");
	while (p < end)
		if (*p == '[')
			p = put_set(re, p);
		else if (*p == '*' || *p == '?')
			lb_buf_puts(re, *p++ == '*' ? "[^/]*" : "[^/]");
		else
			p = put_char(re, p + (*p == '\\' && p + 1 < end),
				     &code);
}

/* One without braces; a path that is a folder ends with a slash here. */
static void put_form(struct lb_buf *re, const char *p)
{
	bool slash = strncmp(p, "./", 2) == 0, folder;
	const char *end;
	size_t len;

	while (strncmp(p, "./", 2) == 0)
		p += 2;
	len = strlen(p);
	folder = len > 1 && p[len - 1] == '/';
	len -= folder;
	slash |= memchr(p, '/', len) != NULL;
	lb_buf_puts(re, slash ? "\\A(?:" : "\\A(?:[^/]+/)*(?:");
	end = p + len;
	p += strspn(p, "/");
	while (p < end) {
		size_t n = strcspn(p, "/");

		if (n == 2 && strncmp(p, "**", 2) == 0)
			lb_buf_puts(re, p + n < end && p[n + strspn(p + n, "/")]
						? "(?:[^/]+/)*"
						: ".+");
		else
			put_part(re, p, p + n);
		p += n;
		if (p < end && p[strspn(p, "/")] &&
		    (n != 2 || p[-1] != '*' || p[-2] != '*'))
			lb_buf_putc(re, '/');
		p += strspn(p, "/");
	}
	lb_buf_puts(re, folder ? ")/\\z" : ")/?\\z");
}

static bool form_matches(const char *form, const char *path)
{
	lb_autobuf struct lb_buf re = {0};
	struct lb_error err;
	struct lb_regex *regex;
	bool found;

	lb_buf_puts(&re, "(?s)");
	put_form(&re, form);
	regex = lb_regex_open(lb_buf_str(&re), &err);
	if (!regex)
		abort();
	found = lb_regex_search(regex, path, strlen(path), NULL);
	lb_regex_close(regex);
	return found;
}

/* Behind what begins there and is in no brace. */
static const char *choice(const char *p)
{
	int depth = 0;

	for (; depth > 0 || (*p != ',' && *p != '}'); p++)
		if (*p == '\\')
			p++;
		else
			depth += (*p == '{') - (*p == '}');
	return p;
}

/* One of those that its braces stand for. */
static bool any_matches(const char *text, const char *path)
{
	const char *open = text, *close, *from;
	bool found = false;

	for (; *open && *open != '{'; open++)
		open += *open == '\\' && open[1];
	if (!*open)
		return form_matches(text, path);
	for (close = choice(open + 1); *close == ',';)
		close = choice(close + 1);
	for (from = open + 1; from <= close; from = choice(from) + 1) {
		lb_autofree char *one =
			lb_printf("%.*s%.*s%s", (int)(open - text), text,
				  (int)(choice(from) - from), from, close + 1);

		found |= any_matches(one, path);
	}
	return found;
}

static void check(const struct lb_path_pattern *p, const char *text, char *path,
		  bool folder)
{
	size_t len = strlen(path);
	lb_autofree char *marked = lb_printf("%s%s", path, folder ? "/" : "");
	bool found = lb_path_pattern_match(p, path, len, folder);

	if (found != any_matches(text, marked))
		abort();
	for (size_t i = 0; found && i < len; i++)
		if (path[i] == '/' && !lb_path_pattern_reaches(p, path, i))
			abort();
}

/* A path as a walk tells one: no name in it is empty, "." or "..". */
static bool is_path(const char *path)
{
	for (;; path++) {
		size_t n = strcspn(path, "/");

		if (n == 0 || (n <= 2 && strspn(path, ".") >= n))
			return false;
		path += n;
		if (!*path)
			return true;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	lb_autobuf struct lb_buf all = {0};
	struct lb_path_pattern *p;
	struct lb_error err;
	char *text, *path, *rest;

	if (size > 1000 || memchr(data, 0, size))
		return 0;
	lb_utf8_clean(&all, (const char *)data, size);
	lb_buf_putc(&all, '\n');
	rest = all.data;
	text = strsep(&rest, "\n");
	if (strlen(text) > MAX_PATTERN)
		return 0;
	p = lb_path_pattern_open(text, &err);
	for (int i = 0; p && i < MAX_PATHS && (path = strsep(&rest, "\n")); i++)
		if (is_path(path))
			check(p, text, path, i % 2);
	lb_path_pattern_close(p);
	return 0;
}
