/* lb-tool - whose call it is: may it be, where does it work, what is kept. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/audit.h"
#include "box/key.h"
#include "config/config.h"
#include "lb-tool.h"
#include "pipeline/policy.h"

int context_place(struct tool_place *p, struct lb_config *config,
		  const json_t *context, const char *tool, struct lb_error *err)
{
	const struct lb_policy_call call = {.tool = tool};
	const char *pipeline = lb_json_str(context, "pipeline");
	lb_autofree char *session = NULL;
	struct lb_policy policy;

	if (lb_policy_decide(config, context, &call, &policy, err) < 0)
		return -1;
	session =
		lb_box_session(lb_box_template(config, pipeline), context, err);
	if (!session)
		return -1;
	return place_of_session(p, config, session, policy.profile, err);
}

/* What it was about. */
static const char *subject(const json_t *arguments)
{
	const char *path = lb_json_str(arguments, "path");

	return path ? path : lb_json_str(arguments, "pattern");
}

void context_audit(const struct tool_call *call, const json_t *result,
		   const struct lb_error *why)
{
	struct lb_error err;
	lb_autofree char *state = lb_config_state(&err);
	lb_autofree char *text =
		result ? json_dumps(result, JSON_COMPACT) : NULL;
	int64_t took = lb_clock_mono() - call->began;
	lb_autofree char *person = call->context ? NULL : lb_config_login();
	struct lb_box_audit row = {
		.time = lb_clock_now() - took,
		.id = lb_json_str(call->context, "id"),
		.bot = lb_json_str(call->context, "bot"),
		.pipeline = lb_json_str(call->context, "pipeline"),
		.session = call->session
				   ? call->session
				   : lb_json_str(call->context, "session"),
		.sender = person ? person
				 : lb_json_str(call->context, "sender_id"),
		.tool = call->tool,
		.decision = why && why->code == LB_DENIED ? LB_BOX_DENIED
							  : LB_BOX_ALLOWED,
		.reason = why      ? why->text
			  : result ? lb_json_str(result, "error")
				   : NULL,
		.command = subject(call->arguments),
		.limits = LB_BOX_RLIMIT,
		.exit_code = -1,
		.duration_ms = -1,
	};

	if (result) {
		row.backend = "landlock";
		row.exit_code = lb_json_bool(result, "ok", false) ? 0 : 1;
		row.bytes = text ? strlen(text) : 0;
		row.duration_ms = took;
	}
	if (state)
		lb_box_audit_write(state, &row);
}
