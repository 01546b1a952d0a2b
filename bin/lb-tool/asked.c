/* asked.c - who asks, whether he may, and that he did. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "box/audit.h"
#include "box/key.h"
#include "serving.h"

int asked_policy(struct lb_config *config, const struct lb_job *job,
		 struct lb_policy *policy, char **session, struct lb_error *err)
{
	const char *pipeline = lb_json_str(job->context, "pipeline");
	const struct lb_policy_call call = {
		.tool = job->name,
		.elevated = lb_json_bool(job->arguments, "elevated", false),
	};

	if (lb_policy_decide(config, job->context, &call, policy, err) < 0)
		return -1;
	*session = lb_box_session(lb_box_template(config, pipeline),
				  job->context, err);
	return *session ? 0 : -1;
}

void asked_audit(const struct serving *s, const struct lb_job *job,
		 const char *why, bool denied, int64_t ms)
{
	const char *command = lb_json_str(job->arguments, "command");
	struct lb_box_audit row = {
		.time = lb_clock_now() - (ms > 0 ? ms : 0),
		.tool = job->name,
		.description = lb_json_str(job->arguments, "description"),
		.decision = denied ? LB_BOX_DENIED : LB_BOX_ALLOWED,
		.reason = why,
		.command =
			command ? command : lb_json_str(job->arguments, "path"),
		.exit_code = -1,
		.duration_ms = ms,
	};

	lb_box_audit_context(&row, s->config, job->context);
	lb_box_audit_write(s->state, &row);
}
