/*
 * mcp/serve-http.h - an MCP server at http://HOST/mcp (streamable HTTP).
 *
 * Of the older era it has sessions: each caller that says `initialize` gets an
 * id, whose streams can be taken up again where they broke off. Of the newer
 * one every request is for itself. Who comes is not trusted: a page in a browser
 * may have sent him here (Host and Origin say so), and without the token nobody
 * is heard.
 */
#ifndef LB_MCP_SERVE_HTTP_H
#define LB_MCP_SERVE_HTTP_H

#include "mcp/serve.h"

#define LB_SERVE_PATH "/mcp"

struct lb_serve_http;

/* All borrowed while it serves. */
struct lb_serve_http_settings {
	const char *token; /* that each request has to have; NULL: none */
	bool is_loopback;  /* nobody comes from elsewhere */
	/* NULL-ended, or NULL: names that it may be called by beside addresses
	 * (and, at loopback, localhost); pages that may send requests, as
	 * Origin has them. */
	const char *const *hosts, *const *origins;
	size_t body;     /* bytes of a request; 0: 16 MiB */
	int sessions;    /* at once; 0: 64 */
	int connections; /* at once; 0: 256 */
	int64_t idle_ms; /* a session that nobody uses ends; 0: 30 min */
};

struct lb_serve_http *lb_serve_http_open(
	struct lb_serve *serve, int take_listener,
	const struct lb_serve_http_settings *settings);
/* With all its sessions. NULL is allowed. */
void lb_serve_http_close(struct lb_serve_http *http);

#endif
