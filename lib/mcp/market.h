/*
 * mcp/market.h - servers of LangBot's marketplace.
 */
#ifndef LB_MCP_MARKET_H
#define LB_MCP_MARKET_H

#include <jansson.h>

#include "config/config.h"

/*
 * "author/name" as {name, entity}: `name` is author__name, mode and extra_args
 * of `entity` are as they are there. New. NULL: LB_USAGE, that is no such name;
 * LB_UNAVAILABLE, it is not there or no server; LB_DATA; LB_AGAIN.
 */
json_t *lb_mcp_market_get(const struct lb_config *config, const char *name,
			  struct lb_error *err);

#endif
