/*
 * record/out.h - the one writer of records to a descriptor.
 *
 * What is put in is gathered and leaves in one write(2) a burst: the owner
 * flushes when it is about to wait. More than LB_OUT_FULL leaves at once, and a
 * long run of foreign lines leaves straight from the reader's buffer.
 *
 * After a failed write everything put in is thrown away and lb_out_flush()
 * keeps failing: LB_IO. `left` says that it was the reader who went (EPIPE).
 */
#ifndef LB_RECORD_OUT_H
#define LB_RECORD_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct lb_out;

enum { LB_OUT_FULL = 64 * 1024 }; /* more leaves at once */

struct lb_out *lb_out_open(int fd); /* borrowed */

/*
 * Instead of to a descriptor: each burst, or 1 MiB of it, goes to fn as whole
 * lines, which
 * returns 0, or -1 and why; what it was given then counts as not written.
 */
typedef int lb_out_fn(void *arg, const char *text, size_t len,
		      struct lb_error *err);
struct lb_out *lb_out_to(lb_out_fn *fn, void *arg);

void lb_out_close(struct lb_out *out); /* does not flush */

/* Bytes that end with a newline. */
void lb_out_put(struct lb_out *out, const char *text, size_t len);

/* A line and its newline. */
void lb_out_line(struct lb_out *out, const char *text, size_t len);

/*
 * The buffer itself, to build a record in place; ends with lb_put_end(). Call
 * lb_out_built() afterwards.
 */
struct lb_buf *lb_out_buf(struct lb_out *out);
void lb_out_built(struct lb_out *out);

/* For a process that goes on as another one: the first `len` bytes in the
 * buffer are the other's to write. */
void lb_out_skip(struct lb_out *out, size_t len);

int lb_out_flush(struct lb_out *out, struct lb_error *err);
bool lb_out_left(const struct lb_out *out);

#endif
