/* lb-run - run all that the configuration asks for, until told to stop. */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/stop.h"
#include "llm/model.h"
#include "pipeline/pipeline.h"
#include "super.h"

static struct super super = {.grace = 5000, .copies = 1};

#define CONFIG                                                                 \
	{                                                                      \
		'c', "config", "FILE", "read this configuration file",         \
			.text = &super.config_file                             \
	}
#define GRACE                                                                  \
	{                                                                      \
		0, "grace", "TIME",                                            \
			"after a signal, time for what is in flight (default " \
			"5s)",                                                 \
			.duration = &super.grace                               \
	}
#define COPIES                                                                 \
	{                                                                      \
		'j', "copies", "N", "run N copies of the flow (default 1)",    \
			.number = &super.copies, .min = 1, .max = 1024         \
	}
#define WORKSPACE                                                              \
	{                                                                      \
		0, "workspace", "NAME",                                        \
			"whose sandboxes: apart from all others'",             \
			.text = &super.workspace                               \
	}
#define ONCE                                                                   \
	{                                                                      \
		0, "once", .help = "answer what has come, then end: for cron", \
			   .flag = &super.once                                 \
	}
#define PRINT                                                                  \
	{                                                                      \
		0, "print",                                                    \
			.help = "print it as a shell would run it, and end",   \
			.flag = &super.print                                   \
	}
#define RECORDS                                                                \
	{                                                                      \
		0, "records", "FILE", "what became of the messages (-, fd:N)", \
			.text = &super.records_to                              \
	}
#define TEE                                                                    \
	{                                                                      \
		0, "tee", "DIR",                                               \
			"keep the lines between each two programs there",      \
			.text = &super.tee                                     \
	}

const struct lb_opt start_options[] =
	{CONFIG,
	 GRACE,
	 COPIES,
	 {0, "no-queue",
	  .help = "no queue: what is in flight may be lost, and is told of",
	  .flag = &super.no_queue},
	 ONCE,
	 PRINT,
	 RECORDS,
	 TEE,
	 WORKSPACE,
	 {0}};
const struct lb_opt worker_options[] = {CONFIG,  GRACE, COPIES,    ONCE, PRINT,
					RECORDS, TEE,   WORKSPACE, {0}};
const struct lb_opt ingest_options[] = {CONFIG, GRACE,   ONCE,
					PRINT,  RECORDS, {0}};

/* Who answers; a model that cannot be meant is told of before anybody asks. */
static int check_model(struct super *s, struct lb_error *err)
{
	const char *chosen = lb_config_str(s->config, "llm.model");
	struct lb_model *model;

	if (s->role == ROLE_INGEST)
		return 0;
	model = lb_model_open(s->config, NULL, err);
	if (!model)
		return -1;
	if (!(chosen && *chosen) && !lb_config_env("LB_MODEL") && !s->once &&
	    strcmp(model->label, "offline") == 0)
		lb_tell(NULL, "no model is configured: the built-in 'offline' "
			      "answers; set OPENAI_API_KEY, or llm.model (see "
			      "lb-config(5))");
	lb_model_close(model);
	return 0;
}

static int supervise(struct super *s)
{
	for (struct member *m = s->members; m; m = m->next)
		member_start(m);
	if (!s->once && !s->chat)
		super_plan_gc(s);
	report_notify("READY=1");
	while (!s->over && (!super_all_ended(s) || s->said.len > 0)) {
		member_watch_all(s);
		lb_loop_turn(s->loop, -1);
	}
	return s->code;
}

static int open_all(struct super *s, struct lb_error *err)
{
	if (lb_config_workspace(s->workspace, err) < 0)
		return -1;
	s->config = lb_pipeline_config(s->config_file, err);
	if (!s->config)
		return -1;
	s->began = lb_clock_now();
	s->state = lb_config_state(err);
	if (!s->state || plan_make(s, err) < 0)
		return -1;
	if (s->print)
		return 0;
	if ((!s->chat && report_lock(s, err) < 0) || records_open(s, err) < 0 ||
	    (s->tee && lb_path_make(s->tee, err) < 0))
		return -1;
	if (processes_own(err) < 0)
		return -1;
	s->loop = lb_loop_open();
	super_watch_signals(s);
	return 0;
}

static void close_all(struct super *s)
{
	while (s->members) {
		struct member *m = s->members;

		s->members = m->next;
		member_free(m);
	}
	feed_release(s);
	lb_buf_release(&s->said);
	if (!s->chat && s->loop)
		report_close(s);
	lb_loop_close(s->loop);
	lb_config_close(s->config);
	free(s->state);
}

static int run(enum role role)
{
	struct super *s = &super;
	struct lb_error err;
	int code;

	s->role = role;
	s->locks[0] = s->locks[1] = s->records = -1;
	umask(077);
	if (open_all(s, &err) < 0) {
		code = lb_report(&err);
	} else if (s->print) {
		code = plan_print(s);
	} else if (check_model(s, &err) < 0) {
		code = lb_report(&err);
	} else {
		code = supervise(s);
		processes_end(s->config, s->state,
			      s->until ? s->until : lb_clock_mono() + s->grace);
	}
	close_all(s);
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}

int start_verb(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(ROLE_ALL);
}

int worker_verb(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(ROLE_WORKER);
}

int ingest_verb(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return run(ROLE_INGEST);
}
