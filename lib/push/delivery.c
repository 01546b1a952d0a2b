/* delivery.c - queues of what is to be told, and its tries. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "net/signature.h"
#include "push/attempt.h"
#include "push/push.h"

bool lb_push_is_full(const struct lb_push *push)
{
	if (push->bytes >= LB_PUSH_BYTES)
		return true;
	for (size_t i = 0; i < push->hooks.n; i++)
		if (push->hooks.at[i].held >= LB_PUSH_HELD)
			return true;
	return false;
}

static bool has_room(const struct lb_push *push, const struct lb_hook *hook)
{
	return push->bytes < LB_PUSH_BYTES && hook->held < LB_PUSH_HELD;
}

void lb_delivery_queue(struct lb_delivery *d)
{
	struct lb_hook *hook = d->hook;

	d->behind = NULL;
	if (hook->last)
		hook->last->behind = d;
	else
		hook->first = d;
	hook->last = d;
}

static void unqueue(struct lb_delivery *d)
{
	struct lb_delivery **at = &d->hook->first, *before = NULL;

	for (; *at; before = *at, at = &(*at)->behind)
		if (*at == d) {
			*at = d->behind;
			if (d->hook->last == d)
				d->hook->last = before;
			return;
		}
}

/* Whoever waits for its opinion waits no more. */
void lb_delivery_opinion(struct lb_delivery *d, bool skip)
{
	struct lb_wait *wait = lb_steal(&d->wait);

	if (!wait)
		return;
	lb_timer_cancel(d->push->loop, &d->patience);
	if (skip && !wait->skip_by)
		wait->skip_by = d->hook->name;
	if (--wait->open == 0)
		lb_wait_done(wait);
}

void lb_delivery_close(struct lb_delivery *d)
{
	struct lb_push *push = d->push;

	lb_delivery_opinion(d, false);
	lb_timer_cancel(push->loop, &d->timer);
	if (d->call) {
		lb_http_cancel(d->call);
		d->hook->in_flight--;
		push->in_flight--;
	}
	if (d->prev)
		d->prev->next = d->next;
	else
		push->all = d->next;
	if (d->next)
		d->next->prev = d->prev;
	d->hook->held--;
	push->n--;
	push->bytes -= d->body.len;
	for (size_t i = 0; i < 3; i++)
		lb_buf_release(&d->headers[i]);
	lb_buf_release(&d->answer);
	lb_buf_release(&d->body);
	free(d->why);
	free(d->id);
	free(d);
}

/* Nobody keeps a message for somebody who does not answer. */
void lb_delivery_silent(struct lb_delivery *d)
{
	int64_t timeout = d->hook->timeout_ms;
	int64_t began = d->patience.at - timeout;

	/* A failure that comes at once holds nothing up. */
	if (d->wait && lb_clock_mono() - began >= timeout / 2 &&
	    ++d->hook->silences == LB_PUSH_SILENCES)
		lb_warn("webhook '%s': no opinion %d times in a row: it is not "
			"waited for until it answers",
			d->hook->name, LB_PUSH_SILENCES);
	lb_delivery_opinion(d, false);
}

static void out_of_patience(void *arg)
{
	lb_delivery_silent(arg);
}

/* There is no room for it: one line for all that are left out in a row. */
static void leave_out(struct lb_push *push, struct lb_hook *hook,
		      const struct lb_pushed *p)
{
	if (hook->left_out++ == 0)
		lb_warn("webhook '%s': too much waits for it: what comes is "
			"not delivered to it",
			hook->name);
	lb_push_failed(push, hook, NULL, p, "too much waits already");
}

static void say_left_out(struct lb_hook *hook)
{
	if (hook->left_out > 0)
		lb_warn("webhook '%s': %zu deliver%s left out", hook->name,
			hook->left_out,
			hook->left_out == 1 ? "y was" : "ies were");
	hook->left_out = 0;
}

static struct lb_delivery *delivery_open(struct lb_push *push,
					 struct lb_hook *hook,
					 const struct lb_pushed *p,
					 const struct lb_record *r)
{
	struct lb_delivery *d = lb_alloc(sizeof(*d));

	d->push = push;
	d->hook = hook;
	d->id = lb_strdup(p->id);
	lb_push_uuid(p, hook->name, d->uuid);
	lb_push_body(&d->body, p, r, d->uuid);
	d->next = push->all;
	if (d->next)
		d->next->prev = d;
	push->all = d;
	hook->held++;
	push->n++;
	push->bytes += d->body.len;
	return d;
}

static bool opinion_counts(const struct lb_hook *hook)
{
	return hook->waits && hook->silences < LB_PUSH_SILENCES;
}

bool lb_push_waits(const struct lb_push *push, const struct lb_pushed *p)
{
	for (size_t i = 0; i < push->hooks.n; i++) {
		const struct lb_hook *hook = &push->hooks.at[i];

		if (opinion_counts(hook) && has_room(push, hook) &&
		    lb_hook_wants(hook, p->bot, p->event))
			return true;
	}
	return false;
}

void lb_push_tell(struct lb_push *push, const struct lb_pushed *p,
		  const struct lb_record *r, struct lb_wait *wait)
{
	for (size_t i = 0; i < push->hooks.n; i++) {
		struct lb_hook *hook = &push->hooks.at[i];
		struct lb_delivery *d;

		if (!lb_hook_wants(hook, p->bot, p->event))
			continue;
		if (!has_room(push, hook)) {
			leave_out(push, hook, p);
			continue;
		}
		say_left_out(hook);
		d = delivery_open(push, hook, p, r);
		lb_delivery_queue(d);
		if (!wait || !opinion_counts(hook))
			continue;
		d->wait = wait;
		wait->open++;
		lb_timer_set(push->loop, &d->patience,
			     lb_clock_mono() + hook->timeout_ms,
			     out_of_patience, d);
	}
}

/*
 * The pause that a webhook asked for needs no timer: the delivery that was told
 * of it has one for the same time.
 */
static bool may_start(const struct lb_push *push, const struct lb_hook *hook)
{
	return hook->first && push->in_flight < push->max_in_flight &&
	       hook->in_flight < push->each_in_flight &&
	       hook->resume_at <= lb_clock_mono();
}

/* One of each in turn, so that none keeps the others waiting. */
void lb_push_pump(struct lb_push *push)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < push->hooks.n; i++) {
			struct lb_hook *hook = &push->hooks.at[i];
			struct lb_delivery *d = hook->first;

			if (!may_start(push, hook))
				continue;
			hook->first = d->behind;
			if (!hook->first)
				hook->last = NULL;
			lb_delivery_try(d);
			more = true;
		}
	}
}

void lb_delivery_give_up(struct lb_delivery *d, const char *why)
{
	const struct lb_subject of = {.id = d->id};

	if (!d->push->quiet)
		lb_log(LB_WARNING, &of,
		       "webhook '%s': delivery %s of message %s failed: %s",
		       d->hook->name, d->uuid, d->id, why);
	lb_push_failed(d->push, d->hook, d, NULL, why);
	unqueue(d);
	lb_delivery_close(d);
}

void lb_push_abandon(struct lb_push *push)
{
	for (size_t i = 0; i < push->hooks.n; i++)
		say_left_out(&push->hooks.at[i]);
	while (push->all) {
		struct lb_delivery *d = push->all;
		lb_autofree char *why =
			lb_printf("no time is left%s%s",
				  d->why ? "; the last try: " : "",
				  d->why ? d->why : "");

		lb_delivery_give_up(d, why);
	}
}
