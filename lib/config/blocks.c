#include "config/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "config/yaml.h"

static size_t line_length(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	return end ? (size_t)(end - text) + 1 : len;
}

/* Does a line begin a block, or what we do not know? */
static bool begins(const char *text)
{
	return !strchr(" \t#\r\n", *text);
}

/* The key of a line "key:" or "\"key\":"; NULL when it is none. New. */
static char *key_of(const char *text, size_t len)
{
	bool quoted = *text == '"';
	const char *end = memmem(text, len, quoted ? "\":" : ":", quoted + 1U);

	if (!end || strchr("{[%-?&*!|>'", *text))
		return NULL;
	return lb_strndup(text + quoted, (size_t)(end - text) - quoted);
}

/* Only its line ends, so that what follows keeps its number. */
static void put_empty(struct lb_buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\n')
			lb_buf_putc(out, '\n');
}

/* False: the file is not laid out in blocks. */
static bool filter(const char *text, size_t len, lb_block_fn *want, void *arg,
		   struct lb_buf *out)
{
	while (len > 0) {
		size_t first = line_length(text, len), n = first;
		lb_autofree char *key = NULL;
		bool block = begins(text);

		if (block && !(key = key_of(text, first)))
			return false;
		while (n < len && !begins(text + n))
			n += line_length(text + n, len - n);
		if (block && want(arg, key, text, n))
			lb_buf_put(out, text, n);
		else
			put_empty(out, text, n);
		text += n;
		len -= n;
	}
	return true;
}

json_t *lb_blocks_load(const char *path, size_t max, lb_block_fn *want,
		       void *arg, struct lb_error *err)
{
	lb_autofree char *text = NULL;
	lb_autobuf struct lb_buf some = {0};
	size_t len;

	if (lb_path_read(path, max, &text, &len, err) < 0)
		return NULL;
	if (filter(text, len, want, arg, &some))
		return lb_yaml_parse(lb_buf_str(&some), some.len, path, err);
	return lb_yaml_parse(text, len, path, err);
}

char *lb_block_value(const char *text, size_t len, const char *name)
{
	size_t n = strlen(name);

	while (len > 0) {
		size_t line = line_length(text, len), at = 0, end = line;

		while (at < line && text[at] == ' ')
			at++;
		if (at > 0 && line - at > n + 1 &&
		    memcmp(text + at, name, n) == 0 && text[at + n] == ':') {
			at += n + 1;
			while (at < end && strchr(" \"'", text[at]))
				at++;
			while (end > at && strchr(" \"'\r\n", text[end - 1]))
				end--;
			return lb_strndup(text + at, end - at);
		}
		text += line;
		len -= line;
	}
	return NULL;
}
