#include "pipeline/rights.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* Adapters whose platform knows who speaks. */
static bool vouches(const char *adapter)
{
	static const char *const those[] = {"telegram", NULL};

	for (size_t i = 0; adapter && those[i]; i++)
		if (strcmp(adapter, those[i]) == 0)
			return true;
	return false;
}

static bool listed(const json_t *admins, const char *bot, const char *sender)
{
	lb_autofree char *entry = lb_printf("%s:person_%s", bot, sender);
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)admins, i, one)
	{
		if (strcmp(json_string_value(one), entry) == 0)
			return true;
	}
	return false;
}

bool lb_sender_is_known(struct lb_config *config, const char *name)
{
	const json_t *bot = lb_config_bot(config, name);

	return bot && (json_is_true(json_object_get(bot, "trust-sender")) ||
		       vouches(lb_json_str(bot, "adapter")));
}

bool lb_is_admin(struct lb_config *config, const char *bot,
		 const char *platform, const char *sender_id)
{
	if (!sender_id || !*sender_id)
		return false;
	if (strcmp(bot, "-") == 0 && platform &&
	    strcmp(platform, "text") == 0 &&
	    strcmp(lb_config_user(config), sender_id) == 0)
		return true;
	return listed(lb_config_get(config, "admins"), bot, sender_id) &&
	       lb_sender_is_known(config, bot);
}

bool lb_is_one_of(struct lb_config *config, const json_t *people,
		  const char *bot, const char *platform, const char *sender_id)
{
	if (lb_is_admin(config, bot, platform, sender_id))
		return true;
	return sender_id && *sender_id && listed(people, bot, sender_id) &&
	       lb_sender_is_known(config, bot);
}
