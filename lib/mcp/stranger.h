/*
 * mcp/stranger.h - an entity that somebody else wrote: what it may not say.
 *
 * Whether a program is run outside of a sandbox, sees a folder of this machine,
 * or has questions answered is the operator's to say, and no secret of this
 * machine is named by anybody else.
 */
#ifndef LB_MCP_STRANGER_H
#define LB_MCP_STRANGER_H

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"

/* Take that out; `told` gets the names of what was there. */
void lb_mcp_stranger_confine(json_t *entity, struct lb_buf *told);

/*
 * LB_DENIED: a text of env, headers or box.env is a reference ("env:KEY",
 * "cmd:..."), which would be looked up here. `of` says whose it is, as in
 * "of the marketplace's answer".
 */
int lb_mcp_stranger_check(const json_t *entity, const char *of,
			  struct lb_error *err);

#endif
