#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/engine.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "base/stop.h"
#include "llm/model.h"
#include "record/filter.h"

/* A locked store is tried again for as long as others wait for it: 5 s. */
enum { RETRY_MS = 100, MAX_TRIES = 50 };

static const char *const owned[] = {"query", NULL};

static void item_free(struct item *item)
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

static void make_ready(struct session *s)
{
	struct agent *a = s->agent;

	if (s->is_ready || s->turn)
		return;
	s->is_ready = true;
	s->next_ready = NULL;
	*a->ready_end = s;
	a->ready_end = &s->next_ready;
}

static void on_timer(void *arg)
{
	make_ready(arg);
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

static void session_free(struct session *s)
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
	if (was_empty)
		make_ready(s);
}

/* Take the first item out. */
static struct item *shift(struct session *s)
{
	struct item *item = s->first;

	s->first = item->next;
	s->agent->held--;
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

static void pass(struct agent *a, const char *text, size_t len)
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
		pass(a, text, len);
}

/* A query without these cannot be put in order, nor answered. */
static int check(const struct lb_record *r, struct lb_error *err)
{
	const char *text;

	if (lb_json_need_str(r->json, "id", &text, err) < 0 || !*text ||
	    lb_json_need_str(r->json, "session", &text, err) < 0 || !*text)
		return lb_fail(err, LB_DATA,
			       "a query needs 'id' and 'session'");
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

static void on_line(struct agent *a, const struct lb_line *line)
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

static bool is_full(const struct agent *a)
{
	return a->held >= 4 * (size_t)a->options->jobs;
}

/* The lines that are in memory, as long as there is room. */
static void take_lines(struct agent *a)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!a->stopping && !is_full(a) && got != 0) {
		got = lb_lines_take(a->in, &line, &err);
		if (got > 0) {
			on_line(a, &line);
		} else if (got < 0) {
			lb_line_refuse(NULL, "lb-agent", &line, &err);
			lb_put_bad_line(&a->pending, "lb-agent", err.text,
					line.text, line.len, line.number);
			a->code = LB_DATA;
		}
	}
	if (got == 0 && lb_lines_ended(a->in))
		a->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct agent *a = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(a->in, &err) < 0)
		a->code = lb_report(&err);
	take_lines(a);
}

/* Watch the input only while there is room for what it brings. */
static void watch_input(struct agent *a)
{
	bool want = !a->ended && !a->stopping && !is_full(a);

	if (want != a->watching)
		lb_loop_watch(a->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, a);
	a->watching = want;
}

void engine_refuse(struct session *s, const struct lb_problem *problem)
{
	struct agent *a = s->agent;
	struct item *item = shift(s);

	lb_put_error(&a->pending, &item->record, problem);
	item_free(item);
}

void engine_finished(struct session *s, size_t reply_at)
{
	struct agent *a = s->agent;
	struct written *w = lb_alloc(sizeof(*w));

	w->at = reply_at;
	w->len = a->pending.len - reply_at;
	w->item = shift(s);
	w->next = a->written;
	a->written = w;
	s->turn = NULL;
	a->in_flight--;
	make_ready(s);
}

/* ms until the query may start; 0 for now. */
static int64_t too_early(const struct item *item)
{
	int64_t at, now = lb_clock_now();

	if (!lb_json_int(item->record.json, "not_before", &at) || at <= now)
		return 0;
	return at - now;
}

/* The store is locked by another process: later, or never. */
static void start_later(struct session *s, const struct lb_error *err)
{
	const struct lb_problem p = {"lb-agent", LB_CODE_IO, err->text, true,
				     -1};

	if (err->code == LB_AGAIN && s->tries++ < MAX_TRIES) {
		lb_timer_set(s->agent->loop, &s->timer,
			     lb_clock_mono() + RETRY_MS, on_timer, s);
		return;
	}
	s->tries = 0;
	lb_warn("%s", err->text);
	engine_refuse(s, &p);
	make_ready(s);
}

/* Let out what may go, start the first query; forget an empty session. */
static void run_session(struct session *s)
{
	struct agent *a = s->agent;
	struct lb_error err;
	int64_t wait;

	while (s->first && !s->first->is_query) {
		struct item *item = shift(s);

		pass(a, item->text, item->len);
		item_free(item);
	}
	if (!s->first) {
		lb_map_remove(&a->sessions, s->name);
		session_free(s);
		return;
	}
	wait = too_early(s->first);
	if (wait > 0) {
		lb_timer_set(a->loop, &s->timer, lb_clock_mono() + wait,
			     on_timer, s);
		return;
	}
	if (turn_start(s, &err) < 0) {
		start_later(s, &err);
		return;
	}
	s->tries = 0;
}

/* Start what may start. */
static void pump(struct agent *a)
{
	while (a->ready && a->in_flight < a->options->jobs) {
		struct session *s = a->ready;

		a->ready = s->next_ready;
		if (!a->ready)
			a->ready_end = &a->ready;
		s->is_ready = false;
		run_session(s);
	}
}

/*
 * What could not be stored is not answered: its query comes back as an error
 * that may be tried again. Replies are listed latest first, so that cutting
 * one out leaves the places of the others.
 */
static void retract(struct agent *a, const struct lb_error *err)
{
	const struct lb_problem p = {"lb-agent", LB_CODE_IO, err->text, true,
				     -1};

	lb_complain("cannot store answers: %s", err->text);
	for (const struct written *w = a->written; w; w = w->next) {
		lb_autobuf struct lb_buf tail = {0};

		lb_buf_put(&tail, a->pending.data + w->at + w->len,
			   a->pending.len - w->at - w->len);
		a->pending.len = w->at;
		lb_put_error(&a->pending, &w->item->record, &p);
		lb_buf_put(&a->pending, lb_buf_str(&tail), tail.len);
	}
}

void engine_store_failed(struct agent *a, const struct lb_error *err)
{
	if (a->store_error.code == LB_OK)
		a->store_error = *err;
}

/* End the transaction of this turn of the loop, if there is one. */
static void save(struct agent *a)
{
	struct lb_error err;

	if (a->store_error.code == LB_OK && lb_store_is_open(a->store) &&
	    lb_store_commit(a->store, &err) < 0)
		engine_store_failed(a, &err);
	if (a->store_error.code == LB_OK)
		return;
	lb_store_rollback(a->store);
	retract(a, &a->store_error);
	a->store_error.code = LB_OK;
}

/* The end of a turn of the loop: first the store, then the output. */
static int flush(struct agent *a, struct lb_error *err)
{
	save(a);
	while (a->written) {
		struct written *w = a->written;

		a->written = w->next;
		item_free(w->item);
		free(w);
	}
	lb_out_put(a->out, lb_buf_str(&a->pending), a->pending.len);
	if (a->pending.cap > 1 << 20)
		lb_buf_release(&a->pending);
	else
		lb_buf_reset(&a->pending);
	return lb_out_flush(a->out, err);
}

static void out_of_time(void *arg)
{
	struct agent *a = arg;

	a->out_of_time = true;
}

static void on_stop(void *arg)
{
	struct agent *a = arg;

	a->stopping = true;
	if (isatty(STDERR_FILENO))
		lb_tell(NULL, "stopping; again to quit now");
	lb_timer_set(a->loop, &a->grace, lb_clock_mono() + a->options->grace_ms,
		     out_of_time, a);
}

static bool is_done(const struct agent *a)
{
	return a->out_of_time ||
	       ((a->ended || a->stopping) && a->sessions.n == 0);
}

static int serve(struct agent *a)
{
	struct lb_error err;

	for (;;) {
		/* What finished makes room, which may start or read more. */
		do {
			pump(a);
			take_lines(a);
		} while (a->ready && a->in_flight < a->options->jobs);
		if (flush(a, &err) < 0)
			return lb_out_left(a->out) ? -1 : lb_report(&err);
		if (is_done(a))
			return a->code;
		watch_input(a);
		lb_loop_turn(a->loop, -1);
	}
}

static void free_session(void *value)
{
	struct session *s = value;

	if (s->turn)
		turn_cancel(s->turn);
	session_free(s);
}

static void free_model(void *value)
{
	lb_model_close(value);
}

static int run(struct agent *a)
{
	struct lb_error err;
	int code;

	a->store = lb_store_open(a->options->state, RETRY_MS, &err);
	if (!a->store)
		return lb_report(&err);
	a->loop = lb_loop_open();
	a->llm = lb_llm_open(a->loop);
	a->in = lb_lines_open(STDIN_FILENO, a->options->max_line);
	a->out = lb_out_open(STDOUT_FILENO);
	lb_stop_watch(a->loop, on_stop, a);
	code = serve(a);
	lb_map_release(&a->sessions, free_session);
	lb_llm_close(a->llm);
	lb_map_release(&a->models, free_model);
	lb_store_close(a->store);
	lb_lines_close(a->in);
	lb_out_close(a->out);
	lb_buf_release(&a->pending);
	lb_loop_close(a->loop);
	return code;
}

int lb_agent_run(const struct lb_agent_options *options)
{
	struct agent a = {.options = options};
	int code;

	a.ready_end = &a.ready;
	code = run(&a);
	if (code < 0)
		lb_die_of_sigpipe();
	if (lb_stop_signal())
		lb_stop_raise();
	return code;
}
