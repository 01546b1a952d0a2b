/*
 * record/line.h - lines of a stream, without copying them.
 *
 * A reader holds at most one line and one read (256 KiB of a file, 64 KiB of
 * anything else), whatever the peer sends. Blank lines carry nothing and are
 * skipped but counted; the last line may lack its newline.
 *
 * A filter calls lb_lines_read(), then lb_lines_take() until it has no whole
 * line left. A program with an event loop calls lb_lines_fill() when its
 * descriptor is readable instead.
 */
#ifndef LB_RECORD_LINE_H
#define LB_RECORD_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define LB_LINE_MAX (16UL * 1024 * 1024) /* usual longest line, bytes */

struct lb_lines;

struct lb_line {
	const char *text; /* borrowed until the next call; no NUL after it */
	size_t len;       /* without the newline */
	unsigned long number; /* from 1 */
	bool ended;           /* a newline follows text + len */
};

/* `fd` is borrowed; `max` is the longest line accepted, in bytes. */
struct lb_lines *lb_lines_open(int fd, size_t max);
void lb_lines_close(struct lb_lines *in);

/*
 * Read once. 1: something came, or a non-blocking descriptor had nothing; 0:
 * the end; -1: LB_IO. Invalidates lines that were taken before.
 */
int lb_lines_fill(struct lb_lines *in, struct lb_error *err);

/* The same, waiting for something even where the descriptor does not. */
int lb_lines_read(struct lb_lines *in, struct lb_error *err);

/*
 * The next line that is whole in memory. 1: *line; 0: none before another
 * fill, or none at all once lb_lines_ended(); -1 LB_DATA: it is longer than
 * max, *line holds its beginning and the rest will be skipped.
 */
int lb_lines_take(struct lb_lines *in, struct lb_line *line,
		  struct lb_error *err);

/* The end was read and every line taken. */
bool lb_lines_ended(const struct lb_lines *in);

/* The next line, waiting for it: 1, 0 at the end, -1 LB_DATA or LB_IO. */
int lb_lines_next(struct lb_lines *in, struct lb_line *line,
		  struct lb_error *err);

#endif
