#include "lineup.h"

#include <stdlib.h>
#include <string.h>

#include "agent/memo.h"
#include "base/log.h"
#include "base/mem.h"
#include "config/config.h"

enum { BUSY_MS = 1000 };

static void add(struct lineup *l, struct lb_config *config, const char *spec)
{
	struct lb_error err;
	struct lb_model *m;

	if (l->n == LB_FAILOVER_MODELS) {
		lb_warn("fallback '%s' is left out: there are too many", spec);
		return;
	}
	m = lb_model_open(config, spec, &err);
	if (!m) {
		lb_warn("fallback '%s' is left out: %s", spec, err.text);
		return;
	}
	l->owned[l->n] = true;
	l->at[l->n++] = m;
}

static void open_memo(struct lineup *l)
{
	struct lb_error err;
	lb_autofree char *state = lb_config_state(&err);

	if (!state)
		return;
	l->limits = lb_limits_open(state, BUSY_MS);
	l->memo = lb_memo_of(l->limits);
}

void lineup_behind(struct lineup *l, struct lb_config *config,
		   struct lb_model *first, bool named, const struct patience *p)
{
	const json_t *usual = lb_config_get(config, "llm.fallbacks"), *one;
	size_t i;

	*l = (struct lineup){.at = {first}, .n = 1};
	lb_failover_bounds(&l->bounds, config);
	l->bounds.strict_params = p->strict_params;
	if (p->tries > 0)
		l->bounds.tries = p->tries;
	if (p->max_wait > 0)
		l->bounds.budget_ms = p->max_wait;
	for (i = 0; i < p->fallbacks.n; i++)
		add(l, config, p->fallbacks.at[i]);
	if (p->fallbacks.n == 0 && !named)
		json_array_foreach((json_t *)(uintptr_t)usual, i, one)
			add(l, config, json_string_value(one));
	open_memo(l);
}

int lineup_open(struct lineup *l, struct lb_config *config, const char *spec,
		const struct patience *p, struct lb_error *err)
{
	struct lb_model *first = lb_model_open(config, spec, err);

	*l = (struct lineup){0};
	if (!first)
		return -1;
	lineup_behind(l, config, first, spec && *spec, p);
	l->owned[0] = true;
	return 0;
}

void lineup_close(struct lineup *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->owned[i])
			lb_model_close(l->at[i]);
	lb_limits_close(l->limits);
	*l = (struct lineup){0};
}
