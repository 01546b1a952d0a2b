/*
 * tool/run.h - file tools at work, each call in a process of its own.
 *
 * The process becomes the session's user, sees the place and nothing else of
 * this machine, has limits, and says one thing. Calls run side by side; those
 * above a number wait for others to end.
 */
#ifndef LB_TOOL_RUN_H
#define LB_TOOL_RUN_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "tool/tool.h"

struct lb_tool_runner;
struct lb_tool_run;

/* At most so many at a time. */
struct lb_tool_runner *lb_tool_runner_open(struct lb_loop *loop, size_t most);
/* Ends those that are under way, and tells nobody. */
void lb_tool_runner_close(struct lb_tool_runner *runner);

struct lb_tool_order {
	const struct lb_tool *tool;
	const struct lb_place *place; /* borrowed until it is done */
	const json_t *arguments;      /* an object; borrowed alike */
	int64_t deadline;             /* mono ms; LB_TOOL_CALL_MS at most */
	/* Once, from the loop; the run is gone then. */
	void (*done)(void *arg, json_t *take_result);
	void *arg;
};

struct lb_tool_run *lb_tool_start(struct lb_tool_runner *runner,
				  const struct lb_tool_order *order);

/* End it; done is not called. */
void lb_tool_stop(struct lb_tool_run *run);

#endif
