/*
 * base/proc.h - the only place that starts processes.
 *
 * A child gets exactly descriptors 0, 1 and 2, default signals, an empty
 * signal mask and its own process group, so that it can be killed whole.
 */
#ifndef LB_BASE_PROC_H
#define LB_BASE_PROC_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * Start argv[0], looked up in PATH. `in`, `out` and `err_fd` become its 0, 1
 * and 2; -1 is /dev/null for 0 and 1 and our own for 2. They stay open here.
 * `env` NULL means ours. Fails with LB_OS, or LB_NOINPUT when there is no
 * such program.
 */
int lb_proc_start(char *const argv[], char *const env[], int in, int out,
		  int err_fd, pid_t *pid, struct lb_error *err);

/*
 * Run argv to its end and gather what it writes, at most `max` bytes, within
 * timeout_ms; a child that exceeds either is killed with its group. Fails with
 * LB_AGAIN (time), LB_DATA (size) or LB_UNAVAILABLE (exit status not 0).
 */
int lb_proc_capture(char *const argv[], size_t max, int64_t timeout_ms,
		    struct lb_buf *out, struct lb_error *err);

#endif
