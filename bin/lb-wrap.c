/* lb-wrap - make replies fit to be sent. */
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/prog.h"
#include "config/config.h"
#include "pipeline/wrap.h"
#include "record/filter.h"

static const char *config_file;
static bool strict;
static int64_t max_line;

static const struct lb_opt options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-wrap",
	.operands = "",
	.about = "Make answers as their pipeline wants them sent",
	.example =
		"echo hi | lb-ingest text | lb-pipeline | lb-agent | lb-wrap",
	.opts = options,
	.reads = "chunk reply",
	.writes = "chunk reply error",
};

/* Is a line of what came of it longer than any line may be? */
static bool too_long(const char *text, size_t len)
{
	while (len > (size_t)max_line + 1) {
		const char *newline = memchr(text, '\n', len);
		size_t n = newline ? (size_t)(newline - text) + 1 : len;

		if (n > (size_t)max_line + 1)
			return true;
		text += n;
		len -= n;
	}
	return false;
}

static int on_record(void *arg, struct lb_record *r, struct lb_out *out,
		     struct lb_error *err)
{
	lb_autobuf struct lb_buf why = {0};
	const struct lb_subject of = lb_record_subject(r);
	const struct lb_problem long_line =
		{"lb-wrap", LB_CODE_LIMIT,
		 "the reply would be longer than a line may be", false, -1};
	struct lb_wrap *wrap = arg;
	struct lb_buf *b = lb_out_buf(out);
	size_t began = b->len;

	(void)err;
	if (strcmp(lb_json_str(r->json, "kind"), "chunk") == 0) {
		lb_wrap_chunk(wrap, r, b);
		lb_out_built(out);
		return 0;
	}
	lb_wrap_reply(wrap, r, b, &why);
	if (lb_aside_left(wrap->asides))
		return 0;
	if (too_long(lb_buf_str(b) + began, b->len - began)) {
		b->len = began;
		lb_put_error(b, r, &long_line);
		lb_buf_reset(&why);
		lb_buf_puts(&why, "too long");
	}
	lb_out_built(out);
	lb_log(LB_INFO, &of, "wrapped%s%s", why.len ? ": " : "",
	       lb_buf_str(&why));
	return 0;
}

static int run(struct lb_config *config)
{
	static const char *const owned[] = {"chunk", "reply", NULL};
	struct lb_asides asides = {0};
	struct lb_wrap wrap;
	struct lb_error err;
	int code;

	if (lb_wrap_open(&wrap, config, &err) < 0) {
		code = lb_report(&err);
	} else {
		wrap.asides = &asides;
		lb_note_terminal();
		code = lb_filter_run(&(struct lb_filter){
			.stage = "lb-wrap",
			.owned = owned,
			.on_record = on_record,
			.arg = &wrap,
			.max_line = (size_t)max_line,
			.strict = strict,
			.asides = &asides,
		});
	}
	lb_wrap_release(&wrap);
	return code;
}

int main(int argc, char **argv)
{
	struct lb_config *config;
	struct lb_error err;
	int code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	config = lb_config_load(config_file, &err);
	code = config ? run(config) : lb_report(&err);
	lb_config_close(config);
	return lb_finish(code);
}
