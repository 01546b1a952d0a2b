/*
 * base/path.h - where things are in the file system.
 */
#ifndef LB_BASE_PATH_H
#define LB_BASE_PATH_H

#include <stddef.h>

#include "base/error.h"

/* Make a folder and its parents, mode 0700 for those that are new. */
int lb_path_make(const char *folder, struct lb_error *err);

/*
 * A data file of ours, such as "providers.yaml": below `share` (the caller's
 * $LB_SHARE, or NULL), else below share/lb of the build tree the program runs
 * from, else the installed share/lb. Caller frees. The file need not exist.
 */
char *lb_path_share(const char *share, const char *name);

/* The folder of the running program. Caller frees. */
char *lb_path_program(void);

/*
 * A file read whole, at most `max` bytes; caller frees *text. A pipe that
 * nobody writes to for 2 s, or that is silent for 10 s, is an error.
 */
int lb_path_read(const char *path, size_t max, char **text, size_t *len,
		 struct lb_error *err);

/*
 * Where an option says that something goes: a file, which is added to and made
 * 0600 where it is missing, "fd:N" for a descriptor that is open, or "-" for
 * standard output. Returns the descriptor, or -1: LB_NOINPUT, or LB_USAGE.
 */
int lb_path_output(const char *to, struct lb_error *err);

#endif
