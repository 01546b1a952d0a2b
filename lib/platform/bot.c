#include "platform/bot.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"

static bool is_of(const json_t *bot, const char *adapter)
{
	const char *name = lb_json_str(bot, "adapter");

	return name && strcmp(name, adapter) == 0;
}

static const json_t *named(struct lb_config *config, const char *adapter,
			   const char *name, struct lb_error *err)
{
	const json_t *bot = lb_config_bot(config, name);

	if (bot && is_of(bot, adapter))
		return bot;
	if (bot)
		lb_fail(err, LB_CONFIG, "bot '%.64s' is not one of adapter %s",
			name, adapter);
	else
		lb_fail(err, LB_CONFIG,
			"no bot '%.64s' is configured (lb-config add bot NAME "
			"adapter=%s)",
			name, adapter);
	return NULL;
}

const json_t *lb_bot_find(struct lb_config *config, const char *adapter,
			  const char **name, struct lb_error *err)
{
	lb_autobuf struct lb_buf all = {0};
	const char *only = NULL, *one;
	size_t n = 0;
	json_t *bot;

	if (*name)
		return named(config, adapter, *name, err);
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(config,
								   "bots"),
			    one, bot)
	{
		if (!is_of(bot, adapter))
			continue;
		lb_buf_printf(&all, "%s%s", n++ > 0 ? ", " : "", one);
		only = one;
	}
	if (n == 1) {
		*name = only;
		return lb_config_bot(config, only);
	}
	if (n == 0)
		lb_fail(err, LB_CONFIG,
			"no bot of adapter %s is configured (lb-config add "
			"bot NAME adapter=%s)",
			adapter, adapter);
	else
		lb_fail(err, LB_USAGE,
			"there are %zu bots of adapter %s (%.200s): name one "
			"with --bot",
			n, adapter, lb_buf_str(&all));
	return NULL;
}
