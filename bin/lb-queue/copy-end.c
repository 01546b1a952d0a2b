/* lb-queue work - whether a running CMD has ended, or must. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/log.h"
#include "work.h"

/* How long one that was told to end may take; the longest pause before one
 * that keeps dying is started again. */
enum { LEAVE_MS = 5000, PAUSE_MS = 100, PAUSE_MAX_MS = 30000 };

/* It is gone, or must go: with records in hand that is a death. */
static void die(struct copy *c, const char *why)
{
	struct work *w = c->work;
	bool good = c->closing && c->n == 0; /* it was told to */
	int64_t pause;

	if (c->n > 0 && !w->stopping)
		lb_warn("a copy of '%s' %s with %d record%s in hand",
			w->command[0], why, c->n, c->n == 1 ? "" : "s");
	copy_kill(c);
	c->dead = true;
	w->failures += !good && w->failures < 16;
	pause = w->failures < 2 ? 0 : (int64_t)PAUSE_MS << (w->failures - 2);
	c->wait_until =
		lb_clock_mono() + (pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS);
}

static bool is_late(const struct copy *c, int64_t now)
{
	for (int i = 0; i < c->n; i++)
		if (c->items[i]->deadline <= now)
			return true;
	return false;
}

/*
 * Its group is gone: what it said before lies in the pipe. Another that has
 * the pipe may write on for ever, so there is an end to it.
 */
static void hear_last_words(struct copy *c)
{
	struct pollfd there = {.fd = c->from, .events = POLLIN};

	for (int i = 0; i < 64 && c->from >= 0 && poll(&there, 1, 0) > 0; i++)
		copy_read(c);
}

void copy_look(struct copy *c)
{
	int64_t now = lb_clock_mono();
	struct lb_error err;

	if (c->pid == 0 || c->dead)
		return;
	if (c->from < 0 && c->n > 0) {
		die(c, "closed its output");
	} else if (c->from < 0) {
		/* All is done; it may put things in order before it goes. */
		if (c->to >= 0)
			copy_shut(c);
		if (waitpid(c->pid, NULL, WNOHANG) != 0 ||
		    now - c->since > LEAVE_MS)
			die(c, "ended");
	} else if (is_late(c, now)) {
		copy_read(c); /* is it there already? */
		if (c->pid != 0 && !c->dead && is_late(c, now))
			die(c, "passed its deadline");
	} else if (waitpid(c->pid, NULL, WNOHANG) == c->pid ||
		   kill(c->pid, 0) < 0) {
		/* Its group may go on without it. */
		if (kill(-c->pid, 0) == 0 || errno != ESRCH)
			return;
		hear_last_words(c);
		if (c->pid != 0 && !c->dead)
			die(c, "ended");
	} else if (lb_guard_check(c->work->guard, &err) < 0) {
		lb_report(&err);
	}
}
