/* lb-queue work - the transaction between an answer and its passing on. */
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "work.h"

enum { LONE_DEATHS = 3, AGAIN_MS = 100 };

bool work_has_news(const struct work *w)
{
	bool news = w->n_ops > 0 || w->said.len > 0;

	for (long i = 0; i < w->copies && !news; i++)
		news = w->all[i].dead;
	return news;
}

static int write_ops(struct work *w, int64_t now, struct lb_error *err)
{
	for (size_t i = 0; i < w->n_ops; i++) {
		struct op *op = &w->ops[i];
		int got;

		if (op->how)
			got = lb_queue_finish(w->q, op->owner, op->seq,
					      (enum lb_queue_end)op->how, now,
					      op->len ? w->said.data + op->off
						      : NULL,
					      op->len, err);
		else
			got = lb_queue_put_back(w->q, op->owner, op->seq,
						op->at, op->tried, err);
		if (got < 0)
			return -1;
		op->hidden = got == 0;
	}
	return 0;
}

/* Copies died of it, and nothing else was in hand: it is a dead letter. */
static int write_dead(struct copy *c, const struct item *item, int64_t now,
		      struct lb_error *err)
{
	static const char why[] = "each copy that had it alone died";
	const struct lb_problem problem = {"lb-queue", LB_CODE_LOST, why, false,
					   -1};
	struct work *w = c->work;
	struct lb_record r = {0};
	size_t off = w->said.len;
	int got = lb_record_parse(&r, item->text, strlen(item->text), err);

	if (got == 0) {
		lb_put_error(&w->said, &r, &problem);
		got = lb_queue_finish(w->q, c->owner, item->seq, LB_QUEUE_DEAD,
				      now, w->said.data + off,
				      w->said.len - off - 1, err);
	}
	lb_record_release(&r);
	return got < 0 ? -1 : 0;
}

/* What the copy had in hand waits again. */
static int bury(struct copy *c, int64_t now, struct lb_error *err)
{
	bool died = false, stopping = c->work->stopping;

	for (int i = 0; i < c->n && !stopping; i++) {
		struct item *item = c->items[i];
		int got = 1;

		if (item->from >= c->written) /* it never saw that one */
			got = lb_queue_put_back(c->work->q, c->owner, item->seq,
						now, false, err);
		else if (item->alone && item->deaths + 1 >= LONE_DEATHS)
			got = write_dead(c, item, now, err);
		died = died || item->from < c->written;
		if (got < 0)
			return -1;
	}
	return c->owner ? lb_queue_leave(c->work->q, c->owner, died, err) : 0;
}

static int write_all(struct work *w, struct lb_error *err)
{
	int64_t now = lb_clock_now();
	bool durable = w->n_ops > 0;

	for (long i = 0; i < w->copies; i++)
		durable = durable || w->all[i].dead;
	if (lb_queue_begin(w->q, durable, err) < 0)
		return -1;
	if (write_ops(w, now, err) < 0)
		return -1;
	for (long i = 0; i < w->copies; i++)
		if (w->all[i].dead && bury(&w->all[i], now, err) < 0)
			return -1;
	return lb_queue_commit(w->q, err);
}

static void forget(struct copy *c)
{
	for (int i = 0; i < c->n; i++)
		c->items[i]->over = true;
	copy_sweep(c);
	c->owner = 0;
	c->dead = c->closing = c->draining = false;
	c->work->look = true;
}

/* Lines of records that were not ours any more are left out. */
static void hide(struct work *w)
{
	for (size_t i = 0; i < w->n_ops; i++)
		if (w->ops[i].hidden && w->ops[i].len > 0) {
			lb_warn("a record ended twice: its second end is left "
				"out");
			memset(w->said.data + w->ops[i].off, ' ',
			       w->ops[i].len);
		}
}

static int pass_on(struct work *w, struct lb_error *err)
{
	hide(w);
	w->n_ops = 0;
	lb_out_put(w->stdout_, lb_buf_str(&w->said), w->said.len);
	lb_buf_reset(&w->said);
	return lb_out_flush(w->stdout_, err);
}

int work_settle(struct work *w, struct lb_error *err)
{
	size_t said = w->said.len;
	bool dead = false, warned = false;

	if (!work_has_news(w))
		return 0;
	for (long i = 0; i < w->copies; i++)
		dead = dead || w->all[i].dead;
	while ((w->n_ops > 0 || dead) && write_all(w, err) < 0) {
		lb_queue_rollback(w->q);
		w->said.len = said;
		if (err->code != LB_AGAIN || w->give_up || lb_stop_signal())
			return -1;
		if (!warned)
			lb_warn("%s; trying again", err->text);
		warned = true;
		poll(NULL, 0, AGAIN_MS);
	}
	for (long i = 0; i < w->copies; i++)
		if (w->all[i].dead)
			forget(&w->all[i]);
	return pass_on(w, err);
}
