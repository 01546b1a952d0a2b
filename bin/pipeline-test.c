/* pipeline-test.c - lb-pipeline --test: rules against what is expected. */
#include "pipeline-test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "base/utf8.h"
#include "pipeline-cases.h"
#include "store/limits.h"

/* What a case is run with. */
struct test {
	struct lb_pipeline *pipeline;
	struct lb_message message;
	struct lb_record record, result;
	struct lb_buf line, out;
	struct pipeline_case of;
};

/* What comes of a table stays on its line, and a terminal obeys none of it. */
static void put_shown(struct lb_buf *b, const char *text)
{
	size_t from = b->len;

	lb_text_visible(b, text, strlen(text));
	for (; from < b->len; from++)
		if (b->data[from] == '\n')
			b->data[from] = ' ';
}

/* Note what is not as expected; `part` is enough where it is a part. */
static void compare(struct lb_buf *why, const char *what, const char *want,
		    const char *got, bool part)
{
	if (!want || (got && (part ? strstr(got, want) != NULL
				   : strcmp(got, want) == 0)))
		return;
	lb_buf_printf(why, "# %s: expected '", what);
	put_shown(why, want);
	lb_buf_puts(why, "', got '");
	put_shown(why, got ? got : "");
	lb_buf_puts(why, "'\n");
}

/* What each stage said, the last one's reason at the end. */
static void put_story(struct lb_buf *b, const struct lb_message *m)
{
	lb_buf_put(b, lb_buf_str(&m->trace), m->trace.len);
	if (m->reason.len == 0 && b->len > 2)
		b->len -= 2; /* "; " */
	lb_buf_put(b, lb_buf_str(&m->reason), m->reason.len);
}

static void judge(struct test *t, const struct lb_buf *story,
		  struct lb_buf *why)
{
	const json_t *got = t->result.json;
	const struct lb_message *m = &t->message;
	int64_t not_before = 0;
	lb_autofree char *waits = pipeline_case_text(&t->of, "waits"),
			 *waited = NULL;

	compare(why, "kind", lb_json_str(t->of.row, "kind"),
		lb_json_str(got, "kind"), false);
	compare(why, "stage", lb_json_str(t->of.row, "stage"), m->stage, false);
	compare(why, "reason", lb_json_str(t->of.row, "reason"),
		lb_buf_str(story), true);
	compare(why, "pipeline", lb_json_str(t->of.row, "pipeline"),
		m->flow ? m->flow->name : NULL, false);
	compare(why, "asked", lb_json_str(t->of.row, "asked"),
		lb_buf_str(&m->text), false);
	if (!waits)
		return;
	lb_json_int(got, "not_before", &not_before);
	waited = lb_printf("%" PRId64 "s",
			   not_before ? (not_before - t->of.now) / 1000 : 0);
	compare(why, "waits", waits, waited, false);
}

/* Of a bot that is not configured the rules are those of none: a slip. */
static void warn_of_bot(const struct test *t)
{
	lb_autofree char *bot = pipeline_case_text(&t->of, "bot");
	const json_t *bots = lb_config_section(t->pipeline->config, "bots");

	if (bot && strcmp(bot, "-") != 0 && json_object_size(bots) > 0 &&
	    !json_object_get(bots, bot))
		lb_warn("case %zu: there is no bot '%s'", t->of.number, bot);
}

static int run(struct test *t, bool *good, struct lb_error *err)
{
	lb_autofree char *name = pipeline_case_text(&t->of, "name");
	const struct lb_message *m = &t->message;
	lb_autobuf struct lb_buf why = {0}, story = {0}, line = {0};

	if (pipeline_case_make(&t->of, &t->line, err) < 0 ||
	    lb_record_parse(&t->record, t->line.data, t->line.len, err) < 0)
		return -1;
	warn_of_bot(t);
	lb_buf_reset(&t->out);
	lb_message_run(&t->message, t->pipeline, &t->record, &t->out);
	if (lb_record_parse(&t->result, t->out.data, t->out.len - 1, err) < 0)
		return -1;
	put_story(&story, m);
	judge(t, &story, &why);
	put_shown(&line, name ? name : "");
	lb_buf_printf(&line, "%s%s by %s: ", name ? ": " : "",
		      lb_json_str(t->result.json, "kind"), m->stage);
	put_shown(&line, lb_buf_str(&story));
	printf("%sok %zu - %s\n%s", why.len ? "not " : "", t->of.number,
	       line.data, lb_buf_str(&why));
	*good &= why.len == 0;
	return 0;
}

int pipeline_test(struct lb_pipeline *p, const char *file)
{
	struct test t = {.pipeline = p, .of.now = PIPELINE_DAWN};
	struct lb_error err;
	json_auto_t *list = pipeline_cases_read(file, &err);
	bool good = true;
	int r = list ? 0 : -1;
	size_t i;

	p->explain = p->record_time = true;
	p->limits = lb_limits_private();
	json_array_foreach(list, i, t.of.row)
	{
		t.of.number = i + 1;
		r = run(&t, &good, &err);
		if (r < 0) {
			lb_error_wrap(&err, "%s: case %zu", file, t.of.number);
			break;
		}
	}
	if (r == 0)
		printf("1..%zu\n", json_array_size(list));
	lb_message_release(&t.message);
	lb_record_release(&t.record);
	lb_record_release(&t.result);
	lb_buf_release(&t.line);
	lb_buf_release(&t.out);
	return r < 0 ? lb_report(&err) : good ? LB_OK : LB_NO;
}
