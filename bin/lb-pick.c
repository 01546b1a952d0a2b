/* lb-pick - pass on the records of the named kinds. */
#include <jansson.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/prog.h"
#include "config/config.h"
#include "record/filter.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"

static bool exclude, strict, want_status;
static long limit = -1; /* records; negative for all */
static int64_t max_line;

static const struct lb_opt options[] = {
	{'e', "exit-status", .help = "exit 1 if no record passed",
	 .flag = &want_status},
	{'n', "limit", "N", "stop after N records", .number = &limit, .min = 0,
	 .max = 1000000000},
	{'x', "exclude", .help = "pass the other kinds instead",
	 .flag = &exclude},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-pick",
	.operands = "KIND...",
	.about = "Pass on the records of the named kinds",
	.example = "lb-pick drop error < day.jsonl",
	.opts = options,
	.values = "message query chunk reply receipt drop error edit delete "
		  "callback feedback status queued exec result request "
		  "response skill",
	.reads = "any",
	.writes = "any",
};

struct pick {
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_record record;
	char *const *kinds;
	long passed;
};

static bool named(struct lb_span kind, char *const *kinds)
{
	for (; *kinds; kinds++)
		if (lb_span_is(kind, *kinds))
			return true;
	return false;
}

/*
 * Is this line to pass? -1: it is malformed. One that had to be parsed may
 * have been repaired.
 */
static int wanted(struct pick *p, struct lb_line *line, struct lb_error *err)
{
	struct lb_span span;
	const char *kind;

	if (lb_scan_kind(line->text, line->len, &span))
		return named(span, p->kinds) != exclude;
	if (lb_record_parse(&p->record, line->text, line->len, err) < 0)
		return lb_error_wrap(err, "line %lu", line->number);
	line->text = p->record.text;
	line->len = p->record.len;
	kind = json_string_value(json_object_get(p->record.json, "kind"));
	span = (struct lb_span){kind, kind ? strlen(kind) : 0};
	return (kind && named(span, p->kinds)) != exclude;
}

/* The lines that are in memory. Returns -1 when it is over. */
static int burst(struct pick *p, int *code, struct lb_error *err)
{
	struct lb_line line;
	int got;

	while (p->passed != limit &&
	       (got = lb_lines_take(p->in, &line, err)) != 0) {
		if (got > 0)
			got = wanted(p, &line, err);
		else
			got = -1;
		if (got > 0) {
			lb_out_line(p->out, line.text, line.len);
			p->passed++;
		}
		if (got >= 0)
			continue;
		lb_complain("%s", err->text);
		*code = LB_DATA;
		if (strict)
			return -1;
	}
	return p->passed == limit ? -1 : 0;
}

static int pick(struct pick *p)
{
	struct lb_error err;
	int code = LB_OK, got = 1;

	while (got > 0 && p->passed != limit) {
		got = lb_lines_read(p->in, &err);
		if (got < 0)
			return lb_report(&err);
		if (burst(p, &code, &err) < 0)
			got = 0;
		if (lb_out_flush(p->out, &err) < 0)
			return lb_report(&err);
	}
	if (code == LB_OK && want_status && p->passed == 0)
		return LB_NO;
	return code;
}

int main(int argc, char **argv)
{
	struct pick p = {0};
	int first, code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	first = lb_options(argc, argv);
	if (first == argc)
		lb_usage("name at least one kind, as in '%s'", prog.example);
	lb_note_terminal();
	p.kinds = argv + first;
	p.in = lb_lines_open(STDIN_FILENO, (size_t)max_line);
	p.out = lb_out_open(STDOUT_FILENO);
	code = pick(&p);
	lb_lines_close(p.in);
	lb_out_close(p.out);
	lb_record_release(&p.record);
	return lb_finish(code);
}
