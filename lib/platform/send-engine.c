/* The turn of the loop: lines in, what waits for whom, records out. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/prog.h"
#include "base/stop.h"
#include "config/config.h"
#include "platform/post.h"
#include "platform/send.h"
#include "record/filter.h"

/* Records that wait at most; then reading stops. */
enum { MAX_HELD = 4096 };

/* Foreign lines that stand side by side in the reader's buffer. */
struct run {
	const char *from;
	size_t len;
};

struct engine {
	struct lb_send *send;
	struct lb_lines *in;
	const struct lb_line *line; /* that is being looked at */
	struct run run;
	struct lb_timer grace;
	bool watching, ended, stopping, out_of_time;
	int code;
};

/* Where lines go that are not ours; NULL for nowhere. */
static struct lb_out *others(const struct lb_send *send)
{
	if (send->records)
		return send->records;
	return send->text ? NULL : send->out;
}

static void run_flush(struct engine *e)
{
	struct lb_out *out = others(e->send);

	if (e->run.len > 0 && out)
		lb_out_put(out, e->run.from, e->run.len);
	e->run.len = 0;
}

static void pass(void *arg, const struct lb_line *line)
{
	struct engine *e = arg;
	struct lb_out *out = others(e->send);

	if (e->run.len > 0 && e->run.from + e->run.len != line->text)
		run_flush(e);
	if (!line->ended) {
		run_flush(e);
		if (out)
			lb_out_line(out, line->text, line->len);
		return;
	}
	if (e->run.len == 0)
		e->run.from = line->text;
	e->run.len += line->len + 1;
}

static void bad(void *arg, const struct lb_line *line,
		const struct lb_error *err)
{
	struct engine *e = arg;

	run_flush(e);
	lb_line_refuse(others(e->send), "lb-send", line, err);
	e->code = LB_DATA;
	if (e->send->strict)
		e->ended = true;
}

static void too_late(void *arg, const struct lb_record *r)
{
	struct engine *e = arg;
	struct lb_out *out = others(e->send);

	if (!out)
		return;
	lb_put_drop(lb_out_buf(out), r, "lb-send",
		    "it is to be sent in more than 5 minutes");
	lb_out_built(out);
}

/* Chunks are for the eye: they wait for nobody, and nobody for them. */
static bool takes_chunk(struct engine *e, const struct lb_sink *sink,
			const struct lb_record *r)
{
	struct lb_bot *bot;

	if (!sink || !sink->network ||
	    strcmp(lb_json_str(r->json, "kind"), "chunk") != 0)
		return false;
	bot = lb_bot_of(e->send, sink, r);
	if (bot->self && sink->network->chunk)
		sink->network->chunk(bot->self, r);
	return true;
}

/* The lane of what starts a conversation is that of its chat, too. */
static const char *lane_name(const struct lb_record *r)
{
	const char *session = lb_json_str(r->json, "session");
	const char *target = lb_json_str(r->json, "target");
	const char *id = lb_json_str(r->json, "id");

	if (session)
		return session;
	return target ? target : id ? id : "";
}

static const char *lane_of(void *arg, const struct lb_record *r)
{
	struct engine *e = arg;
	const char *id;
	struct lb_error err;

	run_flush(e);
	if (strcmp(lb_json_str(r->json, "kind"), "reply") == 0 &&
	    lb_json_need_str(r->json, "id", &id, &err) < 0) {
		lb_error_wrap(&err, "line %lu", e->line->number);
		bad(e, e->line, &err);
		return NULL;
	}
	if (takes_chunk(e, lb_send_sink(e->send, r), r))
		return NULL;
	return lane_name(r);
}

/* Only a reply takes its time, and only over a network. */
static bool needs_network(const struct lb_sink *sink, const struct lb_record *r)
{
	return sink && sink->network &&
	       strcmp(lb_json_str(r->json, "kind"), "reply") == 0;
}

static void end_elsewhere(struct engine *e, const struct lb_sink *sink,
			  const struct lb_record *r)
{
	const char *id = lb_json_str(r->json, "id");
	struct lb_bot *bot;

	if (!sink || !sink->network || !sink->network->ended || !id)
		return;
	bot = lb_bot_of(e->send, sink, r);
	if (bot->self)
		sink->network->ended(bot->self, id);
}

static bool at_once(void *arg, struct lb_record *r)
{
	struct engine *e = arg;
	const struct lb_sink *sink = lb_send_sink(e->send, r);

	if (needs_network(sink, r))
		return false;
	end_elsewhere(e, sink, r);
	lb_send_record(e->send, sink, r);
	return true;
}

static void start(void *arg, struct lb_lane *lane)
{
	struct engine *e = arg;
	struct lb_record *r = &lane->first->record;
	const struct lb_sink *sink = lb_send_sink(e->send, r);

	if (needs_network(sink, r)) {
		lb_post_start(lane, lb_bot_of(e->send, sink, r));
		return;
	}
	at_once(e, r);
	lb_item_free(lb_lane_shift(lane));
	lb_lane_ready(lane);
}

static bool has_room(void *arg)
{
	const struct engine *e = arg;

	return !e->stopping;
}

/* The lines that are in memory, as long as there is room. */
static void take_lines(struct engine *e)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	e->line = &line;
	while (!e->stopping && !e->ended && !lb_lanes_full(&e->send->lanes) &&
	       (got = lb_lines_take(e->in, &line, &err)) != 0) {
		if (got > 0)
			lb_lanes_line(&e->send->lanes, &line);
		else
			bad(e, &line, &err);
	}
	run_flush(e);
	if (got == 0 && lb_lines_ended(e->in))
		e->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct engine *e = arg;
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
static void watch_input(struct engine *e)
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
	struct engine *e = arg;

	e->out_of_time = true;
}

static void on_stop(void *arg)
{
	struct engine *e = arg;

	e->stopping = true;
	if (isatty(STDERR_FILENO))
		lb_tell(NULL, "stopping; again to quit now");
	lb_timer_set(e->send->loop, &e->grace,
		     lb_clock_mono() + e->send->grace_ms, out_of_time, e);
}

static bool is_done(const struct engine *e)
{
	const struct lb_posts *posts = e->send->posts;

	if (e->out_of_time)
		return true;
	return e->stopping ? !posts || posts->n == 0
			   : e->ended && e->send->lanes.map.n == 0;
}

/* 0, or -1 and e->code; -2: the reader left. */
static int flush(struct engine *e)
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

static int serve(struct engine *e)
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
static void say_left(struct engine *e)
{
	size_t left = e->send->lanes.held;

	if (left > 0)
		lb_warn("stopped: %zu record%s not sent and not answered", left,
			left == 1 ? " is" : "s are");
}

static const struct lb_lanes_user user = {
	.lane = lane_of,
	.at_once = at_once,
	.has_room = has_room,
	.start = start,
	.too_late = too_late,
	.pass = pass,
	.bad = bad,
};

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

static int run(struct engine *e)
{
	struct lb_send *send = e->send;
	struct lb_lanes_user mine = user;
	int r;

	mine.owned = lb_send_kinds(send);
	send->lanes = (struct lb_lanes){.user = &mine,
					.arg = e,
					.loop = send->loop,
					.max = MAX_HELD};
	if (send->only) {
		e->ended = true;
		e->line = &(struct lb_line){send->only, strlen(send->only), 1,
					    true};
		lb_lanes_line(&send->lanes, e->line);
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
	struct engine e = {.send = send};
	int r;

	send->text = send->sink ? send->sink->text : !has_records(send);
	send->loop = lb_loop_open();
	send->out = lb_out_open(STDOUT_FILENO);
	e.in = lb_lines_open(STDIN_FILENO, send->max_line);
	r = run(&e);
	lb_send_release(send);
	lb_lines_close(e.in);
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
