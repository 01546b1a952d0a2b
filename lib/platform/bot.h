/*
 * platform/bot.h - which bot of the configuration is meant.
 */
#ifndef LB_PLATFORM_BOT_H
#define LB_PLATFORM_BOT_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"

/*
 * The bot of that adapter: the one named *name or, where *name is NULL, the
 * only one, whose name is then in *name. Borrowed from the configuration, with
 * all defaults. LB_CONFIG: there is none; LB_USAGE: there are several.
 */
const json_t *lb_bot_find(struct lb_config *config, const char *adapter,
			  const char **name, struct lb_error *err);

#endif
