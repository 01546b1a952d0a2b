/*
 * fs/landlock.h - this process sees some folders, and nothing else.
 */
#ifndef LB_FS_LANDLOCK_H
#define LB_FS_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct lb_landlock_folder {
	int fd; /* O_PATH will do */
	bool writable;
};

/*
 * For good, and for what this process starts: nothing is opened, made, removed
 * or run but below these folders, nothing is run at all, no TCP port is bound
 * or connected to, no signal and no abstract socket reaches other processes;
 * each as far as the kernel can. What is open stays open. Sets no_new_privs.
 *
 * *abi is what the kernel has (landlock(7)): 0 when it has none, and then
 * nothing is in force; below 4 ports are free, below 6 sockets and signals.
 * LB_OS: it has it, and it failed.
 */
int lb_landlock_confine(const struct lb_landlock_folder *folders, size_t n,
			int *abi, struct lb_error *err);

/* What the kernel has, without doing anything. */
int lb_landlock_abi(void);

#endif
