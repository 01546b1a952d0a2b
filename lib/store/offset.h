/*
 * store/offset.h - how far a bot has read its platform, in queue.db.
 *
 * An offset is text that the adapter understands. What it stands behind must
 * be safe before it is written: in the same transaction (a queue), or flushed
 * (a stream).
 */
#ifndef LB_STORE_OFFSET_H
#define LB_STORE_OFFSET_H

#include <stdint.h>

#include "base/error.h"
#include "store/queue.h"

/*
 * 1: *value (caller frees) and when it was written, ms; 0: there is none; -1
 * failed. `source` tells several streams of one bot apart.
 */
int lb_offset_get(struct lb_queue *q, const char *bot, const char *source,
		  char **value, int64_t *time_ms, struct lb_error *err);

/*
 * Part of the transaction of lb_queue_begin() when one is open, else one of
 * its own.
 */
int lb_offset_set(struct lb_queue *q, const char *bot, const char *source,
		  const char *value, int64_t now_ms, struct lb_error *err);

#endif
