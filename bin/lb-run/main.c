/* lb-run - run the bots: every program of the flow, supervised. */
#include "run.h"

static const struct lb_verb verbs[] = {
	{"flow", "", "Be the flow as one filter, from message to receipt",
	 flow_options, flow_verb, 0, 0},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-run",
	.operands = "[VERB]",
	.about = "Run the bots of the configuration, and keep them running",
	.example = "lb-run --once",
	.verbs = verbs,
	.reads = "message",
	.writes = "receipt drop error",
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	return lb_finish(lb_run_verb(argc, argv));
}
