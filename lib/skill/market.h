/*
 * skill/market.h - the marketplace of LangBot, market:author/name.
 */
#ifndef LB_SKILL_MARKET_H
#define LB_SKILL_MARKET_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "skill/download.h"

/* "author/name" as it has them. */
bool lb_market_is_name(const char *text);

/*
 * The zip of a skill. It is asked whether that name is an MCP server, a skill or
 * a plugin, in this order, where only "not found" means that it is none of a
 * kind. LB_UNAVAILABLE: there is nothing of that name, or it is no skill;
 * LB_CONFIG: space.url is empty. Nothing is reported to it.
 */
int lb_market_get(const char *name, const struct lb_reach *reach,
		  struct lb_buf *zip, struct lb_error *err);

#endif
