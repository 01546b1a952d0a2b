/*
 * base/proc-fork.h - the fork of this room: a child that needs to do something
 * before it becomes a program. Inside the room only.
 */
#ifndef LB_BASE_PROC_FORK_H
#define LB_BASE_PROC_FORK_H

#include <sys/types.h>

#include "base/error.h"

/*
 * In a new process call prepare(arg), which returns 0, or -1 with errno; then
 * become argv, looked up in PATH, with default signals. LB_NOINPUT: there is
 * no such program; LB_DENIED: it may not be run; LB_OS. *pid is set as soon as
 * the process is there and waited for when it failed. prepare() runs in our
 * memory, as vfork(2) has it: what it writes to, but for `environ`, we find
 * written.
 */
int lb_fork(int (*prepare)(void *arg), void *arg, char *const argv[],
	    pid_t *pid, struct lb_error *err);

/* For a child: no handler, no mask, whatever ours are. */
void lb_fork_reset_signals(void);

#endif
