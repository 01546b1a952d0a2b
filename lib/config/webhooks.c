/* webhooks.c - webhooks that could not be told of anything. */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/coerce.h"
#include "config/config.h"
#include "config/load.h"

const char *const lb_webhook_events[] = {"bot.person_message",
					 "bot.group_message", NULL};

enum { MAX_TIMEOUT = 10 * 60 * 1000, MAX_BACKOFF = 5 * 60 * 1000 };

/* A problem of a key, at its place or else at that of the webhook. */
static void bad(struct lb_config *config, const char *hook, const char *key,
		const char *why)
{
	lb_autofree char *path = lb_printf("webhooks.%s.%s", hook, key);
	lb_autofree char *up = lb_printf("webhooks.%s", hook);
	const char *where = lb_json_str(config->origins, path);

	if (!where)
		where = lb_json_str(config->places, up);
	lb_config_problem(config, LB_PROBLEM, where ? where : "", "%s: %s",
			  path, why);
}

static void check_url(struct lb_config *config, const char *name,
		      const json_t *hook)
{
	const char *url = lb_json_str(hook, "url");

	if (!url || !*url)
		bad(config, name, "url", "it has none");
	else if (lb_secret_is_literal(url) && !lb_config_is_url(url))
		bad(config, name, "url",
		    "does not begin with http:// or https:// and a host");
}

static void check_events(struct lb_config *config, const char *name,
			 const json_t *hook)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(hook, "events"), i, one)
	{
		const char *event = json_string_value(one);
		lb_autofree char *why = NULL;
		size_t e = 0;

		while (lb_webhook_events[e] &&
		       strcmp(event, lb_webhook_events[e]) != 0)
			e++;
		if (lb_webhook_events[e])
			continue;
		why = lb_printf("'%.40s' is neither %s nor %s", event,
				lb_webhook_events[0], lb_webhook_events[1]);
		bad(config, name, "events", why);
	}
}

/* A bot that is none: nothing of it will be told. */
static void check_bots(struct lb_config *config, const char *name,
		       const json_t *hook)
{
	lb_autofree char *path = lb_printf("webhooks.%s.bots", name);
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(hook, "bots"), i, one)
	{
		if (!lb_config_has_bot(config, json_string_value(one)))
			lb_config_problem(config, LB_PROBLEM_ADVICE,
					  lb_config_origin(config, path),
					  "%s: there is no bot '%s'", path,
					  json_string_value(one));
	}
}

/* At most `max` ms; "none" is longer than that. */
static void check_time(struct lb_config *config, const char *name,
		       const json_t *hook, const char *key, int64_t max)
{
	static const struct lb_key duration = {.type = LB_KEY_DURATION};
	const json_t *set = json_object_get(hook, key);
	lb_autofree char *why = NULL;

	if (!set || lb_coerced_amount(&duration, set) <= max)
		return;
	why = lb_printf("is more than %lldm", (long long)(max / 60000));
	bad(config, name, key, why);
}

void lb_config_check_webhooks(struct lb_config *config)
{
	json_t *section = json_object_get(config->all, "webhooks"), *hook;
	int64_t max = lb_config_int(config, "webhooks.max_per_workspace");
	const char *name;
	int64_t enabled = 0;

	json_object_foreach(section, name, hook)
	{
		if (!json_is_object(hook) ||
		    !lb_json_bool(hook, "enabled", true))
			continue;
		enabled++;
		check_url(config, name, hook);
		check_events(config, name, hook);
		check_bots(config, name, hook);
		check_time(config, name, hook, "timeout", MAX_TIMEOUT);
		check_time(config, name, hook, "backoff", MAX_BACKOFF);
	}
	if (enabled > max)
		lb_config_problem(config, LB_PROBLEM, "",
				  "more webhooks are enabled than "
				  "webhooks.max_per_workspace says: %lld",
				  (long long)max);
}
