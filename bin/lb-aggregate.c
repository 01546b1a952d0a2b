/* lb-aggregate - one message of what a person sends in a burst. */
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/prog.h"
#include "base/stop.h"
#include "config/config.h"
#include "pipeline/aggregate.h"
#include "record/filter.h"

static const char *config_file;
static bool strict;
static int64_t max_line;

static const struct lb_opt options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-aggregate",
	.operands = "",
	.about = "Make one message of what a person sends in a burst",
	.example = "lb-ingest telegram | lb-aggregate | lb-pipeline",
	.opts = options,
	.reads = "message",
	.writes = "message drop error",
};

struct work {
	struct lb_loop *loop;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_aggregate *aggregate;
	struct lb_timer timer;
	bool stopping;
	int code;
};

/* A line that is not well-formed. */
static void refuse(struct work *w, const struct lb_line *line,
		   const struct lb_error *err)
{
	lb_line_refuse(w->out, "lb-aggregate", line, err);
	w->code = LB_DATA;
	w->stopping = w->stopping || strict;
}

/* All lines that are whole in memory. */
static void take_lines(struct work *w)
{
	int64_t now = lb_clock_mono();
	struct lb_line line;
	struct lb_error err;
	int got;

	while (!w->stopping && (got = lb_lines_take(w->in, &line, &err)) != 0)
		if (got < 0 ||
		    lb_aggregate_line(w->aggregate, &line, now, &err) < 0)
			refuse(w, &line, &err);
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct work *w = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(w->in, &err) < 0)
		w->code = lb_report(&err);
	take_lines(w);
}

static void on_timer(void *arg)
{
	struct work *w = arg;

	lb_aggregate_turn(w->aggregate, lb_clock_mono());
}

static void on_stop(void *arg)
{
	struct work *w = arg;

	w->stopping = true;
}

/* Returns what to exit with, or -1 when the reader left. */
static int serve(struct work *w)
{
	struct lb_error err;

	lb_loop_watch(w->loop, STDIN_FILENO, EPOLLIN, on_stdin, w);
	for (;;) {
		bool end = w->stopping || lb_lines_ended(w->in);
		int64_t due;

		if (end) /* whatever ends it, nothing is kept */
			lb_aggregate_flush(w->aggregate);
		if (lb_out_flush(w->out, &err) < 0)
			return lb_out_left(w->out) ? -1 : lb_report(&err);
		if (end)
			return w->code;
		due = lb_aggregate_due(w->aggregate);
		if (due >= 0)
			lb_timer_set(w->loop, &w->timer, due, on_timer, w);
		lb_loop_turn(w->loop, -1);
	}
}

static int merge(struct lb_config *config)
{
	struct work w = {
		.loop = lb_loop_open(),
		.in = lb_lines_open(STDIN_FILENO, (size_t)max_line),
		.out = lb_out_open(STDOUT_FILENO),
	};
	struct lb_error err;
	int code;

	w.aggregate = lb_aggregate_open(config, w.out, (size_t)max_line, &err);
	lb_stop_watch(w.loop, on_stop, &w);
	code = w.aggregate ? serve(&w) : lb_report(&err);
	lb_timer_cancel(w.loop, &w.timer);
	lb_aggregate_close(w.aggregate);
	lb_lines_close(w.in);
	lb_out_close(w.out);
	if (code < 0)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	lb_stop_forget(w.loop);
	lb_loop_close(w.loop);
	return code;
}

/* No pipeline wants it: everything passes. */
static int pass(void)
{
	static const char *const none[] = {NULL};

	return lb_filter_run(&(struct lb_filter){
		.stage = "lb-aggregate",
		.owned = none,
		.max_line = (size_t)max_line,
		.strict = strict,
	});
}

int main(int argc, char **argv)
{
	struct lb_config *config;
	struct lb_error err;
	int code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	config = lb_config_load(config_file, &err);
	if (!config)
		return lb_finish(lb_report(&err));
	lb_note_terminal();
	code = lb_aggregate_is_on(config) ? merge(config) : pass();
	lb_config_close(config);
	return lb_finish(code);
}
