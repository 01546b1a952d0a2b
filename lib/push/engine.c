/* engine.c - the turn of the loop: lines in, lines out, and what they tell. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/prog.h"
#include "base/stop.h"
#include "push/lines.h"
#include "push/push.h"

static bool takes_more(const struct lb_push *push)
{
	return !lb_lanes_full(&push->lanes) &&
	       !(push->holds_up && !push->out_of_time && lb_push_is_full(push));
}

/* The lines that are in memory, as long as there is room. */
static void take_lines(struct lb_push *push)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!push->ended && takes_more(push) &&
	       (got = lb_lines_take(push->in, &line, &err)) != 0) {
		if (got > 0)
			lb_lanes_line(&push->lanes, &line);
		else
			lb_push_lines.bad(push, &line, &err);
		lb_push_pump(push);
	}
	if (got == 0 && (push->stopping || lb_lines_ended(push->in)))
		push->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct lb_push *push = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(push->in, &err) < 0) {
		push->code = lb_report(&err);
		push->ended = true;
	}
	take_lines(push);
}

/* Watch the input only while there is room for what it brings. */
static void watch_input(struct lb_push *push)
{
	bool want = !push->ended && !push->stopping && takes_more(push);

	if (want != push->watching)
		lb_loop_watch(push->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, push);
	push->watching = want;
}

/* Nothing is waited for any more: what is held passes, the rest ends. */
static void out_of_time(void *arg)
{
	struct lb_push *push = arg;

	push->out_of_time = true;
	lb_push_abandon(push);
}

static void on_stop(void *arg)
{
	struct lb_push *push = arg;

	push->stopping = true;
	if (isatty(STDERR_FILENO))
		lb_tell(NULL, "stopping; again to quit now");
	lb_timer_set(push->loop, &push->end,
		     lb_clock_mono() + push->options->grace_ms, out_of_time,
		     push);
}

/*
 * All lines are out: who reads them need not wait for what is still to be
 * delivered.
 */
static void close_output(struct lb_push *push)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int64_t drain = push->options->drain_ms;

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		close(null);
	}
	push->closed = true;
	if (!push->stopping && drain < INT64_MAX)
		lb_timer_set(push->loop, &push->end, lb_clock_mono() + drain,
			     out_of_time, push);
}

/* 0, or -1 and push->code; -2: the reader left. */
static int flush(struct lb_push *push)
{
	struct lb_error err;

	if (lb_out_flush(push->out, &err) == 0)
		return 0;
	if (lb_out_left(push->out))
		return -2;
	push->code = lb_report(&err);
	return -1;
}

static int serve(struct lb_push *push)
{
	int r;

	for (;;) {
		/* What finished makes room, which may start or read more. */
		do {
			lb_lanes_pump(&push->lanes);
			lb_push_pump(push);
			take_lines(push);
		} while (lb_lanes_waiting(&push->lanes));
		if (!push->closed && (r = flush(push)) < 0)
			return r;
		if (push->ended && push->lanes.map.n == 0) {
			if (push->n == 0)
				return 0;
			if (!push->closed)
				close_output(push);
		}
		watch_input(push);
		lb_loop_turn(push->loop, -1);
	}
}

static void set_up(struct lb_push *push)
{
	const struct lb_config *config = push->options->config;
	const char *full = lb_config_str(config, "webhooks.when-full");

	push->max_in_flight =
		(size_t)lb_config_int(config, "webhooks.max_inflight_requests");
	push->each_in_flight =
		push->hooks.n > 0 ? push->max_in_flight / push->hooks.n : 0;
	if (push->each_in_flight == 0)
		push->each_in_flight = 1;
	push->holds_up = full && *full == 'w';
	push->lanes = (struct lb_lanes){.user = &lb_push_lines,
					.arg = push,
					.loop = push->loop,
					.max = LB_PUSH_MESSAGES,
					.at_any_time = true};
}

static int run(struct lb_push *push)
{
	int r;

	set_up(push);
	lb_stop_watch(push->loop, on_stop, push);
	r = serve(push);
	push->quiet = r < 0;
	lb_push_abandon(push);
	lb_lanes_release(&push->lanes, NULL);
	lb_buf_release(&push->lane);
	return r;
}

int lb_push_run(struct lb_push *push)
{
	struct lb_error err;
	int r;

	if (lb_hooks_read(&push->hooks, push->options->config, &err) < 0) {
		lb_hooks_release(&push->hooks);
		return lb_report(&err);
	}
	push->loop = lb_loop_open();
	push->http = lb_http_open(push->loop);
	push->in = lb_lines_open(STDIN_FILENO, push->options->max_line);
	push->out = lb_out_open(STDOUT_FILENO);
	r = run(push);
	lb_lines_close(push->in);
	lb_out_close(push->out);
	lb_http_close(push->http);
	lb_hooks_release(&push->hooks);
	lb_stop_forget(push->loop);
	lb_loop_close(push->loop);
	if (r == -2)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	return push->code;
}
