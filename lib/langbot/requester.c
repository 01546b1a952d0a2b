#include "langbot/requester.h"

#include "base/json.h"
#include "config/config.h"

bool lb_requester_find(const json_t *presets, const char *name,
		       struct lb_requester *take)
{
	const char *own;
	const json_t *preset = lb_config_preset(presets, name, &own);
	const char *theirs = lb_json_str(preset, "langbot-url");

	/* a preset's own name is no requester's */
	if (!preset || json_object_get(presets, name))
		return false;
	*take = (struct lb_requester){
		.name = name,
		.preset = own,
		.base_url = lb_json_str(preset, "base-url"),
		.protocol = lb_json_str(preset, "protocol"),
		.not_offered = lb_json_str(preset, "not-offered"),
	};
	take->usual_url = theirs ? theirs : take->base_url;
	return true;
}
