#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/engine.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "base/stop.h"
#include "llm/model.h"
#include "record/filter.h"
#include "store/answer.h"

enum { HOUR_MS = 3600 * 1000, KEEP_ANSWERS_MS = 7 * 24 * HOUR_MS };

/* The lines that are in memory, as long as there is room. */
static void take_lines(struct agent *a)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!a->stopping && !order_is_full(a) && got != 0) {
		got = lb_lines_take(a->in, &line, &err);
		if (got > 0) {
			order_line(a, &line);
		} else if (got < 0) {
			lb_line_refuse(NULL, "lb-agent", &line, &err);
			lb_put_bad_line(&a->pending, "lb-agent", err.text,
					line.text, line.len, line.number);
			a->code = LB_DATA;
		}
	}
	if (got == 0 && lb_lines_ended(a->in))
		a->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct agent *a = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(a->in, &err) < 0)
		a->code = lb_report(&err);
	take_lines(a);
}

/* Watch the input only while there is room for what it brings. */
static void watch_input(struct agent *a)
{
	bool want = !a->ended && !a->stopping && !order_is_full(a);

	if (want != a->watching)
		lb_loop_watch(a->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, a);
	a->watching = want;
}

static void on_timer(void *arg)
{
	session_ready(arg);
}

/* Nobody waits that long, and what is behind it in its session least. */
static void drop_first(struct session *s)
{
	struct item *item = session_shift(s);

	lb_put_drop(&s->agent->pending, &item->record, "lb-agent",
		    "it is to start in more than 5 minutes");
	item_free(item);
	session_ready(s);
}

/* The store is locked by another process: later, or never. */
static void start_later(struct session *s, const struct lb_error *err)
{
	const struct lb_problem p = {"lb-agent", LB_CODE_IO, err->text, true,
				     -1};

	if (err->code == LB_AGAIN && s->tries++ < MAX_TRIES) {
		lb_timer_set(s->agent->loop, &s->timer,
			     lb_clock_mono() + RETRY_MS, on_timer, s);
		return;
	}
	s->tries = 0;
	lb_warn("%s", err->text);
	engine_refuse(s, &p);
	session_ready(s);
}

/* Let out what may go, start the first query; forget an empty session. */
static void run_session(struct session *s)
{
	struct agent *a = s->agent;
	struct lb_error err;

	while (s->first && !s->first->is_query) {
		struct item *item = session_shift(s);

		engine_pass(a, item->text, item->len);
		item_free(item);
	}
	if (!s->first) {
		lb_map_remove(&a->sessions, s->name);
		session_free(s);
		return;
	}
	if (s->first->too_far) {
		drop_first(s);
		return;
	}
	if (s->first->start_at > lb_clock_mono()) {
		lb_timer_set(a->loop, &s->timer, s->first->start_at, on_timer,
			     s);
		return;
	}
	if (turn_start(s, &err) < 0) {
		start_later(s, &err);
		return;
	}
	s->tries = 0;
}

/* Start what may start. */
static void pump(struct agent *a)
{
	while (a->ready && a->in_flight < a->options->jobs) {
		struct session *s = a->ready;

		a->ready = s->next_ready;
		if (!a->ready)
			a->ready_end = &a->ready;
		s->is_ready = false;
		run_session(s);
	}
}

/*
 * What could not be stored is not answered: its query comes back as an error
 * that may be tried again. Replies are listed latest first, so that cutting
 * one out leaves the places of the others.
 */
static void retract(struct agent *a, const struct lb_error *err)
{
	const struct lb_problem p = {"lb-agent", LB_CODE_IO, err->text, true,
				     -1};

	lb_complain("cannot store answers: %s", err->text);
	for (const struct written *w = a->written; w; w = w->next) {
		lb_autobuf struct lb_buf tail = {0};

		lb_buf_put(&tail, a->pending.data + w->at + w->len,
			   a->pending.len - w->at - w->len);
		a->pending.len = w->at;
		lb_put_error(&a->pending, &w->item->record, &p);
		lb_buf_put(&a->pending, lb_buf_str(&tail), tail.len);
	}
}

void engine_store_failed(struct agent *a, const struct lb_error *err)
{
	if (a->store_error.code == LB_OK)
		a->store_error = *err;
}

/*
 * Forget answers too old to be asked for again, once an hour, in a
 * transaction that is open anyhow.
 */
static void expire(struct agent *a)
{
	struct lb_error err;
	int64_t now = lb_clock_mono();

	if (!lb_store_is_open(a->store) || now < a->next_expiry)
		return;
	a->next_expiry = now + HOUR_MS;
	if (lb_answer_expire(a->store, lb_clock_now() - KEEP_ANSWERS_MS, &err) <
	    0)
		engine_store_failed(a, &err);
}

/* End the transaction of this turn of the loop, if there is one. */
static void save(struct agent *a)
{
	struct lb_error err;

	expire(a);
	if (a->store_error.code == LB_OK && lb_store_is_open(a->store) &&
	    lb_store_commit(a->store, &err) < 0)
		engine_store_failed(a, &err);
	if (a->store_error.code == LB_OK)
		return;
	lb_store_rollback(a->store);
	retract(a, &a->store_error);
	a->store_error.code = LB_OK;
}

/* The end of a turn of the loop: first the store, then the output. */
static int flush(struct agent *a, struct lb_error *err)
{
	save(a);
	while (a->written) {
		struct written *w = a->written;

		a->written = w->next;
		item_free(w->item);
		free(w);
	}
	lb_out_put(a->out, lb_buf_str(&a->pending), a->pending.len);
	if (a->pending.cap > 1 << 20)
		lb_buf_release(&a->pending);
	else
		lb_buf_reset(&a->pending);
	return lb_out_flush(a->out, err);
}

static void out_of_time(void *arg)
{
	struct agent *a = arg;

	a->out_of_time = true;
}

static void on_stop(void *arg)
{
	struct agent *a = arg;

	a->stopping = true;
	if (isatty(STDERR_FILENO))
		lb_tell(NULL, "stopping; again to quit now");
	lb_timer_set(a->loop, &a->grace, lb_clock_mono() + a->options->grace_ms,
		     out_of_time, a);
}

static bool is_done(const struct agent *a)
{
	return a->out_of_time ||
	       ((a->ended || a->stopping) && a->sessions.n == 0);
}

static int serve(struct agent *a)
{
	struct lb_error err;

	for (;;) {
		/* What finished makes room, which may start or read more. */
		do {
			pump(a);
			take_lines(a);
		} while (a->ready && a->in_flight < a->options->jobs);
		if (flush(a, &err) < 0)
			return lb_out_left(a->out) ? -1 : lb_report(&err);
		if (is_done(a))
			return a->code;
		watch_input(a);
		lb_loop_turn(a->loop, -1);
	}
}

static void free_session(void *value)
{
	struct session *s = value;

	if (s->turn)
		turn_cancel(s->turn);
	session_free(s);
}

static void free_model(void *value)
{
	lb_model_close(value);
}

static int run(struct agent *a)
{
	struct lb_error err;
	int code;

	a->store = lb_store_open(a->options->state, RETRY_MS, &err);
	if (!a->store)
		return lb_report(&err);
	lb_loop_many_descriptors();
	a->loop = lb_loop_open();
	a->llm = lb_llm_open(a->loop);
	a->in = lb_lines_open(STDIN_FILENO, a->options->max_line);
	a->out = lb_out_open(STDOUT_FILENO);
	lb_stop_watch(a->loop, on_stop, a);
	code = serve(a);
	lb_map_release(&a->sessions, free_session);
	lb_llm_close(a->llm);
	lb_map_release(&a->models, free_model);
	lb_store_close(a->store);
	lb_lines_close(a->in);
	lb_out_close(a->out);
	lb_buf_release(&a->pending);
	lb_loop_close(a->loop);
	return code;
}

int lb_agent_run(const struct lb_agent_options *options)
{
	struct agent a = {.options = options};
	int code;

	a.ready_end = &a.ready;
	code = run(&a);
	if (code < 0)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}
