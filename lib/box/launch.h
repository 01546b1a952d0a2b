/*
 * box/launch.h - the process that becomes a backend's program: in its control
 * group, within its limits, and never as root.
 */
#ifndef LB_BOX_LAUNCH_H
#define LB_BOX_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "box/cgroup.h"
#include "box/stage.h"

struct lb_launch {
	char *const *argv; /* argv[0] is a path */
	char *const *env;
	const int *fds; /* fds[i] becomes its i; at most LB_CHILD_FDS */
	int n_fds;
	const struct lb_cgroup *group; /* or NULL */
	/* Limits of a process, soft and hard; 0: left as it is. */
	uint64_t file_bytes, address_bytes, cpu_s, open_files;
	bool terminal; /* fds[0] is one, and becomes its own */
	bool untied;   /* as lb_child's */
	bool drop;     /* we are root: stage, then become uid and gid */
	uid_t uid;
	gid_t gid;
	const char *folder;    /* it begins there; NULL: where we are */
	struct lb_stage stage; /* what is there for it, when it drops */
};

/* As lb_child_start(), in a group of its own. LB_UNAVAILABLE, with the step
 * that failed, for what this machine does not let us do. */
int lb_launch(const struct lb_launch *launch, pid_t *pid, struct lb_error *err);

#endif
