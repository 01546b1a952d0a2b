/*
 * pipeline/aggregate.h - what a person sends in a burst, as one message.
 *
 * Whoever writes "hello", "a question", "why is it so?" in three messages
 * wants one answer. Where the pipeline says so (trigger.message-aggregation),
 * a message waits for `delay` seconds, further ones of its sender join it, and
 * each of them starts the wait anew. What joined ends in a drop that names the
 * message it went into.
 *
 * Within a session nothing overtakes: what comes behind a message that waits
 * waits, too, and then the wait is not started anew any more. Sessions do not
 * wait for each other. Commands do not wait: all that waits in their session
 * goes out before them.
 *
 * No clock is read here: callers say what time it is, in ms of any origin.
 */
#ifndef LB_PIPELINE_AGGREGATE_H
#define LB_PIPELINE_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"
#include "record/line.h"
#include "record/out.h"

enum {
	LB_AGGREGATE_MESSAGES = 10,   /* that become one, at most */
	LB_AGGREGATE_BYTES = 1 << 20, /* of their lines */
	LB_AGGREGATE_WAITING = 1000,  /* messages that wait for more */
	LB_AGGREGATE_HELD = 4000,     /* lines held in all */
	LB_AGGREGATE_HELD_BYTES = 64 << 20,
};

struct lb_aggregate;

/* Does any pipeline want it? */
bool lb_aggregate_is_on(struct lb_config *config);

/*
 * `config` and `out` are borrowed; no line written is longer than max_line.
 * NULL and LB_CONFIG: a rule of the configuration cannot work.
 */
struct lb_aggregate *lb_aggregate_open(struct lb_config *config,
				       struct lb_out *out, size_t max_line,
				       struct lb_error *err);
/* What is held is lost: flush before. */
void lb_aggregate_close(struct lb_aggregate *a);

/*
 * A line that came. LB_DATA: it is malformed, and nothing was done with it.
 */
int lb_aggregate_line(struct lb_aggregate *a, const struct lb_line *line,
		      int64_t now_ms, struct lb_error *err);

/* When lb_aggregate_turn() has something to do; -1: nothing waits. */
int64_t lb_aggregate_due(const struct lb_aggregate *a);
/* What has waited long enough goes out. */
void lb_aggregate_turn(struct lb_aggregate *a, int64_t now_ms);
/* All goes out. */
void lb_aggregate_flush(struct lb_aggregate *a);

#endif
