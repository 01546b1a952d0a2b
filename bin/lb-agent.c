/* lb-agent - answer queries: chat with history, many at once. */
#include "agent/agent.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/prog.h"
#include "base/zone.h"
#include "config/config.h"

static struct lb_agent_options agent = {.grace_ms = 5000};
static const char *config_file;
static int64_t max_line;

static const struct lb_opt options[] = {
	{'c', "config", "FILE", "read this configuration file",
	 .text = &config_file},
	{'j', "jobs", "N", "conversations at once (default 20)",
	 .number = &agent.jobs, .min = 1, .max = 10000},
	{0, "grace", "TIME",
	 "on a signal, time for what is in flight (default 5s)",
	 .duration = &agent.grace_ms},
	{0, "max-line", "SIZE", "refuse longer lines (default 16M)",
	 .size = &max_line},
	{0, "model", "MODEL", "ask this model, whatever the pipeline says",
	 .text = &agent.model},
	{0, "stream", .help = "stream every answer", .flag = &agent.stream},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-agent",
	.operands = "",
	.about = "Answer queries with a model, keeping each conversation",
	.example =
		"echo hi | lb-ingest text | lb-pipeline | lb-agent | lb-wrap",
	.opts = options,
	.reads = "query",
	.writes = "chunk reply error",
};

static int run(void)
{
	struct lb_error err;
	lb_autofree char *state = lb_config_state(&err);
	int code;

	agent.config = state ? lb_config_load(config_file, &err) : NULL;
	if (!agent.config)
		return lb_report(&err);
	if (lb_zone_set(lb_config_str(agent.config, "system.timezone"), &err) <
	    0) {
		lb_config_close(agent.config);
		return lb_report(&err);
	}
	if (agent.jobs == 0)
		agent.jobs = (long)lb_config_int(agent.config,
						 "concurrency.pipeline");
	agent.config_file = config_file;
	agent.state = state;
	agent.max_line = (size_t)max_line;
	code = lb_agent_run(&agent);
	lb_config_close(agent.config);
	return code;
}

int main(int argc, char **argv)
{
	lb_start(&prog);
	max_line = lb_config_max_line();
	if (lb_options(argc, argv) != argc)
		lb_usage("it takes no operands");
	lb_note_terminal();
	return lb_finish(run());
}
