/* lb-ingest --queue - where records go then. */
#ifndef LB_INGEST_QUEUE_H
#define LB_INGEST_QUEUE_H

#include "base/error.h"
#include "record/out.h"

/*
 * An output whose every burst is one transaction of the queue: when its flush
 * returns, the records are on the disk. NULL: failed.
 */
struct lb_out *ingest_queue_open(const char *name, struct lb_error *err);
void ingest_queue_close(void); /* after the output; nothing if none is open */

#endif
