/* lb-push - tell webhooks of each message, and let it pass. */
#include <unistd.h>

#include "base/path.h"
#include "base/prog.h"
#include "config/config.h"
#include "push/push.h"
#include "record/filter.h"

static struct lb_push_options options = {
	.drain_ms = 30000,
	.grace_ms = 5000,
	.failed_fd = -1,
};
static const char *config_file, *failed_to;
static bool exit_status, strict;
static int64_t max_line;

static const struct lb_opt opts[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{0, "drain", "TIME",
	 "after the end of the input, time for what is not delivered yet "
	 "(default 30s)",
	 .duration = &options.drain_ms},
	{'e', "exit-status", .help = "exit 1 when a delivery failed",
	 .flag = &exit_status},
	{0, "failed", "FILE|fd:N",
	 "write a JSON line there for each delivery that failed",
	 .text = &failed_to},
	{0, "grace", "TIME",
	 "on a signal, time for what is in flight (default 5s)",
	 .duration = &options.grace_ms},
	LB_FILTER_OPTIONS(&strict, &max_line),
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-push",
	.operands = "",
	.about = "Tell webhooks of each message, and let it pass",
	.example = "lb-ingest telegram | lb-push | lb-pipeline | lb-agent ...",
	.opts = opts,
	.reads = "message",
	.writes = "drop error",
};

static int run(void)
{
	struct lb_push push = {.options = &options};
	struct lb_error err;
	int code;

	options.config = lb_config_load(config_file, &err);
	if (!options.config)
		return lb_report(&err);
	code = lb_push_run(&push);
	lb_config_close(options.config);
	if (code == LB_OK && exit_status && push.given_up > 0)
		code = LB_NO;
	return code;
}

int main(int argc, char **argv)
{
	struct lb_error err;
	int code;

	lb_start(&prog);
	max_line = lb_config_max_line();
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	if (failed_to) {
		options.failed_fd = lb_path_output(failed_to, &err);
		if (options.failed_fd < 0 && err.code == LB_USAGE)
			lb_usage("--failed: %s", err.text);
		if (options.failed_fd < 0)
			return lb_finish(lb_report(&err));
		if (options.failed_fd == STDOUT_FILENO)
			lb_usage("--failed: standard output is for records");
	}
	options.max_line = (size_t)max_line;
	options.strict = strict;
	lb_note_terminal();
	code = run();
	return lb_finish(code);
}
