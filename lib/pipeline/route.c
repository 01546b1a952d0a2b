/* route - which pipeline answers: the record's, else the bot's. */
#include "base/json.h"
#include "pipeline/pipeline.h"

enum lb_verdict lb_stage_route(struct lb_message *m, struct lb_error *err)
{
	struct lb_config *config = m->pipeline->config;
	const json_t *bot = lb_config_bot(config, m->bot);
	const char *named = lb_json_str(m->record->json, "pipeline");
	const char *of_bot = bot ? lb_json_str(bot, "pipeline") : NULL;
	const char *name = named ? named : of_bot;

	m->flow = lb_flow_find(m->pipeline, name ? name : "default");
	if (!m->flow) {
		lb_fail(err, LB_CONFIG, "no pipeline '%s' in the configuration",
			name);
		return LB_FAILED;
	}
	m->stream = bot && lb_json_bool(bot, "stream", false);
	if (named)
		lb_buf_printf(&m->reason, "pipeline '%s': the message names it",
			      m->flow->name);
	else if (of_bot)
		lb_buf_printf(&m->reason, "pipeline '%s': bot '%s' uses it",
			      m->flow->name, m->bot);
	else
		lb_buf_printf(&m->reason,
			      "pipeline '%s': bot '%s' is not configured",
			      m->flow->name, m->bot);
	return LB_PASS;
}
