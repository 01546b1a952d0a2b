/*
 * mcp/log-file.h - what a server said to its standard error, kept for
 * `lb-mcp logs`: $LB_STATE/mcp/logs/NAME, at most LB_LOG_FILE_MAX bytes and as
 * many of what was before, in NAME.1. A line is a time, a blank and the text.
 */
#ifndef LB_MCP_LOG_FILE_H
#define LB_MCP_LOG_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

enum { LB_LOG_FILE_MAX = 256 << 10, LB_LOG_FILE_LINE = 4096 };

struct lb_log_file;

/* Nothing is made before the first line. What cannot be kept is not. */
struct lb_log_file *lb_log_file_open(const char *state, const char *name);
void lb_log_file_close(struct lb_log_file *log); /* NULL is allowed */
void lb_log_file_put(struct lb_log_file *log, const char *text, size_t len);

/* All that is kept of a server, the oldest first. LB_NOINPUT: nothing. */
int lb_log_file_read(const char *state, const char *name, struct lb_buf *out,
		     struct lb_error *err);
/* Forget it. */
void lb_log_file_remove(const char *state, const char *name);

#endif
