/*
 * fs/confine.h - a process that works for somebody else, and can do little.
 */
#ifndef LB_FS_CONFINE_H
#define LB_FS_CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "fs/landlock.h"

struct lb_confine {
	const struct lb_landlock_folder *folders; /* all that it may see */
	size_t n;
	const int *keep; /* what else stays open; may be NULL */
	size_t n_keep;
	bool drop; /* become this user; we are root */
	uid_t uid;
	gid_t gid;
	int64_t cpu_seconds, memory, file_size; /* bytes */
	int files;                              /* open at a time */
	pid_t parent; /* the kernel kills us when it ends */
};

/*
 * For a process that was just split off (lb_proc_split()): its input is
 * /dev/null, its output and standard error stay, all else that is open is
 * closed but the folders and what is kept; it has its own user, limits, no handlers of signals
 * and no more rights than landlock.h leaves. *abi as there. LB_OS: it must not
 * go on.
 */
int lb_confine(const struct lb_confine *c, int *abi, struct lb_error *err);

#endif
