/*
 * box/owner.h - the process that another one ends with.
 *
 * A pid alone may be somebody else's later, so that the time its process began
 * belongs to it. As text it is "PID:SINCE".
 */
#ifndef LB_BOX_OWNER_H
#define LB_BOX_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { LB_OWNER_TEXT = 48 };

struct lb_owner {
	pid_t pid;     /* 0: nobody */
	int64_t since; /* clock ticks from the start of the machine */
};

/* The process with that pid, as it is now. LB_USAGE: there is none. */
int lb_owner_of(struct lb_owner *owner, pid_t pid, struct lb_error *err);

/* "PID" or "PID:SINCE". LB_USAGE: that is none, or it is not there any more. */
int lb_owner_read(struct lb_owner *owner, const char *text,
		  struct lb_error *err);
void lb_owner_text(const struct lb_owner *owner, char text[LB_OWNER_TEXT]);

/* Is it still there? One that ended and was not waited for is not. */
bool lb_owner_lives(const struct lb_owner *owner);

/* Readable when it ends; -1: it is not there, and errno. */
int lb_owner_watch(const struct lb_owner *owner);

#endif
