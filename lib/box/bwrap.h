/*
 * box/bwrap.h - what the two files of the backend bubblewrap share. Inside the
 * room only.
 *
 *     bwrap.c          its options, limits and descriptors
 *     bwrap-command.c  the command it becomes, and what it says of it
 */
#ifndef LB_BOX_BWRAP_H
#define LB_BOX_BWRAP_H

#include "box/driver.h"

/* Where a command is that is too long for an argument. */
#define LB_BWRAP_SCRIPT "/run/script"

/* What bwrap is started as, NULL-ended; caller frees the list, not the texts.
 * `script`, or NULL: the command is in that file. NULL: LB_OS, it is too
 * long. */
const char **lb_bwrap_argv(const struct lb_box_exec *x, const char *script,
			   struct lb_error *err);

/* Those of a driver; see driver.h. */
void lb_bwrap_read(const char *line, struct lb_box_report *report);
int lb_bwrap_explain(const char *said, struct lb_error *err);
char *lb_bwrap_inside(pid_t child, const char *target);

#endif
