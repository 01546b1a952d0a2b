/* mcp/stdio-in.h - a program that is a server. Inside the room only.
 *
 *     transport-stdio.c  its start, its lines
 *     stdio-end.c        its end
 */
#ifndef LB_MCP_STDIO_IN_H
#define LB_MCP_STDIO_IN_H

#include <sys/types.h>

#include "base/buf.h"
#include "mcp/transports.h"
#include "record/line.h"

struct lb_stdio {
	struct lb_mcp_transport t;
	struct lb_guard *guard;
	pid_t pid; /* 0: none */
	int in, out, log, status, watch;
	struct lb_lines *lines, *words;
	struct lb_buf unsent;
	struct lb_timer timer;
	struct lb_error failed; /* it did not start */
	enum lb_mcp_phase failed_in;
	bool ending, heard, is_gone, installs;
};

/* Close a descriptor of its, and watch it no more. */
void lb_stdio_shut(struct lb_stdio *s, int *fd);
/* What it wrote to standard error, by lines. false: that was the last. */
bool lb_stdio_words(struct lb_stdio *s);
/* Its last words; everything of it is closed. */
void lb_stdio_let_go(struct lb_stdio *s);
/* Kill the group and what is left of it; how it ended. */
int lb_stdio_bury(struct lb_stdio *s);
/* Its output came to an end, or it did: who uses it is told. */
void lb_stdio_ended(struct lb_stdio *s);
void lb_stdio_close(struct lb_mcp_transport *t, int64_t until);

#endif
