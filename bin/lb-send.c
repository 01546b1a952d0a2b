/* lb-send - from replies to a platform. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/prog.h"
#include "config/config.h"
#include "platform/ingest.h"
#include "platform/send.h"
#include "record/filter.h"

static const char *config_file, *fail_how, *records_to;
static bool strict;
static int64_t max_line;

static const struct lb_opt options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "fail", "KIND[:PART]",
	 "null: fail, transient or permanent, at every part or one",
	 .text = &fail_how},
	{0, "records", "FILE|fd:N", "stdout: write receipts and records there",
	 .text = &records_to},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-send",
	.operands = "[ADAPTER]",
	.about = "Deliver replies and write what became of them",
	.example = "... | lb-wrap | lb-send stdout",
	.opts = options,
	.values = "jsonl null stdout",
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
	char *end;
	long fd;

	if (strncmp(records_to, "fd:", 3) == 0) {
		fd = strtol(records_to + 3, &end, 10);
		if (*end || end == records_to + 3 || fd < 0 || fd > 65535 ||
		    fcntl((int)fd, F_GETFD) < 0)
			lb_usage("--records: '%s' is no open descriptor",
				 records_to);
	} else {
		fd = open(records_to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
			  0600);
		if (fd < 0) {
			lb_fail_sys(&err, LB_NOINPUT, "cannot open '%s'",
				    records_to);
			return lb_report(&err);
		}
	}
	send->records = lb_out_open((int)fd);
	return LB_OK;
}

int main(int argc, char **argv)
{
	struct lb_send send = {.fail = LB_CODES};
	struct lb_error err;
	int first, code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	first = lb_options(argc, argv);
	if (first + 1 < argc)
		lb_usage("name one adapter: stdout, jsonl or null");
	if (first < argc && !(send.sink = lb_sink_find(argv[first]))) {
		lb_adapter_unknown(argv[first], false, &err);
		lb_usage("%s", err.text);
	}
	if (fail_how && send.sink != &lb_sink_null)
		lb_usage("--fail: only adapter null fails on request");
	if (fail_how)
		set_fail(&send);
	if (records_to && (code = open_records(&send)) != LB_OK)
		return lb_finish(code);
	send.config = lb_config_load(config_file, &err);
	if (!send.config)
		return lb_finish(lb_report(&err));
	lb_note_terminal();
	send.terminal = isatty(STDOUT_FILENO);
	send.strict = strict;
	send.max_line = (size_t)max_line;
	code = lb_send_run(&send);
	lb_out_close(send.records);
	lb_config_close(send.config);
	return lb_finish(code);
}
