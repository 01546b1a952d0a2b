/* remote.c - what both ways over HTTP share. */
#include "mcp/remote.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

void lb_mcp_place_copy(struct lb_mcp_place *place,
		       const struct lb_mcp_remote *remote)
{
	*place = (struct lb_mcp_place){
		.http = remote->http,
		.url = lb_strdup(remote->url),
		.connect_ms = remote->connect_ms,
		.idle_ms = remote->idle_ms,
		.max_line = remote->max_line,
		.listen = remote->listen,
	};
	for (size_t i = 0; remote->headers && remote->headers[i]; i++)
		lb_words_add(&place->headers, lb_strdup(remote->headers[i]));
}

void lb_mcp_place_release(struct lb_mcp_place *place)
{
	free(place->url);
	lb_words_release(&place->headers);
}

/* The length of "scheme://host:port". */
static size_t origin_of(const char *url)
{
	const char *at = strstr(url, "://");

	return at ? (size_t)(at - url) + 3 + strcspn(at + 3, "/?#") : 0;
}

static size_t folder_of(const char *url, size_t origin)
{
	size_t end = origin + strcspn(url + origin, "?#");

	while (end > origin && url[end - 1] != '/')
		end--;
	return end;
}

char *lb_mcp_same_place(const char *base, const char *url, struct lb_error *err)
{
	size_t ours = origin_of(base), theirs = origin_of(url);
	const char *p = url;

	for (; *p > 0x20 && *p != 0x7f; p++)
		;
	if (*url == '\0' || *p || strlen(url) > LB_MCP_MAX_URL) {
		lb_fail(err, LB_PROTOCOL, "it names a place that is no URL");
		return NULL;
	}
	if (strncmp(url, "//", 2) == 0 ||
	    (theirs > 0 &&
	     (theirs != ours || strncasecmp(base, url, ours) != 0))) {
		lb_fail(err, LB_DENIED,
			"it points to another host, '%.200s'; its keys do not "
			"go there",
			url);
		return NULL;
	}
	if (theirs > 0)
		return lb_strdup(url);
	if (*url == '/')
		return lb_printf("%.*s%s", (int)ours, base, url);
	if (*url == '?')
		return lb_printf("%.*s%s", (int)strcspn(base, "?#"), base, url);
	return lb_printf("%.*s%s%s", (int)folder_of(base, ours), base,
			 folder_of(base, ours) == ours ? "/" : "", url);
}

static enum lb_exit code_of_status(int status)
{
	return status == 408 || status == 425 || status == 429 || status >= 500
		       ? LB_AGAIN
		       : LB_UNAVAILABLE;
}

static const char *words_of_status(int status)
{
	switch (status) {
	case 401:
		return " (it wants a key: see headers in lb-mcp(1))";
	case 403:
		return " (the key may not do this)";
	case 404:
		return " (is the URL right?)";
	case 429:
		return " (too many requests)";
	default:
		return "";
	}
}

int lb_mcp_http_error(const struct lb_http_end *end, int64_t took_ms,
		      const struct lb_mcp_place *place, struct lb_error *err)
{
	switch (end->cause) {
	case LB_HTTP_DONE:
		break;
	case LB_HTTP_CONNECT:
		return lb_fail(err,
			       took_ms >= place->connect_ms ? LB_AGAIN
							    : LB_UNAVAILABLE,
			       "%s", end->why);
	case LB_HTTP_LIMIT:
	case LB_HTTP_ENCODING:
		return lb_fail(err, LB_PROTOCOL, "%s", end->why);
	case LB_HTTP_DENIED:
		return lb_fail(err, LB_DENIED, "%s", end->why);
	default:
		return lb_fail(err, LB_AGAIN, "%s", end->why);
	}
	if (end->status >= 200 && end->status < 300)
		return 0;
	return lb_fail(err, code_of_status(end->status), "HTTP %d%s",
		       end->status, words_of_status(end->status));
}

bool lb_mcp_is_type(struct lb_http_call *call, const char *type)
{
	const char *is = lb_http_header(call, "Content-Type");
	size_t len = strlen(type);

	return is && strncasecmp(is, type, len) == 0 &&
	       (is[len] == '\0' || strchr("; \t", is[len]));
}
