/* lb-pipeline - decide which messages are answered, and how. */
#include <stdlib.h>

#include "base/log.h"
#include "base/prog.h"
#include "base/zone.h"
#include "config/config.h"
#include "pipeline-test.h"
#include "pipeline/pipeline.h"
#include "record/filter.h"
#include "store/limits.h"

static const char *config_file, *test_file;
static bool explain, strict;
static int64_t max_line;
static char *state;

static const struct lb_opt options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "explain", .help = "say on stderr what decided each message",
	 .flag = &explain},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0, "test", "FILE", "hold the rules against a table of cases",
	 .text = &test_file},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-pipeline",
	.operands = "",
	.about = "Turn messages into queries, as the configuration says",
	.example = "echo hi | lb-ingest text | lb-pipeline --explain",
	.opts = options,
	.reads = "message",
	.writes = "query reply drop error",
};

struct work {
	struct lb_pipeline pipeline;
	struct lb_message message;
	struct lb_asides asides;
};

/* What came of it may be too long for any line: then it is an error. */
static enum lb_verdict run(struct work *w, const struct lb_record *r,
			   struct lb_buf *b)
{
	size_t began = b->len;
	enum lb_verdict verdict =
		lb_message_run(&w->message, &w->pipeline, r, b);
	const struct lb_problem long_line =
		{"lb-pipeline", LB_CODE_LIMIT,
		 "the query would be longer than a line may be", false, -1};

	if (b->len - began <= (size_t)max_line + 1)
		return verdict;
	b->len = began;
	lb_put_error(b, r, &long_line);
	return LB_FAILED;
}

/* What became of it and why, then what the stages before said. */
static void tell(const struct lb_message *m, const struct lb_record *r,
		 enum lb_verdict verdict)
{
	static const char *const ends[] = {
		[LB_DROP] = "drop",
		[LB_ANSWER] = "reply",
		[LB_FAILED] = "error",
	};
	struct lb_subject of = lb_record_subject(r);
	lb_autobuf struct lb_buf text = {0};
	size_t before = m->trace.len > 2 ? m->trace.len - 2 : 0;

	of.session = lb_buf_str(&m->session);
	if (verdict == LB_PASS) {
		lb_buf_puts(&text, "query: ");
		lb_buf_put(&text, lb_buf_str(&m->trace), before);
	} else {
		lb_buf_printf(&text, "%s by %s: %s", ends[verdict], m->stage,
			      lb_buf_str(&m->reason));
		if (before > 0)
			lb_buf_printf(&text, " (%.*s)", (int)before,
				      m->trace.data);
	}
	if (explain)
		lb_tell(&of, "%s: %s", of.id ? of.id : "?", text.data);
	else
		lb_log(LB_INFO, &of, "%s", text.data);
}

static int on_record(void *arg, struct lb_record *r, struct lb_out *out,
		     struct lb_error *err)
{
	struct work *w = arg;
	enum lb_verdict verdict = run(w, r, lb_out_buf(out));

	(void)err;
	if (lb_aside_left(&w->asides))
		return 0;
	/* What is counted is kept before anything leaves. */
	if (lb_out_buf(out)->len >= LB_OUT_FULL && !w->asides.is_child)
		lb_pipeline_commit(&w->pipeline);
	lb_out_built(out);
	if (w->pipeline.explain)
		tell(&w->message, r, verdict);
	return 0;
}

static int on_pause(void *arg, struct lb_out *out, struct lb_error *err)
{
	struct work *w = arg;

	(void)out;
	(void)err;
	lb_pipeline_commit(&w->pipeline);
	return 0;
}

static int make_ready(struct lb_pipeline *p, struct lb_error *err)
{
	p->config_file = config_file;
	p->explain = explain || lb_log_shows(LB_INFO);
	state = lb_config_state(err);
	/* a table of cases neither sees nor changes what bots go by */
	p->state = test_file ? NULL : state;
	p->config = state ? lb_config_load(config_file, err) : NULL;
	if (!p->config || lb_pipeline_ready(p, err) < 0)
		return -1;
	return lb_zone_set(lb_config_str(p->config, "system.timezone"), err);
}

static int filter(struct work *w)
{
	static const char *const owned[] = {"message", NULL};

	w->pipeline.limits = lb_limits_open(state, 5000);
	w->pipeline.asides = &w->asides;
	lb_note_terminal();
	return lb_filter_run(&(struct lb_filter){
		.stage = "lb-pipeline",
		.owned = owned,
		.on_record = on_record,
		.on_pause = on_pause,
		.arg = w,
		.max_line = (size_t)max_line,
		.strict = strict,
		.asides = &w->asides,
	});
}

int main(int argc, char **argv)
{
	struct work work = {0};
	struct lb_error err;
	int code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	if (make_ready(&work.pipeline, &err) < 0)
		code = lb_report(&err);
	else if (test_file)
		code = pipeline_test(&work.pipeline, test_file);
	else
		code = filter(&work);
	lb_message_release(&work.message);
	lb_pipeline_release(&work.pipeline);
	lb_limits_close(work.pipeline.limits);
	lb_config_close(work.pipeline.config);
	free(state);
	return lb_finish(code);
}
