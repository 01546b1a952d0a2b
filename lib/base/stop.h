/*
 * base/stop.h - ends by signal: SIGINT and SIGTERM for programs with an event
 * loop, SIGPIPE for those that ignore it.
 */
#ifndef LB_BASE_STOP_H
#define LB_BASE_STOP_H

#include "base/loop.h"

/*
 * From now on the first of these signals calls fn(arg) from the loop; the
 * second ends the process at once. SIGPIPE is ignored.
 */
void lb_stop_watch(struct lb_loop *loop, lb_timer_fn *fn, void *arg);

/* Before the loop closes: these signals end the process again. */
void lb_stop_forget(struct lb_loop *loop);

/* The signal that came, or 0. */
int lb_stop_signal(void);

/* End by that signal, so that the caller's shell sees it. */
void lb_stop_raise(void) __attribute__((noreturn));

/* The reader left: end as a filter does then, by SIGPIPE. */
void lb_die_of_sigpipe(void) __attribute__((noreturn));

#endif
