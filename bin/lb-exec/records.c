/* records.c - exec records in, result records out. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/stop.h"
#include "records.h"

enum { JOBS = 2, HELD_EACH = 4 };

/* Foreign lines go by the session that they name, so records do; without one,
 * by the sandbox. */
static const char *lane(void *arg, const struct lb_record *r)
{
	struct stream *s = arg;
	lb_autofree char *sandbox = NULL;
	const char *session = lb_json_str(r->json, "session");
	struct lb_error err;

	lb_buf_reset(&s->name);
	if (!session || !*session) {
		job_session(s, r, &sandbox, &err); /* said at its turn */
		session = sandbox;
	}
	if (session)
		lb_buf_puts(&s->name, session);
	else
		lb_buf_printf(&s->name, "\001%lu", ++s->n);
	return lb_buf_str(&s->name);
}

static bool has_room(void *arg)
{
	const struct stream *s = arg;

	return s->running < s->most;
}

static void pass(void *arg, const struct lb_line *line)
{
	struct stream *s = arg;

	lb_out_line(s->out, line->text, line->len);
}

static void bad(void *arg, const struct lb_line *line,
		const struct lb_error *err)
{
	struct stream *s = arg;

	lb_line_refuse(s->out, "lb-exec", line, err);
	s->code = s->code == LB_OK ? LB_DATA : s->code;
	s->ended = s->ended || options.strict;
}

static const char *const owned[] = {"exec", NULL};
static const struct lb_lanes_user user = {
	.owned = owned,
	.lane = lane,
	.has_room = has_room,
	.start = job_start,
	.pass = pass,
	.bad = bad,
};

static void take_lines(struct stream *s)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!s->ended && !lb_lanes_full(&s->lanes) &&
	       (got = lb_lines_take(s->in, &line, &err)) != 0) {
		if (got > 0)
			lb_lanes_line(&s->lanes, &line);
		else
			bad(s, &line, &err);
	}
	if (got == 0 && lb_lines_ended(s->in))
		s->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct stream *s = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(s->in, &err) < 0) {
		s->code = lb_report(&err);
		s->ended = true;
	}
	take_lines(s);
}

static void watch_input(struct stream *s)
{
	bool want = !s->ended && !s->stopping && !lb_lanes_full(&s->lanes);

	if (want != s->watching)
		lb_loop_watch(s->work->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, s);
	s->watching = want;
}

/* What runs ends with what it has; what waits is answered as lost. */
static void on_stop(void *arg)
{
	struct stream *s = arg;

	s->stopping = true;
	for (struct job *job = s->jobs; job; job = job->next)
		lb_box_cancel(job->run);
}

static int serve(struct stream *s)
{
	struct lb_error err;

	for (;;) {
		do {
			lb_lanes_pump(&s->lanes);
			take_lines(s);
		} while (lb_lanes_waiting(&s->lanes) && has_room(s));
		if (lb_out_flush(s->out, &err) < 0)
			return lb_out_left(s->out)
				       ? -2
				       : (s->code = lb_report(&err));
		if (s->running == 0 && s->lanes.map.n == 0 &&
		    (s->stopping || s->ended))
			return 0;
		watch_input(s);
		lb_loop_turn(s->work->loop, -1);
	}
}

int exec_records(struct work *w)
{
	struct stream s = {
		.work = w,
		.most = options.jobs ? options.jobs : JOBS,
	};
	struct lb_error err;
	int r;

	s.usual = request_of_options(&err);
	if (!s.usual)
		return lb_report(&err);
	lb_note_terminal();
	lb_loop_many_descriptors();
	s.lanes = (struct lb_lanes){.user = &user,
				    .arg = &s,
				    .loop = w->loop,
				    .max = (size_t)s.most * HELD_EACH,
				    .at_any_time = true};
	s.in = lb_lines_open(STDIN_FILENO, (size_t)options.max_line);
	s.out = lb_out_open(STDOUT_FILENO);
	lb_stop_watch(w->loop, on_stop, &s);
	r = serve(&s);
	lb_stop_forget(w->loop);
	lb_lanes_release(&s.lanes, NULL);
	lb_lines_close(s.in);
	lb_out_close(s.out);
	lb_buf_release(&s.name);
	json_decref(s.usual);
	if (r == -2)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	return s.code;
}
