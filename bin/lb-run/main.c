/* lb-run - run the bots: every program of the flow, supervised. */
#include "run.h"

static const struct lb_verb verbs[] = {
	{"start", "", "Run the bots, or talk to one when there is none",
	 start_options, start_verb, 0, 0},
	{"worker", "", "Run the flow alone, on what others put into the queue",
	 worker_options, worker_verb, 0, 0},
	{"ingest", "", "Run what brings messages alone, into the queue",
	 ingest_options, ingest_verb, 0, 0},
	{"flow", "", "Be the flow as one filter, from message to receipt",
	 flow_options, flow_verb, 0, 0},
	{"tee", "FILE", "Pass on what comes, and append it to FILE by lines",
	 tee_options, tee_verb, 1, 1},
	{"status", "", "Show how the bots are; exit 1 when one is down",
	 status_options, status_verb, 0, 0},
	{"gc", "", "Forget what is old; lb-run does so every hour", gc_options,
	 gc_verb, 0, 0},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-run",
	.operands = "[VERB]",
	.about = "Run the bots of the configuration, and keep them running",
	.example = "lb-run --once",
	.verbs = verbs,
	.usual = "start",
	.reads = "message",
	.writes = "receipt drop error",
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	return lb_finish(lb_run_verb(argc, argv));
}
