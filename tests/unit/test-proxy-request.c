/* test-proxy-request - what a client asks of the proxy. TAP. */
#include <stdlib.h>

#include "base/mem.h"
#include "net/proxy-request.h"
#include "tap.h"

static const struct {
	const char *name, *text;
	const char *host, *head; /* what came of it; or */
	int status;              /* why it was not served; 0: more is needed */
} rows[] = {
	{"a tunnel", "CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
	 "example.org:443", ""},
	{"a tunnel to an IPv6 address",
	 "CONNECT [2001:db8::1]:8443 HTTP/1.0\r\n\r\n", "[2001:db8::1]:8443",
	 ""},
	{"a URL",
	 "GET http://Example.org/a?b=c HTTP/1.1\r\nAccept: */*\r\n\r\n",
	 "example.org:80",
	 "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n"
	 "Connection: close\r\n\r\n"},
	{"a URL with a port, without a path",
	 "HEAD http://example.org:8080 HTTP/1.0\r\n\r\n", "example.org:8080",
	 "HEAD / HTTP/1.0\r\nHost: example.org:8080\r\n"
	 "Connection: close\r\n\r\n"},
	{"a query without a path", "GET HTTP://example.org?q HTTP/1.1\r\n\r\n",
	 "example.org:80",
	 "GET /?q HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"},
	{"a fragment stays here", "GET http://example.org/a#b HTTP/1.1\r\n\r\n",
	 "example.org:80",
	 "GET /a HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"},
	{"what is between two of a chain stays here",
	 "POST http://example.org/ HTTP/1.1\r\nHost: other.example\r\n"
	 "PROXY-Authorization: Basic x\r\nProxy-Connection: "
	 "keep-alive\r\nProxy-: x\r\n"
	 "connection: keep-alive\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
	 "Upgrade: websocket\r\nContent-Length: 3\r\nX-Proxy: 1\r\n\r\n",
	 "example.org:80",
	 "POST / HTTP/1.1\r\nHost: example.org\r\nContent-Length: 3\r\n"
	 "X-Proxy: 1\r\nConnection: close\r\n\r\n"},
	{"an at sign in a path", "GET http://example.org/a@b HTTP/1.1\r\n\r\n",
	 "example.org:80",
	 "GET /a@b HTTP/1.1\r\nHost: example.org\r\n"
	 "Connection: close\r\n\r\n"},

	{"nothing yet", "", NULL, NULL, 0},
	{"half a line", "GET http://exam", NULL, NULL, 0},
	{"a head without its end", "GET http://a.b/ HTTP/1.1\r\nA: b\r\n", NULL,
	 NULL, 0},
	{"no head at all", "\x05\x01\x02\r\n\r\n", NULL, NULL, 400},
	{"no target", "GET HTTP/1.1\r\n\r\n", NULL, NULL, 400},
	{"two blanks", "GET  http://a.b/ HTTP/1.1\r\n\r\n", NULL, NULL, 400},
	{"a blank in a URL", "GET http://a.b/ c HTTP/1.1\r\n\r\n", NULL, NULL,
	 505},
	{"a control character in a URL", "GET http://a.b/\x01 HTTP/1.1\r\n\r\n",
	 NULL, NULL, 400},
	{"a method that is none", "G(T http://a.b/ HTTP/1.1\r\n\r\n", NULL,
	 NULL, 400},
	{"a path alone", "GET / HTTP/1.1\r\nHost: a.b\r\n\r\n", NULL, NULL,
	 400},
	{"https without a tunnel", "GET https://a.b/ HTTP/1.1\r\n\r\n", NULL,
	 NULL, 400},
	{"another scheme", "GET ftp://a.b/ HTTP/1.1\r\n\r\n", NULL, NULL, 400},
	{"no host", "GET http:///x HTTP/1.1\r\n\r\n", NULL, NULL, 400},
	{"a user", "GET http://u@a.b/ HTTP/1.1\r\n\r\n", NULL, NULL, 400},
	{"a user and another host", "GET http://a.b:80@c.d/ HTTP/1.1\r\n\r\n",
	 NULL, NULL, 400},
	{"a backslash", "GET http://a.b\\@c.d/ HTTP/1.1\r\n\r\n", NULL, NULL,
	 400},
	{"a decimal address", "GET http://2130706433/ HTTP/1.1\r\n\r\n", NULL,
	 NULL, 400},
	{"a tunnel without a port", "CONNECT a.b HTTP/1.1\r\n\r\n", NULL, NULL,
	 400},
	{"a tunnel to a URL", "CONNECT http://a.b:80 HTTP/1.1\r\n\r\n", NULL,
	 NULL, 400},
	{"a word that is no method of ours", "connect a.b:80 HTTP/1.1\r\n\r\n",
	 NULL, NULL, 400},
	{"HTTP/2", "GET http://a.b/ HTTP/2\r\n\r\n", NULL, NULL, 505},
	{"small letters", "GET http://a.b/ http/1.1\r\n\r\n", NULL, NULL, 505},
	{"a line feed alone", "GET http://a.b/ HTTP/1.1\nA: b\r\n\r\n", NULL,
	 NULL, 400},
	{"a line feed in a header",
	 "GET http://a.b/ HTTP/1.1\r\nA: b\nHost: c\r\n\r\n", NULL, NULL, 400},
	{"a carriage return in a header",
	 "GET http://a.b/ HTTP/1.1\r\nA: b\rc\r\n\r\n", NULL, NULL, 400},
	{"a folded header", "GET http://a.b/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
	 NULL, NULL, 400},
	{"a blank before the colon",
	 "GET http://a.b/ HTTP/1.1\r\nA : b\r\n\r\n", NULL, NULL, 400},
	{"a header without a name", "GET http://a.b/ HTTP/1.1\r\n: b\r\n\r\n",
	 NULL, NULL, 400},
	{"a header that is none", "CONNECT a.b:80 HTTP/1.1\r\nwhat\r\n\r\n",
	 NULL, NULL, 400},
};

static void check(size_t i)
{
	const char *text = rows[i].text;
	struct lb_proxy_request r;
	struct lb_error err;
	size_t used = 0, len = strlen(text);
	int status = 0;
	int got = lb_proxy_request_read(text, len, &r, &used, &status, &err);
	lb_autofree char *host = lb_host_text(&r.host);

	if (rows[i].host)
		tap_ok(got == 1 && used == len &&
			       strcmp(rows[i].host, host) == 0 &&
			       r.tunnel == !*rows[i].head,
		       rows[i].name);
	else
		tap_ok(got == (rows[i].status ? -1 : 0) &&
			       status == rows[i].status,
		       rows[i].name);
	if (rows[i].host)
		tap_same(rows[i].head, lb_buf_str(&r.head), "what is sent on");
	lb_proxy_request_release(&r);
}

/* A head of that many bytes: is it taken? */
static int sized(size_t size, int *status)
{
	static const char begin[] = "GET http://a.b/ HTTP/1.1\r\nA: ";
	lb_autofree char *text = lb_alloc(size + 8);
	struct lb_proxy_request r;
	struct lb_error err;
	size_t used;
	int got;

	memset(text, 'x', size);
	memcpy(text, begin, sizeof(begin) - 1);
	memcpy(text + size - 4, "\r\n\r\nmore", 8);
	got = lb_proxy_request_read(text, size + 4, &r, &used, status, &err);
	lb_proxy_request_release(&r);
	return got == 1 && used != size ? -2 : got;
}

int main(void)
{
	int status = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(i);
	tap_ok(sized(LB_PROXY_HEAD, &status) == 1,
	       "the longest head, and what follows it is not of it");
	tap_ok(sized(LB_PROXY_HEAD + 1, &status) == -1 && status == 431,
	       "a longer one");
	return tap_end();
}
