/* import.c - all kinds of things, one after the other. */
#include "config/config.h"
#include "langbot/items.h"

int lb_langbot_import(struct lb_langbot *in, struct lb_error *err)
{
	in->out = json_object();
	in->kept = json_object();
	in->report = json_array();
	in->tables = json_object();
	in->names = json_object();
	in->presets = lb_config_presets(err);
	if (!in->presets || lb_langbot_read(in, err) < 0)
		return -1;
	lb_langbot_providers(in);
	lb_langbot_mcp(in);
	lb_langbot_pipelines(in);
	lb_langbot_bots(in);
	lb_langbot_admins(in);
	lb_langbot_webhooks(in);
	lb_langbot_settings(in);
	lb_langbot_box(in);
	lb_langbot_skills(in);
	lb_langbot_others(in);
	return 0;
}

void lb_langbot_release(struct lb_langbot *in)
{
	json_decref(in->out);
	json_decref(in->kept);
	json_decref(in->report);
	json_decref(in->settings);
	json_decref(in->tables);
	json_decref(in->names);
	json_decref(in->presets);
}
