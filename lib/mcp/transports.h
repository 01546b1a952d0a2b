/*
 * mcp/transports.h - the transports there are, see transport.h.
 */
#ifndef LB_MCP_TRANSPORTS_H
#define LB_MCP_TRANSPORTS_H

#include "base/proc.h"
#include "mcp/transport.h"
#include "net/http.h"

/* All borrowed while it is started; the guard for good. */
struct lb_mcp_program {
	char *const *argv, *const *env; /* env NULL: ours */
	struct lb_guard *guard;
	size_t max_line;
	bool boxed;    /* argv is lb-exec, which tells of its end at 3 */
	bool installs; /* it says nothing that is meant for us */
};

/* A failure to start is told by on_gone, not here. Never NULL. */
struct lb_mcp_transport *lb_mcp_stdio_open(
	struct lb_loop *loop, const struct lb_mcp_program *program,
	const struct lb_mcp_transport_events *events, void *arg);

/* All copied but `http`. */
struct lb_mcp_remote {
	struct lb_http *http;
	const char *url;
	const char *const *headers; /* "Name: value", NULL-ended */
	int64_t connect_ms;         /* and until an answer begins */
	int64_t idle_ms;            /* of an event stream; 0: none */
	size_t max_line;
	bool listen; /* also to what a session says that nobody asked for */
};

struct lb_mcp_transport *lb_mcp_http_open(
	struct lb_loop *loop, const struct lb_mcp_remote *remote,
	const struct lb_mcp_transport_events *events, void *arg);
struct lb_mcp_transport *lb_mcp_sse_open(
	struct lb_loop *loop, const struct lb_mcp_remote *remote,
	const struct lb_mcp_transport_events *events, void *arg);

#endif
