/* records.c - requests in, responses out, in the order they came. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/stop.h"
#include "llm.h"
#include "record/filter.h"

struct work;

/* A line on its way: passed on as it is, or answered. */
struct entry {
	struct entry *next;
	struct work *work;
	struct lb_buf line; /* what is written in the end */
	char *text;         /* the request's own bytes */
	struct lb_record record;
	struct ask ask;
	json_t *messages;
	const struct lb_model *model;
	bool done;
};

struct work {
	const struct records *how;
	struct lb_loop *loop;
	struct lb_llm *llm;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_map models;
	struct entry *first, **end;
	long in_flight, held;
	bool watching, ended;
	int code;
};

static void entry_free(struct entry *e)
{
	lb_buf_release(&e->line);
	lb_record_release(&e->record);
	ask_release(&e->ask);
	json_decref(e->messages);
	free(e->text);
	free(e);
}

static struct entry *entry_add(struct work *w)
{
	struct entry *e = lb_alloc(sizeof(*e));

	e->work = w;
	*w->end = e;
	w->end = &e->next;
	w->held++;
	return e;
}

static void put_failure(struct entry *e, enum lb_code code, const char *why)
{
	const struct lb_problem p = {"lb-llm", code, why, false, -1};

	lb_put_error(&e->line, &e->record, &p);
	e->done = true;
}

static void on_over(void *arg)
{
	static const char *const without[] = {
		"messages", "prompt", "system", "options", "tools", "stream",
		"text",     "usage",  "finish", "model",   NULL,
	};
	struct entry *e = arg;

	e->work->in_flight--;
	e->done = true;
	if (e->ask.failed) {
		put_failure(e, e->ask.code, e->ask.message);
		return;
	}
	lb_splice(&e->line, &e->record, "response", without);
	lb_put_str(&e->line, "model", e->model->label);
	ask_put(&e->line, &e->ask);
	lb_put_end(&e->line);
}

static const struct lb_model *model_for(struct entry *e, struct lb_error *err)
{
	struct work *w = e->work;
	const char *spec = lb_json_str(e->record.json, "model");
	struct lb_model *m;

	if (!spec)
		spec = w->how->model ? w->how->model : "";
	m = lb_map_find(&w->models, spec);
	if (m)
		return m;
	m = lb_model_open(w->how->config, spec, err);
	if (m)
		lb_map_add(&w->models, spec, m);
	return m;
}

/* `messages`, or `system` and `prompt`. */
static json_t *messages_of(const json_t *o)
{
	json_t *messages = json_object_get(o, "messages");
	json_t *prompt = json_object_get(o, "prompt");
	json_t *system = json_object_get(o, "system");

	if (json_is_array(messages))
		return json_incref(messages);
	messages = json_array();
	if (json_is_string(system))
		json_array_append_new(messages,
				      lb_json_pack("{s:s, s:O}", "role",
						   "system", "content",
						   system));
	if (json_is_string(prompt))
		json_array_append_new(messages,
				      lb_json_pack("{s:s, s:O}", "role", "user",
						   "content", prompt));
	return messages;
}

static void begin(struct entry *e)
{
	struct work *w = e->work;
	const json_t *o = e->record.json;
	json_auto_t *options = json_deep_copy(w->how->options);
	const json_t *own = json_object_get(o, "options");
	struct lb_error err;

	if (json_is_object(own))
		lb_json_merge(options, own);
	e->ask.usage = (struct lb_usage){-1, -1, -1};
	e->ask.on_over = on_over;
	e->ask.arg = e;
	e->messages = messages_of(o);
	if (json_array_size(e->messages) == 0) {
		put_failure(e, LB_CODE_USAGE,
			    "a request needs 'messages' or 'prompt'");
		return;
	}
	e->model = model_for(e, &err);
	if (!e->model) {
		put_failure(e, lb_code_of(&err), err.text);
		return;
	}
	w->in_flight++;
	if (lb_llm_start(w->llm, e->model,
			 &(struct lb_llm_request){
				 .messages = e->messages,
				 .tools = json_object_get(o, "tools"),
				 .options = options,
				 .stream = lb_json_bool(o, "stream", false),
				 .strict = w->how->strict,
			 },
			 ask_event, &e->ask, &err))
		return;
	w->in_flight--;
	put_failure(e, lb_code_of(&err), err.text);
}

static void refuse(struct work *w, const struct lb_line *line,
		   const struct lb_error *err)
{
	struct entry *e = entry_add(w);

	lb_line_refuse(NULL, "lb-llm", line, err);
	lb_put_bad_line(&e->line, "lb-llm", err->text, line->text, line->len,
			line->number);
	e->done = true;
	w->code = LB_DATA;
	w->ended |= w->how->strict;
}

static void on_line(struct work *w, const struct lb_line *line)
{
	static const char *const owned[] = {"request", NULL};
	struct lb_line own = *line;
	char *text = lb_strndup(line->text, line->len);
	struct lb_record r = {0};
	struct lb_error err;
	struct entry *e;
	int sort;

	own.text = text;
	sort = lb_line_sort(owned, &own, &r, &err);
	if (sort < 0) {
		refuse(w, line, &err);
	} else {
		e = entry_add(w);
		e->text = lb_steal(&text);
		e->record = r;
		r = (struct lb_record){0};
		if (sort == 0) {
			lb_buf_put(&e->line,
				   e->record.text ? e->record.text : e->text,
				   e->record.text ? e->record.len : own.len);
			lb_buf_putc(&e->line, '\n');
			e->done = true;
		} else {
			begin(e);
		}
	}
	lb_record_release(&r);
	free(text);
}

static bool has_room(const struct work *w)
{
	return w->in_flight < w->how->jobs && w->held < 4 * w->how->jobs;
}

static void take_lines(struct work *w)
{
	struct lb_line line;
	struct lb_error err;
	int got = 1;

	while (!w->ended && has_room(w) && got != 0) {
		got = lb_lines_take(w->in, &line, &err);
		if (got > 0)
			on_line(w, &line);
		else if (got < 0)
			refuse(w, &line, &err);
	}
	if (got == 0 && lb_lines_ended(w->in))
		w->ended = true;
}

static void on_stdin(int fd, uint32_t events, void *arg)
{
	struct work *w = arg;
	struct lb_error err;

	(void)fd;
	(void)events;
	if (lb_lines_fill(w->in, &err) < 0)
		w->code = lb_report(&err);
}

static void put_done(struct work *w)
{
	while (w->first && w->first->done) {
		struct entry *e = w->first;

		lb_out_put(w->out, lb_buf_str(&e->line), e->line.len);
		w->first = e->next;
		if (!w->first)
			w->end = &w->first;
		w->held--;
		entry_free(e);
	}
}

static void watch_input(struct work *w)
{
	bool want = !w->ended && has_room(w);

	if (want != w->watching)
		lb_loop_watch(w->loop, STDIN_FILENO, want ? EPOLLIN : 0,
			      on_stdin, w);
	w->watching = want;
}

static int serve(struct work *w)
{
	struct lb_error err;

	for (;;) {
		size_t before;

		do { /* what was written makes room for more */
			before = (size_t)w->held;
			take_lines(w);
			put_done(w);
		} while ((size_t)w->held != before && has_room(w));
		if (lb_out_flush(w->out, &err) < 0) {
			if (lb_out_left(w->out))
				lb_die_of_sigpipe();
			return lb_report(&err);
		}
		if (w->ended && !w->first)
			return w->code;
		watch_input(w);
		lb_loop_turn(w->loop, -1);
	}
}

static void free_model(void *value)
{
	lb_model_close(value);
}

int records_run(const struct records *how)
{
	struct work w = {.how = how};
	int code;

	lb_note_terminal();
	w.end = &w.first;
	lb_loop_many_descriptors();
	w.loop = lb_loop_open();
	w.llm = lb_llm_open(w.loop);
	w.in = lb_lines_open(STDIN_FILENO, how->max_line);
	w.out = lb_out_open(STDOUT_FILENO);
	code = serve(&w);
	lb_llm_close(w.llm);
	while (w.first) {
		struct entry *e = w.first;

		w.first = e->next;
		entry_free(e);
	}
	lb_map_release(&w.models, free_model);
	lb_lines_close(w.in);
	lb_out_close(w.out);
	lb_loop_close(w.loop);
	return code;
}
