#include "provider/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "provider/say.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"

enum {
	MAX_JOBS = 4096,
	MAX_MESSAGE = 4096,
	DEFAULT_MS = 120 * 1000,
	MOST_MS = 24 * 3600 * 1000,
	CANCEL_MS = 2000, /* in which a call ends that was cancelled */
};

/* Somebody wants a list, and what there is is not known yet. */
struct waiting {
	struct waiting *next;
	json_t *request;
};

struct lb_server {
	const struct lb_serving *what;
	struct lb_loop *loop;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_job *jobs;
	size_t n_jobs;
	struct waiting *lists; /* that wait, the oldest first */
	struct lb_timer patience;
	bool ended;
	int code;
};

static void free_job(struct lb_job *job)
{
	struct lb_server *s = job->server;

	*(job->prev ? &job->prev->next : &s->jobs) = job->next;
	if (job->next)
		job->next->prev = job->prev;
	s->n_jobs--;
	free(job->id);
	json_decref(job->request);
	free(job);
}

void lb_job_parts(struct lb_job *job, json_t *take)
{
	lb_say_answer(job->server->out, job->id, "content", take);
	json_decref(take);
	free_job(job);
}

void lb_job_text(struct lb_job *job, const char *text, size_t len)
{
	lb_job_parts(job, lb_json_text(text, len));
}

void lb_job_fail(struct lb_job *job, const char *code, const char *fmt, ...)
{
	char text[MAX_MESSAGE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lb_say_failure(job->server->out, job->id, code, text);
	free_job(job);
}

void lb_tools_changed(struct lb_server *s)
{
	static const char event[] = "{\"event\":\"changed\"}";

	lb_out_line(s->out, event, sizeof(event) - 1);
}

static const struct lb_offer *find_offer(const struct lb_server *s,
					 const char *name)
{
	for (const struct lb_offer *o = s->what->offers; o && o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

static bool may(const struct lb_server *s, const char *name,
		const json_t *context)
{
	return !s->what->may || s->what->may(s->what->arg, name, context);
}

/* Those of the table and the others, as far as they may be used. */
static json_t *list(const struct lb_server *s, const json_t *context)
{
	json_t *all = json_array();
	json_auto_t *more =
		s->what->list ? s->what->list(s->what->arg, context) : NULL;
	json_t *tool;
	size_t i;

	for (const struct lb_offer *o = s->what->offers; o && o->name; o++)
		if (may(s, o->name, context))
			json_array_append_new(
				all, lb_json_pack("{s:s, s:s, s:o}", "name",
						  o->name, "description",
						  o->description, "parameters",
						  json_loads(o->parameters, 0,
							     NULL)));
	json_array_foreach(more, i, tool)
	{
		const char *name = lb_json_str(tool, "name");

		if (name && may(s, name, context))
			json_array_append(all, tool);
	}
	return all;
}

static struct lb_job *find_job(const struct lb_server *s, const char *id)
{
	for (struct lb_job *job = s->jobs; job; job = job->next)
		if (strcmp(job->id, id) == 0)
			return job;
	return NULL;
}

static struct lb_job *add_job(struct lb_server *s, const char *id,
			      const char *name, json_t *request)
{
	struct lb_job *job = lb_alloc(sizeof(*job));
	int64_t left = DEFAULT_MS;

	job->server = s;
	job->id = lb_strdup(id);
	job->request = json_incref(request);
	job->name = name;
	job->arguments = json_object_get(request, "arguments");
	job->context = json_object_get(request, "context");
	lb_json_int(job->context, "deadline_ms", &left);
	left = left < 0 ? 0 : left;
	job->deadline = lb_clock_mono() + (left < MOST_MS ? left : MOST_MS);
	job->loop = s->loop;
	job->arg = s->what->arg;
	job->next = s->jobs;
	if (s->jobs)
		s->jobs->prev = job;
	s->jobs = job;
	s->n_jobs++;
	return job;
}

/* Why this call cannot be taken, or NULL. */
static const char *fault_of(const struct lb_server *s, const json_t *request,
			    const char *id)
{
	const char *name = lb_json_str(request, "name");
	const json_t *context = json_object_get(request, "context");

	if (!name)
		return "the call names no tool";
	if (!find_offer(s, name) && !s->what->call)
		return "there is no such tool";
	if (!may(s, name, context))
		return "it may not be used here";
	if (find_job(s, id))
		return "there is a call of that id already";
	if (s->n_jobs >= MAX_JOBS)
		return "too many calls are under way";
	return NULL;
}

static void take_call(struct lb_server *s, json_t *request, const char *id)
{
	const char *fault, *name = lb_json_str(request, "name");
	const struct lb_offer *offer = name ? find_offer(s, name) : NULL;

	if (!json_is_object(json_object_get(request, "arguments")))
		json_object_set_new(request, "arguments", json_object());
	if (!json_is_object(json_object_get(request, "context")))
		json_object_set_new(request, "context", json_object());
	fault = fault_of(s, request, id);
	if (fault)
		lb_say_failure(s->out, id, "usage", fault);
	else if (offer)
		offer->call(add_job(s, id, name, request));
	else
		s->what->call(add_job(s, id, name, request));
}

static void cancel(struct lb_server *s, const char *id)
{
	struct lb_job *job = find_job(s, id);
	const struct lb_offer *offer = job ? find_offer(s, job->name) : NULL;

	if (offer && offer->cancel)
		offer->cancel(job);
	else if (job && !offer && s->what->cancel)
		s->what->cancel(job);
}

static void take_list(struct lb_server *s, const json_t *request,
		      const char *id)
{
	json_auto_t *tools = list(s, json_object_get(request, "context"));

	lb_say_answer(s->out, id, "tools", tools);
}

static void keep_list(struct lb_server *s, json_t *request)
{
	struct waiting *w = lb_alloc(sizeof(*w)), **at = &s->lists;

	w->request = json_incref(request);
	while (*at)
		at = &(*at)->next;
	*at = w;
}

/* They are answered as soon as they can be, or have waited too long. */
static void answer_lists(struct lb_server *s, bool now)
{
	while (s->lists && (now || s->what->settled(s->what->arg))) {
		struct waiting *w = s->lists;

		s->lists = w->next;
		take_list(s, w->request, lb_json_str(w->request, "id"));
		json_decref(w->request);
		free(w);
	}
}

static void too_late(void *arg)
{
	answer_lists(arg, true);
}

static void ask_for_list(struct lb_server *s, json_t *request, const char *id)
{
	if (!s->what->settled || s->what->settled(s->what->arg)) {
		take_list(s, request, id);
		return;
	}
	keep_list(s, request);
	if (s->patience.slot == 0)
		lb_timer_set(s->loop, &s->patience,
			     lb_clock_mono() + LB_LIST_WAIT_MS, too_late, s);
}

static void say_hello(struct lb_server *s)
{
	struct lb_buf *b = lb_out_buf(s->out);

	lb_buf_puts(b, "{\"version\":1");
	lb_put_str(b, "name", s->what->name);
	lb_put_end(b);
	lb_out_built(s->out);
}

static void take_line(struct lb_server *s, const struct lb_line *line)
{
	lb_autobuf struct lb_buf mended = {0};
	json_auto_t *value = lb_record_load(line->text, line->len, &mended);
	const char *op = lb_json_str(value, "op");
	const char *id = lb_json_str(value, "id");

	if (op && strcmp(op, "hello") == 0) {
		say_hello(s);
	} else if (op && id && strcmp(op, "list") == 0) {
		ask_for_list(s, value, id);
	} else if (op && id && strcmp(op, "call") == 0) {
		take_call(s, value, id);
	} else if (op && id && strcmp(op, "cancel") == 0) {
		cancel(s, id);
	} else if (id) {
		lb_say_failure(s->out, id, "usage",
			       "there is no such operation");
	} else {
		lb_warn("line %lu is no request", line->number);
		s->code = LB_DATA;
	}
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct lb_server *s = arg;
	struct lb_line line;
	struct lb_error err;
	int got;

	(void)fd;
	(void)events;
	if (lb_lines_fill(s->in, &err) < 0)
		s->code = lb_report(&err);
	while ((got = lb_lines_take(s->in, &line, &err)) != 0) {
		if (got > 0) {
			take_line(s, &line);
			continue;
		}
		s->code = LB_DATA;
		lb_complain("%s", err.text);
	}
	s->ended = lb_lines_ended(s->in);
}

static int serve(struct lb_server *s)
{
	struct lb_error err;

	for (;;) {
		if (s->lists)
			answer_lists(s, false);
		if (lb_out_flush(s->out, &err) < 0)
			return lb_out_left(s->out) ? LB_OK : lb_report(&err);
		if (s->ended && s->n_jobs == 0 && !s->lists)
			return s->code;
		lb_loop_watch(s->loop, STDIN_FILENO, s->ended ? 0 : EPOLLIN,
			      on_stdin, s);
		lb_loop_turn(s->loop, -1);
	}
}

/* The reader left: what is under way ends, though nobody reads how. */
static void stop_jobs(struct lb_server *s)
{
	int64_t until = lb_clock_mono() + CANCEL_MS, now;
	struct lb_job *next;

	for (struct lb_job *job = s->jobs; job; job = next) {
		next = job->next;
		cancel(s, job->id);
	}
	while (s->jobs && (now = lb_clock_mono()) < until)
		lb_loop_turn(s->loop, (int)(until - now));
}

int lb_tools_serve(const struct lb_serving *what)
{
	struct lb_server s = {.what = what};
	int code;

	s.loop = lb_loop_open();
	s.in = lb_lines_open(STDIN_FILENO, LB_LINE_MAX);
	s.out = lb_out_open(STDOUT_FILENO);
	if (what->begin)
		what->begin(what->arg, s.loop, &s);
	code = serve(&s);
	stop_jobs(&s);
	answer_lists(&s, true);
	lb_timer_cancel(s.loop, &s.patience);
	if (what->end)
		what->end(what->arg);
	while (s.jobs)
		free_job(s.jobs);
	lb_lines_close(s.in);
	lb_out_close(s.out);
	lb_loop_close(s.loop);
	return code;
}
