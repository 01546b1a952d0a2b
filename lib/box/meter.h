/*
 * box/meter.h - `box.quota`: how many commands somebody may have run in a day,
 * how much of the processors they may take, and how many may run at once.
 *
 * A command is held against the quotas of its sender, its session, its bot and
 * of all together, each in the workspace in force (box/admit.h), in limits.db (store/quota.h). It may be given less time than
 * it asked for, so that what it takes stays within what is left.
 */
#ifndef LB_BOX_METER_H
#define LB_BOX_METER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"

/* Is anything limited? */
bool lb_box_meter_is_set(const struct lb_config *config);

struct lb_box_meter;

/* NULL: nothing is limited. Who kills this process ends what it reserved. */
struct lb_box_meter *lb_box_meter_open(const struct lb_config *config,
				       const char *state);
void lb_box_meter_close(struct lb_box_meter *meter);

/* Of whom it comes, as texts that may hold anything; NULL is "". */
struct lb_box_whose {
	const char *bot, *sender, *session;
};

/*
 * Those of a record or a context of lb-provider(7), which have the same members;
 * `sandbox` is the name of its sandbox, for one that names no session, and "-" is
 * in the place of either, and of a bot. NULL for the record: it is the person at
 * this machine. All is borrowed.
 */
void lb_box_whose_of(struct lb_box_whose *whose, struct lb_config *config,
		     const json_t *context, const char *sandbox);

struct lb_box_ticket {
	int64_t id;     /* 0: nothing is counted */
	int64_t cpu_ms; /* so much it may use (box.h: most_cpu_ms); 0: all */
	double cpus;
};

/*
 * May it run, for at most so long on so many processors? Then *ticket is to be
 * settled. LB_DENIED names the limit
 * and says when there is room again; LB_AGAIN: it cannot be counted, so nothing
 * may run.
 */
int lb_box_meter_take(struct lb_box_meter *meter,
		      const struct lb_box_whose *whose, double cpus,
		      int64_t timeout_ms, struct lb_box_ticket *ticket,
		      struct lb_error *err);

/* It has ended, and took so much; cpu_ms -1: that was not counted, and its time
 * on all its processors is what counts. `ran` false: it did not begin. */
void lb_box_meter_settle(struct lb_box_meter *meter,
			 struct lb_box_ticket *ticket, int64_t cpu_ms,
			 int64_t duration_ms, bool ran);

/* ---- for the files of the meter ---- */

enum { LB_BOX_SCOPES = 4 }; /* sender, session, bot, namespace */

struct lb_box_scope {
	const char *name;
	int64_t runs, cpu_ms, at_once; /* -1: no limit */
	bool is_set;
};

/* What the configuration says of each; is any set? */
bool lb_box_scopes_read(const struct lb_config *config,
			struct lb_box_scope scopes[LB_BOX_SCOPES]);

#endif
