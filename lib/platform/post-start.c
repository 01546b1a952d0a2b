/* How a part begins: may it be sent, and is it ours to send? */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "platform/deliver.h"
#include "platform/posts.h"

static const struct lb_network *network_of(const struct lb_post *p)
{
	return p->bot->sink->network;
}

static void look(void *arg)
{
	struct lb_post *p = arg;

	p->claiming = LB_POST_LOOKS;
	lb_post_note(p);
}

/* Another process is at it: when it has done it, it has a receipt for us. */
static void look_later(struct lb_post *p)
{
	int64_t now = lb_clock_mono();
	int64_t wait = lb_tries_wait(&p->tries, -1, now);

	p->phase = LB_POST_WAITS;
	if (wait < 0)
		lb_post_refuse(p, LB_CODE_IO, "another lb-send has it in hand",
			       true);
	else
		lb_timer_set(p->bot->send->loop, &p->timer, now + wait, look,
			     p);
}

void lb_post_not_ours(struct lb_post *p, int was, const struct lb_error *err)
{
	switch (was) {
	case LB_LEDGER_CLAIMED:
		look_later(p);
		break;
	case LB_LEDGER_SENT:
		p->d.replayed = true;
		p->becomes = LB_LEDGER_SENT;
		lb_post_written(p);
		break;
	case LB_LEDGER_UNKNOWN:
		lb_post_unknown(p,
				"whoever sent it before did not learn how that "
				"ended");
		lb_post_written(p);
		break;
	default:
		lb_post_refuse(p, LB_CODE_IO, err->text, true);
		break;
	}
}

void lb_post_looked(struct lb_post *p, int was, const struct lb_error *err)
{
	p->claiming = LB_POST_WRITES;
	if (was != LB_LEDGER_FREE) {
		lb_post_not_ours(p, was, err);
		return;
	}
	p->tries = (struct lb_tries){0};
	lb_post_go(p);
}

/*
 * One record is sent once to one place: an id that is given for several runs
 * of a job is another message wherever it goes.
 */
static void name_key(struct lb_post *p)
{
	const char *target = lb_json_str(p->d.record->json, "target");

	p->key_id = target ? lb_printf("%s>%s", p->d.id, target)
			   : lb_strdup(p->d.id);
	p->key = (struct lb_ledger_key){p->bot->name, p->key_id, p->d.part};
}

static struct lb_post *post_open(struct lb_lane *lane, struct lb_bot *bot)
{
	struct lb_posts *all = lb_posts_of(bot->send);
	struct lb_post *p = lb_alloc(sizeof(*p));

	p->bot = bot;
	p->lane = lane;
	p->ids = json_array();
	p->next = all->all;
	if (all->all)
		all->all->prev = p;
	all->all = p;
	all->n++;
	lane->work = p;
	return p;
}

void lb_post_start(struct lb_lane *lane, struct lb_bot *bot)
{
	struct lb_post *p = post_open(lane, bot);
	bool can = lb_delivery_open(&p->d, &lane->first->record);
	struct lb_error err;

	if (bot->send->hold)
		p->d.session = lane->name;
	if (lb_send_gave_up(bot->send, &p->d)) {
		p->d.final = false; /* what failed said how it ends */
		lb_post_finish(p);
	} else if (lb_send_held_back(bot->send, &p->d)) {
		lb_send_not_sent(bot->send, bot->sink, &p->d);
		lb_post_finish(p);
	} else if (!can) {
		lb_post_refuse(p, p->d.code, p->d.why, false);
	} else if (!bot->self) {
		lb_post_refuse(p, lb_code_of(&bot->why), bot->why.text, false);
	} else if (network_of(p)->plan(bot->self, p, &err) < 0) {
		lb_post_refuse(p, lb_code_of(&err), err.text, false);
	} else if (p->steps == 0) {
		lb_send_sent(bot->send, bot->sink, &p->d);
		lb_post_finish(p);
	} else {
		name_key(p);
		look(p);
	}
}
