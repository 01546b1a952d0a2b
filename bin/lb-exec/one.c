/* one.c - one command, as if it were run here. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/stop.h"
#include "exec.h"
#include "meter.h"

struct one {
	struct work *work;
	struct lb_box_run *run;
	struct lb_box_spec spec;
	json_t *notes;
	int64_t ticket; /* of quotas */
	int status_fd;  /* or -1 */
	bool done;
	int code;
};

/* What a shell would say; ours are none of a command's. */
static int status_of(const struct lb_box_result *r, const struct lb_error *e)
{
	if (e && r && r->exit_code > 0)
		return r->exit_code;
	if (e)
		return our_status(e->code);
	return r->end == LB_BOX_TIMED_OUT ? 124 : r->exit_code;
}

static void add_notes(json_t *to, const json_t *more)
{
	json_t *note;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)more, i, note)
		json_array_append(to, note);
}

static void tell_status(struct one *o, json_t *take)
{
	if (o->status_fd >= 0 &&
	    tell_record(o->status_fd, take, "--status-fd") < 0)
		o->code = 125;
	json_decref(take);
}

static void tell_failure(struct one *o, const struct lb_error *err)
{
	json_t *record = tell_error(err);

	if (options.json)
		tell_record(STDOUT_FILENO, record, NULL);
	tell_status(o, record);
}

static void on_done(void *arg, struct lb_box_result *r,
		    const struct lb_error *error)
{
	struct one *o = arg;

	o->done = true;
	o->run = NULL;
	o->code = status_of(r, error);
	meter_settle(&o->ticket, r, error);
	if (error) {
		request_audit(o->work, &o->spec, NULL, r, error);
		lb_complain("%s", error->text);
		tell_failure(o, error);
		return;
	}
	if (options.json) /* else they have been told */
		add_notes(r->notes, o->notes);
	if (tell_end(&o->spec, r) != 0)
		o->code = 125;
	if (!options.json)
		add_notes(r->notes, o->notes);
	request_audit(o->work, &o->spec, NULL, r, error);
	tell_status(o, tell_result(r));
}

static void on_stop(void *arg)
{
	struct one *o = arg;

	if (o->run)
		lb_box_cancel(o->run);
}

static int prepare(struct one *o, char **argv, struct lb_error *err)
{
	json_auto_t *request = request_of_options(err);
	size_t n = 0;

	/* argv takes its place. */
	if (request)
		json_object_set_new(request, "cmd", json_string("argv"));
	if (!request)
		return -1;
	if (request_spec(o->work, request, o->notes, &o->spec, err) < 0) {
		blame_option(err);
		return -1;
	}
	while (argv[n])
		n++;
	free(o->spec.cmd);
	o->spec.cmd = NULL;
	o->spec.argv = lb_alloc((n + 1) * sizeof(*argv));
	for (size_t i = 0; i < n; i++)
		o->spec.argv[i] = lb_strdup(argv[i]);
	/* Somebody is at work, for as long as he likes. */
	if ((options.terminal || options.service) && !options.timeout_ms)
		o->spec.timeout_ms = INT64_MAX;
	return 0;
}

static void start(struct one *o, struct lb_error *err)
{
	struct lb_box_job job = {
		.spec = &o->spec,
		.asker = LB_BOX_BY_PERSON,
		.on_host = options.host,
		.skills = o->work->skills,
		.n_skills = o->work->n_skills,
		.shown = (size_t)options.shown,
		.in = STDIN_FILENO,
		.out = tell_captures() ? -1 : STDOUT_FILENO,
		.err = tell_captures() ? -1 : STDERR_FILENO,
		.terminal = options.terminal,
		.need_groups = options.require != NULL,
		.is_last = true,
		.helper = EXEC_HELPER,
		.done = on_done,
		.arg = o,
	};

	if (meter_take(o->work, NULL, &job, &o->ticket, err) < 0)
		return;
	o->run = lb_box_start(o->work->box, &job, err);
	if (!o->run)
		meter_settle(&o->ticket, NULL, err);
}

/* A failure before it began; what to exit with. */
static int fail(struct one *o, const struct lb_error *err)
{
	o->code = our_status(lb_report(err));
	tell_failure(o, err);
	return o->code;
}

static int run(struct one *o)
{
	struct lb_loop *loop = o->work->loop;
	struct lb_error err;

	start(o, &err);
	if (!o->run) {
		request_audit(o->work, &o->spec, NULL, NULL, &err);
		return fail(o, &err);
	}
	if (options.terminal)
		terminal_lend(loop, &o->run);
	lb_stop_watch(loop, on_stop, o);
	lb_config_user(o->work->config); /* for the audit, while it runs */
	while (!o->done)
		lb_loop_turn(loop, -1);
	lb_stop_forget(loop);
	if (options.terminal)
		terminal_take_back(loop);
	return o->code;
}

int exec_one(struct work *w, char **argv)
{
	struct one o = {.work = w,
			.notes = json_array(),
			.ticket = METER_NONE,
			.status_fd = -1};
	struct lb_error err;
	int code;

	if (options.terminal && !isatty(STDIN_FILENO))
		lb_usage("--interactive needs a terminal");
	signal(SIGPIPE, SIG_IGN);
	if (options.status_to) {
		lb_autofree char *to = lb_printf("fd:%s", options.status_to);

		o.status_fd = lb_path_output(to, &err);
		if (o.status_fd < 0)
			lb_usage("%s", err.text);
	}
	if (w->refused.code != LB_OK) {
		code = fail(&o, &w->refused);
	} else if (prepare(&o, argv, &err) < 0) {
		if (err.code == LB_DENIED) /* what is no request is none */
			request_audit(w, &o.spec, NULL, NULL, &err);
		code = fail(&o, &err);
	} else {
		if (!options.json)
			tell_notes(o.notes);
		code = run(&o);
	}
	json_decref(o.notes);
	lb_box_spec_release(&o.spec);
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}
