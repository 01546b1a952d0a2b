/*
 * mcp/launch.h - from what is known of a server to a transport to it.
 *
 * A program runs in a sandbox, by lb-exec --service: one sandbox a server, that
 * of its session, whose files stay. A command of somebody at a terminal has none,
 * and its sandbox is gone afterwards. Its network is what box.network
 * says, which is none. Only an operator who says so has it run on this machine.
 *
 * What belongs to Python and Node is put into the sandbox first (stage.h).
 */
#ifndef LB_MCP_LAUNCH_H
#define LB_MCP_LAUNCH_H

#include "config/config.h"
#include "mcp/server.h"
#include "mcp/transports.h"

/* All borrowed. */
struct lb_mcp_launch {
	const struct lb_mcp_server *server;
	struct lb_config *config;
	const char *config_file; /* an option's, or NULL */
	const char *state;
	struct lb_guard *guard; /* for programs */
	struct lb_http *http;   /* for URLs */
	size_t max_line;
	bool listen; /* to what a server says by itself */
};

/*
 * The transport: for a URL streamable HTTP, or (old_way) HTTP and SSE. NULL:
 * LB_CONFIG, LB_USAGE; what goes wrong later is told by its events.
 */
struct lb_mcp_transport *lb_mcp_launch(
	const struct lb_mcp_launch *launch, struct lb_loop *loop, bool old_way,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err);

/* What names a server's command or URL: 64 hex digits. */
void lb_mcp_launch_key(const struct lb_mcp_server *server, char key[65]);

#endif
