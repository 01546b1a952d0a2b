/*
 * fuzz-proxy - any bytes as what a client asks of the proxy, read whole and in
 * two pieces. What is taken is a host that can be named, and a head that a host
 * can read: lines that end in CR LF, one Host, which is that host, no other
 * empty line, and it is not said whose hop it was.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "net/proxy-request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static void check_host(const struct lb_host *host)
{
	lb_autofree char *text = lb_host_text(host);
	struct lb_host again;
	struct lb_error err;

	must(host->port >= 1 && host->port <= 65535);
	must(lb_host_read(&again, text, strlen(text), &err) == 0);
	must(strcmp(again.name, host->name) == 0 && again.port == host->port &&
	     again.is_address == host->is_address);
	must(strcspn(host->name, " \t\r\n/@?#\\%") == strlen(host->name));
}

static void check_head(const struct lb_proxy_request *r)
{
	const char *text = lb_buf_str(&r->head), *end, *line = text;
	size_t hosts = 0, n = 0;

	must(strlen(text) == r->head.len);
	must(r->head.len <= LB_PROXY_HEAD + 2 * LB_HOST_NAME + 64);
	for (; (end = strstr(line, "\r\n")) != NULL && end > line; n++) {
		must(!memchr(line, '\n', (size_t)(end - line)) &&
		     !memchr(line, '\r', (size_t)(end - line)));
		hosts += strncasecmp(line, "Host:", 5) == 0;
		must(n == 0 || strncasecmp(line, "Proxy-", 6) != 0);
		line = end + 2;
	}
	must(end == line && end + 2 == text + r->head.len);
	must(hosts == 1 && n >= 3);
}

static int read_all(const char *text, size_t len, struct lb_proxy_request *r,
		    size_t *used)
{
	struct lb_error err = {0};
	int status = 0;
	int got = lb_proxy_request_read(text, len, r, used, &status, &err);

	must(got >= -1 && got <= 1);
	must(got >= 0 || (status >= 400 && status <= 599 && err.text[0]));
	return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own size: a byte too far is seen. */
	lb_autofree char *text = lb_alloc(size + 1);
	struct lb_proxy_request r, part;
	size_t used = 0, part_used = 0;
	int got;

	if (size == 0)
		return 0;
	memcpy(text, data, size);
	got = read_all(text, size, &r, &used);
	if (got == 1) {
		must(used >= 4 && used <= size &&
		     memcmp(text + used - 4, "\r\n\r\n", 4) == 0);
		check_host(&r.host);
		if (r.tunnel)
			must(r.head.len == 0);
		else
			check_head(&r);
		/* what follows is not of it, and it is not whole before */
		must(read_all(text, used, &part, &part_used) == 1 &&
		     part_used == used);
		lb_proxy_request_release(&part);
		must(read_all(text, used - 1, &part, &part_used) == 0);
		lb_proxy_request_release(&part);
	}
	lb_proxy_request_release(&r);
	return 0;
}
