/* records.c - requests in, responses out, in the order they came. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "work.h"

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
			entry_ask(e);
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

static void free_lineup(void *value)
{
	lineup_close(value);
	free(value);
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
	while (w.first) {
		struct entry *e = w.first;

		w.first = e->next;
		entry_free(e);
	}
	lb_llm_close(w.llm);
	lb_map_release(&w.lineups, free_lineup);
	lb_map_release(&w.models, free_model);
	lb_lines_close(w.in);
	lb_out_close(w.out);
	lb_loop_close(w.loop);
	return code;
}
