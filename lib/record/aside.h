/*
 * record/aside.h - a record that takes a while, while others go on.
 *
 * For a filter whose on_record sometimes has to wait: for a program of the
 * operator's, say. There it calls lb_aside(), which forks: a process of its own
 * does the rest of on_record for this record, and the filter goes on with the
 * next. What comes later in the record's session waits behind it; everything
 * else goes by. What the other process puts out goes out when it has ended; if
 * it dies, the record's end is an error.
 *
 *     if (lb_aside(asides))
 *             ... what takes a while ...
 *     if (lb_aside_left(asides))
 *             return 0; // somebody else does it
 *     ... put what came of it ...
 */
#ifndef LB_RECORD_ASIDE_H
#define LB_RECORD_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "record/line.h"
#include "record/out.h"
#include "record/record.h"

enum {
	LB_ASIDES = 32,             /* at once; then the filter waits for one */
	LB_ASIDES_HELD = 4000,      /* lines behind them; the same */
	LB_ASIDES_BYTES = 64 << 20, /* of those, and of what comes of one */
};

struct lb_aside;

/* Zeroed; a filter's `asides` points to it. */
struct lb_asides {
	struct lb_aside *first, **end;
	size_t n, held, bytes;
	/* Of the record in hand, while on_record has it. */
	const struct lb_record *record;
	struct lb_out *out;
	size_t began; /* where in its buffer */
	bool is_child, left;
};

/*
 * From here on it takes a while. true: do it; the process may be another now,
 * or the same one, where there is no other to be had or `asides` is NULL.
 * false: another does it, and what this one makes of the record is thrown away.
 */
bool lb_aside(struct lb_asides *asides);

/* Another process has the record in hand: what was put into the buffer of
 * `out` is taken out again, and is not to leave. */
bool lb_aside_left(const struct lb_asides *asides);

/* ---- for the filter's loop ---- */

/* Before and after on_record; the other process does not return from end. */
void lb_asides_begin(struct lb_asides *asides, const struct lb_record *r,
		     struct lb_out *out);
void lb_asides_end(struct lb_asides *asides, int result);

/* A line that must wait is kept: true. */
bool lb_asides_hold(struct lb_asides *asides, const struct lb_line *line);
bool lb_asides_full(const struct lb_asides *asides);

/*
 * Wait until one has ended or, unless it is -1, `fd` can be read: true says
 * that it can. -1 milliseconds is for ever.
 */
bool lb_asides_wait(struct lb_asides *asides, int fd);

/*
 * One that has ended: what came of it was put out, as an error of `stage` where
 * it died. Its lines are to be handled again: lb_aside_line() until 0, then
 * lb_aside_free(). NULL: none.
 */
struct lb_aside *lb_asides_take(struct lb_asides *asides, const char *stage,
				struct lb_out *out);
bool lb_aside_line(struct lb_asides *asides, struct lb_aside *one,
		   struct lb_line *line);
void lb_aside_free(struct lb_aside *one);
/* Those that are left are not waited for, and their lines are lost. */
void lb_asides_release(struct lb_asides *asides);

#endif
