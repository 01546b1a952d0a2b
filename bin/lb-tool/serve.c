/* lb-tool serve */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "box/backend.h"
#include "config/config.h"
#include "lb-tool.h"
#include "pipeline/policy.h"
#include "provider/server.h"
#include "tool/run.h"

/* Calls that work at a time, the others wait; how often it looks whether there
 * is a sandbox. */
enum { MOST = 32, LOOK_MS = 3000 };

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
	struct lb_tool_runner *runner;
	struct lb_loop *loop;
	struct lb_server *server;
	struct lb_timer timer;
	bool listed, available; /* as it was told last */
};

struct call {
	struct lb_job *job;
	struct tool_place place;
	struct lb_tool_run *run;
	int64_t began; /* mono ms */
};

/* Whoever listed the tools learns that there is a sandbox again, or none. */
static void look(void *arg)
{
	struct serving *s = arg;
	struct lb_error why;

	if (s->listed && lb_box_available(s->config, &why) != s->available) {
		s->listed = false;
		lb_tools_changed(s->server);
	}
	lb_timer_set(s->loop, &s->timer, lb_clock_mono() + LOOK_MS, look, s);
}

static void begin(void *arg, struct lb_loop *loop, struct lb_server *server)
{
	struct serving *s = arg;

	s->loop = loop;
	s->server = server;
	s->runner = lb_tool_runner_open(loop, MOST);
	if (!folder)
		lb_timer_set(loop, &s->timer, lb_clock_mono() + LOOK_MS, look,
			     s);
}

static void end(void *arg)
{
	struct serving *s = arg;

	lb_timer_cancel(s->loop, &s->timer);
	lb_tool_runner_close(s->runner);
}

/* For -w, all; else what the pipeline grants, as long as there is a sandbox. */
static json_t *list(void *arg, const json_t *context)
{
	struct serving *s = arg;
	json_t *all = json_array();
	struct lb_error why;

	s->listed = !folder;
	if (!folder)
		s->available = lb_box_available(s->config, &why);
	for (const struct lb_tool *t = lb_tools; t->name; t++)
		if (folder || (s->available &&
			       lb_policy_lists(s->config, context, t->name)))
			json_array_append_new(all, lb_tool_offer(t));
	return all;
}

static void release(struct call *c)
{
	place_release(&c->place);
	free(c);
}

static void answer(struct lb_job *job, json_t *take)
{
	lb_autobuf struct lb_buf text = {0};

	lb_buf_json(&text, take);
	json_decref(take);
	lb_job_text(job, lb_buf_str(&text), text.len);
}

/* The folder of -w, or the workspace of whose call it is. */
static int open_place(struct call *c, struct serving *s, struct lb_error *err)
{
	if (folder)
		return place_of_folder(&c->place, folder, err);
	return context_place(&c->place, s->config, c->job->context,
			     c->job->name, err);
}

static void audit(const struct call *c, const json_t *result,
		  const struct lb_error *why)
{
	context_audit(&(const struct tool_call){.tool = c->job->name,
						.arguments = c->job->arguments,
						.context = c->job->context,
						.session =
							c->place.session.name,
						.began = c->began},
		      result, why);
}

static void done(void *arg, json_t *take)
{
	struct call *c = arg;
	struct lb_job *job = c->job;

	audit(c, take, NULL);
	release(c);
	answer(job, take);
}

static void call(struct lb_job *job)
{
	struct serving *s = job->arg;
	const struct lb_tool *tool = lb_tool_find(job->name);
	struct lb_error err;
	struct call *c;

	if (!tool) {
		lb_job_fail(job, "usage", "there is no such tool");
		return;
	}
	c = lb_alloc(sizeof(*c));
	c->job = job;
	c->began = lb_clock_mono();
	if (open_place(c, s, &err) < 0) {
		audit(c, NULL, &err);
		free(c);
		lb_job_fail(job, err.code == LB_DENIED ? "denied" : "tool",
			    "%s", err.text);
		return;
	}
	job->state = c;
	c->run = lb_tool_start(s->runner, &(struct lb_tool_order){
						  .tool = tool,
						  .place = &c->place.place,
						  .arguments = job->arguments,
						  .deadline = job->deadline,
						  .done = done,
						  .arg = c,
					  });
}

static void cancel(struct lb_job *job)
{
	struct call *c = job->state;
	struct lb_error why;

	lb_fail(&why, LB_OK, "cancelled");
	lb_tool_stop(c->run);
	audit(c, NULL, &why);
	release(c);
	lb_job_fail(job, "cancelled", "the call was cancelled");
}

int serve_verb(int argc, char **argv)
{
	struct serving s = {0};
	struct lb_error err;
	int code;

	(void)argc;
	(void)argv;
	s.config = lb_config_load(config_file, &err);
	if (!s.config)
		return lb_report(&err);
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
	lb_config_close(s.config);
	return code;
}
