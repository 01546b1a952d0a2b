/* order.c - lines and the sessions they belong to: who waits behind whom. */
#include <stdlib.h>
#include <string.h>

#include "agent/engine.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "record/filter.h"

/* How far ahead not_before may lie; what is held, bytes. */
enum { MAX_WAIT_MS = 5 * 60 * 1000, MAX_HELD = 64 << 20 };

/* Bounds of what a query is found by again. */
enum { MAX_ID = 1024, MAX_SESSION = 4096 };

static const char *const owned[] = {"query", NULL};

void item_free(struct item *item)
{
	lb_record_release(&item->record);
	free(item->text);
	free(item);
}

static struct item *item_new(const char *text, size_t len)
{
	struct item *item = lb_alloc(sizeof(*item));

	item->text = lb_strndup(text, len);
	item->len = len;
	return item;
}

/* Measured once: a clock that is set must not lengthen the wait. */
static void note_start(struct item *item)
{
	int64_t at, now = lb_clock_now();

	if (!lb_json_int(item->record.json, "not_before", &at) || at <= now)
		return;
	item->too_far = at > now + MAX_WAIT_MS;
	if (!item->too_far)
		item->start_at = lb_clock_mono() + (at - now);
}

void session_ready(struct session *s)
{
	struct agent *a = s->agent;

	if (s->is_ready || s->turn)
		return;
	s->is_ready = true;
	s->next_ready = NULL;
	*a->ready_end = s;
	a->ready_end = &s->next_ready;
}

static struct session *session_for(struct agent *a, const char *name)
{
	struct session *s = lb_map_find(&a->sessions, name);

	if (s)
		return s;
	s = lb_alloc(sizeof(*s));
	s->agent = a;
	s->name = lb_strdup(name);
	lb_map_add(&a->sessions, name, s);
	return s;
}

void session_free(struct session *s)
{
	while (s->first) {
		struct item *item = s->first;

		s->first = item->next;
		item_free(item);
	}
	lb_timer_cancel(s->agent->loop, &s->timer);
	free(s->name);
	free(s);
}

static void append(struct session *s, struct item *item)
{
	bool was_empty = !s->first;

	if (was_empty)
		s->first = item;
	else
		s->last->next = item;
	s->last = item;
	s->agent->held++;
	s->agent->held_bytes += item->len;
	if (was_empty)
		session_ready(s);
}

/* Take the first item out. */
struct item *session_shift(struct session *s)
{
	struct item *item = s->first;

	s->first = item->next;
	s->agent->held--;
	s->agent->held_bytes -= item->len;
	return item;
}

/* The session a foreign line names, if that one has something in flight. */
static struct session *busy_session(struct agent *a, const char *text,
				    size_t len)
{
	struct lb_members members = {0};
	const struct lb_member *m;
	struct session *s = NULL;

	if (a->sessions.n > 0 && lb_scan(text, len, &members) &&
	    (m = lb_member_find(&members, "session"))) {
		lb_autobuf struct lb_buf mended = {0};
		json_auto_t *name =
			lb_record_load(m->value.at, m->value.len, &mended);

		if (json_is_string(name))
			s = lb_map_find(&a->sessions, json_string_value(name));
	}
	lb_members_release(&members);
	return s;
}

void engine_pass(struct agent *a, const char *text, size_t len)
{
	lb_buf_put(&a->pending, text, len);
	lb_buf_putc(&a->pending, '\n');
}

static void on_foreign(struct agent *a, const char *text, size_t len)
{
	struct session *s = busy_session(a, text, len);

	if (s)
		append(s, item_new(text, len));
	else
		engine_pass(a, text, len);
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
	if (!json_is_object(json_object_get(r->json, "user")))
		return lb_fail(err, LB_DATA, "a query needs 'user'");
	return 0;
}

static void refuse_query(struct agent *a, const struct lb_record *r,
			 const struct lb_error *err)
{
	const struct lb_problem p = {"lb-agent", LB_CODE_DATA, err->text, false,
				     -1};

	lb_put_error(&a->pending, r, &p);
}

void order_line(struct agent *a, const struct lb_line *line)
{
	struct item *item;
	struct lb_span kind;
	struct lb_error err;
	struct lb_line own = *line;
	int sort;

	if (lb_scan_kind(line->text, line->len, &kind) &&
	    !lb_span_is(kind, "query")) {
		on_foreign(a, line->text, line->len);
		return;
	}
	item = item_new(line->text, line->len);
	own.text = item->text;
	sort = lb_line_sort(owned, &own, &item->record, &err);
	if (sort > 0 && check(&item->record, &err) == 0) {
		item->is_query = true;
		note_start(item);
		append(session_for(a,
				   lb_json_str(item->record.json, "session")),
		       item);
		return;
	}
	if (sort > 0) {
		refuse_query(a, &item->record, &err);
	} else if (sort == 0) {
		on_foreign(a, item->record.text, item->record.len);
	} else {
		lb_line_refuse(NULL, "lb-agent", line, &err);
		lb_put_bad_line(&a->pending, "lb-agent", err.text, line->text,
				line->len, line->number);
		a->code = LB_DATA;
	}
	item_free(item);
}

bool order_is_full(const struct agent *a)
{
	return a->held >= 4 * (size_t)a->options->jobs ||
	       a->held_bytes >= MAX_HELD;
}

void engine_refuse(struct session *s, const struct lb_problem *problem)
{
	struct agent *a = s->agent;
	struct item *item = session_shift(s);

	lb_put_error(&a->pending, &item->record, problem);
	item_free(item);
}

void engine_finished(struct session *s, size_t reply_at)
{
	struct agent *a = s->agent;
	struct written *w = lb_alloc(sizeof(*w));

	w->at = reply_at;
	w->len = a->pending.len - reply_at;
	w->item = session_shift(s);
	w->next = a->written;
	a->written = w;
	s->turn = NULL;
	a->in_flight--;
	session_ready(s);
}
