/* lb-run - what follows when a program has ended, and what goes by the clock. */
#include "base/clock.h"
#include "base/log.h"
#include "super.h"

enum { GC_FIRST_MS = 60 * 1000, GC_MS = 60 * 60 * 1000 };

/* Exit statuses after which it would only end the same way again. */
static bool gives_up(int code)
{
	static const int codes[] = {LB_USAGE, LB_NOINPUT, LB_UNAVAILABLE,
				    LB_BUG,   LB_DENIED,  LB_CONFIG,
				    126,      127};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (code == codes[i])
			return true;
	return false;
}

static bool bots_run(const struct super *s)
{
	for (const struct member *m = s->members; m; m = m->next)
		if (m->kind == BOT && !m->ended)
			return true;
	return false;
}

/* The last bot is gone: what it brought is answered, then we end. */
static void bots_ended(struct super *s, int code)
{
	if (s->no_queue) {
		feed_end(s);
	} else if (!s->once) {
		super_stop(s, code);
	} else if (s->role == ROLE_ALL && !s->flow && !s->stopping) {
		member_start(plan_flow(s, true));
	}
}

static void bot_ended(struct super *s, struct member *m)
{
	m->ended = s->stopping || m->leaving || m->once || gives_up(m->code);
	if (m->draining) {
		m->draining = false;
		m->ended = s->stopping;
		member_start(m);
		return;
	}
	if (!m->ended) {
		m->restarts++;
		member_start_later(m);
		return;
	}
	if (m->code != LB_OK && !s->stopping && !m->leaving) {
		s->code = s->code != LB_OK ? s->code : m->code;
		member_say(m, "failed", m->said);
		lb_complain("bot '%s' ended with exit status %d%s", m->name,
			    m->code,
			    m->once ? ""
				    : " and is given up until the "
				      "configuration is read anew (HUP)");
	}
	if (!bots_run(s))
		bots_ended(s, m->code);
}

static void flow_ended(struct super *s, struct member *m)
{
	bool whole = true; /* nothing is left that it is to do */

	if (s->no_queue) {
		feed_lost(s);
		whole = s->feed_ends && s->out.len == 0;
	}
	if (m->draining) {
		m->draining = false;
		member_start(m);
		return;
	}
	m->ended = s->stopping || gives_up(m->code) ||
		   ((m->once || s->no_queue) && whole);
	if (!m->ended) {
		m->restarts++;
		member_start_later(m);
		return;
	}
	if (s->code == LB_OK && !(s->stopping && m->code > 128))
		s->code = m->code;
	if (!s->stopping && gives_up(m->code))
		super_stop(s, m->code);
}

bool super_all_ended(const struct super *s)
{
	for (const struct member *m = s->members; m; m = m->next)
		if (m->kind == GC ? m->pid > 0 : !m->ended)
			return false;
	return true;
}

void super_ended(struct super *s, struct member *m)
{
	if (m->kind == BOT)
		bot_ended(s, m);
	else if (m->kind == FLOW)
		flow_ended(s, m);
	else
		m->ended = true;
	report_soon(s);
}

static void on_gc(void *arg)
{
	struct super *s = arg;
	struct member *m = s->members;

	while (m && m->kind != GC)
		m = m->next;
	if (!m)
		m = plan_gc(s);
	m->ended = false;
	if (m->pid == 0)
		member_start(m);
	lb_timer_set(s->loop, &s->gc, lb_clock_mono() + GC_MS, on_gc, s);
}

void super_plan_gc(struct super *s)
{
	lb_timer_set(s->loop, &s->gc, lb_clock_mono() + GC_FIRST_MS, on_gc, s);
}
