/* one.c - one command, as if it were run here. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/stop.h"
#include "exec.h"

struct one {
	struct work *work;
	struct lb_box_run *run;
	struct lb_box_spec spec;
	json_t *notes;
	int status_fd; /* or -1 */
	bool done;
	int code;
};

static void print(int fd, const json_t *result)
{
	lb_autobuf struct lb_buf line = {NULL};

	lb_buf_json(&line, result);
	lb_buf_putc(&line, '\n');
	if (fd == STDOUT_FILENO)
		fwrite(line.data, 1, line.len, stdout);
	else if (write(fd, line.data, line.len) != (ssize_t)line.len)
		lb_warn("cannot write to --status-fd");
}

/* What a shell would say; ours are none of a command's. */
static int status_of(const struct lb_box_result *r, const struct lb_error *e)
{
	if (e && e->code == LB_NOINPUT)
		return 127;
	if (e && (e->code == LB_UNAVAILABLE || e->code == LB_USAGE))
		return e->code;
	if (e)
		return e->code == LB_DENIED ? 126 : 125;
	return r->end == LB_BOX_TIMED_OUT ? 124 : r->exit_code;
}

static void add_notes(json_t *to, const json_t *more)
{
	json_t *note;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)more, i, note)
		json_array_append(to, note);
}

static void on_done(void *arg, struct lb_box_result *r,
		    const struct lb_error *error)
{
	struct one *o = arg;
	json_auto_t *object = NULL;

	o->done = true;
	o->run = NULL;
	o->code = status_of(r, error);
	add_notes(r->notes, o->notes);
	request_audit(o->work, &o->spec, NULL, r, error);
	if (error) {
		lb_complain("%s", error->text);
		return;
	}
	if (r->end == LB_BOX_TIMED_OUT && !options.json)
		lb_complain("it was killed: its %lld ms are over",
			    (long long)o->spec.timeout_ms);
	else if (r->killed_by && !options.json)
		lb_complain("it was killed: %s", r->killed_by);
	object = lb_box_result_json(r, true);
	if (options.json)
		print(STDOUT_FILENO, object);
	if (o->status_fd >= 0)
		print(o->status_fd, object);
}

static void on_stop(void *arg)
{
	struct one *o = arg;

	if (o->run)
		lb_box_cancel(o->run);
}

/* Keys go through as they are while it runs. */
static void make_raw(struct termios *old)
{
	struct termios raw;

	tcgetattr(STDIN_FILENO, old);
	raw = *old;
	cfmakeraw(&raw);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
}

static void tell_notes(const json_t *notes)
{
	const json_t *note;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)notes, i, note)
		lb_warn("%s", json_string_value(note));
}

static int prepare(struct one *o, char **argv, struct lb_error *err)
{
	json_auto_t *request = request_of_options(err);
	size_t n = 0;

	/* argv takes its place. */
	if (request)
		json_object_set_new(request, "cmd", json_string("argv"));
	if (!request ||
	    request_spec(o->work, request, o->notes, &o->spec, err) < 0)
		return -1;
	while (argv[n])
		n++;
	free(o->spec.cmd);
	o->spec.cmd = NULL;
	o->spec.argv = lb_alloc((n + 1) * sizeof(*argv));
	for (size_t i = 0; i < n; i++)
		o->spec.argv[i] = lb_strdup(argv[i]);
	if (options.timeout_ms)
		o->spec.timeout_ms = options.timeout_ms;
	else if (options.terminal)
		o->spec.timeout_ms = INT64_MAX;
	return 0;
}

static void start(struct one *o, struct lb_error *err)
{
	const struct lb_box_job job = {
		.spec = &o->spec,
		.asker = LB_BOX_BY_PERSON,
		.on_host = options.host,
		.skills = o->work->skills,
		.n_skills = o->work->n_skills,
		.shown = (size_t)options.shown,
		.in = STDIN_FILENO,
		.out = options.json ? -1 : STDOUT_FILENO,
		.err = options.json ? -1 : STDERR_FILENO,
		.terminal = options.terminal,
		.need_groups = options.require != NULL,
		.done = on_done,
		.arg = o,
	};

	o->run = lb_box_start(o->work->box, &job, err);
}

static int run(struct one *o, struct lb_error *err)
{
	struct termios old;

	start(o, err);
	if (!o->run) {
		request_audit(o->work, &o->spec, NULL, NULL, err);
		return -1;
	}
	if (options.terminal)
		make_raw(&old);
	lb_stop_watch(o->work->loop, on_stop, o);
	while (!o->done)
		lb_loop_turn(o->work->loop, -1);
	lb_stop_forget(o->work->loop);
	if (options.terminal)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &old);
	return 0;
}

int exec_one(struct work *w, char **argv)
{
	struct one o = {.work = w, .notes = json_array(), .status_fd = -1};
	struct lb_error err;
	int code;

	if (options.terminal && !isatty(STDIN_FILENO))
		lb_usage("--interactive needs a terminal");
	if (options.status_to) {
		lb_autofree char *to = lb_printf("fd:%s", options.status_to);

		o.status_fd = lb_path_output(to, &err);
		if (o.status_fd < 0)
			return lb_report(&err);
	}
	if (prepare(&o, argv, &err) < 0) {
		code = lb_report(&err);
		code = code == LB_DATA ? LB_USAGE : our_status(code);
	} else {
		if (!options.json)
			tell_notes(o.notes);
		code = run(&o, &err) == 0 ? o.code
					  : our_status(lb_report(&err));
	}
	json_decref(o.notes);
	lb_box_spec_release(&o.spec);
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}
