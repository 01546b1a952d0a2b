/* lb-send - from replies to a platform. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/prog.h"
#include "config/config.h"
#include "platform/ingest.h"
#include "platform/send.h"
#include "record/filter.h"
#include "send-to.h"

static const char *config_file, *fail_how, *records_to;
static struct send_to to;
static bool strict, resend_unknown, hold;
static int64_t max_line, grace_ms = 5000;

static const struct lb_opt options[] = {
	{0, "bot", "NAME", "with --to: the bot that says it", .text = &to.bot},
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "fail", "KIND[:PART]",
	 "null: fail, transient or permanent, at every part or one",
	 .text = &fail_how},
	{0, "grace", "TIME",
	 "on a signal, time for what is in flight (default 5s)",
	 .duration = &grace_ms},
	{0, "hold",
	 .help = "what fails comes again: give back what is behind it",
	 .flag = &hold},
	{0, "id", "ID", "with --to: what this run is called, sent once",
	 .text = &to.id},
	{0, "records", "FILE|fd:N", "stdout: write receipts and records there",
	 .text = &records_to},
	{0, "resend-unknown",
	 .help = "send again what may have been sent before",
	 .flag = &resend_unknown},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0, "to", "person:ID|group:ID[/TOPIC]",
	 "send one text there: TEXT, - or nothing for the input; a TEXT "
	 "that is the name of an adapter stands behind one",
	 .text = &to.to},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-send",
	.operands = "[ADAPTER] [TEXT]",
	.about = "Deliver replies and write what became of them",
	.example = "... | lb-wrap | lb-send stdout",
	.opts = options,
	.values = "jsonl null stdout telegram",
	.reads = "chunk reply",
	.writes = "receipt error",
};

static void set_fail(struct lb_send *send)
{
	size_t len = strcspn(fail_how, ":");
	char *end = NULL;

	if (strncmp(fail_how, "transient", len) == 0 && len == 9)
		send->fail = LB_CODE_OVERLOADED;
	else if (strncmp(fail_how, "permanent", len) == 0 && len == 9)
		send->fail = LB_CODE_NOT_FOUND;
	else
		lb_usage("--fail: '%s' is neither transient nor permanent",
			 fail_how);
	if (!fail_how[len])
		return;
	send->fail_part = strtol(fail_how + len + 1, &end, 10);
	if (*end || send->fail_part < 1)
		lb_usage("--fail: '%s' names no part", fail_how);
}

static int open_records(struct lb_send *send)
{
	struct lb_error err;
	int fd = lb_path_output(records_to, &err);

	if (fd < 0 && err.code == LB_USAGE)
		lb_usage("--records: %s", err.text);
	if (fd < 0)
		return lb_report(&err);
	send->records = lb_out_open(fd);
	return LB_OK;
}

/*
 * [ADAPTER], and with --to [[ADAPTER] TEXT]. There an adapter alone could be
 * meant for a word to be sent: neither is guessed.
 */
static void read_operands(struct lb_send *send, int argc, char **argv)
{
	const char *words = to.to ? "; a text is one operand: quote it" : "";
	struct lb_error err;
	int max = to.to ? 2 : 1;

	if ((to.bot || to.id) && !to.to)
		lb_usage("--bot and --id are for --to");
	if (argc > max)
		lb_usage(to.to ? "one adapter and one text, no more%s"
			       : "name one adapter: stdout, jsonl, null or "
				 "telegram%s",
			 words);
	if (argc > 0)
		send->sink = lb_sink_find(argv[0]);
	if (to.to && argc == 1 && send->sink)
		lb_usage("'%s' is an adapter: put the text behind it, or - for "
			 "the input",
			 argv[0]);
	if (argc == max && !send->sink) {
		lb_adapter_unknown(argv[0], false, &err);
		lb_usage("%s%s", err.text, words);
	}
	if (to.to && argc > 0)
		to.text = argv[argc - 1];
}

/* Records, or the one message of --to. */
static int send_all(struct lb_send *send)
{
	lb_autofree char *one = NULL;
	struct lb_error err;

	if (!to.to) {
		lb_note_terminal();
		return lb_send_run(send);
	}
	if (send_to_record(send, &to, &one, &err) < 0)
		return lb_report(&err);
	send->only = one;
	return one ? lb_send_run(send) : LB_OK;
}

static int run(struct lb_send *send)
{
	lb_autofree char *state = NULL;
	struct lb_error err;
	int code;

	send->config = lb_config_load(config_file, &err);
	if (!send->config)
		return lb_report(&err);
	/* What prints needs none, and says so when another does. */
	send->state = state = lb_config_state(&err);
	code = send_all(send);
	lb_config_close(send->config);
	return code;
}

int main(int argc, char **argv)
{
	struct lb_send send = {.fail = LB_CODES};
	int first, code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	first = lb_options(argc, argv);
	read_operands(&send, argc - first, argv + first);
	if (fail_how && send.sink != &lb_sink_null)
		lb_usage("--fail: only adapter null fails on request");
	if (hold && to.to)
		lb_usage("--hold and --to do not go together");
	if (fail_how)
		set_fail(&send);
	if (records_to && (code = open_records(&send)) != LB_OK)
		return lb_finish(code);
	send.terminal = isatty(STDOUT_FILENO);
	send.strict = strict;
	send.resend_unknown = resend_unknown;
	send.hold = hold;
	send.grace_ms = grace_ms;
	send.max_line = (size_t)max_line;
	code = run(&send);
	lb_out_close(send.records);
	return lb_finish(code);
}
