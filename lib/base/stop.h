/*
 * base/stop.h - SIGINT and SIGTERM for programs with an event loop.
 */
#ifndef LB_BASE_STOP_H
#define LB_BASE_STOP_H

#include "base/loop.h"

/*
 * From now on the first of these signals calls fn(arg) from the loop; the
 * second ends the process at once. SIGPIPE is ignored.
 */
void lb_stop_watch(struct lb_loop *loop, lb_timer_fn *fn, void *arg);

/* The signal that came, or 0. */
int lb_stop_signal(void);

/* End by that signal, so that the caller's shell sees it. */
void lb_stop_raise(void) __attribute__((noreturn));

#endif
