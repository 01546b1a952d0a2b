#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

enum { FIRST_CAP = 256 };

void lb_buf_release(struct lb_buf *b)
{
	free(b->data);
	*b = (struct lb_buf){0};
}

void lb_buf_reserve(struct lb_buf *b, size_t more)
{
	size_t want = b->len + more + 1, cap = b->cap ? b->cap : FIRST_CAP;

	if (want <= b->cap)
		return;
	while (cap < want)
		cap *= 2;
	b->data = lb_grow(b->data, cap);
	b->data[b->len] = '\0'; /* also where nothing follows */
	b->cap = cap;
}

void lb_buf_printf(struct lb_buf *b, const char *fmt, ...)
{
	va_list args, again;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n >= 0) {
		lb_buf_reserve(b, (size_t)n);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void lb_buf_json_str(struct lb_buf *b, const char *text, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t from = 0;

	lb_buf_reserve(b, len + 2);
	lb_buf_putc(b, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		char esc[7] = "\\u00";
		const char *put = esc;

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		lb_buf_put(b, text + from, i - from);
		from = i + 1;
		if (c == '"')
			put = "\\\"";
		else if (c == '\\')
			put = "\\\\";
		else if (c == '\n')
			put = "\\n";
		else if (c == '\t')
			put = "\\t";
		else if (c == '\r')
			put = "\\r";
		else {
			esc[4] = hex[c >> 4];
			esc[5] = hex[c & 15];
		}
		lb_buf_puts(b, put);
	}
	lb_buf_put(b, text + from, len - from);
	lb_buf_putc(b, '"');
}

static int put_dumped(const char *text, size_t len, void *arg)
{
	lb_buf_put(arg, text, len);
	return 0;
}

void lb_buf_json(struct lb_buf *b, const json_t *value)
{
	if (json_dump_callback(value, put_dumped, b,
			       JSON_COMPACT | JSON_ENCODE_ANY) < 0) {
		fputs("lb: cannot encode a JSON value\n", stderr);
		_Exit(LB_BUG);
	}
}

void lb_buf_shift(struct lb_buf *b, size_t n)
{
	if (n == 0)
		return;
	b->len -= n;
	memmove(b->data, b->data + n, b->len + 1);
}

char *lb_buf_take(struct lb_buf *b)
{
	char *text = b->data ? b->data : lb_strdup("");

	*b = (struct lb_buf){0};
	return text;
}
