/*
 * fuzz-httpd - any bytes as what a client sends a server: a head and its body,
 * whole and byte by byte, which makes no difference. What is taken has one
 * host, a path, and headers that are one line each.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "net/httpd-body.h"
#include "net/httpd-request.h"

enum { MAX_BODY = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_request(const struct lb_httpd_request *r)
{
	must(*r->path == '/' && !strpbrk(r->path, " ?#\r\n"));
	must(!strpbrk(r->query, " #\r\n") && *r->method);
	must(r->is_old || r->host.name[0]);
	must(!r->chunked || (r->length == 0 && !r->is_old));
	must(!r->is_old || (!r->stays && !r->waits));
	for (size_t i = 0; i < r->n_headers; i++) {
		const struct lb_httpd_header *h = &r->headers[i];

		must(*h->name && !strpbrk(h->name, " \t:\r\nABCXYZ"));
		must(!strpbrk(h->value, "\r\n"));
		must(lb_httpd_header(r, h->name) == h->value);
	}
}

/* What came of a body, fed so many bytes at a time: 1, 0, -1. */
static int feed(struct lb_httpd_body *b, const struct lb_httpd_request *r,
		const char *text, size_t len, size_t step, size_t *used)
{
	struct lb_error err = {0};
	int status = 0, got;
	size_t n;

	*used = 0;
	got = lb_httpd_body_begin(b, r->chunked, r->length, MAX_BODY, &err);
	if (got < 0)
		return -1;
	do {
		size_t more = len - *used < step ? len - *used : step;

		got = lb_httpd_body_feed(b, text + *used, more, &n, &status,
					 &err);
		must(n <= more && (got >= 0 || status >= 400));
		must(got != 0 || n == more);
		*used += n;
	} while (got == 0 && *used < len);
	must(b->text.len <= MAX_BODY);
	return got;
}

static void check_body(const struct lb_httpd_request *r, const char *text,
		       size_t len)
{
	struct lb_httpd_body whole = {0}, parts = {0};
	size_t used, again;
	int got = feed(&whole, r, text, len, len + 1, &used);

	must(feed(&parts, r, text, len, 1, &again) == got);
	if (got == 1)
		must(used == again && whole.text.len == parts.text.len &&
		     memcmp(lb_buf_str(&whole.text), lb_buf_str(&parts.text),
			    whole.text.len) == 0 &&
		     (r->chunked || whole.text.len == r->length));
	lb_httpd_body_release(&whole);
	lb_httpd_body_release(&parts);
}

static int read_all(const char *text, size_t len, struct lb_httpd_request *r,
		    size_t *used)
{
	struct lb_error err = {0};
	int status = 0;
	int got = lb_httpd_request_read(text, len, r, used, &status, &err);

	must(got >= -1 && got <= 1);
	must(got >= 0 || (status >= 400 && status <= 599 && err.text[0]));
	return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own size: a byte too far is seen. */
	lb_autofree char *text = lb_alloc(size + 1);
	struct lb_httpd_request r, part;
	size_t used = 0, part_used = 0;

	if (size == 0)
		return 0;
	memcpy(text, data, size);
	if (read_all(text, size, &r, &used) == 1) {
		must(used >= 4 && used <= size &&
		     memcmp(text + used - 4, "\r\n\r\n", 4) == 0);
		check_request(&r);
		check_body(&r, text + used, size - used);
		/* it is not whole before */
		must(read_all(text, used - 1, &part, &part_used) == 0);
		lb_httpd_request_release(&part);
	}
	lb_httpd_request_release(&r);
	return 0;
}
