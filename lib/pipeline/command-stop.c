/*
 * stop, start - a bot is silent until it is told to speak. That outlives a
 * restart: it stands in the store.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "config/notice.h"
#include "pipeline/command.h"
#include "pipeline/stages.h"
#include "store/stopped.h"

/* How long what another process may have changed is believed. */
enum { FRESH_MS = 200, BUSY_MS = 5000 };

/* 1: c->store is open; 0: there is none, and `make` was not asked for. */
static int open_store(struct lb_commands *c, bool make, struct lb_error *err)
{
	if (c->store)
		return 1;
	if (!c->state)
		return make ? lb_fail(err, LB_CONFIG,
				      "there is no folder for what is to be "
				      "kept: set LB_STATE or HOME")
			    : 0;
	if (!make && !lb_store_exists(c->state))
		return 0;
	c->store = lb_store_open(c->state, BUSY_MS, err);
	return c->store ? 1 : -1;
}

static void note(struct lb_commands *c, const char *bot, bool stopped)
{
	if (!c->seen.bot || strcmp(c->seen.bot, bot) != 0) {
		free(c->seen.bot);
		c->seen.bot = lb_strdup(bot);
	}
	c->seen.stopped = stopped;
	c->seen.at = lb_clock_mono();
}

static int is_stopped(struct lb_commands *c, const char *bot,
		      struct lb_error *err)
{
	int r;

	if (c->seen.bot && strcmp(c->seen.bot, bot) == 0 &&
	    lb_clock_mono() - c->seen.at < FRESH_MS)
		return c->seen.stopped;
	r = open_store(c, false, err);
	if (r > 0)
		r = lb_stopped_find(c->store, bot, err);
	if (r >= 0)
		note(c, bot, r > 0);
	return r;
}

enum lb_verdict lb_stage_stopped(struct lb_message *m, struct lb_error *err)
{
	struct lb_commands *c = m->pipeline->commands;
	int r = c ? is_stopped(c, m->bot, err) : 0;

	if (r < 0)
		return LB_FAILED;
	if (r == 0 || lb_message_starts_bot(m))
		return LB_PASS;
	lb_buf_reset(&m->reason);
	lb_buf_puts(&m->reason, "the bot is stopped");
	return LB_DROP;
}

int lb_command_stop(struct lb_call *call, struct lb_error *err)
{
	struct lb_message *m = call->m;
	struct lb_commands *c = m->pipeline->commands;

	if (open_store(c, true, err) < 0 ||
	    lb_stopped_set(c->store, m->bot, m->sender_id, lb_clock_now(),
			   err) < 0)
		return -1;
	note(c, m->bot, true);
	lb_notice_put(&call->out, c->config, "command-stopped", "prefix",
		      call->prefix, "bot", m->bot, NULL);
	return 0;
}

int lb_command_start(struct lb_call *call, struct lb_error *err)
{
	struct lb_message *m = call->m;
	struct lb_commands *c = m->pipeline->commands;
	int r = open_store(c, false, err);

	if (r < 0 || (r > 0 && lb_stopped_clear(c->store, m->bot, err) < 0))
		return -1;
	note(c, m->bot, false);
	lb_notice_put(&call->out, c->config, "command-started", "bot", m->bot,
		      NULL);
	return 0;
}
