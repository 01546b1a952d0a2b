/* order.c - queries and their sessions: what waits, starts and ends. */
#include <stdlib.h>
#include <string.h>

#include "agent/engine.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/filter.h"

/* Bounds of what a query is found by again. */
enum { MAX_ID = 1024, MAX_SESSION = 4096 };

static const char *const owned[] = {"query", NULL};

static void pass(void *arg, const struct lb_line *line)
{
	struct agent *a = arg;

	lb_buf_put(&a->pending, line->text, line->len);
	lb_buf_putc(&a->pending, '\n');
}

/* A query without these cannot be put in order, nor answered. */
static int check(const struct lb_record *r, struct lb_error *err)
{
	const char *text;

	if (lb_json_need_str(r->json, "id", &text, err) < 0 || !*text ||
	    lb_json_need_str(r->json, "session", &text, err) < 0 || !*text)
		return lb_fail(err, LB_DATA,
			       "a query needs 'id' and 'session'");
	if (strlen(text) > MAX_SESSION ||
	    strlen(lb_json_str(r->json, "id")) > MAX_ID)
		return lb_fail(err, LB_DATA,
			       "the query's 'id' or 'session' is too long");
	text = lb_json_str(r->json, "conversation");
	if (text && strlen(text) > MAX_SESSION)
		return lb_fail(err, LB_DATA,
			       "the query's 'conversation' is too long");
	if (!json_is_object(json_object_get(r->json, "user")))
		return lb_fail(err, LB_DATA, "a query needs 'user'");
	return 0;
}

/* The session of a query, or an error record. */
static const char *session_of(void *arg, const struct lb_record *r)
{
	struct agent *a = arg;
	struct lb_error err;

	if (check(r, &err) < 0) {
		const struct lb_problem p = {"lb-agent", LB_CODE_DATA, err.text,
					     false, -1};

		lb_put_error(&a->pending, r, &p);
		return NULL;
	}
	return lb_json_str(r->json, "session");
}

static bool has_room(void *arg)
{
	const struct agent *a = arg;

	return a->in_flight < a->options->jobs;
}

static void bad(void *arg, const struct lb_line *line,
		const struct lb_error *err)
{
	struct agent *a = arg;

	lb_line_refuse(NULL, "lb-agent", line, err);
	lb_put_bad_line(&a->pending, "lb-agent", err->text, line->text,
			line->len, line->number);
	a->code = LB_DATA;
}

static void too_late(void *arg, const struct lb_record *r)
{
	struct agent *a = arg;

	lb_put_drop(&a->pending, r, "lb-agent",
		    "it is to start in more than 5 minutes");
}

/* The store is locked by another process: later, or never. */
static void start_later(struct lb_lane *s, const struct lb_error *err)
{
	const struct lb_problem p = {"lb-agent", LB_CODE_IO, err->text, true,
				     -1};

	if (err->code == LB_AGAIN && s->tries++ < MAX_TRIES) {
		lb_lane_later(s, RETRY_MS);
		return;
	}
	s->tries = 0;
	lb_warn("%s", err->text);
	engine_refuse(s, &p);
	lb_lane_ready(s);
}

static void start(void *arg, struct lb_lane *s)
{
	struct lb_error err;

	(void)arg;
	if (turn_start(s, &err) < 0)
		start_later(s, &err);
	else
		s->tries = 0;
}

const struct lb_lanes_user order_user = {
	.owned = owned,
	.lane = session_of,
	.has_room = has_room,
	.start = start,
	.too_late = too_late,
	.pass = pass,
	.bad = bad,
};

void engine_refuse(struct lb_lane *s, const struct lb_problem *problem)
{
	struct agent *a = agent_of_session(s);
	struct lb_item *item = lb_lane_shift(s);

	lb_put_error(&a->pending, &item->record, problem);
	lb_item_free(item);
}

void engine_finished(struct lb_lane *s, size_t reply_at)
{
	struct agent *a = agent_of_session(s);
	struct written *w = lb_alloc(sizeof(*w));

	w->at = reply_at;
	w->len = a->pending.len - reply_at;
	w->item = lb_lane_shift(s);
	w->next = a->written;
	a->written = w;
	s->work = NULL;
	a->in_flight--;
	lb_lane_ready(s);
}
