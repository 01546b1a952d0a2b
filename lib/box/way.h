/*
 * box/way.h - lines that go from one descriptor to another. Inside the room
 * only.
 */
#ifndef LB_BOX_WAY_H
#define LB_BOX_WAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Zeroed before first use. */
struct lb_way {
	struct lb_buf part; /* a line that is not whole yet */
	struct lb_buf out;  /* whole ones, not written yet */
	bool skips;         /* the rest of one that is too long */
};

/* Add bytes. How many lines of more than `most` bytes were left out. */
int lb_way_add(struct lb_way *way, const char *text, size_t len, size_t most);

/* Write what can be written; false: nobody will read it any more. */
bool lb_way_write(struct lb_way *way, int fd);

/* Half a line is none. */
void lb_way_forget_part(struct lb_way *way);

void lb_way_release(struct lb_way *way);

#endif
