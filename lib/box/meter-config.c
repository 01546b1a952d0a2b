/* meter-config.c - what is limited, and of whom a command comes. */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "box/meter.h"

static int64_t limit(const struct lb_config *config, const char *scope,
		     const char *what)
{
	lb_autofree char *key = lb_printf("box.quota.%s.%s", scope, what);
	const json_t *value = lb_config_get(config, key);

	return json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
}

bool lb_box_scopes_read(const struct lb_config *config,
			struct lb_box_scope scopes[LB_BOX_SCOPES])
{
	static const char *const names[LB_BOX_SCOPES] = {"sender", "session",
							 "bot", "namespace"};
	bool any = false;

	for (size_t i = 0; i < LB_BOX_SCOPES; i++) {
		struct lb_box_scope *s = &scopes[i];
		int64_t seconds =
			limit(config, names[i], "cpu_seconds_per_day");

		s->name = names[i];
		s->runs = limit(config, names[i], "execs_per_day");
		s->cpu_ms = seconds < 0 ? -1 : seconds * 1000;
		s->at_once = limit(config, names[i], "concurrent_execs");
		s->is_set = s->runs >= 0 || s->cpu_ms >= 0 || s->at_once >= 0;
		any = any || s->is_set;
	}
	return any;
}

bool lb_box_meter_is_set(const struct lb_config *config)
{
	struct lb_box_scope scopes[LB_BOX_SCOPES];

	return json_object_size(lb_config_get(config, "box.quota")) > 0 &&
	       lb_box_scopes_read(config, scopes);
}

void lb_box_whose_of(struct lb_box_whose *whose, struct lb_config *config,
		     const json_t *context, const char *sandbox)
{
	*whose = (struct lb_box_whose){
		.bot = lb_json_str(context, "bot"),
		.sender = lb_json_str(context, "sender_id"),
		.session = lb_json_str(context, "session"),
	};
	if (!context)
		whose->sender = lb_config_user(config);
	if (!whose->bot || !*whose->bot)
		whose->bot = "-";
	if (!whose->session || !*whose->session)
		whose->session = sandbox ? sandbox : "-";
}
