#include "net/proxy-request.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/part.h"

enum { LONGEST_METHOD = 32 };

struct wrong {
	int *status;
	struct lb_error *err;
};

static int refuse(const struct wrong *w, int status, const char *why)
{
	*w->status = status;
	lb_fail(w->err, LB_DATA, "%s", why);
	return -1;
}

/* What is between two of a chain, and not for the last of them. */
static bool is_hop(struct lb_part name)
{
	static const char *const hops[] = {
		"Connection", "Host", "Keep-Alive", "TE", "Upgrade",
	};

	for (size_t i = 0; i < sizeof(hops) / sizeof(hops[0]); i++)
		if (lb_part_is(name, hops[i]))
			return true;
	return name.len >= 6 && strncasecmp(name.at, "Proxy-", 6) == 0;
}

static int read_host(struct lb_part authority, int port, struct lb_host *host,
		     const struct wrong *w)
{
	struct lb_error err;

	if (memchr(authority.at, '@', authority.len))
		return refuse(w, 400, "there is a name or password in it");
	if (lb_host_read(host, authority.at, authority.len, &err) < 0)
		return refuse(w, 400, err.text);
	if (host->port < 0)
		host->port = port;
	return host->port > 0 ? 0 : refuse(w, 400, "a port is missing");
}

/* Put the request line and Host of a request for "http://HOST/PATH". */
static int read_url(struct lb_proxy_request *r, struct lb_part method,
		    struct lb_part target, struct lb_part version,
		    const struct wrong *w)
{
	static const char scheme[] = "http://";
	const size_t at = sizeof(scheme) - 1;
	lb_autofree char *host = NULL;
	struct lb_part path;

	if (target.len <= at || strncasecmp(target.at, scheme, at) != 0)
		return refuse(w, 400,
			      "only http is asked for in that way; https goes "
			      "by CONNECT");
	target = (struct lb_part){target.at + at, target.len - at};
	for (path = target; path.len > 0 && !strchr("/?#", *path.at); path.at++)
		path.len--;
	target.len -= path.len;
	if (read_host(target, 80, &r->host, w) < 0)
		return -1;
	if (memchr(path.at, '#', path.len))
		path.len =
			(size_t)((const char *)memchr(path.at, '#', path.len) -
				 path.at);
	if (r->host.port == 80)
		r->host.port = -1; /* a usual one is not named */
	host = lb_host_text(&r->host);
	r->host.port = r->host.port < 0 ? 80 : r->host.port;
	lb_buf_printf(&r->head, "%.*s %s%.*s %.*s\r\nHost: %s\r\n",
		      (int)method.len, method.at,
		      path.len > 0 && *path.at == '/' ? "" : "/", (int)path.len,
		      path.at, (int)version.len, version.at, host);
	return 0;
}

static int read_first(struct lb_proxy_request *r, struct lb_part line,
		      const struct wrong *w)
{
	struct lb_part method, target, version;

	if (!lb_part_cut(line, ' ', &method, &line) ||
	    !lb_part_cut(line, ' ', &target, &version) ||
	    !lb_part_is_token(method) || method.len > LONGEST_METHOD ||
	    !lb_part_is_visible(target))
		return refuse(w, 400, "that is no request");
	if (version.len != 8 || (memcmp(version.at, "HTTP/1.1", 8) != 0 &&
				 memcmp(version.at, "HTTP/1.0", 8) != 0))
		return refuse(w, 505, "only HTTP/1.1 and HTTP/1.0 are spoken");
	r->tunnel = method.len == 7 && memcmp(method.at, "CONNECT", 7) == 0;
	return r->tunnel ? read_host(target, -1, &r->host, w)
			 : read_url(r, method, target, version, w);
}

static int read_header(struct lb_proxy_request *r, struct lb_part line,
		       const struct wrong *w)
{
	struct lb_part name, value;

	if (!lb_part_cut(line, ':', &name, &value) || !lb_part_is_token(name) ||
	    !lb_part_is_value(value))
		return refuse(w, 400, "a header is malformed");
	if (r->tunnel || is_hop(name))
		return 0;
	lb_buf_put(&r->head, line.at, line.len);
	lb_buf_puts(&r->head, "\r\n");
	return 0;
}

int lb_proxy_request_read(const char *text, size_t len,
			  struct lb_proxy_request *r, size_t *used, int *status,
			  struct lb_error *err)
{
	const struct wrong w = {status, err};
	const char *end = memmem(text, len, "\r\n\r\n", 4);
	struct lb_part rest, line;

	*r = (struct lb_proxy_request){.tunnel = false};
	if (!end && len < LB_PROXY_HEAD)
		return 0;
	if (!end || end + 4 - text > LB_PROXY_HEAD)
		return refuse(&w, 431, "the head of the request is too long");
	*used = (size_t)(end + 4 - text);
	rest = (struct lb_part){text, *used - 2};
	if (!lb_part_line(&rest, &line))
		return refuse(&w, 400, "a line does not end in CR LF");
	if (read_first(r, line, &w) < 0)
		return -1;
	while (rest.len > 0) {
		if (!lb_part_line(&rest, &line))
			return refuse(&w, 400, "a line does not end in CR LF");
		if (read_header(r, line, &w) < 0)
			return -1;
	}
	if (!r->tunnel)
		lb_buf_puts(&r->head, "Connection: close\r\n\r\n");
	return 1;
}

void lb_proxy_request_release(struct lb_proxy_request *r)
{
	lb_buf_release(&r->head);
}
