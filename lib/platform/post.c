#include "platform/deliver.h"
#include "platform/posts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	MAX_ASKING = 64,                   /* questions at once */
	LONGEST_PAUSE_MS = 10 * 60 * 1000, /* that is waited for here */
};

static const struct lb_network *network_of(const struct lb_post *p)
{
	return p->bot->sink->network;
}

static struct lb_posts *posts_of(const struct lb_post *p)
{
	return p->bot->send->posts;
}

static void wait_until(struct lb_post *p, int64_t at, lb_timer_fn *fn)
{
	p->phase = LB_POST_WAITS;
	lb_timer_set(p->bot->send->loop, &p->timer, at, fn, p);
}

static void release(struct lb_post *p)
{
	struct lb_posts *all = posts_of(p);

	if (p->prev)
		p->prev->next = p->next;
	else
		all->all = p->next;
	if (p->next)
		p->next->prev = p->prev;
	all->n--;
	lb_timer_cancel(p->bot->send->loop, &p->timer);
	if (p->bot->self)
		network_of(p)->release(p->bot->self, p);
	lb_delivery_release(&p->d);
	json_decref(p->ids);
	free(p->chat);
	free(p->key_id);
	free(p);
}

void lb_post_finish(struct lb_post *p)
{
	const struct lb_network *net = network_of(p);
	struct lb_lane *lane = p->lane;
	bool over = p->d.final || p->failed;

	if (p->bot->self && p->d.retryable && net->paused)
		net->paused(p->bot->self, p->d.id);
	else if (p->bot->self && over && net->ended)
		net->ended(p->bot->self, p->d.id);
	release(p);
	lane->work = NULL;
	lb_item_free(lb_lane_shift(lane));
	lb_lane_ready(lane);
}

void lb_post_become(struct lb_post *p, enum lb_ledger_state state)
{
	p->becomes = state;
	lb_post_note(p);
}

void lb_post_fail(struct lb_post *p, enum lb_code code, const char *why,
		  bool retryable)
{
	snprintf(p->d.reason, sizeof(p->d.reason), "%s", why);
	p->d.why = p->d.reason;
	p->d.code = code;
	p->d.retryable = retryable;
	p->failed = true;
}

/* Nothing of this step was done. */
static void give_up(struct lb_post *p, enum lb_code code, const char *why,
		    bool retryable)
{
	lb_post_fail(p, code, why, retryable);
	lb_post_become(p, LB_LEDGER_FREE);
}

void lb_post_refuse(struct lb_post *p, enum lb_code code, const char *why,
		    bool retryable)
{
	lb_post_fail(p, code, why, retryable);
	lb_send_not_sent(p->bot->send, p->bot->sink, &p->d);
	lb_post_finish(p);
}

/* Descriptors or memory have run out: later there may be some. */
static bool is_passing(const struct lb_error *err)
{
	return err->code == LB_OS || err->code == LB_AGAIN;
}

/* Nothing is asked that is not claimed on the disk. */
static void ask(struct lb_post *p)
{
	posts_of(p)->asking++;
	p->claiming = LB_POST_CLAIMS;
	lb_post_note(p);
}

/* Its time is there; but not too many ask at once. */
static void ask_in_turn(struct lb_post *p)
{
	struct lb_posts *all = posts_of(p);

	if (all->asking < MAX_ASKING) {
		ask(p);
		return;
	}
	p->next_ask = NULL;
	if (!all->asks)
		all->asks_end = &all->asks;
	*all->asks_end = p;
	all->asks_end = &p->next_ask;
}

static void on_time(void *arg);

static void on_turn(void *arg)
{
	struct lb_post *p = arg;

	if (lb_pace_paused(&p->bot->pace, p->chat) > lb_clock_mono())
		on_time(p);
	else
		ask_in_turn(p);
}

/* Wait for the chat, unless that takes too long: then this is its end. */
static void wait_for_chat(struct lb_post *p, int64_t at)
{
	if (at - lb_clock_mono() > LONGEST_PAUSE_MS)
		give_up(p, LB_CODE_RATE,
			"the platform wants more than 10 minutes without a "
			"message to this chat",
			true);
	else
		wait_until(p, at, on_time);
}

/* The chat would let it go now, unless it was told to wait meanwhile. */
static void on_time(void *arg)
{
	struct lb_post *p = arg;
	int64_t now = lb_clock_mono();
	int64_t at = lb_pace_paused(&p->bot->pace, p->chat);

	if (at > now) {
		wait_for_chat(p, at);
		return;
	}
	at = lb_pace_turn(&p->bot->pace, now);
	if (at > now)
		wait_until(p, at, on_turn);
	else
		ask_in_turn(p);
}

void lb_post_go(struct lb_post *p)
{
	const struct lb_network *net = network_of(p);
	int64_t now = lb_clock_mono(), at = now;

	p->phase = LB_POST_WAITS;
	p->light = false;
	if (net->ready && !net->ready(p->bot->self, p))
		return;
	if (!p->light)
		at = lb_pace_reserve(&p->bot->pace, p->chat, p->group, now);
	if (at > now)
		wait_for_chat(p, at);
	else
		on_time(p);
}

static void on_again(void *arg)
{
	lb_post_go(arg);
}

static void try_again(struct lb_post *p, const struct lb_answer *a)
{
	int64_t now = lb_clock_mono();
	int64_t wait = lb_tries_wait(&p->tries, a->wait_ms, now);
	const struct lb_subject of = lb_record_subject(p->d.record);

	if (a->status == 429)
		lb_pace_pause(&p->bot->pace, p->chat, now,
			      wait >= 0 ? wait : a->wait_ms);
	if (wait < 0) {
		give_up(p, a->code, a->why, true);
		return;
	}
	lb_log(LB_INFO, &of, "%s: again in %lld ms", a->why, (long long)wait);
	p->again_at = now + wait;
	lb_post_become(p, LB_LEDGER_FREE);
}

void lb_post_unknown(struct lb_post *p, const char *why)
{
	lb_autofree char *text =
		lb_printf("%.300s: whether the message was sent is unknown; "
			  "--resend-unknown sends it again",
			  why);

	lb_post_fail(p, LB_CODE_LOST, text, false);
}

/* Another question may be asked. */
static void answered(struct lb_post *p)
{
	struct lb_posts *all = posts_of(p);
	struct lb_post *next;

	all->asking--;
	p->phase = LB_POST_WAITS;
	while (all->asking < MAX_ASKING && (next = all->asks)) {
		all->asks = next->next_ask;
		on_turn(next);
	}
}

void lb_post_claimed(struct lb_post *p, int was, const struct lb_error *err)
{
	struct lb_error why;

	p->claiming = LB_POST_WRITES;
	p->ours = was == LB_LEDGER_FREE;
	if (!p->ours) {
		answered(p);
		lb_post_not_ours(p, was, err);
		return;
	}
	if (json_array_size(p->ids) >= p->steps) {
		/* All of it, by one that died before it could say so. */
		answered(p);
		lb_post_become(p, LB_LEDGER_SENT);
		return;
	}
	p->phase = LB_POST_ASKS;
	if (network_of(p)->ask(p->bot->self, p, &why) == 0)
		return;
	answered(p);
	give_up(p, lb_code_of(&why), why.text, is_passing(&why));
}

void lb_post_again(struct lb_post *p)
{
	answered(p);
	lb_post_become(p, LB_LEDGER_FREE);
}

void lb_post_answer(struct lb_post *p, const struct lb_answer *a,
		    json_t *take_id)
{
	answered(p);
	switch (a->outcome) {
	case LB_TRY_OK:
		p->tries = (struct lb_tries){0};
		json_array_append_new(p->ids, take_id ? take_id : json_array());
		lb_post_become(p, json_array_size(p->ids) < p->steps
					  ? LB_LEDGER_FREE
					  : LB_LEDGER_SENT);
		return;
	case LB_TRY_AGAIN:
		try_again(p, a);
		break;
	case LB_TRY_UNKNOWN:
		lb_post_unknown(p, a->why);
		lb_post_become(p, LB_LEDGER_UNKNOWN);
		break;
	case LB_TRY_REFUSED:
		give_up(p, a->code, a->why, false);
		break;
	}
	json_decref(take_id);
}

/* The ids of the steps, each on its own. */
static void name_messages(struct lb_post *p)
{
	const json_t *id, *one;
	size_t i, k;

	json_array_foreach(p->ids, i, id)
	{
		if (json_is_string(id))
			json_array_append(p->d.message_ids,
					  (json_t *)(uintptr_t)id);
		json_array_foreach(id, k, one) if (json_is_string(one))
			json_array_append(p->d.message_ids,
					  (json_t *)(uintptr_t)one);
	}
}

void lb_post_written(struct lb_post *p)
{
	int64_t again_at = p->again_at;

	p->ours = false;
	p->again_at = 0;
	if (p->failed) {
		lb_send_not_sent(p->bot->send, p->bot->sink, &p->d);
		lb_post_finish(p);
	} else if (p->becomes == LB_LEDGER_SENT) {
		name_messages(p);
		lb_send_sent(p->bot->send, p->bot->sink, &p->d);
		lb_post_finish(p);
	} else if (again_at > 0) {
		wait_until(p, again_at, on_again);
	} else {
		lb_post_go(p);
	}
}

void lb_post_cancel(struct lb_lane *lane)
{
	release(lane->work);
}
