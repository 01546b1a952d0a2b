/* What posts write into the ledger: one transaction a turn of the loop. */
#include "base/clock.h"
#include "base/log.h"
#include "platform/posts.h"

/* A ledger that others hold is tried again for as long: 5 s. */
enum { RETRY_MS = 100, MAX_TRIES = 50 };

void lb_post_note(struct lb_post *p)
{
	struct lb_posts *all = p->bot->send->posts;

	p->phase = LB_POST_LEDGER;
	p->next_op = NULL;
	if (!all->ops)
		all->ops_end = &all->ops;
	*all->ops_end = p;
	all->ops_end = &p->next_op;
}

bool lb_posts_unsettled(const struct lb_send *send)
{
	return send->posts && send->posts->ops && !send->posts->ledger_waits;
}

static int open_ledger(struct lb_send *send, struct lb_error *err)
{
	if (!send->state)
		return lb_fail(err, LB_CONFIG,
			       "there is no folder for the ledger: set "
			       "LB_STATE");
	if (!send->posts->ledger)
		send->posts->ledger =
			lb_ledger_open(send->state, RETRY_MS, err);
	return send->posts->ledger ? 0 : -1;
}

static int write_one(struct lb_send *send, struct lb_post *p,
		     struct lb_error *err)
{
	struct lb_ledger *l = send->posts->ledger;
	bool anew = send->resend_unknown;
	json_t *ids;
	int was;

	if (p->claiming == LB_POST_WRITES)
		return p->ours ? lb_ledger_write(l, &p->key, p->becomes, p->ids,
						 lb_clock_now(), err)
			       : 0;
	was = p->claiming == LB_POST_LOOKS
		      ? lb_ledger_look(l, &p->key, anew, &ids, err)
		      : lb_ledger_claim(l, &p->key, anew, lb_clock_now(), &ids,
					err);
	if (was < 0)
		return -1;
	json_decref(p->ids);
	p->ids = ids;
	p->was = was;
	return 0;
}

static int write_all(struct lb_send *send, struct lb_error *err)
{
	if (open_ledger(send, err) < 0)
		return -1;
	if (lb_ledger_begin(send->posts->ledger, err) < 0)
		return -1;
	for (struct lb_post *p = send->posts->ops; p; p = p->next_op)
		if (write_one(send, p, err) < 0) {
			lb_ledger_rollback(send->posts->ledger);
			return -1;
		}
	return lb_ledger_commit(send->posts->ledger, err);
}

static void on_retry(void *arg)
{
	struct lb_send *send = arg;

	send->posts->ledger_waits = false;
}

/*
 * Without its claim nothing is sent. What was sent and cannot be noted keeps
 * its claim, so it is not sent again in silence: its receipt is due all the
 * same.
 */
static void go_on(struct lb_send *send, bool written,
		  const struct lb_error *err)
{
	struct lb_post *p = send->posts->ops, *next;

	send->posts->ops = NULL;
	for (; p; p = next) {
		next = p->next_op;
		if (p->claiming == LB_POST_LOOKS)
			lb_post_looked(p, written ? p->was : -1, err);
		else if (p->claiming == LB_POST_CLAIMS)
			lb_post_claimed(p, written ? p->was : -1, err);
		else
			lb_post_written(p);
	}
}

void lb_posts_settle(struct lb_send *send)
{
	struct lb_posts *all = send->posts;
	struct lb_error err = {0};
	int r;

	if (!lb_posts_unsettled(send))
		return;
	r = write_all(send, &err);
	if (r < 0 && err.code == LB_AGAIN && all->ledger_tries++ < MAX_TRIES) {
		all->ledger_waits = true;
		lb_timer_set(send->loop, &all->ledger_timer,
			     lb_clock_mono() + RETRY_MS, on_retry, send);
		return;
	}
	all->ledger_tries = 0;
	if (r < 0)
		lb_complain("cannot note what is sent: %s", err.text);
	go_on(send, r == 0, &err);
}

/* What the ledger is to say of a post when there is no time left. */
static enum lb_ledger_state last_word(const struct lb_post *p)
{
	if (p->phase == LB_POST_LEDGER)
		return p->becomes;
	return p->phase == LB_POST_ASKS ? LB_LEDGER_UNKNOWN : LB_LEDGER_FREE;
}

void lb_posts_abandon(struct lb_send *send)
{
	struct lb_posts *all = send->posts;
	struct lb_error err;
	int r;

	if (!all || !all->ledger)
		return;
	r = lb_ledger_begin(all->ledger, &err);
	for (struct lb_post *p = all->all; p && r == 0; p = p->next)
		if (p->ours)
			r = lb_ledger_write(all->ledger, &p->key, last_word(p),
					    p->ids, lb_clock_now(), &err);
	if (r == 0)
		r = lb_ledger_commit(all->ledger, &err);
	if (r < 0) /* then their claims say that it is unknown */
		lb_complain("cannot note what was not sent: %s", err.text);
}

/* No answer has a part of this number. */
enum { SHOWN = 0 };

void lb_bot_note_shown(struct lb_bot *bot, const char *id, const json_t *ids)
{
	const struct lb_ledger_key key = {bot->name, id, SHOWN};
	struct lb_posts *all = lb_posts_of(bot->send);
	struct lb_error err;

	if (open_ledger(bot->send, &err) < 0 ||
	    lb_ledger_begin(all->ledger, &err) < 0) {
		lb_log(LB_DEBUG, NULL, "%s", err.text);
		return;
	}
	if (lb_ledger_write(all->ledger, &key, LB_LEDGER_FREE, ids,
			    lb_clock_now(), &err) == 0 &&
	    lb_ledger_commit(all->ledger, &err) == 0)
		return;
	lb_ledger_rollback(all->ledger);
	lb_log(LB_DEBUG, NULL, "%s", err.text);
}

json_t *lb_bot_shown(struct lb_bot *bot, const char *id)
{
	const struct lb_ledger_key key = {bot->name, id, SHOWN};
	struct lb_posts *all = lb_posts_of(bot->send);
	struct lb_error err;
	json_t *ids = NULL;

	if (open_ledger(bot->send, &err) < 0 ||
	    lb_ledger_look(all->ledger, &key, false, &ids, &err) < 0)
		lb_log(LB_DEBUG, NULL, "%s", err.text);
	return ids ? ids : json_array();
}
