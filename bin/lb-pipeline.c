/* lb-pipeline - decide which messages are answered, and how. */
#include <stdlib.h>

#include "base/log.h"
#include "base/prog.h"
#include "base/zone.h"
#include "config/config.h"
#include "pipeline/command.h"
#include "pipeline/pipeline.h"
#include "record/filter.h"

static const char *config_file;
static bool explain, strict;
static int64_t max_line;
static char *state;

static const struct lb_opt options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "explain", .help = "say on stderr what decided each message",
	 .flag = &explain},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-pipeline",
	.operands = "",
	.about = "Turn messages into queries, as the configuration says",
	.example = "echo hi | lb-ingest text | lb-pipeline --explain",
	.opts = options,
	.reads = "message",
	.writes = "query drop error",
};

struct work {
	struct lb_pipeline pipeline;
	struct lb_message message;
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

static int on_record(void *arg, struct lb_record *r, struct lb_out *out,
		     struct lb_error *err)
{
	static const char *const ends[] = {
		[LB_PASS] = "query",
		[LB_DROP] = "drop",
		[LB_ANSWER] = "reply",
		[LB_FAILED] = "error",
	};
	struct work *w = arg;
	const char *stage;
	struct lb_subject of;
	enum lb_verdict verdict = run(w, r, lb_out_buf(out));

	(void)err;
	lb_out_built(out);
	if (!explain && !lb_log_shows(LB_INFO))
		return 0;
	of = lb_record_subject(r);
	of.session = lb_buf_str(&w->message.session);
	stage = w->message.stage;
	if (explain)
		lb_tell(&of, "%s: %s by %s: %s", of.id ? of.id : "?",
			ends[verdict], stage, lb_buf_str(&w->message.reason));
	else
		lb_log(LB_INFO, &of, "%s by %s: %s", ends[verdict], stage,
		       lb_buf_str(&w->message.reason));
	return 0;
}

static int make_ready(struct lb_pipeline *p, struct lb_error *err)
{
	struct lb_error none;

	/* Without a folder nothing is kept, and most need nothing kept. */
	state = lb_config_state(&none);
	p->commands =
		lb_commands_open(p->config,
				 &(struct lb_commands_from){config_file, state},
				 err);
	if (!p->commands)
		return -1;
	return lb_zone_set(lb_config_str(p->config, "system.timezone"), err);
}

int main(int argc, char **argv)
{
	static const char *const owned[] = {"message", NULL};
	struct work work = {0};
	struct lb_error err;
	int code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	work.pipeline.config = lb_config_load(config_file, &err);
	if (!work.pipeline.config || make_ready(&work.pipeline, &err) < 0)
		return lb_finish(lb_report(&err));
	lb_note_terminal();
	code = lb_filter_run(&(struct lb_filter){
		.stage = "lb-pipeline",
		.owned = owned,
		.on_record = on_record,
		.arg = &work,
		.max_line = (size_t)max_line,
		.strict = strict,
	});
	lb_message_release(&work.message);
	lb_flows_release(&work.pipeline);
	lb_commands_close(work.pipeline.commands);
	free(state);
	lb_config_close(work.pipeline.config);
	return lb_finish(code);
}
