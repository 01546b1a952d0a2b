/*
 * base/given.h - what whoever started this process gave it. For base/prog.c.
 */
#ifndef LB_BASE_GIVEN_H
#define LB_BASE_GIVEN_H

/*
 * Descriptors 0, 1 and 2 are there; SIGPIPE and SIGCHLD have their default
 * action; our umask leaves ourselves our rights.
 */
void lb_given_take(void);

/* There is stack enough for the deepest JSON, or the process ends and says so.
 */
void lb_given_check(void);

#endif
