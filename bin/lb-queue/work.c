/* lb-queue work */
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/watch.h"
#include "config/config.h"
#include "work.h"

enum { TICK_MS = 1000 };

static struct work work = {.copies = 1,
			   .window = 32,
			   .tries = 5,
			   .deadline = 15 * 60 * 1000,
			   .grace = 5000,
			   .watch = -1};

const struct lb_opt work_options[] = {
	{0, "deadline", "TIME",
	 "a record that takes longer killed its copy (default 15m)",
	 .duration = &work.deadline},
	{0, "grace", "TIME", "how long a signal lets it finish (default 5s)",
	 .duration = &work.grace},
	{'j', "copies", "N", "run N copies of COMMAND (default 1)",
	 .number = &work.copies, .min = 1, .max = 1024},
	{0, "once", .help = "end when all is done", .flag = &work.once},
	{0, "tries", "N", "try what may pass N times in all (default 5)",
	 .number = &work.tries, .min = 1, .max = 1000},
	{'w', "window", "N", "at most N records in a copy's hand (default 32)",
	 .number = &work.window, .min = 1, .max = 100000},
	{0},
};

static void on_tick(void *arg)
{
	struct work *w = arg;
	struct lb_error err;

	static bool said; /* a full disk lasts */

	w->look = true;
	if (work_reap(w, &err) == 0)
		said = false;
	else if (!said)
		said = lb_report(&err) != LB_OK;
	for (long i = 0; i < w->copies; i++)
		copy_look(&w->all[i]);
	lb_timer_set(w->loop, &w->tick, lb_clock_mono() + TICK_MS, on_tick, w);
}

static void on_change(int fd, uint32_t events, void *arg)
{
	struct work *w = arg;

	(void)events;
	lb_watch_drain(fd);
	w->look = true;
}

static void on_grace_over(void *arg)
{
	struct work *w = arg;

	w->give_up = true;
}

/* A signal: nothing more is taken, what is in hand may be finished. */
static void on_stop(void *arg)
{
	struct work *w = arg;

	w->stopping = true;
	for (long i = 0; i < w->copies; i++)
		if (w->all[i].pid != 0)
			copy_close(&w->all[i]);
	lb_timer_set(w->loop, &w->end, lb_clock_mono() + w->grace,
		     on_grace_over, w);
}

static bool is_running(const struct work *w)
{
	for (long i = 0; i < w->copies; i++)
		if (w->all[i].pid != 0 || w->all[i].dead)
			return true;
	return false;
}

static long in_hand(const struct work *w)
{
	long n = 0;

	for (long i = 0; i < w->copies; i++)
		n += w->all[i].n;
	return n;
}

/* --once: 1 all is done, 0 not yet, -1 failed. */
static int is_over(struct work *w, struct lb_error *err)
{
	int64_t depth;
	long hand = in_hand(w);

	if (!w->once)
		return 0;
	depth = lb_queue_depth(w->q, err);
	if (depth < 0)
		return err->code == LB_AGAIN ? 0 : -1;
	if (depth == 0 && hand == 0)
		return 1;
	/* Nothing more to come: one that writes at the end of its input
	 * would wait for it for ever. */
	for (long i = 0; i < w->copies && depth == hand; i++)
		if (w->all[i].n > 0 && !w->all[i].closing)
			copy_close(&w->all[i]);
	return 0;
}

/* Let the copies end, and end those that do not. */
static int wind_up(struct work *w, bool hard, struct lb_error *err)
{
	int r = 0;

	for (long i = 0; i < w->copies; i++) {
		struct copy *c = &w->all[i];

		if (hard && c->pid != 0) {
			copy_kill(c);
			c->dead = true;
		} else if (c->pid != 0) {
			copy_close(c);
		}
		/* A lease without a copy. */
		c->dead = c->dead || (c->pid == 0 && c->owner > 0);
	}
	w->stopping = true;
	while (r == 0 && is_running(w)) {
		r = work_settle(w, err);
		for (long i = 0; i < w->copies; i++)
			copy_look(&w->all[i]);
		if (r == 0 && is_running(w))
			lb_loop_turn(w->loop, 20);
	}
	return r;
}

static int run(struct work *w, struct lb_error *err)
{
	int over = 0;

	while (over == 0) {
		if (work_settle(w, err) < 0 || work_feed(w, err) < 0)
			return -1;
		if (w->stopping && (w->give_up || !is_running(w)))
			return 0;
		if (work_has_news(w))
			continue;
		over = w->stopping ? 0 : is_over(w, err);
		if (over == 0)
			lb_loop_turn(w->loop, -1);
	}
	return over < 0 ? -1 : 0;
}

static int open_all(struct work *w, struct lb_error *err)
{
	w->q = queue_open(w->name, QUEUE_BUSY_MS, err);
	if (!w->q)
		return -1;
	w->guard = lb_guard_open(err);
	if (!w->guard || lb_queue_begin(w->q, false, err) < 0 ||
	    lb_queue_commit(w->q, err) < 0)
		return -1;
	w->max_line = (size_t)lb_config_max_line();
	w->loop = lb_loop_open();
	w->stdout_ = lb_out_open(STDOUT_FILENO);
	w->all = lb_alloc((size_t)w->copies * sizeof(*w->all));
	for (long i = 0; i < w->copies; i++)
		w->all[i] = (struct copy){.work = w, .to = -1, .from = -1};
	w->watch = lb_watch_open(lb_queue_wakes(w->q));
	if (w->watch >= 0)
		lb_loop_watch(w->loop, w->watch, EPOLLIN, on_change, w);
	lb_stop_watch(w->loop, on_stop, w);
	on_tick(w);
	return 0;
}

static void close_all(struct work *w)
{
	for (long i = 0; w->all && i < w->copies; i++) {
		copy_kill(&w->all[i]);
		for (int k = 0; k < w->all[i].n; k++)
			w->all[i].items[k]->over = true;
		copy_sweep(&w->all[i]);
		free(w->all[i].items);
		lb_buf_release(&w->all[i].out);
	}
	lb_guard_close(w->guard);
	lb_queue_close(w->q);
	lb_loop_close(w->loop);
	lb_out_close(w->stdout_);
	lb_buf_release(&w->said);
	lb_record_release(&w->record);
	lb_ticket_release(&w->ticket);
	free(w->ops);
	free(w->all);
}

/* A chain loader's words for a command that cannot be run. */
static int exit_code(const struct lb_error *err)
{
	if (!work.give_up || work.stopping)
		return err->code;
	return err->code == LB_NOINPUT  ? 127
	       : err->code == LB_DENIED ? 126
					: 125;
}

int work_verb(int argc, char **argv)
{
	struct work *w = &work;
	struct lb_error err = {0}, last = {0};
	bool left = false;
	int code;

	w->name = queue_name(argc, argv);
	w->command = lb_command();
	code = open_all(w, &err);
	if (code == 0)
		code = run(w, &err);
	if (code < 0) {
		left = w->stdout_ && lb_out_left(w->stdout_);
		if (!left)
			lb_report(&err);
	}
	code = code < 0 ? exit_code(&err) : w->code;
	if (w->loop)
		wind_up(w, err.code != LB_OK || w->give_up, &last);
	close_all(w);
	if (left)
		lb_die_of_sigpipe();
	if (lb_stop_signal() && err.code == LB_OK)
		lb_stop_raise();
	return code;
}
