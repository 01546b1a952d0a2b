/* renamed.c - bots that had another name, as the store remembers. */
#include <stdint.h>

#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "store/conversation.h"
#include "verbs.h"

struct kept {
	struct lb_config *config;
	json_t *bots; /* those that something is kept of */
};

static int keep(void *arg, const struct lb_conversation *c)
{
	json_object_set_new(((struct kept *)arg)->bots, c->bot, json_true());
	return 0;
}

/* The first bot that is kept, and that no configuration has; or NULL. */
static const char *gone(const struct kept *k)
{
	const json_t *any;
	const char *name;

	json_object_foreach(k->bots, name, any)
	{
		if (!lb_config_bot(k->config, name))
			return name;
	}
	return NULL;
}

/* A bot that nobody has talked with, while one is gone: it had another name. */
static void tell_renamed(const struct kept *k)
{
	const char *before = gone(k), *name;
	const json_t *any;

	if (!before)
		return;
	json_object_foreach((json_t *)(uintptr_t)lb_config_section(k->config,
								   "bots"),
			    name, any)
	{
		lb_autofree char *path = lb_printf("bots.%s", name);

		if (json_object_get(k->bots, name))
			continue;
		lb_config_problem(k->config, LB_PROBLEM_ADVICE,
				  lb_json_str(k->config->places, path),
				  "bots.%s: nothing was said to it yet, and "
				  "conversations are kept of '%s', which is "
				  "no bot: one that is renamed begins anew",
				  name, before);
	}
}

void advise_renamed(struct lb_config *config)
{
	enum { BUSY_MS = 1000 };
	struct lb_error err;
	json_auto_t *bots = json_object();
	struct kept k = {config, bots};
	lb_autofree char *state = lb_config_state(&err);
	struct lb_store *store;

	if (!state || !lb_store_exists(state))
		return;
	store = lb_store_open(state, BUSY_MS, &err);
	/* what is wrong with the store is not what was asked */
	if (store && lb_conversation_each(store, NULL, keep, &k, &err) == 0)
		tell_renamed(&k);
	lb_store_close(store);
}
