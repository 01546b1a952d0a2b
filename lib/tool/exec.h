/*
 * tool/exec.h - the tool that runs commands, in the sandbox of a session.
 */
#ifndef LB_TOOL_EXEC_H
#define LB_TOOL_EXEC_H

#include <jansson.h>
#include <stdint.h>

#include "base/loop.h"
#include "box/box.h"
#include "config/config.h"
#include "pipeline/policy.h"

struct lb_execs; /* what the calls of a process share */
struct lb_exec;  /* one call */

/* All borrowed but `state`. */
struct lb_execs *lb_execs_open(struct lb_loop *loop, struct lb_config *config,
			       const char *state);
void lb_execs_close(struct lb_execs *execs);

/* Of its arguments, all there may be. */
extern const char lb_exec_schema[];

/* What is offered of it for a context: {name, description, parameters}, new.
 * config NULL: all that it has. */
json_t *lb_exec_offer(struct lb_config *config, const json_t *context);

struct lb_exec_order {
	const json_t *arguments; /* {command, workdir, timeout_sec, env,
				    description, elevated}; borrowed until done */
	const json_t *context;   /* lb-provider(7); borrowed alike; or NULL */
	struct lb_policy policy;
	const char
		*session;   /* its sandbox's name, copied; NULL with a folder */
	const char *folder; /* a person's own, as the workspace; or NULL */
	const struct lb_box_skill *skills; /* borrowed until done */
	size_t n_skills;
	int64_t deadline; /* mono ms: an answer after it is not read */
	/*
	 * Once, from the loop: the result, as box/result.h has it, with
	 * preview and truncated, or {"ok":false,"error"}; new.
	 */
	void (*done)(void *arg, json_t *take_result);
	void *arg;
};

/* So many run at a time; the others wait for their turn, and one that waits too
 * long is told so. */
enum { LB_EXECS = 64 };

/* The order as a request of box/spec.h; new. */
json_t *lb_exec_request(const struct lb_exec_order *order);

struct lb_exec *lb_exec_start(struct lb_execs *execs,
			      const struct lb_exec_order *order);

/* End it: done is called with what there is. */
void lb_exec_stop(struct lb_exec *exec);

#endif
