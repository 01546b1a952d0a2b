/*
 * box/keeper-log.h - what a kept process says on its standard error, and what
 * its keeper does. Inside the room only.
 */
#ifndef LB_BOX_KEEPER_LOG_H
#define LB_BOX_KEEPER_LOG_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* `folder` has log, and log.1 when log had LB_KEEPER_LOG bytes once. */
struct lb_keeper_log {
	const char *folder; /* borrowed */
	int fd;             /* -1: nothing can be written */
	off_t size;
};

int lb_keeper_log_open(struct lb_keeper_log *log, const char *folder,
		       struct lb_error *err);
void lb_keeper_log_close(struct lb_keeper_log *log);

void lb_keeper_log_put(struct lb_keeper_log *log, const char *text, size_t len);

/* A line of the keeper's own, with the time. */
void lb_keeper_log(struct lb_keeper_log *log, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
