#include "pipeline/way.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "record/chain.h"

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

void lb_ways_open(struct lb_ways *ways, struct lb_config *config)
{
	*ways = (struct lb_ways){.config = config};
}

void lb_ways_release(struct lb_ways *ways)
{
	while (ways->settings) {
		struct lb_way_setting *s = ways->settings;

		ways->settings = s->next;
		free(s->pipeline);
		free(s);
	}
}

/* NULL: there is no such pipeline. */
static const struct lb_way_setting *setting_of(struct lb_ways *ways,
					       const char *name)
{
	struct lb_way_setting *s = ways->settings;
	const json_t *config;

	while (s && strcmp(s->pipeline, name) != 0)
		s = s->next;
	if (s)
		return s;
	config = lb_config_pipeline(ways->config, name);
	if (!config)
		return NULL;
	s = setting_open(name, config);
	s->next = ways->settings;
	ways->settings = s;
	return s;
}

/* The pipeline that will answer. */
static const struct lb_way_setting *setting_for(struct lb_ways *ways,
						const struct lb_record *r)
{
	const char *name = lb_json_str(r->json, "pipeline");
	const char *bot = lb_json_str(r->json, "bot");
	const json_t *conf =
		!name && bot ? lb_config_bot(ways->config, bot) : NULL;

	if (conf)
		name = lb_json_str(conf, "pipeline");
	return setting_of(ways, name ? name : "default");
}

static bool put_session(struct lb_buf *session, const struct lb_record *r)
{
	const char *bot = lb_json_str(r->json, "bot");
	const char *type = lb_json_str(r->json, "launcher_type");
	const char *id = lb_json_str(r->json, "launcher_id");

	lb_buf_reset(session);
	if (!bot || !type || !id)
		return false;
	lb_buf_puts(session, bot);
	lb_buf_putc(session, '/');
	lb_buf_puts(session, type);
	lb_buf_putc(session, '_');
	lb_buf_puts(session, id);
	return true;
}

/* Somebody is told to do something: that does not wait for more. */
static bool is_command(const struct lb_ways *ways, const json_t *chain)
{
	const json_t *set = lb_config_get(ways->config, "command.prefix");
	json_auto_t *all = set ? json_incref((json_t *)(uintptr_t)set)
			       : json_pack("[s, s]", "!", "\xef\xbc\x81");
	lb_autobuf struct lb_buf text = {0};
	const char *said;
	json_t *one;
	size_t i;

	lb_chain_plain(chain, &text);
	said = lb_buf_str(&text);
	said += strspn(said, " \t\r\n");
	json_array_foreach(all, i, one)
	{
		size_t len = json_string_length(one);

		if (len > 0 && strncmp(said, json_string_value(one), len) == 0)
			return true;
	}
	return false;
}

enum lb_joins lb_way_of(struct lb_ways *ways, const struct lb_record *r,
			struct lb_way *way, struct lb_buf *session)
{
	const json_t *chain = json_object_get(r->json, "chain");
	const char *id = lb_json_str(r->json, "id");
	const char *sender = lb_json_str(r->json, "sender_id");
	const char *type = lb_json_str(r->json, "launcher_type");
	const struct lb_way_setting *s;
	struct lb_error err;

	/* What lb-pipeline will refuse is not for us to mend. */
	if (!put_session(session, r) || !id || !*id ||
	    lb_chain_check(chain, &err) < 0 || json_array_size(chain) == 0)
		return LB_JOINS_NOTHING;
	s = setting_for(ways, r);
	if (!s || !s->enabled || is_command(ways, chain))
		return LB_JOINS_NOTHING;
	way->pipeline = s->pipeline;
	way->delay_ms = s->delay_ms;
	way->sender = sender ? sender : "";
	if (s->by_session || strcmp(type, "person") == 0)
		way->sender = "";
	else if (!*way->sender) /* it may be anybody's */
		return LB_JOINS_NOTHING;
	return LB_JOINS_OTHERS;
}
