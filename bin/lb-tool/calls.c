/* calls.c - calls of tools, from their start to their answer. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "calls.h"
#include "tool/args.h"
#include "tool/python.h"

static void end(struct call *c)
{
	if (c->is_open)
		place_release(&c->place);
	tool_skills_release(&c->skills);
	json_decref(c->arguments);
	free(c->session);
	free(c);
}

void call_answer(struct call *c, json_t *take)
{
	lb_autobuf struct lb_buf text = {0};

	lb_buf_json(&text, take);
	json_decref(take);
	lb_job_text(c->job, lb_buf_str(&text), text.len);
	end(c);
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
	end(c);
}

static void exec_done(void *arg, json_t *take)
{
	struct call *c = arg;
	struct lb_error err;

	if (!c->cancelled) {
		tool_skills_note(&c->skills, take);
		call_answer(c, take);
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
	call_answer(c, take);
}

static int take_place(struct call *c, struct lb_error *err)
{
	struct serving *s = c->job->arg;

	if (s->folder
		    ? place_of_folder(&c->place, s->folder, err) < 0
		    : place_of_session(&c->place, s->config, s->state,
				       c->policy.profile, c->session, err) < 0)
		return -1;
	c->is_open = true;
	return 0;
}

static int take_skills(struct call *c, struct lb_error *err)
{
	struct serving *s = c->job->arg;

	if (!s->shelf)
		return 0;
	return tool_skills_take(&c->skills, s->shelf, c->job->context,
				c->is_open ? &c->place.session : NULL, err);
}

void call_exec_now(struct call *c)
{
	struct serving *s = c->job->arg;

	c->exec =
		lb_exec_start(s->execs,
			      &(struct lb_exec_order){
				      .arguments = c->arguments
							   ? c->arguments
							   : c->job->arguments,
				      .context = c->job->context,
				      .policy = c->policy,
				      .session = s->folder ? NULL : c->session,
				      .folder = s->folder,
				      .skills = c->skills.box,
				      .n_skills = c->skills.n,
				      .deadline = c->job->deadline,
				      .done = exec_done,
				      .arg = c,
			      });
}

static int start_exec(struct call *c, struct lb_error *err)
{
	struct serving *s = c->job->arg;
	int waits = 0;

	c->job->state = c;
	if (c->policy.place == LB_IN_SANDBOX && s->shelf) {
		if (tool_skills_copied(s->shelf, c->job->context) &&
		    take_place(c, err) < 0)
			return -1;
		if (take_skills(c, err) < 0)
			return -1;
		waits = call_python(c, err);
	}
	if (waits == 0)
		call_exec_now(c);
	return waits < 0 ? -1 : 0;
}

static int start_file(struct call *c, const struct lb_tool *tool,
		      struct lb_error *err)
{
	struct serving *s = c->job->arg;

	if (take_place(c, err) < 0 || take_skills(c, err) < 0)
		return -1;
	c->place.place.skills = c->skills.place;
	c->place.place.n_skills = c->skills.n;
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

	if (!exec && !tool)
		return lb_fail(err, LB_USAGE, "there is no such tool");
	if (s->session)
		c->session = lb_strdup(s->session);
	if (!s->folder && !s->session &&
	    asked_policy(s->config, c->job, &c->policy, &c->session, err) < 0)
		return -1;
	if (c->policy.place == LB_IN_SANDBOX && !serving_look(s))
		return lb_fail(err, LB_UNAVAILABLE, "%s", s->why.text);
	return exec ? start_exec(c, err) : start_file(c, tool, err);
}

void serving_call(struct lb_job *job)
{
	const struct serving *s = job->arg;
	struct call *c = lb_alloc(sizeof(*c));
	struct lb_error err;

	c->job = job;
	c->policy =
		(struct lb_policy){.place = LB_IN_SANDBOX,
				   .profile =
					   lb_config_str(s->config,
							 "box.local.profile")};
	c->begun = lb_clock_mono();
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
	if (c->waiting)
		lb_python_leave(c->waiting);
	else
		lb_tool_stop(c->run);
	lb_fail(&err, LB_AGAIN, "the call was cancelled");
	refuse(c, &err);
}
