/*
 * mcp/serve-stdio.h - an MCP server at the standard input and output.
 */
#ifndef LB_MCP_SERVE_STDIO_H
#define LB_MCP_SERVE_STDIO_H

#include "mcp/serve.h"

/*
 * A message a line, until the input ends and all is answered; or the reader
 * leaves, or `*stop` is set. `max` is the longest line, bytes. Returns what to
 * exit with.
 */
int lb_serve_stdio(struct lb_serve *serve, size_t max, const bool *stop);

#endif
