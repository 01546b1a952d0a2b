/* meter.h - quotas. They are counted in a database, which `lb-box meter` opens for
 * us where there are any: all others start faster without it. */
#ifndef LB_BIN_EXEC_METER_H
#define LB_BIN_EXEC_METER_H

#include <jansson.h>

#include "exec.h"

enum { METER_NONE = -1 };

/*
 * May this run, for whom the record (NULL: the command line) says? What it may
 * use is put into the job, and *ticket is to be settled. As lb_box_meter_take().
 */
int meter_take(struct work *work, const json_t *record, struct lb_box_job *job,
	       int64_t *ticket, struct lb_error *err);

/* It has ended; result NULL: it did not begin. Does nothing for METER_NONE. */
void meter_settle(int64_t *ticket, const struct lb_box_result *result,
		  const struct lb_error *error);

/* Nothing is counted any more. */
void meter_close(void);

#endif
