#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/engine.h"
#include "agent/memo.h"
#include "agent/tools.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "base/stop.h"
#include "llm/model.h"
#include "net/http.h"
#include "record/filter.h"
#include "store/answer.h"
#include "store/limits.h"

enum { HOUR_MS = 3600 * 1000 };

/* The lines that are in memory, as long as there is room. */
static void take_lines(struct agent *a)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!a->stopping && !lb_lanes_full(&a->sessions) && got != 0) {
		got = lb_lines_take(a->in, &line, &err);
		if (got > 0) {
			lb_lanes_line(&a->sessions, &line);
		} else if (got < 0) {
			order_user.bad(a, &line, &err);
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
	bool want = !a->ended && !a->stopping && !lb_lanes_full(&a->sessions);

	if (want != a->watching)
		lb_loop_watch(a->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, a);
	a->watching = want;
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
	int64_t now = lb_clock_mono(), today, keep;

	if (!lb_store_is_open(a->store) || now < a->next_expiry)
		return;
	a->next_expiry = now + HOUR_MS;
	today = lb_clock_now();
	keep = lb_config_ms(a->options->config, "retention.answers");
	if (keep <= 0 || keep > today) /* for ever */
		return;
	if (lb_answer_expire(a->store, today - keep, &err) < 0)
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
		lb_item_free(w->item);
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
	       ((a->ended || a->stopping) && a->sessions.map.n == 0);
}

static int serve(struct agent *a)
{
	struct lb_error err;

	for (;;) {
		/* What finished makes room, which may start or read more. */
		do {
			lb_lanes_pump(&a->sessions);
			take_lines(a);
		} while (lb_lanes_waiting(&a->sessions));
		if (flush(a, &err) < 0)
			return lb_out_left(a->out) ? -1 : lb_report(&err);
		if (is_done(a))
			return a->code;
		watch_input(a);
		lb_loop_turn(a->loop, -1);
	}
}

static void cancel_turn(struct lb_lane *session)
{
	turn_cancel(session->work);
}

struct lb_limits *engine_limits(struct agent *a)
{
	if (!a->limits)
		a->limits = lb_limits_open(a->options->state, RETRY_MS);
	return a->limits;
}

const struct lb_llm_memo *engine_memo(struct agent *a)
{
	if (!a->memo.arg)
		a->memo = lb_memo_of(engine_limits(a));
	return &a->memo;
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
	a->sessions = (struct lb_lanes){
		.user = &order_user,
		.arg = a,
		.loop = a->loop,
		.max = 4 * (size_t)a->options->jobs,
	};
	a->llm = lb_llm_open(a->loop);
	lb_failover_bounds(&a->bounds, a->options->config);
	a->in = lb_lines_open(STDIN_FILENO, a->options->max_line);
	a->out = lb_out_open(STDOUT_FILENO);
	lb_stop_watch(a->loop, on_stop, a);
	code = serve(a);
	lb_lanes_release(&a->sessions, cancel_turn);
	lb_llm_close(a->llm);
	if (a->http)
		lb_http_close(a->http);
	free(a->allowed);
	providers_close(a);
	lb_map_release(&a->told, NULL);
	lb_map_release(&a->models, free_model);
	lb_map_release(&a->left_out, NULL);
	lb_store_close(a->store);
	lb_limits_close(a->limits);
	lb_lines_close(a->in);
	lb_out_close(a->out);
	lb_buf_release(&a->pending);
	lb_loop_close(a->loop);
	return code;
}

int lb_agent_run(const struct lb_agent_options *options)
{
	struct agent a = {.options = options};
	int code = run(&a);

	if (code < 0)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}
