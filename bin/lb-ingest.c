/* lb-ingest - from a platform to message records. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "base/utf8.h"
#include "config/config.h"
#include "ingest-queue.h"
#include "platform/ingest.h"
#include "store/queue.h"

static struct lb_ingest in;
static int64_t max_line;
static long most;
static const char *config_file;

static const struct lb_opt options[] = {
	{0, "bot", "NAME",
	 "the bot that is spoken to (default -, or the only one of the "
	 "adapter)",
	 .text = &in.bot},
	{0, "check",
	 .help = "telegram: only say who the bot is and what it may do",
	 .flag = &in.check},
	{'c', "config", "FILE", "read this configuration",
	 .text = &config_file},
	{0, "fetch", "REF", "telegram: only get this file, and say where it is",
	 .text = &in.fetch},
	{0, "group", "ID", "text: said in this group", .text = &in.group},
	{0, "json", .help = "with --check: JSON, also on a terminal",
	 .flag = &in.json},
	{0, "max", "N",
	 "with --queue: ask for no more while it holds N records (default: any "
	 "number)",
	 .number = &most, .min = 1, .max = 1000000000},
	{0, "once", .help = "telegram: end when nothing more is there",
	 .flag = &in.once},
	{0, "person", "ID", "text: said by this person (default $USER)",
	 .text = &in.person},
	{0, "pipeline", "NAME", "text: the pipeline that is to answer",
	 .text = &in.pipeline},
	{0, "queue", "QUEUE",
	 "put them into this queue instead of standard output",
	 .text = &in.queue},
	{0, "sender", "ID", "text: who says it in the group",
	 .text = &in.sender},
	{0, "whole", .help = "text: all of the input is one message",
	 .flag = &in.whole},
	{0, "max-line", "SIZE", "refuse longer lines (default 16M)",
	 .size = &max_line},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-ingest",
	.operands = "ADAPTER",
	.about = "Write a message record for what arrives",
	.example = "echo hi | lb-ingest text",
	.opts = options,
	.values = "jsonl telegram text",
	.writes = "message edit callback status",
};

/* The person at this machine. */
static const char *user(void)
{
	static char *name;

	if (!name)
		name = lb_config_login();
	return name;
}

/* What becomes part of a record must be text, and say something. */
static void check_text(const char *option, const char *text)
{
	if (text && !*text)
		lb_usage("--%s: it is empty", option);
	if (text && !lb_utf8_valid(text, strlen(text)))
		lb_usage("--%s: it is not UTF-8", option);
}

static void check_options(const char *adapter, const struct lb_source *source)
{
	check_text("bot", in.bot);
	check_text("fetch", in.fetch);
	check_text("group", in.group);
	check_text("person", in.person);
	check_text("pipeline", in.pipeline);
	check_text("sender", in.sender);
	if (in.person && in.group)
		lb_usage("--person and --group exclude each other");
	if (!source->listens && (in.check || in.fetch || in.once || most))
		lb_usage("--check, --fetch, --max and --once are not of "
			 "adapter %s",
			 adapter);
	if (source->listens && (in.person || in.group || in.whole))
		lb_usage("--person, --group and --whole are not of adapter %s",
			 adapter);
	if (in.check && in.fetch)
		lb_usage("--check and --fetch exclude each other");
	if (most && !in.queue)
		lb_usage("--max is of a queue: name it with --queue");
}

/* What is piped in. */
static int read_input(const struct lb_source *source)
{
	struct lb_error err;
	int code;

	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
		fprintf(stderr, "lb-ingest: reading the terminal; "
				"end with ^D\n");
	in.bot = in.bot ? in.bot : "-";
	in.user = user();
	in.max_line = (size_t)max_line;
	in.out = in.queue ? ingest_queue_open(in.queue, &err)
			  : lb_out_open(STDOUT_FILENO);
	if (!in.out)
		return lb_report(&err);
	code = source->run(&in, &err) < 0 ? lb_report(&err) : in.code;
	lb_out_close(in.out);
	ingest_queue_close();
	return code;
}

/* What a platform has, as a bot of the configuration. */
static int listen_to(const struct lb_source *source)
{
	lb_autofree char *state = NULL;
	struct lb_error err;
	int code;

	if (in.queue && lb_queue_name_check(in.queue, &err) < 0)
		lb_usage("--queue: %s", err.text);
	in.config = lb_config_load(config_file, &err);
	if (!in.config)
		return lb_report(&err);
	state = lb_config_state(&err);
	if (!state) {
		lb_config_close(in.config);
		return lb_report(&err);
	}
	in.state = state;
	in.max = most;
	code = source->run(&in, &err) < 0 ? lb_report(&err) : in.code;
	lb_config_close(in.config);
	return code;
}

int main(int argc, char **argv)
{
	const struct lb_source *source;
	struct lb_error err;
	int first;

	lb_start(&prog);
	max_line = lb_config_max_line();
	first = lb_options(argc, argv);
	if (first + 1 != argc)
		lb_usage("name one adapter: text, jsonl or telegram");
	source = lb_source_find(argv[first]);
	if (!source) {
		lb_adapter_unknown(argv[first], true, &err);
		lb_usage("%s", err.text);
	}
	check_options(argv[first], source);
	return lb_finish(source->listens ? listen_to(source)
					 : read_input(source));
}
