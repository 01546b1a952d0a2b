/*
 * store/queue-clock.h - when the clock was put back.
 *
 * What was put before that is of a time to come, and would wait until it is
 * there.
 */
#ifndef LB_STORE_QUEUE_CLOCK_H
#define LB_STORE_QUEUE_CLOCK_H

#include "store/queue.h"

/*
 * Have such records of sessions that owner (0: nobody) holds, and such leases
 * with a token, wait from now on. Needs no transaction, and is cheap where
 * there are none. Returns how many sessions may go on, or -1.
 */
int lb_queue_clock(struct lb_queue *q, int64_t owner, int64_t now_ms,
		   struct lb_error *err);

#endif
