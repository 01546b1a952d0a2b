/* calls.c - calls of tools, from their start to their answer. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "serving.h"
#include "tool/args.h"

struct call {
	struct lb_job *job;
	struct tool_place place;
	struct lb_tool_run *run; /* of a file tool */
	struct lb_exec *exec;    /* or a command */
	bool is_open;            /* the place */
	bool cancelled;
	int64_t begun;
};

static void answer(struct call *c, json_t *take)
{
	lb_autobuf struct lb_buf text = {0};

	lb_buf_json(&text, take);
	json_decref(take);
	lb_job_text(c->job, lb_buf_str(&text), text.len);
	if (c->is_open)
		place_release(&c->place);
	free(c);
}

static void refuse(struct call *c, const struct lb_error *err)
{
	const struct serving *s = c->job->arg;

	lb_job_fail(c->job,
		    c->cancelled                  ? "cancelled"
		    : err->code == LB_DENIED      ? "denied"
		    : err->code == LB_UNAVAILABLE ? "unavailable"
						  : "tool",
		    "%s", lb_tool_told(err, s->state));
	if (c->is_open)
		place_release(&c->place);
	free(c);
}

static void exec_done(void *arg, json_t *take)
{
	struct call *c = arg;
	struct lb_error err;

	if (!c->cancelled) {
		answer(c, take);
		return;
	}
	json_decref(take);
	lb_fail(&err, LB_AGAIN, "the call was cancelled");
	refuse(c, &err);
}

static void file_done(void *arg, json_t *take)
{
	struct call *c = arg;
	const struct serving *s = c->job->arg;

	asked_audit(s, c->job, lb_json_str(take, "error"), false,
		    lb_clock_mono() - c->begun);
	answer(c, take);
}

static void start_exec(struct call *c, const struct lb_policy *policy,
		       const char *session)
{
	struct serving *s = c->job->arg;

	c->job->state = c;
	c->exec = lb_exec_start(s->execs,
				&(struct lb_exec_order){
					.arguments = c->job->arguments,
					.context = c->job->context,
					.policy = *policy,
					.session = s->folder ? NULL : session,
					.folder = s->folder,
					.deadline = c->job->deadline,
					.done = exec_done,
					.arg = c,
				});
}

static int start_file(struct call *c, const struct lb_tool *tool,
		      const struct lb_policy *policy, const char *session,
		      struct lb_error *err)
{
	struct serving *s = c->job->arg;

	if (s->folder ? place_of_folder(&c->place, s->folder, err) < 0
		      : place_of_session(&c->place, s->config, s->state,
					 policy->profile, session, err) < 0)
		return -1;
	c->is_open = true;
	c->job->state = c;
	c->run =
		lb_tool_start(s->runner, &(struct lb_tool_order){
						 .tool = tool,
						 .place = &c->place.place,
						 .arguments = c->job->arguments,
						 .deadline = c->job->deadline,
						 .done = file_done,
						 .arg = c,
					 });
	return 0;
}

static int start(struct call *c, struct lb_error *err)
{
	struct serving *s = c->job->arg;
	const struct lb_tool *tool = lb_tool_find(c->job->name);
	bool exec = strcmp(c->job->name, "exec") == 0;
	lb_autofree char *session = s->session ? lb_strdup(s->session) : NULL;
	struct lb_policy policy = {.place = LB_IN_SANDBOX,
				   .profile =
					   lb_config_str(s->config,
							 "box.local.profile")};

	if (!exec && !tool)
		return lb_fail(err, LB_USAGE, "there is no such tool");
	if (!s->folder && !s->session &&
	    asked_policy(s->config, c->job, &policy, &session, err) < 0)
		return -1;
	if (policy.place == LB_IN_SANDBOX && !serving_look(s))
		return lb_fail(err, LB_UNAVAILABLE, "%s", s->why.text);
	if (!exec)
		return start_file(c, tool, &policy, session, err);
	start_exec(c, &policy, session);
	return 0;
}

void serving_call(struct lb_job *job)
{
	const struct serving *s = job->arg;
	struct call *c = lb_alloc(sizeof(*c));
	struct lb_error err;

	*c = (struct call){.job = job, .begun = lb_clock_mono()};
	if (start(c, &err) == 0)
		return;
	asked_audit(s, job, err.text, err.code == LB_DENIED, -1);
	refuse(c, &err);
}

void serving_cancel(struct lb_job *job)
{
	struct call *c = job->state;

	struct lb_error err;

	c->cancelled = true;
	if (c->exec) {
		lb_exec_stop(c->exec);
		return;
	}
	lb_tool_stop(c->run);
	lb_fail(&err, LB_AGAIN, "the call was cancelled");
	refuse(c, &err);
}
