/*
 * box/bwrap.h - what the files of the backend bubblewrap share. Inside the
 * room only.
 *
 *     bwrap.c          its limits and descriptors
 *     bwrap-args.c     its options
 *     bwrap-command.c  the command it becomes, and what it says of it
 */
#ifndef LB_BOX_BWRAP_H
#define LB_BOX_BWRAP_H

#include "base/buf.h"
#include "box/driver.h"
#include "box/stage.h"

enum {
	LB_BWRAP_STAGES = LB_BOX_MAX_MOUNTS * 2 + 2,
	LB_BWRAP_TMP_BYTES = 64 * 1024 * 1024,
	LB_BWRAP_OWN_MB = 256, /* of a workspace in memory, when nothing is
				  said */
};

/* Descriptors of bwrap, by number; what is not needed has none. */
enum {
	LB_BWRAP_FD_ARGS = 3,
	LB_BWRAP_FD_SECCOMP,
	LB_BWRAP_FD_STATUS,
	LB_BWRAP_FD_SCRIPT,
	LB_BWRAP_FDS,
};

/* Where a command is that is too long for an argument. */
#define LB_BWRAP_SCRIPT "/run/script"

struct lb_bwrap_args {
	struct lb_buf text;    /* each ends with a NUL */
	struct lb_stage stage; /* as root; of these: */
	struct lb_stage_source stages[LB_BWRAP_STAGES], skills[LB_BWRAP_STAGES];
	struct lb_stage_source etc, workspace;
	char names[LB_BWRAP_STAGES][16];
	int n_stages;
	bool drop;
};

/* What it is told, into `a`, which is zero before and whose text is released by
 * the caller in any case. `script`: the command comes by that descriptor. */
int lb_bwrap_args(struct lb_bwrap_args *a, struct lb_box *box,
		  const struct lb_box_exec *x, bool script,
		  struct lb_error *err);

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
