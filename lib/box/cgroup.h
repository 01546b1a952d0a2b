/*
 * box/cgroup.h - limits on memory, processes and the processor for all that
 * runs in a sandbox together (cgroups, version 1 and 2).
 *
 * A group is made below our own one, or below `box.cgroup`; where that cannot
 * be, because it is not ours to write, only the limits of single processes are
 * left (rlimits).
 */
#ifndef LB_BOX_CGROUP_H
#define LB_BOX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum {
	LB_CGROUP_MEMORY,
	LB_CGROUP_PIDS,
	LB_CGROUP_CPU,
	LB_CGROUP_CPUACCT, /* version 1: where it is none of the others' */
	LB_CGROUP_KINDS
};

/* Where groups can be made. */
struct lb_cgroups {
	bool looked; /* false: the rest is not known yet */
	int version; /* 0: nowhere, and `why` says so */
	/* Version 1: a folder for each, but for CPUACCT, which may be NULL;
	 * version 2: the first, for all. Owned. */
	char *below[LB_CGROUP_KINDS];
	struct lb_error why;
};

/*
 * Look where. `root` is put before every path ("" but in tests); `parent` is
 * `box.cgroup`.
 */
void lb_cgroups_find(struct lb_cgroups *groups, const char *root,
		     const char *parent);
/* Make a group and remove it; where that cannot be, it is nowhere. */
void lb_cgroups_try(struct lb_cgroups *groups);
void lb_cgroups_release(struct lb_cgroups *groups);

struct lb_cgroup_limits {
	int64_t memory_mb, pids;
	double cpus;
	bool counts_cpu; /* lb_cgroup_cpu_ms() will be asked */
};

/* One group. Zeroes: none. */
struct lb_cgroup {
	int version;
	char *folders[LB_CGROUP_KINDS]; /* owned; the same one only once */
	int joins[LB_CGROUP_KINDS];     /* where one writes to be in it; -1 */
	int n;
	int counts; /* which of the folders knows of the time; -1: none */
};

/* LB_OS: it cannot be made, and nothing is left of it. */
int lb_cgroup_make(const struct lb_cgroups *groups,
		   const struct lb_cgroup_limits *limits,
		   struct lb_cgroup *group, struct lb_error *err);

/*
 * For the files of groups: what the nth one of this process is called, the
 * nth of no other one, and whether one of that name is of a process that is
 * gone. Caller frees.
 */
char *lb_cgroup_name(unsigned n);
bool lb_cgroup_is_left_over(const char *name);

/* For a new process: be in it. -1 and errno. */
int lb_cgroup_join(const struct lb_cgroup *group);

/* Was a process of it killed for want of memory? */
bool lb_cgroup_was_short(const struct lb_cgroup *group);

/* Time that its processes had of all processors, ms; -1: it is not known. */
int64_t lb_cgroup_cpu_ms(const struct lb_cgroup *group);

/* Kill what is in it and remove it; false: something is there still, try again
 * soon. */
bool lb_cgroup_end(struct lb_cgroup *group);

/* Remove the groups of processes of ours that are gone. */
void lb_cgroups_sweep(const struct lb_cgroups *groups);

#endif
