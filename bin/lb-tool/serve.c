/* lb-tool serve */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/backend.h"
#include "lb-tool.h"
#include "provider/server.h"
#include "tool/exec.h"
#include "tool/run.h"

enum {
	MOST = 32, /* calls that work at a time; the others wait */
	LOOK_MS = 3000,
};

static const char *folder, *config_file;

const struct lb_opt serve_options[] = {
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{'w', "workspace", "DIR",
	 "work in this folder, whoever asks, instead of each session's own",
	 .text = &folder},
	{0},
};

struct serving {
	struct lb_config *config;
	char *state;
	struct lb_loop *loop;
	struct lb_server *server;
	struct lb_tool_runner *runner;
	struct lb_execs *execs;
	struct lb_timer look;
	bool there; /* a sandbox, when we looked last */
	struct lb_error why;
};

struct call {
	struct lb_job *job;
	struct tool_place place;
	struct lb_tool_run *run; /* of a file tool */
	struct lb_exec *exec;    /* or a command */
	bool is_open;            /* the place */
	bool cancelled;
	int64_t begun;
};

/* Is there a sandbox? Whoever lists our tools hears when that changes. */
static bool look(struct serving *s)
{
	bool there = lb_box_available(s->config, &s->why);

	if (there != s->there && s->server)
		lb_tools_changed(s->server);
	s->there = there;
	return there;
}

static void look_again(void *arg)
{
	struct serving *s = arg;

	look(s);
	lb_timer_set(s->loop, &s->look, lb_clock_mono() + LOOK_MS, look_again,
		     s);
}

static void begin(void *arg, struct lb_loop *loop, struct lb_server *server)
{
	struct serving *s = arg;

	s->loop = loop;
	s->server = server;
	s->runner = lb_tool_runner_open(loop, MOST);
	s->execs = lb_execs_open(loop, s->config, s->state);
	s->there = lb_box_available(s->config, &s->why);
	lb_timer_set(loop, &s->look, lb_clock_mono() + LOOK_MS, look_again, s);
}

static void end(void *arg)
{
	struct serving *s = arg;

	lb_timer_cancel(s->loop, &s->look);
	lb_tool_runner_close(s->runner);
	lb_execs_close(s->execs);
}

/* A person who serves his own folder grants what there is. */
static bool may_list(const struct serving *s, const json_t *context,
		     const char *name)
{
	return folder || lb_policy_lists(s->config, context, name);
}

static json_t *list(void *arg, const json_t *context)
{
	struct serving *s = arg;
	json_t *all = json_array();

	if (!look(s))
		return all;
	if (may_list(s, context, "exec"))
		json_array_append_new(all, lb_exec_offer(s->config, context));
	for (const struct lb_tool *t = lb_tools; t->name; t++)
		if (may_list(s, context, t->name))
			json_array_append_new(all, lb_tool_offer(t));
	return all;
}

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
	lb_job_fail(c->job,
		    c->cancelled                  ? "cancelled"
		    : err->code == LB_DENIED      ? "denied"
		    : err->code == LB_UNAVAILABLE ? "unavailable"
						  : "tool",
		    "%s", err->text);
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

	asked_audit(s->state, c->job, lb_json_str(take, "error"), false,
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
					.session = folder ? NULL : session,
					.folder = folder,
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

	if (folder ? place_of_folder(&c->place, folder, err) < 0
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
	lb_autofree char *session = NULL;
	struct lb_policy policy = {.place = LB_IN_SANDBOX,
				   .profile = "default"};

	if (!exec && !tool)
		return lb_fail(err, LB_USAGE, "there is no such tool");
	if (!folder &&
	    asked_policy(s->config, c->job, &policy, &session, err) < 0)
		return -1;
	if (policy.place == LB_IN_SANDBOX && !look(s))
		return lb_fail(err, LB_UNAVAILABLE, "%s", s->why.text);
	if (!exec)
		return start_file(c, tool, &policy, session, err);
	start_exec(c, &policy, session);
	return 0;
}

static void call(struct lb_job *job)
{
	const struct serving *s = job->arg;
	struct call *c = lb_alloc(sizeof(*c));
	struct lb_error err;

	*c = (struct call){.job = job, .begun = lb_clock_mono()};
	if (start(c, &err) == 0)
		return;
	asked_audit(s->state, job, err.text, err.code == LB_DENIED, -1);
	refuse(c, &err);
}

static void cancel(struct lb_job *job)
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

int serve_verb(int argc, char **argv)
{
	struct serving s = {NULL};
	struct lb_error err;
	int code;

	(void)argc;
	(void)argv;
	s.config = lb_config_load(config_file, &err);
	s.state = s.config ? lb_config_state(&err) : NULL;
	if (!s.state) {
		lb_config_close(s.config);
		return lb_report(&err);
	}
	lb_note_terminal();
	code = lb_tools_serve(&(struct lb_serving){
		.name = "lb-tool",
		.list = list,
		.call = call,
		.cancel = cancel,
		.begin = begin,
		.end = end,
		.arg = &s,
	});
	free(s.state);
	lb_config_close(s.config);
	return code;
}
