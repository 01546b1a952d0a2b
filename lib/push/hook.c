#include "push/hook.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/load.h"
#include "net/signature.h"

/* Say where the key is that is wrong. */
static int blame(const struct lb_config *config, const char *hook,
		 const char *key, struct lb_error *err)
{
	lb_autofree char *path = lb_printf("webhooks.%s.%s", hook, key);
	const char *from = lb_config_origin(config, path);

	lb_error_wrap(err, "%s", path);
	if (from && strcmp(from, "default") != 0)
		lb_error_wrap(err, "%s", from);
	return -1;
}

static int read_url(struct lb_hook *hook, const json_t *all,
		    struct lb_error *err)
{
	hook->url = lb_config_secret(lb_json_str(all, "url"), err);
	if (!hook->url)
		return -1;
	if (!lb_config_is_url(hook->url))
		return lb_fail(err, LB_CONFIG,
			       "does not begin with http:// or https:// and a "
			       "host");
	return 0;
}

static int read_secret(struct lb_hook *hook, const json_t *all,
		       struct lb_error *err)
{
	const char *secret = lb_json_str(all, "secret");
	lb_autofree char *text = NULL;

	if (!secret || !*secret)
		return 0;
	text = lb_config_secret(secret, err);
	if (!text)
		return -1;
	return lb_signature_key(text, &hook->key, err);
}

/* They were checked when the configuration was loaded. */
static void read_events(struct lb_hook *hook, const json_t *all)
{
	const json_t *list = json_object_get(all, "events"), *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		for (size_t e = 0; lb_webhook_events[e]; e++)
			if (strcmp(json_string_value(one),
				   lb_webhook_events[e]) == 0)
				hook->wants[e] = true;
	}
}

static int read_hook(struct lb_hook *hook, const struct lb_config *config,
		     const json_t *all, struct lb_error *err)
{
	int64_t tries = 1;

	if (read_url(hook, all, err) < 0)
		return blame(config, hook->name, "url", err);
	if (read_secret(hook, all, err) < 0)
		return blame(config, hook->name, "secret", err);
	read_events(hook, all);
	lb_json_int(all, "timeout", &hook->timeout_ms);
	lb_json_int(all, "backoff", &hook->backoff_ms);
	lb_json_int(all, "tries", &tries);
	hook->tries = (int)tries;
	hook->bots = json_object_get(all, "bots");
	hook->waits = lb_json_bool(all, "wait", false);
	return 0;
}

int lb_hooks_read(struct lb_hooks *hooks, struct lb_config *config,
		  struct lb_error *err)
{
	const json_t *section = lb_config_section(config, "webhooks");
	int64_t max = lb_config_int(config, "webhooks.max_per_workspace");
	const char *name;
	json_t *any;

	hooks->at = lb_alloc((size_t)max * sizeof(*hooks->at));
	json_object_foreach((json_t *)(uintptr_t)section, name, any)
	{
		const json_t *all = json_is_object(any)
					    ? lb_config_webhook(config, name)
					    : NULL;

		if (!all || !lb_json_bool(all, "enabled", true) ||
		    hooks->n == (size_t)max)
			continue;
		hooks->at[hooks->n].name = name;
		if (read_hook(&hooks->at[hooks->n++], config, all, err) < 0)
			return -1;
	}
	return 0;
}

void lb_hooks_release(struct lb_hooks *hooks)
{
	for (size_t i = 0; i < hooks->n; i++) {
		free(hooks->at[i].url);
		lb_buf_release(&hooks->at[i].key);
	}
	free(hooks->at);
	*hooks = (struct lb_hooks){0};
}

bool lb_hook_wants(const struct lb_hook *hook, const char *bot,
		   enum lb_push_event event)
{
	const json_t *one;
	size_t i;

	if (hook->gone || !hook->wants[event])
		return false;
	if (json_array_size(hook->bots) == 0)
		return true;
	json_array_foreach(hook->bots, i, one)
	{
		if (strcmp(json_string_value(one), bot) == 0)
			return true;
	}
	return false;
}
