/* telegram-ingest.c - from the start to the end. */
#include "platform/telegram-ingest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "fs/lock.h"
#include "platform/bot.h"
#include "record/record.h"

enum {
	GRACE_MS = 5000, /* for what is being written when a stop comes */
	BUSY_MS = 100,
	MIN_POLL_MS = 1000,
	MAX_POLL_MS = 50 * 1000,
	MAX_ALBUM_MS = 10 * 1000,
};

void poller_end(struct poller *p, enum lb_exit code, const char *fmt, ...)
{
	va_list args;
	struct lb_error err;

	if (p->ended)
		return;
	va_start(args, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, args);
	va_end(args);
	p->ended = true;
	lb_timer_cancel(p->loop, &p->again);
	if (code == LB_OK)
		poller_say(p, "stopped", NULL, -1);
	else
		lb_fail(&p->err, code, "%s", err.text);
}

void poller_ask(struct poller *p, const char *method, json_t *take,
		int64_t poll_ms, lb_telegram_fn *fn)
{
	struct lb_error err;

	p->ask = lb_telegram_ask(p->api,
				 &(struct lb_telegram_request){
					 .method = method,
					 .params = take,
					 .safe = true,
					 .patience_ms =
						 poll_ms + ANSWER_MS - USUAL_MS,
					 .max_body = ANSWER_MAX,
				 },
				 fn, p, &err);
	json_decref(take);
	if (!p->ask)
		poller_end(p, err.code, "%s", err.text);
}

static void on_unhooked(void *arg, const struct lb_answer *a)
{
	struct poller *p = arg;

	p->ask = NULL;
	if (a->outcome != LB_TRY_OK) {
		poller_failed(p, a, poller_unhook);
		return;
	}
	poll_first(p);
}

void poller_unhook(struct poller *p)
{
	poller_ask(p, "deleteWebhook",
		   lb_json_pack("{s:b}", "drop_pending_updates",
				p->drop_pending),
		   0, on_unhooked);
}

static int read_self(struct poller *p, const json_t *me)
{
	const char *name = lb_json_str(me, "username");

	if (!name || !lb_json_int(me, "id", &p->self.id))
		return -1;
	free(p->self.username);
	p->self.username = lb_strdup(name);
	p->self.reads_all =
		lb_json_bool(me, "can_read_all_group_messages", false);
	return 0;
}

/*
 * Where we were. A bot that never was here may leave out what is old. Another
 * token is another bot, which numbers its updates by itself.
 */
static int read_offset(struct poller *p, struct lb_error *err)
{
	lb_autofree char *offset = NULL;
	int r;

	snprintf(p->source, sizeof(p->source), "telegram:%" PRId64, p->self.id);
	r = lb_inbox_offset(p->inbox, &offset, &p->next_time, err);
	if (r < 0)
		return -1;
	p->next = r > 0 ? strtoll(offset, NULL, 10) : 0;
	p->drop_pending =
		r == 0 && lb_json_bool(p->conf, "drop-pending", false);
	return 0;
}

static void ask_me(struct poller *p);

static void begin(struct poller *p)
{
	struct lb_error err;

	if (read_offset(p, &err) == 0)
		poller_unhook(p);
	else if (err.code == LB_AGAIN)
		poller_wait(p, NULL, NULL, BUSY_MS, begin);
	else
		poller_end(p, err.code, "%s", err.text);
}

static void on_me(void *arg, const struct lb_answer *a)
{
	struct poller *p = arg;

	p->ask = NULL;
	if (a->outcome != LB_TRY_OK || read_self(p, a->result) < 0) {
		struct lb_answer bad = *a;

		if (a->outcome == LB_TRY_OK)
			bad = (struct lb_answer){
				.outcome = LB_TRY_AGAIN,
				.code = LB_CODE_MALFORMED,
				.wait_ms = -1,
				.said = "",
				.why = "getMe: the answer names no bot",
			};
		poller_failed(p, &bad, ask_me);
		return;
	}
	poller_connected(p);
	if (!p->self.reads_all)
		poller_say(p, "hint",
			   "in groups only commands, mentions and replies "
			   "reach the bot (its privacy mode is on)",
			   -1);
	begin(p);
}

static void ask_me(struct poller *p)
{
	poller_ask(p, "getMe", json_object(), 0, on_me);
}

static void on_grace(void *arg)
{
	struct poller *p = arg;

	poller_end(p, LB_AGAIN,
		   "bot '%s': nobody took what had arrived; it comes again",
		   p->in->bot);
}

static void on_stop(void *arg)
{
	struct poller *p = arg;

	p->stopping = true;
	lb_telegram_cancel(lb_steal(&p->ask));
	lb_timer_cancel(p->loop, &p->again);
	lb_timer_set(p->loop, &p->grace, lb_clock_mono() + GRACE_MS, on_grace,
		     p);
	if (!p->ended)
		poll_stop(p);
}

static int64_t within(int64_t v, int64_t min, int64_t max)
{
	return v < min ? min : v > max ? max : v;
}

static int64_t ms_of(const json_t *conf, const char *key)
{
	int64_t ms = 0;

	lb_json_int(conf, key, &ms);
	return ms;
}

static bool is_done(const struct poller *p)
{
	struct lb_error err;

	if (lb_inbox_broken(p->inbox, &err))
		return true;
	if (!p->ended)
		return false;
	if (lb_inbox_waits(p->inbox) && !(p->stopping && !p->grace.slot))
		return false;
	return p->err.code != LB_OK || p->stopping ||
	       (media_is_idle(p->media) && p->answering == 0);
}

/* One reader a bot on this machine; the platform sees to other machines. */
static int hold(struct poller *p, struct lb_error *err)
{
	lb_autofree char *path =
		lb_printf("%s/run/ingest-%s.lock", p->in->state, p->in->bot);
	pid_t holder;

	p->lock = lb_lock_hold(path, &holder, err);
	if (p->lock < 0 && err->code == LB_AGAIN)
		lb_fail(err, LB_AGAIN,
			"bot '%s' is read by process %ld already", p->in->bot,
			(long)holder);
	return p->lock < 0 ? -1 : 0;
}

static int poll_run(struct poller *p, struct lb_error *err)
{
	const struct lb_inbox_place place = {p->in->state, p->in->queue,
					     p->in->max, p->in->bot, p->source};

	if (hold(p, err) < 0)
		return -1;
	p->inbox = lb_inbox_open(p->loop, &place, err);
	if (!p->inbox)
		return -1;
	lb_stop_watch(p->loop, on_stop, p);
	ask_me(p);
	while (!is_done(p))
		lb_loop_turn(p->loop, -1);
	if (lb_inbox_left(p->inbox))
		lb_die_of_sigpipe();
	if (lb_inbox_broken(p->inbox, err))
		return -1;
	*err = p->err;
	return err->code == LB_OK ? 0 : -1;
}

static int set_up(struct poller *p, struct lb_error *err)
{
	struct lb_ingest *in = p->in;

	p->conf = lb_bot_find(in->config, "telegram", &in->bot, err);
	if (!p->conf)
		return -1;
	p->poll_ms = within(ms_of(p->conf, "poll-timeout"), MIN_POLL_MS,
			    MAX_POLL_MS);
	p->album_ms = ms_of(p->conf, "album-wait");
	if (p->album_ms == INT64_MAX) /* none */
		p->album_ms = 0;
	p->album_ms = within(p->album_ms, 0, MAX_ALBUM_MS);
	p->other_bots = lb_json_bool(p->conf, "other-bots", false);
	p->api = lb_telegram_api_open(p->http, in->bot, p->conf, err);
	return p->api ? 0 : -1;
}

static void release(struct poller *p)
{
	media_close(p->media);
	lb_telegram_api_close(p->api);
	poll_release(p);
	lb_inbox_close(p->inbox);
	lb_http_close(p->http);
	lb_loop_close(p->loop);
	if (p->lock >= 0)
		close(p->lock);
	free(p->self.username);
	free(p);
}

int lb_ingest_telegram(struct lb_ingest *in, struct lb_error *err)
{
	struct poller *p = lb_alloc(sizeof(*p));
	int r;

	p->in = in;
	p->lock = -1;
	p->limit = POLL_LIMIT;
	p->loop = lb_loop_open();
	p->http = lb_http_open(p->loop);
	p->media = media_open(p);
	r = set_up(p, err);
	if (r == 0)
		r = in->check   ? check_run(p)
		    : in->fetch ? fetch_run(p, err)
				: poll_run(p, err);
	release(p);
	if (r == 0 && lb_stop_signal())
		lb_stop_raise();
	return r;
}
