/* lb-ingest - from a platform to message records. */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/prog.h"
#include "base/utf8.h"
#include "config/config.h"
#include "ingest-queue.h"
#include "platform/ingest.h"

static struct lb_ingest in = {.bot = "-"};
static int64_t max_line;
static const char *queue;

static const struct lb_opt options[] = {
	{0, "bot", "NAME", "the bot that is spoken to (default -)",
	 .text = &in.bot},
	{0, "group", "ID", "text: said in this group", .text = &in.group},
	{0, "person", "ID", "text: said by this person (default $USER)",
	 .text = &in.person},
	{0, "pipeline", "NAME", "text: the pipeline that is to answer",
	 .text = &in.pipeline},
	{0, "queue", "QUEUE", "put them into this queue, and write nothing",
	 .text = &queue},
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
	.values = "jsonl text",
	.writes = "message",
};

/* The person at this machine: $USER, else the name of the user id. */
static const char *user(void)
{
	const char *name = lb_config_env("USER");
	const struct passwd *pw;

	if (name && lb_utf8_valid(name, strlen(name)))
		return name;
	pw = getpwuid(getuid());
	return pw ? pw->pw_name : "user";
}

/* What becomes part of a record must be text, and say something. */
static void check_text(const char *option, const char *text)
{
	if (text && !*text)
		lb_usage("--%s: it is empty", option);
	if (text && !lb_utf8_valid(text, strlen(text)))
		lb_usage("--%s: it is not UTF-8", option);
}

int main(int argc, char **argv)
{
	const struct lb_source *source;
	struct lb_error err;
	int first, code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	first = lb_options(argc, argv);
	if (first + 1 != argc)
		lb_usage("name one adapter: text or jsonl");
	source = lb_source_find(argv[first]);
	if (!source) {
		lb_adapter_unknown(argv[first], true, &err);
		lb_usage("%s", err.text);
	}
	check_text("bot", in.bot);
	check_text("group", in.group);
	check_text("person", in.person);
	check_text("pipeline", in.pipeline);
	check_text("sender", in.sender);
	if (in.person && in.group)
		lb_usage("--person and --group exclude each other");
	if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
		fprintf(stderr, "lb-ingest: reading the terminal; "
				"end with ^D\n");
	in.user = user();
	in.max_line = (size_t)max_line;
	in.out = queue ? ingest_queue_open(queue, &err)
		       : lb_out_open(STDOUT_FILENO);
	if (!in.out)
		return lb_finish(lb_report(&err));
	code = source->run(&in, &err) < 0 ? lb_report(&err) : in.code;
	lb_out_close(in.out);
	ingest_queue_close();
	return lb_finish(code);
}
