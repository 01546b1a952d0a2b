/* The turn of the loop: lines in, what waits for whom, records out. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/prog.h"
#include "base/stop.h"
#include "config/config.h"
#include "platform/deliver.h"
#include "platform/posts.h"

/* Records that wait at most; then reading stops. */
enum { MAX_HELD = 4096 };

/* The lines that are in memory, as long as there is room. */
static void take_lines(struct lb_send_engine *e)
{
	struct lb_error err;
	int got = 1;

	while (!e->stopping && !e->ended && !lb_lanes_full(&e->send->lanes) &&
	       (got = lb_lines_take(e->in, &e->line, &err)) != 0) {
		if (got > 0)
			lb_lanes_line(&e->send->lanes, &e->line);
		else
			lb_send_user.bad(e, &e->line, &err);
	}
	lb_send_run_flush(e);
	if (got == 0 && lb_lines_ended(e->in))
		e->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct lb_send_engine *e = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(e->in, &err) < 0) {
		e->code = lb_report(&err);
		e->ended = true;
	}
	take_lines(e);
}

/* Watch the input only while there is room for what it brings. */
static void watch_input(struct lb_send_engine *e)
{
	bool want =
		!e->ended && !e->stopping && !lb_lanes_full(&e->send->lanes);

	if (want != e->watching)
		lb_loop_watch(e->send->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, e);
	e->watching = want;
}

static void out_of_time(void *arg)
{
	struct lb_send_engine *e = arg;

	e->out_of_time = true;
}

static void on_stop(void *arg)
{
	struct lb_send_engine *e = arg;

	e->stopping = true;
	if (isatty(STDERR_FILENO))
		lb_tell(NULL, "stopping; again to quit now");
	lb_timer_set(e->send->loop, &e->grace,
		     lb_clock_mono() + e->send->grace_ms, out_of_time, e);
}

static bool is_done(const struct lb_send_engine *e)
{
	const struct lb_posts *posts = e->send->posts;

	if (e->out_of_time)
		return true;
	return e->stopping ? !posts || posts->n == 0
			   : e->ended && e->send->lanes.map.n == 0;
}

/* 0, or -1 and e->code; -2: the reader left. */
static int flush(struct lb_send_engine *e)
{
	struct lb_out *outs[] = {e->send->records, e->send->out};
	struct lb_error err;

	for (size_t i = 0; i < 2; i++) {
		if (!outs[i] || lb_out_flush(outs[i], &err) == 0)
			continue;
		if (lb_out_left(outs[i]))
			return -2;
		e->code = lb_report(&err);
		return -1;
	}
	return 0;
}

static int serve(struct lb_send_engine *e)
{
	struct lb_send *send = e->send;
	int r;

	for (;;) {
		/* What finished makes room, which may start or read more. */
		do {
			lb_lanes_pump(&send->lanes);
			take_lines(e);
		} while (lb_lanes_waiting(&send->lanes));
		lb_posts_settle(send);
		if (is_done(e)) {
			lb_send_end(send);
			return flush(e);
		}
		if ((r = flush(e)) < 0)
			return r;
		watch_input(e);
		lb_loop_turn(send->loop,
			     lb_lanes_waiting(&send->lanes) ||
					     lb_posts_unsettled(send)
				     ? 0
				     : -1);
	}
}

/* The queue that gave them has them still: they have no record. */
static void say_left(struct lb_send_engine *e)
{
	size_t left = e->send->lanes.held;

	if (left > 0)
		lb_warn("stopped: %zu record%s not sent and not answered", left,
			left == 1 ? " is" : "s are");
}

/* Can a bot be asked to send whose answers are no text? */
static bool has_records(const struct lb_send *send)
{
	const json_t *bot;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)lb_config_section(send->config,
								   "bots"),
			    name, bot)
	{
		const char *adapter = lb_json_str(bot, "adapter");
		const struct lb_sink *sink =
			adapter ? lb_sink_find(adapter) : NULL;

		if (sink && !sink->text)
			return true;
	}
	return false;
}

static bool has_network(const struct lb_send *send)
{
	return send->sink ? send->sink->network != NULL : !send->text;
}

static int run(struct lb_send_engine *e)
{
	struct lb_send *send = e->send;
	struct lb_lanes_user mine = lb_send_user;
	int r;

	mine.owned = lb_send_kinds(send);
	send->lanes = (struct lb_lanes){.user = &mine,
					.arg = e,
					.loop = send->loop,
					.max = MAX_HELD};
	if (send->only) {
		e->ended = true;
		e->line = (struct lb_line){send->only, strlen(send->only), 1,
					   false};
		lb_lanes_line(&send->lanes, &e->line);
	}
	/* Filters end by a signal as any program does. */
	if (has_network(send))
		lb_stop_watch(send->loop, on_stop, e);
	r = serve(e);
	say_left(e);
	lb_posts_abandon(send);
	lb_lanes_release(&send->lanes, lb_post_cancel);
	lb_posts_close(send);
	return r;
}

int lb_send_run(struct lb_send *send)
{
	struct lb_send_engine e = {.send = send};
	int r;

	send->text = send->sink ? send->sink->text : !has_records(send);
	send->loop = lb_loop_open();
	send->out = lb_out_open(STDOUT_FILENO);
	e.in = lb_lines_open(STDIN_FILENO, send->max_line);
	r = run(&e);
	lb_send_release(send);
	lb_lines_close(e.in);
	lb_buf_release(&e.lane);
	lb_out_close(send->out);
	lb_loop_close(send->loop);
	if (r == -2)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	if (e.code == LB_OK && (!send->sink || send->text || send->only))
		e.code = lb_send_code(send);
	return e.code;
}
