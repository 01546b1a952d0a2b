/* lb-queue work - what comes back, and what it says of records in hand. */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/filter.h"
#include "work.h"

/* How long to wait before each next try. */
static const int64_t waits_ms[] = {1000, 5000, 30000, 120000};

static struct op *add_op(struct copy *c, struct item *item, int how)
{
	struct work *w = c->work;
	struct op *op;

	if (w->n_ops == w->size_ops) {
		w->size_ops = w->size_ops * 2 + 64;
		w->ops = lb_grow(w->ops, w->size_ops * sizeof(*w->ops));
	}
	op = &w->ops[w->n_ops++];
	*op = (struct op){.owner = c->owner, .seq = item->seq, .how = how};
	item->over = true;
	w->look = true;
	return op;
}

static void pass_on(struct work *w, const char *text, size_t len)
{
	lb_buf_put(&w->said, text, len);
	lb_buf_putc(&w->said, '\n');
}

static void finish(struct copy *c, struct item *item, int how, size_t off,
		   size_t len);

/* Those that end when this id does. */
static void finish_tied(struct copy *c, const char *id)
{
	for (int i = 0; i < c->n && c->tied > 0; i++) {
		struct item *item = c->items[i];
		size_t off = c->work->said.len;

		if (item->over || !item->into || strcmp(item->into, id) != 0)
			continue;
		pass_on(c->work, item->drop, strlen(item->drop));
		finish(c, item, LB_QUEUE_DONE, off, strlen(item->drop));
	}
}

static void finish(struct copy *c, struct item *item, int how, size_t off,
		   size_t len)
{
	struct op *op = add_op(c, item, how);

	op->off = off;
	op->len = len;
	c->work->failures = 0;
	if (item->id)
		finish_tied(c, item->id);
}

static void put_back(struct copy *c, struct item *item, int64_t at, bool tried)
{
	struct op *op = add_op(c, item, 0);

	op->at = at;
	op->tried = tried;
	for (int i = 0; i < c->n; i++) {
		struct item *tied = c->items[i];

		if (!tied->over && tied->into && item->id &&
		    strcmp(tied->into, item->id) == 0)
			put_back(c, tied, at, tried);
	}
}

/* It was the last try: the error is the end. */
static void pass_error(struct work *w)
{
	static const char *const without[] = {"retryable", NULL};

	lb_splice(&w->said, &w->record, "error", without);
	lb_put_bool(&w->said, "retryable", false);
	lb_put_end(&w->said);
}

static bool may_retry(const struct work *w, const struct item *item)
{
	return item->tries + 1 < w->tries;
}

static int64_t next_try(const struct item *item)
{
	int n = item->tries < 3 ? item->tries : 3;

	return lb_clock_now() + waits_ms[n];
}

/*
 * The record ends, or is to be tried again; one that was only behind another
 * is back in line, and that was no try.
 */
static void end_one(struct copy *c, struct item *item, enum lb_ending how,
		    size_t off)
{
	struct work *w = c->work;

	if (how == LB_ENDS_RETRY && lb_json_str(w->record.json, "behind")) {
		put_back(c, item, lb_clock_now() + QUEUE_BEHIND_MS, false);
		return;
	}
	if (how == LB_ENDS_RETRY && may_retry(w, item)) {
		put_back(c, item, next_try(item), true);
		return;
	}
	if (w->said.len == off && how == LB_ENDS_RETRY)
		pass_error(w);
	else if (w->said.len == off)
		pass_on(w, w->record.text, w->record.len);
	finish(c, item, how == LB_ENDS_MOVED ? LB_QUEUE_MOVED : LB_QUEUE_DONE,
	       off, strcspn(w->said.data + off, "\n"));
}

/* How the queue has it: 1 ended, 0 not yet, -1 not at all. */
static int fate_of(struct copy *c, const char *id, const char *session)
{
	struct lb_queue_found found;
	struct lb_error err;

	/* What has ended in this burst is not in the queue's rows yet. */
	if (c->work->n_ops > 0 && work_settle(c->work, &err) < 0)
		return -1;
	if (lb_queue_find(c->work->q, id, session, &found, &err) <= 0)
		return -1;
	return found.ended != 0;
}

/* A record that ends those in hand that it means. */
static void end_them(struct copy *c, enum lb_ending how)
{
	struct work *w = c->work;
	const struct meant m = meant_by(&w->record);
	size_t off = w->said.len;
	bool any = false;

	for (int i = 0; i < c->n; i++) {
		struct item *item = c->items[i];

		if (!is_meant(item, &m) || item->into ||
		    (how == LB_ENDS_PART && item->part == 0))
			continue;
		any = true;
		end_one(c, item, how, off);
		if (item->part == 0)
			break; /* there is one of it */
	}
	if (any)
		return;
	if (m.id && how != LB_ENDS_PART && fate_of(c, m.id, m.session) > 0) {
		lb_warn("a copy ended '%.64s' a second time: left out", m.id);
		return;
	}
	pass_on(w, w->record.text, w->record.len);
	if (m.id && how != LB_ENDS_PART && how != LB_ENDS_RETRY)
		finish_tied(c, m.id);
}

static bool is_in_hand(const struct copy *c, const char *id)
{
	for (int i = 0; i < c->n; i++)
		if (!c->items[i]->over && c->items[i]->id &&
		    strcmp(c->items[i]->id, id) == 0)
			return true;
	return false;
}

/* A drop: it goes on in another, and ends with that. */
static void tie(struct copy *c, const char *into)
{
	struct work *w = c->work;
	const struct meant m = meant_by(&w->record);
	bool any = false;
	int fate = 0;

	for (int i = 0; i < c->n; i++) {
		struct item *item = c->items[i];

		if (!is_meant(item, &m))
			continue;
		any = true;
		c->tied += !item->into;
		free(item->into);
		free(item->drop);
		item->into = lb_strdup(into);
		item->drop = lb_strndup(w->record.text, w->record.len);
	}
	if (!any)
		pass_on(w, w->record.text, w->record.len);
	if (!any || is_in_hand(c, into))
		return;
	fate = fate_of(c, into, NULL);
	if (fate > 0)
		finish_tied(c, into);
	/* Back in line: then this one is, too, behind it. */
	for (int i = 0; i < c->n && fate == 0; i++)
		if (is_meant(c->items[i], &m))
			put_back(c, c->items[i], lb_clock_now(), false);
}

void answer_written(struct copy *c, struct item *item)
{
	add_op(c, item, LB_QUEUE_DONE);
}

static void refuse(struct work *w, const struct lb_line *line,
		   const struct lb_error *err)
{
	lb_complain("a copy wrote: %s", err->text);
	lb_put_bad_line(&w->said, "lb-queue", err->text, line->text, line->len,
			line->number);
	w->code = LB_DATA;
}

void answer_line(struct copy *c, const struct lb_line *line)
{
	struct work *w = c->work;
	struct lb_error err;
	const char *into;
	enum lb_ending how;
	int sort = lb_line_sort(lb_ending_kinds, line, &w->record, &err);

	if (sort < 0) {
		refuse(w, line, &err);
		return;
	}
	how = sort > 0 ? lb_record_ending(&w->record, &into) : LB_ENDS_NOTHING;
	if (how == LB_ENDS_NOTHING)
		pass_on(w, line->text, line->len);
	else if (how == LB_ENDS_INTO)
		tie(c, into);
	else
		end_them(c, how);
}
