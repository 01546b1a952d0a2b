/*
 * base/buf.h - bytes that grow.
 *
 * A struct lb_buf of zeroes is an empty buffer. `data` always ends with a NUL
 * that `len` does not count, once anything was put into it. Callers bound
 * what they put in: nothing from outside is appended without a limit.
 */
#ifndef LB_BASE_BUF_H
#define LB_BASE_BUF_H

#include <jansson.h>
#include <stddef.h>
#include <string.h>

struct lb_buf {
	char *data; /* NULL while nothing was ever put in */
	size_t len, cap;
};

#define lb_autobuf __attribute__((cleanup(lb_buf_release)))

void lb_buf_release(struct lb_buf *b);

/* Make room for `more` bytes and the NUL. */
void lb_buf_reserve(struct lb_buf *b, size_t more);

static inline void lb_buf_put(struct lb_buf *b, const char *text, size_t len)
{
	/* There must be room for the NUL, too. No data is no cap; it is said
	 * for those who check this code and cannot know. */
	if (!b->data || b->len + len >= b->cap)
		lb_buf_reserve(b, len);
	if (len > 0)
		memcpy(b->data + b->len, text, len);
	b->len += len;
	b->data[b->len] = '\0';
}

static inline void lb_buf_puts(struct lb_buf *b, const char *s)
{
	lb_buf_put(b, s, strlen(s));
}

static inline void lb_buf_putc(struct lb_buf *b, char c)
{
	lb_buf_put(b, &c, 1);
}

void lb_buf_printf(struct lb_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));

/* `text` as a JSON string with its quotes. It must be valid UTF-8. */
void lb_buf_json_str(struct lb_buf *b, const char *text, size_t len);

/* A JSON value, compact. */
void lb_buf_json(struct lb_buf *b, const json_t *value);

/* Empty it, keeping the memory. */
static inline void lb_buf_reset(struct lb_buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

/* Drop the first n bytes. */
void lb_buf_shift(struct lb_buf *b, size_t n);

/* The bytes as a string ("" when empty), borrowed. */
static inline const char *lb_buf_str(const struct lb_buf *b)
{
	return b->data ? b->data : "";
}

/* Give the bytes away as a malloc'd string; the buffer is empty after. */
char *lb_buf_take(struct lb_buf *b);

#endif
