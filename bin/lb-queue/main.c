/* lb-queue - a durable queue between programs. */
#include "queue.h"

static const struct lb_verb verbs[] = {
	{"put", "[QUEUE]", "Put records into it; says when each is safe",
	 put_options, put_verb, 0, 1},
	{"work", "[QUEUE] -- COMMAND...",
	 "Hand the records to copies of a command", work_options, work_verb, 0,
	 1, .chain = true},
	{"take", "[QUEUE]", "Take records out of it, for a time", take_options,
	 take_verb, 0, 1},
	{"ack", "[QUEUE]", "Say that what was taken is done", ack_options,
	 ack_verb, 0, 1},
	{"stats", "[QUEUE]", "Count what is in it", stats_options, stats_verb,
	 0, 1},
	{"peek", "[QUEUE]", "Show what is in it", peek_options, peek_verb, 0,
	 1},
	{"dead", "[QUEUE]", "Show the dead letters", dead_options, dead_verb, 0,
	 1},
	{"retry", "[QUEUE]", "Let dead letters wait again", retry_options,
	 retry_verb, 0, 1},
	{"purge", "[QUEUE]", "Forget what ended long ago", purge_options,
	 purge_verb, 0, 1},
	{0},
};

static const struct lb_prog prog = {
	.name = "lb-queue",
	.operands = "VERB ...",
	.about = "Keep records until they are done, whatever dies meanwhile",
	.example = "echo hi | lb-ingest text | lb-queue put",
	.verbs = verbs,
	.reads = "message query reply chunk receipt drop error queued",
	.writes = "queued drop error",
};

int main(int argc, char **argv)
{
	lb_start(&prog);
	return lb_finish(lb_run_verb(argc, argv));
}
