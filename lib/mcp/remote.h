/*
 * mcp/remote.h - what both ways over HTTP share. Inside the room only.
 */
#ifndef LB_MCP_REMOTE_H
#define LB_MCP_REMOTE_H

#include "mcp/transports.h"
#include "mcp/words.h"
#include "net/sse.h"

enum {
	LB_MCP_BODY_SHOWN = 4096, /* bytes of a refusal's body that are kept */
	LB_MCP_MAX_REDIRECTS = 5,
	LB_MCP_MAX_URL = 8192,
	LB_MCP_MAX_SESSION = 1024,
};

/* Where a server is, and what it is told each time. */
struct lb_mcp_place {
	struct lb_http *http;
	char *url;
	struct lb_words headers;
	int64_t connect_ms, idle_ms;
	size_t max_line;
	bool listen;
};

void lb_mcp_place_copy(struct lb_mcp_place *place,
		       const struct lb_mcp_remote *remote);
void lb_mcp_place_release(struct lb_mcp_place *place);

/*
 * Where a URL that a server names leads, relative to ours: only to the scheme,
 * host and port that we know. NULL: LB_DENIED, LB_PROTOCOL. Caller frees.
 */
char *lb_mcp_same_place(const char *base, const char *url,
			struct lb_error *err);

/* What an ended call means: 0 for an answer of 2xx; else err. */
int lb_mcp_http_error(const struct lb_http_end *end, int64_t took_ms,
		      const struct lb_mcp_place *place, struct lb_error *err);

/* Is the content type of an answer this one? */
bool lb_mcp_is_type(struct lb_http_call *call, const char *type);

#endif
