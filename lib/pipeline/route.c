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
	/* For every message: so no printf(). */
	lb_buf_puts(&m->reason, "pipeline '");
	lb_buf_puts(&m->reason, m->flow->name);
	if (named) {
		lb_buf_puts(&m->reason, "': the message names it");
		return LB_PASS;
	}
	lb_buf_puts(&m->reason, "': bot '");
	lb_buf_puts(&m->reason, m->bot);
	lb_buf_puts(&m->reason, of_bot ? "' uses it" : "' is not configured");
	return LB_PASS;
}
