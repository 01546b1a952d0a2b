/*
 * mcp/param-headers.h - arguments of a tool that its schema wants to see in
 * headers, too (x-mcp-header; 2026-07-28 over HTTP).
 */
#ifndef LB_MCP_PARAM_HEADERS_H
#define LB_MCP_PARAM_HEADERS_H

#include <jansson.h>

#include "base/error.h"

/* {"Mcp-Param-NAME": text}; new, or NULL for none. `schema` may be NULL. */
json_t *lb_mcp_param_headers(const json_t *schema, const json_t *arguments);

/* A tool whose x-mcp-header breaks the rules is not to be used: LB_PROTOCOL. */
int lb_mcp_param_headers_check(const json_t *schema, struct lb_error *err);

#endif
