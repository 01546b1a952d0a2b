/*
 * mcp/context.h - resources that an operator puts into each prompt: how they
 * are written there.
 */
#ifndef LB_MCP_CONTEXT_H
#define LB_MCP_CONTEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

/* The call of lb-mcp as a provider that answers all of a pipeline. */
#define LB_MCP_CONTEXT "mcp_context"

enum {
	LB_CONTEXT_PIECES = 32,      /* of a pipeline */
	LB_CONTEXT_BYTES = 96 << 10, /* of one */
	LB_CONTEXT_CHARS = 8000 * 4, /* of all; a token counts as four */
};

/* One that is attached: a mapping of texts of the configuration. All borrowed
 * from it. */
struct lb_attached {
	const char *server; /* its name, or what LangBot knew it by */
	const char *uri;
	const char *mode;    /* "pinned", "manual" or "auto" */
	size_t bytes, chars; /* at most */
};

/* False: it is switched off, or names no server and uri (*why). */
bool lb_attached_read(struct lb_attached *a, const json_t *said,
		      const char **why);

/*
 * A result of resources/read as <mcp_resource ...>TEXT</mcp_resource>, at most
 * *room characters of text, which are taken from it. Nothing in the text passes
 * for such a tag, none is a control or hides what is beside it.
 */
void lb_context_put(struct lb_buf *out, const struct lb_attached *a,
		    const char *server, const json_t *result, size_t *room);

#endif
