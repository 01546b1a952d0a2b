/* lb-run flow - a pipe of programs that live and die together. */
#ifndef LB_RUN_FLOW_H
#define LB_RUN_FLOW_H

#include <sys/types.h>

#include "base/loop.h"
#include "run.h"

/* A step, or a tee, between each two and at both ends. */
enum { MAX_PARTS = 2 * STEPS + 1 };

/* One process of the pipe. */
struct part {
	struct flow *flow;
	const char *name;
	bool stops;   /* at a signal it is told; the others' input ends */
	bool lingers; /* those behind it may end before it */
	bool records; /* its descriptor 3 is our output, and its output 2 */
	bool early;   /* it ended before one that it reads from */
	pid_t pid;    /* 0: not running */
	int watch, status;
	struct words words;
};

struct flow {
	struct flow_plan plan;
	struct lb_loop *loop;
	struct part parts[MAX_PARTS];
	int n, running, dead; /* dead: the first that died, or -1 */
	struct lb_timer order, end;
};

/* Run them to their end; what to exit with, or -1. */
int parts_run(struct flow *f, struct lb_error *err);

/* Did it end because nobody reads what it writes? */
bool part_reader_left(const struct part *p);

#endif
