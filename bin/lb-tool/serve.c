/* lb-tool serve */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "config/config.h"
#include "lb-tool.h"
#include "provider/server.h"
#include "tool/run.h"

/* Calls that work at a time; the others wait. */
enum { MOST = 32 };

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
};

struct call {
	struct lb_job *job;
	struct tool_place place;
	struct lb_tool_run *run;
};

static void begin(void *arg, struct lb_loop *loop, struct lb_server *server)
{
	struct serving *s = arg;

	(void)server;
	s->runner = lb_tool_runner_open(loop, MOST);
}

static void end(void *arg)
{
	struct serving *s = arg;

	lb_tool_runner_close(s->runner);
}

static json_t *list(void *arg, const json_t *context)
{
	json_t *all = json_array();

	(void)arg;
	(void)context;
	for (const struct lb_tool *t = lb_tools; t->name; t++)
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

static void done(void *arg, json_t *take)
{
	struct call *c = arg;
	struct lb_job *job = c->job;

	release(c);
	answer(job, take);
}

/* The folder of -w, or the workspace of whose call it is. */
static int open_place(struct call *c, struct serving *s, struct lb_error *err)
{
	const char *session = lb_json_str(c->job->context, "session");

	if (folder)
		return place_of_folder(&c->place, folder, err);
	if (!session)
		return lb_fail(err, LB_DATA,
			       "the call does not say whose session it is");
	return place_of_session(&c->place, s->config, session, err);
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
	if (open_place(c, s, &err) < 0) {
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

	lb_tool_stop(c->run);
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
