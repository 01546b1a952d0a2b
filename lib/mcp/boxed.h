/*
 * mcp/boxed.h - a server's program in its sandbox. Inside the room only.
 *
 *     boxed.c  the command line of lb-exec
 *     stage.c  what is put into the sandbox first, stage-install.c how
 */
#ifndef LB_MCP_BOXED_H
#define LB_MCP_BOXED_H

#include "box/spec.h"
#include "mcp/launch.h"
#include "mcp/words.h"

/* Where the folder of box.host_path is, inside. */
#define LB_MCP_PROJECT "/mnt/project"
/* What is staged: below the workspace, which stays. */
#define LB_MCP_STAGED "/workspace/.mcp"

struct lb_mcp_transport *lb_mcp_boxed_open(
	const struct lb_mcp_launch *launch, struct lb_loop *loop,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err);

/*
 * What puts things into it, as a program whose end is told by on_gone with the
 * code LB_OK when all went well, and LB_MCP_DEP_INSTALL with what it said last.
 */
struct lb_mcp_transport *lb_mcp_boxed_install(
	const struct lb_mcp_launch *launch, struct lb_loop *loop,
	const struct lb_mcp_transport_events *events, void *arg,
	struct lb_error *err);

/* A text of env or headers: what it refers to, or (literal) itself. */
char *lb_mcp_secret(const struct lb_mcp_server *server, const char *text,
		    struct lb_error *err);

#endif
