#include "record/filter.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/prog.h"

/* Foreign lines that stand side by side in the reader's buffer. */
struct run {
	const char *from;
	size_t len;
};

static void run_flush(struct run *run, struct lb_out *out)
{
	if (run->len > 0 && out)
		lb_out_put(out, run->from, run->len);
	run->len = 0;
}

static void run_add(struct run *run, const struct lb_line *line,
		    struct lb_out *out)
{
	if (run->len > 0 && run->from + run->len != line->text)
		run_flush(run, out);
	if (!line->ended) {
		run_flush(run, out);
		if (out)
			lb_out_line(out, line->text, line->len);
		return;
	}
	if (run->len == 0)
		run->from = line->text;
	run->len += line->len + 1;
}

static bool is_owned(const char *const *owned, struct lb_span kind)
{
	for (; *owned; owned++)
		if (lb_span_is(kind, *owned))
			return true;
	return false;
}

int lb_line_sort(const char *const *owned, const struct lb_line *line,
		 struct lb_record *r, struct lb_error *err)
{
	const char *kind;
	struct lb_span span;

	if (lb_scan_kind(line->text, line->len, &span) &&
	    !is_owned(owned, span))
		return 0;
	if (lb_record_parse(r, line->text, line->len, err) < 0)
		return lb_error_wrap(err, "line %lu", line->number);
	kind = json_string_value(json_object_get(r->json, "kind"));
	span = (struct lb_span){kind, kind ? strlen(kind) : 0};
	return kind && is_owned(owned, span);
}

void lb_line_refuse(struct lb_out *out, const char *stage,
		    const struct lb_line *line, const struct lb_error *err)
{
	lb_complain("%s", err->text);
	if (!out)
		return;
	lb_put_bad_line(lb_out_buf(out), stage, err->text, line->text,
			line->len, line->number);
	lb_out_built(out);
}

struct state {
	const struct lb_filter *filter;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_out *others; /* for lines that are not ours; or NULL */
	struct lb_record record;
	struct run run;
	int code; /* what to exit with so far */
};

static int on_record(struct state *s, struct lb_error *err)
{
	const struct lb_filter *f = s->filter;
	int result;

	if (f->asides)
		lb_asides_begin(f->asides, &s->record, s->out);
	result = f->on_record(f->arg, &s->record, s->out, err);
	if (f->asides)
		lb_asides_end(f->asides, result);
	return result;
}

/* One line. Returns -1 to stop; err then says why, or s->code does. */
static int one(struct state *s, const struct lb_line *line,
	       struct lb_error *err)
{
	const struct lb_filter *f = s->filter;
	struct lb_span kind;
	int sort;

	if (f->on_line && lb_scan_kind(line->text, line->len, &kind) &&
	    is_owned(f->owned, kind) && f->on_line(f->arg, line))
		return 0;
	sort = lb_line_sort(f->owned, line, &s->record, err);

	/* A foreign line goes on as it came, unless it had to be mended. */
	if (sort == 0 && (!s->record.text || s->record.text == line->text)) {
		run_add(&s->run, line, s->others);
		return 0;
	}
	run_flush(&s->run, s->others);
	if (sort < 0)
		return -1;
	if (sort == 0) {
		if (s->others)
			lb_out_line(s->others, s->record.text, s->record.len);
		return 0;
	}
	if (on_record(s, err) == 0)
		return 0;
	return err->code == LB_DATA
		       ? lb_error_wrap(err, "line %lu", line->number)
		       : -1;
}

/* A line that is not well-formed. Returns -1 when that ends the filter. */
static int refuse(struct state *s, const struct lb_line *line,
		  const struct lb_error *err)
{
	run_flush(&s->run, s->others);
	lb_line_refuse(s->others, s->filter->stage, line, err);
	s->code = LB_DATA;
	return s->filter->strict ? -1 : 0;
}

static int handle(struct state *s, const struct lb_line *line, bool whole,
		  struct lb_error *err)
{
	struct lb_asides *asides = s->filter->asides;

	s->record.text = NULL;
	if (whole && asides && lb_asides_hold(asides, line))
		return 0;
	if (whole && one(s, line, err) == 0)
		return 0;
	if (err->code != LB_DATA)
		return -1;
	return refuse(s, line, err);
}

/* What has ended aside, and what waited behind it. */
static int come_back(struct state *s, struct lb_error *err)
{
	struct lb_asides *asides = s->filter->asides;
	struct lb_aside *back;
	struct lb_line line;
	int result = 0;

	run_flush(&s->run, s->others);
	while (result == 0 &&
	       (back = lb_asides_take(asides, s->filter->stage, s->out))) {
		while (result == 0 && lb_aside_line(asides, back, &line))
			result = handle(s, &line, true, err);
		run_flush(&s->run, s->others);
		lb_aside_free(back);
	}
	return result;
}

static int rest(struct state *s, struct lb_error *err)
{
	run_flush(&s->run, s->others);
	if (s->filter->on_pause &&
	    s->filter->on_pause(s->filter->arg, s->out, err) < 0)
		return -1;
	return lb_out_flush(s->out, err);
}

/* Everything that is whole in memory. */
static int burst(struct state *s, struct lb_error *err)
{
	struct lb_asides *asides = s->filter->asides;
	struct lb_line line;
	int got;

	while ((got = lb_lines_take(s->in, &line, err)) != 0) {
		if (handle(s, &line, got > 0, err) < 0)
			return -1;
		while (asides && lb_asides_full(asides)) {
			if (rest(s, err) < 0)
				return -1;
			lb_asides_wait(asides, -1);
			if (come_back(s, err) < 0)
				return -1;
		}
	}
	return rest(s, err);
}

/* Whatever ended the loop: what is in hand must still leave. */
static int end(struct state *s, struct lb_error *err)
{
	const struct lb_filter *f = s->filter;

	while (f->asides && f->asides->n > 0) {
		lb_asides_wait(f->asides, -1);
		if (come_back(s, err) < 0 && err->code != LB_DATA)
			return -1;
		if (rest(s, err) < 0)
			return -1;
	}
	if (f->on_end && f->on_end(f->arg, s->out, err) < 0)
		return -1;
	if (s->others && lb_out_flush(s->others, err) < 0)
		return -1;
	return lb_out_flush(s->out, err);
}

static int run(struct state *s)
{
	const struct lb_filter *f = s->filter;
	struct lb_error err = {0}, last = {0};
	int got = 1;

	while (got > 0) {
		if (f->asides && f->asides->n > 0) {
			bool input = lb_asides_wait(f->asides, STDIN_FILENO);

			if (come_back(s, &err) < 0 || rest(s, &err) < 0)
				break;
			if (!input)
				continue;
		}
		got = lb_lines_read(s->in, &err);
		if (got < 0 || burst(s, &err) < 0)
			break;
	}
	if (end(s, &last) < 0)
		err = last;
	if (err.code == LB_OK || (err.code == LB_DATA && s->code == LB_DATA))
		return s->code;
	return lb_report(&err);
}

int lb_filter_run(const struct lb_filter *filter)
{
	struct state s = {
		.filter = filter,
		.in = lb_lines_open(STDIN_FILENO, filter->max_line),
		.out = lb_out_open(STDOUT_FILENO),
	};
	int code;

	s.others = filter->text ? filter->others : s.out;
	code = run(&s);
	if (filter->asides)
		lb_asides_release(filter->asides);
	lb_lines_close(s.in);
	lb_out_close(s.out);
	lb_record_release(&s.record);
	return code;
}
