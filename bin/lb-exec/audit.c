/* audit.c - what was done, for `lb-box audit`. */
#include "box/audit.h"
#include "base/clock.h"
#include "base/json.h"
#include "box/admit.h"
#include "exec.h"

void request_audit(const struct work *w, const struct lb_box_spec *spec,
		   const json_t *record, const struct lb_box_result *result,
		   const struct lb_error *error)
{
	/* a program that may not be run (126) was not refused by us */
	const bool denied = error && error->code == LB_DENIED &&
			    !(result && result->exit_code > 0);
	/* one that was refused before it was read */
	const char *asked =
		record ? lb_json_str(record, "session_id") : options.session;
	struct lb_box_audit row = {
		.time = lb_clock_now() - (result ? result->duration_ms : 0),
		.id = lb_json_str(record, "id"),
		.bot = lb_json_str(record, "bot"),
		.pipeline = lb_json_str(record, "pipeline"),
		.session = spec->session ? spec->session : asked,
		.sender = record ? lb_json_str(record, "sender_id")
				 : lb_config_user(w->config),
		.workspace = lb_box_workspace(w->config),
		.tool = "exec",
		.description = lb_json_str(record, "description"),
		.reason = error ? error->text : NULL,
		.decision = denied ? LB_BOX_DENIED : LB_BOX_ALLOWED,
		.command = spec->cmd,
		.env = spec->env,
		.profile = request_profile(w),
		.exit_code = -1,
		.duration_ms = -1,
		.spec = spec,
	};
	lb_autobuf struct lb_buf words = {NULL};

	for (char **one = spec->argv; one && *one; one++)
		lb_buf_printf(&words, "%s%s", one == spec->argv ? "" : " ",
			      *one);
	if (spec->argv)
		row.command = lb_buf_str(&words);
	if (result && !error)
		lb_box_audit_result(&row, result);
	lb_box_audit_write(w->state, &row);
}
