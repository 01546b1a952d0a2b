#include "net/httpd-body.h"

#include <string.h>

enum {
	LONGEST_LINE = 1024, /* of a chunk's size, and what is said of it */
	LAST_LINES = 8192,   /* of what is behind the last chunk */
	MOST_DIGITS = 15,
};

static int too_long(struct lb_error *err)
{
	return lb_fail(err, LB_DATA, "the body of the request is too long");
}

int lb_httpd_body_begin(struct lb_httpd_body *b, bool chunked, uint64_t length,
			size_t max, struct lb_error *err)
{
	*b = (struct lb_httpd_body){.max = max, .chunked = chunked};
	b->at = chunked ? LB_HTTPD_SIZE : LB_HTTPD_BYTES;
	b->left = chunked ? 0 : length;
	return !chunked && length > max ? too_long(err) : 0;
}

static int refuse(int *status, struct lb_error *err)
{
	*status = 400;
	return lb_fail(err, LB_DATA, "a chunk of the body is malformed");
}

/* Gather a line that ends in CR LF. 1: it is whole, without its end. */
static int take_line(struct lb_httpd_body *b, const char *data, size_t len,
		     size_t *used)
{
	const char *end = memchr(data, '\n', len);
	size_t n = end ? (size_t)(end - data) + 1 : len;

	if (b->line.len + n > LONGEST_LINE)
		return -1;
	lb_buf_put(&b->line, data, n);
	*used += n;
	if (!end)
		return 0;
	n = b->line.len;
	if (n < 2 || b->line.data[n - 2] != '\r' ||
	    memchr(b->line.data, '\r', n - 2))
		return -1;
	b->line.len = n - 2;
	b->line.data[n - 2] = '\0';
	return 1;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "1f", perhaps with blanks and what begins with ';' behind it. */
static bool read_size(const char *line, uint64_t *size)
{
	size_t n = 0;

	*size = 0;
	for (; digit(line[n]) >= 0; n++) {
		if (n == MOST_DIGITS)
			return false;
		*size = *size * 16 + (uint64_t)digit(line[n]);
	}
	if (n == 0)
		return false;
	line += n + strspn(line + n, " \t");
	return *line == '\0' || *line == ';';
}

static int take_size(struct lb_httpd_body *b, int *status, struct lb_error *err)
{
	if (!read_size(lb_buf_str(&b->line), &b->left))
		return refuse(status, err);
	lb_buf_reset(&b->line);
	if (b->left > b->max - b->text.len) {
		*status = 413;
		return too_long(err);
	}
	b->at = b->left > 0 ? LB_HTTPD_BYTES : LB_HTTPD_LAST;
	return 0;
}

static void take_bytes(struct lb_httpd_body *b, const char *data, size_t len,
		       size_t *used)
{
	size_t n = len < b->left ? len : (size_t)b->left;

	lb_buf_put(&b->text, data, n);
	b->left -= n;
	*used += n;
	if (b->left == 0 && b->chunked)
		b->at = LB_HTTPD_AFTER;
}

/* A line is whole. 1: so is the body. */
static int end_line(struct lb_httpd_body *b, int *status, struct lb_error *err)
{
	if (b->at == LB_HTTPD_SIZE)
		return take_size(b, status, err);
	if (b->at == LB_HTTPD_AFTER && b->line.len > 0)
		return refuse(status, err);
	if (b->at == LB_HTTPD_AFTER) {
		b->at = LB_HTTPD_SIZE;
		return 0;
	}
	b->lines += b->line.len + 2;
	if (b->lines > LAST_LINES)
		return refuse(status, err);
	if (b->line.len == 0)
		return 1;
	lb_buf_reset(&b->line);
	return 0;
}

int lb_httpd_body_feed(struct lb_httpd_body *b, const char *data, size_t len,
		       size_t *used, int *status, struct lb_error *err)
{
	int got;

	*used = 0;
	for (;;) {
		if (b->at == LB_HTTPD_BYTES) {
			take_bytes(b, data + *used, len - *used, used);
			if (b->left == 0 && !b->chunked)
				return 1;
		}
		if (*used == len)
			return 0;
		if (b->at == LB_HTTPD_BYTES)
			continue;
		got = take_line(b, data + *used, len - *used, used);
		if (got < 0)
			return refuse(status, err);
		if (got == 0)
			return 0;
		got = end_line(b, status, err);
		if (got != 0)
			return got;
	}
}

void lb_httpd_body_release(struct lb_httpd_body *b)
{
	lb_buf_release(&b->text);
	lb_buf_release(&b->line);
}
