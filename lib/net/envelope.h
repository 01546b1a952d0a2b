/*
 * net/envelope.h - a decoder for streams of the Connect protocol.
 *
 * Each message is a byte of flags, four of its length (the highest first) and
 * so many bytes; the last one has a flag of its own. Feed it bytes cut anywhere.
 * What a message holds is the caller's to judge.
 */
#ifndef LB_NET_ENVELOPE_H
#define LB_NET_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * A message, borrowed; is_last: it ends the stream. Return 0 to go on, -1 to
 * stop feeding; err is then the callback's.
 */
typedef int lb_envelope_fn(void *arg, bool is_last, const char *text,
			   size_t len, struct lb_error *err);

/* Zeroed memory is a decoder at the start of a stream. */
struct lb_envelope {
	struct lb_buf got;
	size_t max; /* bytes of a message; 0 for 4 MiB */
	bool ended;
};

/* LB_PROTOCOL: a message exceeds max, is compressed, which nobody asked for, or
 * follows the last one; or what fn failed with. */
int lb_envelope_feed(struct lb_envelope *e, const char *data, size_t len,
		     lb_envelope_fn *fn, void *arg, struct lb_error *err);
void lb_envelope_release(struct lb_envelope *e);

/* Append one message. */
void lb_envelope_put(struct lb_buf *out, const char *text, size_t len);

#endif
