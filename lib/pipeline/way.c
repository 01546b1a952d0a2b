#include "pipeline/way.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "pipeline/command.h"
#include "pipeline/stages.h"

static struct lb_way_setting *setting_open(const char *name,
					   const json_t *config)
{
	struct lb_way_setting *s = lb_alloc(sizeof(*s));
	const json_t *of = lb_json_path(config, "trigger.message-aggregation");
	const char *by = lb_json_str(of, "by");

	s->pipeline = lb_strdup(name);
	s->enabled = lb_json_bool(of, "enabled", false);
	s->by_session = by && strcmp(by, "session") == 0;
	s->delay_ms = (int64_t)(1000 * json_number_value(
					       json_object_get(of, "delay")));
	return s;
}

static bool is_enabled(struct lb_config *config, const char *name)
{
	const json_t *on = lb_json_path(lb_config_pipeline(config, name),
					"trigger.message-aggregation.enabled");

	return json_is_true(on);
}

bool lb_ways_any(struct lb_config *config)
{
	const json_t *all = lb_config_section(config, "pipelines");
	const char *name;
	json_t *written;
	bool any = is_enabled(config, "default");

	json_object_foreach((json_t *)(uintptr_t)all, name, written)
	{
		(void)written;
		any = any || is_enabled(config, name);
	}
	return any;
}

int lb_ways_open(struct lb_ways *ways, struct lb_config *config,
		 struct lb_error *err)
{
	*ways = (struct lb_ways){.pipeline = {.config = config}};
	return lb_pipeline_ready(&ways->pipeline, err);
}

void lb_ways_release(struct lb_ways *ways)
{
	lb_message_release(&ways->message);
	lb_pipeline_release(&ways->pipeline);
	while (ways->settings) {
		struct lb_way_setting *s = ways->settings;

		ways->settings = s->next;
		free(s->pipeline);
		free(s);
	}
}

static const struct lb_way_setting *setting_of(struct lb_ways *ways,
					       const char *name)
{
	struct lb_way_setting *s = ways->settings;

	while (s && strcmp(s->pipeline, name) != 0)
		s = s->next;
	if (s)
		return s;
	s = setting_open(name, lb_config_pipeline(ways->pipeline.config, name));
	s->next = ways->settings;
	ways->settings = s;
	return s;
}

/* The stages that say whose it is and which pipeline answers. */
static bool route(struct lb_ways *ways, const struct lb_record *r)
{
	struct lb_message *m = &ways->message;
	struct lb_error err;

	lb_message_begin(m, &ways->pipeline, r);
	return lb_stage_accept(m, &err) == LB_PASS &&
	       lb_stage_route(m, &err) == LB_PASS;
}

/* What lb-pipeline leaves alone or must not read is no part of an answer. */
static bool is_welcome(struct lb_message *m)
{
	struct lb_error err;

	return lb_stage_access(m, &err) == LB_PASS &&
	       lb_stage_filter(m, &err) == LB_PASS;
}

enum lb_joins lb_way_of(struct lb_ways *ways, const struct lb_record *r,
			struct lb_way *way)
{
	struct lb_message *m = &ways->message;
	const char *named = lb_json_str(r->json, "session");
	const struct lb_way_setting *s;
	bool routed = route(ways, r);

	/* What lb-pipeline will refuse or discard is not for us to keep. */
	way->session = lb_buf_str(&m->session);
	if (!*way->session && named)
		way->session = named;
	if (!routed || json_array_size(m->chain) == 0)
		return LB_JOINS_NOTHING;
	s = setting_of(ways, m->flow->name);
	if (!s->enabled || lb_message_is_command(m) || !is_welcome(m))
		return LB_JOINS_NOTHING;
	way->pipeline = s->pipeline;
	way->delay_ms = s->delay_ms;
	way->routed = m->routed;
	way->sender = m->sender_id;
	if (s->by_session || strcmp(m->launcher_type, "person") == 0)
		way->sender = "";
	else if (!*way->sender) /* it may be anybody's */
		return LB_JOINS_NOTHING;
	return LB_JOINS_OTHERS;
}
