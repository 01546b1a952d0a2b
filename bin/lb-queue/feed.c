/* lb-queue work - from the queue to the copies. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "store/queue-clock.h"
#include "work.h"

enum { OUT_MAX = 1 << 20, AGAIN_MS = 50, CLOCK_MS = 1000 };

static char *copy_of(const char *text)
{
	return text ? lb_strdup(text) : NULL;
}

static int give(void *arg, const struct lb_queue_item *row)
{
	struct copy *c = arg;
	struct work *w = c->work;
	struct item *item = lb_alloc(sizeof(*item));
	struct lb_error err;
	int64_t now = lb_clock_mono();

	item->seq = row->seq;
	item->alone = row->alone;
	item->tries = row->tries;
	item->deaths = row->deaths;
	item->deadline =
		w->deadline > INT64_MAX - now ? INT64_MAX : now + w->deadline;
	if (row->alone)
		item->text = lb_strndup(row->text, row->len);
	if (lb_record_parse(&w->record, row->text, row->len, &err) == 0 &&
	    lb_ticket_read(&w->ticket, &w->record, lb_clock_now(), &err) == 0) {
		const json_t *json = w->record.json;

		item->ends = w->ticket.ends;
		item->id = copy_of(w->ticket.id);
		item->hash = item->id ? id_hash(item->id) : 0;
		item->session = copy_of(lb_json_str(json, "session"));
		if (strcmp(lb_json_str(json, "kind"), "reply") == 0) {
			item->part = 1;
			lb_json_int(json, "part", &item->part);
		}
	}
	copy_give(c, item, row->text, row->len);
	return c->out.len > OUT_MAX;
}

static bool may_take(const struct copy *c)
{
	if (c->dead || c->closing || c->out.len > OUT_MAX ||
	    c->n >= c->work->window)
		return false;
	if (c->pid == 0)
		return lb_clock_mono() >= c->wait_until;
	return c->to >= 0 && c->from >= 0 && !(c->n > 0 && c->items[0]->alone);
}

/* Is there anything for it? */
static int any(struct copy *c, bool *alone, struct lb_error *err)
{
	struct lb_queue *q = c->work->q;
	int64_t now = lb_clock_now();
	int got = 0;

	*alone = false;
	if (c->n == 0)
		got = lb_queue_ready(q, 0, LB_QUEUE_ALONE, now, err);
	*alone = got > 0;
	if (c->n == 0)
		c->draining = false;
	if (got != 0 || c->draining)
		return got;
	if (c->owner > 0)
		got = lb_queue_ready(q, c->owner, LB_QUEUE_OWN, now, err);
	return got != 0 ? got : lb_queue_ready(q, 0, LB_QUEUE_FREE, now, err);
}

static int join(struct copy *c, struct lb_error *err)
{
	struct lb_queue *q = c->work->q;

	if (lb_queue_begin(q, false, err) < 0)
		return -1;
	c->owner = lb_queue_join(q, NULL, 0, lb_clock_now(), err);
	if (c->owner > 0 && lb_queue_commit(q, err) == 0)
		return 0;
	lb_queue_rollback(q);
	c->owner = 0;
	return -1;
}

/* In one transaction; what a failed one gave is taken back. */
static int take(struct copy *c, bool alone, struct lb_error *err)
{
	struct lb_queue *q = c->work->q;
	int64_t now = lb_clock_now();
	uint64_t given = c->given;
	size_t len = c->out.len;
	int n = c->n, got = -1;
	struct lb_queue_room room = {(int)c->work->window - n,
				     (int)(c->work->window + 1) / 2};

	if (lb_queue_begin(q, false, err) < 0)
		return -1;
	if (alone) {
		got = lb_queue_take(q, c->owner, LB_QUEUE_ALONE, room, now,
				    give, c, err);
	} else {
		got = lb_queue_take(q, c->owner, LB_QUEUE_OWN, room, now, give,
				    c, err);
		room.all -= c->n - n;
		if (got >= 0 && room.all > 0 && c->out.len <= OUT_MAX)
			got = lb_queue_take(q, c->owner, LB_QUEUE_FREE, room,
					    now, give, c, err);
	}
	if (got >= 0 && lb_queue_commit(q, err) == 0)
		return 0;
	lb_queue_rollback(q);
	while (c->n > n)
		item_free(c->items[--c->n]);
	c->out.len = len;
	c->given = given;
	return -1;
}

static int feed_one(struct copy *c, struct lb_error *err)
{
	bool alone;
	int got = may_take(c) ? any(c, &alone, err) : 0;

	if (got <= 0)
		return got;
	if (c->owner == 0 && join(c, err) < 0)
		return -1;
	if (c->pid == 0 && copy_start(c, err) < 0) {
		c->work->give_up = true; /* not to be tried again */
		return -1;
	}
	if (take(c, alone, err) < 0)
		return -1;
	copy_write(c);
	return 0;
}

/* One that is to be alone must not wait for ever: let a copy run dry. */
static int drain_for_alone(struct work *w, struct lb_error *err)
{
	struct copy *least = NULL;
	int got = lb_queue_ready(w->q, 0, LB_QUEUE_ALONE, lb_clock_now(), err);

	for (long i = 0; i < w->copies && got > 0; i++) {
		struct copy *c = &w->all[i];

		if (c->draining)
			return 0;
		if (c->pid != 0 && c->n > 0 && (!least || c->n < least->n))
			least = c;
	}
	if (least)
		least->draining = true;
	return got < 0 ? -1 : 0;
}

static void on_next(void *arg)
{
	struct work *w = arg;

	w->look = true;
}

/* When to look again, if nothing changes. */
static int set_next(struct work *w, struct lb_error *err)
{
	int64_t wall = lb_clock_now(), mono = lb_clock_mono(), at = INT64_MAX;

	for (long i = 0; i < w->copies; i++) {
		int64_t ready = lb_queue_next(w->q, w->all[i].owner, wall, err);

		if (ready < 0)
			return -1;
		if (ready < at)
			at = ready;
	}
	if (at < INT64_MAX)
		at = mono + (at - wall);
	for (long i = 0; i < w->copies; i++)
		if (w->all[i].wait_until > mono && w->all[i].wait_until < at)
			at = w->all[i].wait_until;
	if (at < INT64_MAX)
		lb_timer_set(w->loop, &w->next, at, on_next, w);
	return 0;
}

int work_feed(struct work *w, struct lb_error *err)
{
	int r = 0;

	if (!w->look || w->stopping)
		return 0;
	w->look = false;
	for (long i = 0; i < w->copies && r == 0; i++)
		r = feed_one(&w->all[i], err);
	if (r == 0)
		r = drain_for_alone(w, err);
	if (r == 0)
		r = set_next(w, err);
	if (r == 0 || err->code != LB_AGAIN || w->give_up)
		return r;
	lb_timer_set(w->loop, &w->next, lb_clock_mono() + AGAIN_MS, on_next, w);
	return 0;
}

/* The first look, and each after the clock went back. */
static int look_at_clock(struct work *w, struct lb_error *err)
{
	int64_t now = lb_clock_now(), ahead = now - lb_clock_mono();
	int n = 0, got = 0;

	if (w->clocked && ahead >= w->ahead - CLOCK_MS) {
		w->ahead = ahead;
		return 0;
	}
	for (long i = -1; i < w->copies && got >= 0; i++) {
		int64_t owner = i < 0 ? 0 : w->all[i].owner;

		if (i < 0 || owner > 0)
			got = lb_queue_clock(w->q, owner, now, err);
		n += got > 0 ? got : 0;
	}
	if (n > 0)
		lb_warn("the clock was put back: what it put off goes on");
	w->clocked = got >= 0;
	w->ahead = ahead;
	return got < 0 ? -1 : 1;
}

int work_reap(struct work *w, struct lb_error *err)
{
	int n = lb_queue_reap(w->q, lb_clock_now(), err);

	if (n >= 0)
		n = look_at_clock(w, err);
	if (n > 0)
		w->look = true;
	return n < 0 && err->code != LB_AGAIN ? -1 : 0;
}
