/* test-httpd - requests as a server reads them. TAP. */
#include <stdlib.h>

#include "base/mem.h"
#include "net/httpd-body.h"
#include "net/httpd-request.h"
#include "tap.h"

#define HOST "Host: a.b:8\r\n"

static const struct {
	const char *name, *text;
	const char *read; /* what came of it; NULL: */
	int status;       /* why it was not served; 0: more is needed */
} heads[] = {
	{"a path and a query", "GET /mcp?a=b%20c?d HTTP/1.1\r\n" HOST "\r\n",
	 "GET /mcp [a=b%20c?d] a.b stays"},
	{"no query", "GET / HTTP/1.1\r\nHOST: [::1]:80\r\n\r\n",
	 "GET / [] ::1 stays"},
	{"an older client", "GET / HTTP/1.0\r\n\r\n", "GET / []  old"},
	{"it closes", "GET / HTTP/1.1\r\n" HOST "Connection: x, Close\r\n\r\n",
	 "GET / [] a.b"},
	{"a length", "POST / HTTP/1.1\r\n" HOST "Content-Length: 12\r\n\r\n",
	 "POST / [] a.b stays 12"},
	{"chunks",
	 "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n",
	 "POST / [] a.b stays chunked"},
	{"it waits",
	 "POST / HTTP/1.1\r\n" HOST
	 "Content-Length: 1\r\nExpect: 100-Continue\r\n\r\n",
	 "POST / [] a.b stays waits 1"},
	{"a header, trimmed",
	 "GET / HTTP/1.1\r\n" HOST "X-A: \t b c\t \r\n\r\n",
	 "GET / [] a.b stays x-a=b c"},
	{"a header that is there twice",
	 "GET / HTTP/1.1\r\n" HOST "X-A: b\r\nx-a: c\r\n\r\n",
	 "GET / [] a.b stays x-a=b, c"},
	{"a header that is empty", "GET / HTTP/1.1\r\n" HOST "X-A:\r\n\r\n",
	 "GET / [] a.b stays x-a="},

	{"nothing yet", "", NULL, 0},
	{"half a head", "GET / HTTP/1.1\r\n" HOST, NULL, 0},
	{"no host", "GET / HTTP/1.1\r\n\r\n", NULL, 400},
	{"two hosts", "GET / HTTP/1.1\r\n" HOST HOST "\r\n", NULL, 400},
	{"a host that is none", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", NULL,
	 400},
	{"a host with a user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", NULL,
	 400},
	{"a decimal address", "GET / HTTP/1.1\r\nHost: 2130706433\r\n\r\n",
	 NULL, 400},
	{"a URL", "GET http://a.b/ HTTP/1.1\r\n" HOST "\r\n", NULL, 400},
	{"a fragment", "GET /a#b HTTP/1.1\r\n" HOST "\r\n", NULL, 400},
	{"no path", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", NULL, 400},
	{"two lengths, the same",
	 "POST / HTTP/1.1\r\n" HOST
	 "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
	 NULL, 400},
	{"a length and chunks",
	 "POST / HTTP/1.1\r\n" HOST
	 "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
	 NULL, 400},
	{"chunks of what is more than that",
	 "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: gzip, chunked\r\n\r\n",
	 NULL, 501},
	{"chunks twice",
	 "POST / HTTP/1.1\r\n" HOST
	 "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	 NULL, 400},
	{"chunks of an older client",
	 "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", NULL, 400},
	{"a length below zero",
	 "POST / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n", NULL, 400},
	{"a length with a sign",
	 "POST / HTTP/1.1\r\n" HOST "Content-Length: +1\r\n\r\n", NULL, 400},
	{"an empty length",
	 "POST / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n", NULL, 400},
	{"a length that no number holds",
	 "POST / HTTP/1.1\r\n" HOST
	 "Content-Length: 18446744073709551617\r\n\r\n",
	 NULL, 400},
	{"another Expect", "POST / HTTP/1.1\r\n" HOST "Expect: x\r\n\r\n", NULL,
	 417},
	{"a folded header", "GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n",
	 NULL, 400},
	{"a blank before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", NULL,
	 400},
	{"a line feed alone", "GET / HTTP/1.1\nHost: a\r\n\r\n", NULL, 400},
	{"HTTP/2", "PRI / HTTP/2.0\r\n\r\n", NULL, 505},
	{"no request", "\x16\x03\x01\r\n\r\n", NULL, 400},
};

static void put_read(struct lb_buf *out, const struct lb_httpd_request *r)
{
	const char *more = lb_httpd_header(r, "x-a");

	lb_buf_printf(out, "%s %s [%s] %s%s%s%s%s", r->method, r->path,
		      r->query, r->host.name, r->is_old ? " old" : "",
		      r->stays ? " stays" : "", r->waits ? " waits" : "",
		      r->chunked ? " chunked" : "");
	if (r->length > 0)
		lb_buf_printf(out, " %d", (int)r->length);
	if (more)
		lb_buf_printf(out, " x-a=%s", more);
}

static void check_head(size_t i)
{
	const char *text = heads[i].text;
	lb_autobuf struct lb_buf read = {0};
	struct lb_httpd_request r;
	struct lb_error err;
	size_t used = 0, len = strlen(text);
	int status = 0;
	int got = lb_httpd_request_read(text, len, &r, &used, &status, &err);

	if (heads[i].read && got == 1) {
		put_read(&read, &r);
		tap_same(heads[i].read, lb_buf_str(&read), heads[i].name);
	} else {
		tap_ok(!heads[i].read && status == heads[i].status &&
			       got == (heads[i].status ? -1 : 0),
		       heads[i].name);
	}
	lb_httpd_request_release(&r);
}

/* A head of that many bytes in that many headers: what becomes of it. */
static int sized(size_t size, size_t headers)
{
	lb_autobuf struct lb_buf text = {0};
	struct lb_httpd_request r;
	struct lb_error err;
	size_t used = 0;
	int status = 0, got;

	lb_buf_puts(&text, "GET / HTTP/1.1\r\n" HOST);
	for (size_t i = 1; i < headers; i++)
		lb_buf_printf(&text, "A%zu: b\r\n", i);
	lb_buf_puts(&text, "X: ");
	while (text.len < size - 4)
		lb_buf_putc(&text, 'x');
	lb_buf_puts(&text, "\r\n\r\nmore");
	got = lb_httpd_request_read(text.data, text.len, &r, &used, &status,
				    &err);
	lb_httpd_request_release(&r);
	return got == 1 ? (int)used : -status;
}

enum { MAX = 10 /* bytes of a body */ };

static const struct {
	const char *name;
	int length; /* -1: chunks */
	const char *text;
	const char *body; /* NULL: */
	int status;       /* why not; 0: more is needed */
} bodies[] = {
	{"a body", 5, "hello", "hello"},
	{"a body, and what follows", 5, "helloGET /", "hello"},
	{"no byte of one", 0, "", ""},
	{"less of it", 5, "hell", NULL, 0},
	{"as long as may be", 10, "0123456789", "0123456789"},
	{"longer", 11, "", NULL, 413},
	{"chunks", -1, "3\r\nabc\r\n2 ;x=\"y\"\r\nde\r\n0\r\n\r\n", "abcde"},
	{"chunks, and what follows", -1, "1\r\na\r\n0\r\n\r\n1\r\n", "a"},
	{"no chunk", -1, "0\r\n\r\n", ""},
	{"headers behind the last", -1, "1\r\na\r\n0\r\nA: b\r\nC: d\r\n\r\n",
	 "a"},
	{"letters of either case", -1, "A\r\n0123456789\r\n00\r\n\r\n",
	 "0123456789"},
	{"half a chunk", -1, "3\r\nab", NULL, 0},
	{"no last chunk", -1, "3\r\nabc\r\n", NULL, 0},
	{"no end behind the last", -1, "0\r\nA: b\r\n", NULL, 0},
	{"chunks that are too long together", -1,
	 "6\r\nabcdef\r\n5\r\nabcde\r\n0\r\n\r\n", NULL, 413},
	{"a chunk that is too long", -1, "b\r\n", NULL, 413},
	{"a size that no number holds", -1, "10000000000000005\r\nabcde", NULL,
	 400},
	{"no size", -1, "\r\nabc", NULL, 400},
	{"a size that is none", -1, "0x3\r\nabc", NULL, 400},
	{"a size below zero", -1, "-1\r\nabc", NULL, 400},
	{"a blank before it", -1, " 3\r\nabc", NULL, 400},
	{"a line feed alone", -1, "3\nabc\n0\n\n", NULL, 400},
	{"a carriage return in a line", -1, "3;\r \r\nabc", NULL, 400},
	{"more than was said", -1, "3\r\nabcd\r\n0\r\n\r\n", NULL, 400},
};

/* Fed so many bytes at a time. */
static void check_body(size_t i, size_t step)
{
	size_t len = strlen(bodies[i].text), at = 0, used;
	struct lb_httpd_body b;
	struct lb_error err;
	int status = 0, got;

	got = lb_httpd_body_begin(&b, bodies[i].length < 0,
				  (uint64_t)(bodies[i].length < 0
						     ? 0
						     : bodies[i].length),
				  MAX, &err);
	status = got < 0 ? 413 : 0;
	while (got == 0) {
		size_t n = len - at < step ? len - at : step;

		got = lb_httpd_body_feed(&b, bodies[i].text + at, n, &used,
					 &status, &err);
		at += used;
		if (got == 0 && at == len)
			break;
	}
	if (bodies[i].body && got == 1)
		tap_same(bodies[i].body, lb_buf_str(&b.text), bodies[i].name);
	else
		tap_ok(!bodies[i].body && status == bodies[i].status &&
			       got == (status ? -1 : 0),
		       bodies[i].name);
	lb_httpd_body_release(&b);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		check_head(i);
	tap_ok(sized(LB_HTTPD_HEAD, 2) == LB_HTTPD_HEAD,
	       "the longest head, and what follows it is not of it");
	tap_ok(sized(LB_HTTPD_HEAD + 1, 2) == -431, "a longer one");
	tap_ok(sized(2000, LB_HTTPD_HEADERS - 1) == 2000, "as many headers");
	tap_ok(sized(2000, LB_HTTPD_HEADERS) == -431, "one more");
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		check_body(i, 1000);
		check_body(i, 1);
	}
	return tap_end();
}
