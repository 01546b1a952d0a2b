/* records.c - exec records in, result records out. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/stop.h"
#include "exec.h"
#include "record/filter.h"
#include "record/lanes.h"

enum { JOBS = 2, HELD_EACH = 4 };

struct job;

struct stream {
	struct work *work;
	json_t *usual; /* what the command line asked for */
	struct lb_lanes lanes;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_buf name; /* of the lane in question */
	unsigned long n; /* records without a session are lanes of their own */
	long running, most;
	struct job *jobs;
	bool watching, ended, stopping;
	int code;
};

struct job {
	struct stream *stream;
	struct lb_lane *lane;
	struct lb_box_spec spec;
	json_t *notes;
	struct lb_box_run *run;
	struct job *next, **link; /* of those that run */
};

static const char *session_of(const json_t *record)
{
	const char *session = lb_json_str(record, "session_id");

	if (!session || !*session)
		session = lb_json_str(record, "session");
	return session && *session ? session : options.session;
}

static const char *lane(void *arg, const struct lb_record *r)
{
	struct stream *s = arg;
	const char *session = session_of(r->json);

	lb_buf_reset(&s->name);
	if (session)
		lb_buf_printf(&s->name, "/%s", session);
	else
		lb_buf_printf(&s->name, "%lu", ++s->n);
	return lb_buf_str(&s->name);
}

static bool has_room(void *arg)
{
	const struct stream *s = arg;

	return s->running < s->most && !s->stopping;
}

static enum lb_code code_of(const struct lb_error *e)
{
	switch (e->code) {
	case LB_DENIED:
		return LB_CODE_DENIED;
	case LB_DATA:
	case LB_USAGE:
		return LB_CODE_DATA;
	case LB_NOINPUT:
		return LB_CODE_NOT_FOUND;
	case LB_UNAVAILABLE:
	case LB_CONFIG:
		return LB_CODE_CONFIG;
	default:
		return LB_CODE_IO;
	}
}

static void put_error(struct stream *s, const struct lb_record *r,
		      const struct lb_error *e)
{
	lb_put_error(lb_out_buf(s->out), r,
		     &(struct lb_problem){.stage = "lb-exec",
					  .code = code_of(e),
					  .message = e->text,
					  .sent_parts = -1});
	lb_out_built(s->out);
	lb_complain("%s", e->text);
	if (s->code == LB_OK || e->code == LB_UNAVAILABLE)
		s->code = e->code == LB_NOINPUT ? LB_DATA : (int)e->code;
}

/* A record with the job's own members and what came of it. */
static void put_result(struct stream *s, const struct lb_record *r,
		       const struct lb_box_result *result)
{
	json_auto_t *object = lb_box_result_json(result, true);
	struct lb_buf *b = lb_out_buf(s->out);
	const char *key;
	json_t *value;

	lb_pick_members(b, r, "result", lb_common_keys);
	json_object_foreach(object, key, value) lb_put_json(b, key, value);
	lb_put_end(b);
	lb_out_built(s->out);
}

/* The record is done: the next one of its session may begin. */
static void end_job(struct job *job)
{
	struct lb_lane *of = job->lane;

	lb_item_free(lb_lane_shift(of));
	of->work = NULL;
	job->stream->running--;
	*job->link = job->next;
	if (job->next)
		job->next->link = job->link;
	lb_box_spec_release(&job->spec);
	json_decref(job->notes);
	free(job);
	lb_lane_ready(of);
}

static void on_done(void *arg, struct lb_box_result *result,
		    const struct lb_error *error)
{
	struct job *job = arg;
	struct stream *s = job->stream;
	const struct lb_record *r = &job->lane->first->record;
	json_t *note;
	size_t i;

	json_array_foreach(job->notes, i, note)
		json_array_append(result->notes, note);
	request_audit(s->work, &job->spec, r->json, result, error);
	if (error)
		put_error(s, r, error);
	else
		put_result(s, r, result);
	end_job(job);
}

static int begin(struct job *job, const struct lb_record *r,
		 struct lb_error *err)
{
	struct stream *s = job->stream;
	json_auto_t *request = json_deep_copy(s->usual);
	const char *session = session_of(r->json);

	lb_json_merge(request, r->json);
	if (session)
		lb_json_set_str(request, "session_id", session,
				strlen(session));
	if (request_spec(s->work, request, job->notes, &job->spec, err) < 0)
		return -1;
	if (!job->spec.cmd || !*job->spec.cmd)
		return lb_fail(err, LB_DATA, "field 'cmd' is missing or empty");
	if (options.timeout_ms && !json_object_get(r->json, "timeout_sec"))
		job->spec.timeout_ms = options.timeout_ms;
	job->run =
		lb_box_start(s->work->box,
			     &(struct lb_box_job){.spec = &job->spec,
						  .asker = LB_BOX_BY_POLICY,
						  .on_host = options.host,
						  .skills = s->work->skills,
						  .n_skills = s->work->n_skills,
						  .shown =
							  (size_t)options.shown,
						  .in = -1,
						  .out = -1,
						  .err = -1,
						  .need_groups =
							  options.require !=
							  NULL,
						  .done = on_done,
						  .arg = job},
			     err);
	return job->run ? 0 : -1;
}

static void start(void *arg, struct lb_lane *of)
{
	struct stream *s = arg;
	struct job *job = lb_alloc(sizeof(*job));
	struct lb_error err;

	*job = (struct job){.stream = s, .lane = of, .notes = json_array()};
	job->next = s->jobs;
	job->link = &s->jobs;
	if (job->next)
		job->next->link = &job->next;
	s->jobs = job;
	of->work = job;
	s->running++;
	if (begin(job, &of->first->record, &err) == 0)
		return;
	request_audit(s->work, &job->spec, of->first->record.json, NULL, &err);
	put_error(s, &of->first->record, &err);
	end_job(job);
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
	.start = start,
	.pass = pass,
	.bad = bad,
};

static void take_lines(struct stream *s)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!s->ended && !s->stopping && !lb_lanes_full(&s->lanes) &&
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

/* What runs ends with what it has; what waits is said to be lost. */
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
		if (s->running == 0 &&
		    (s->stopping || (s->ended && s->lanes.map.n == 0)))
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
