/*
 * record/prune.h - leave members out of a JSON value, the rest byte for byte.
 */
#ifndef LB_RECORD_PRUNE_H
#define LB_RECORD_PRUNE_H

#include "base/buf.h"
#include "record/scan.h"

/*
 * Append `value`, which a parser has accepted, without the members named
 * `key` (plain ASCII; however it is spelled there), at any depth.
 */
void lb_prune(struct lb_buf *b, struct lb_span value, const char *key);

#endif
