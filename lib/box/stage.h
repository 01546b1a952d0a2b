/*
 * box/stage.h - what a launcher that is root lays out for the one it becomes:
 * in a mount namespace of its own, below a folder that only root may change,
 * names that can be reached by a user who cannot reach what is behind them, and
 * the part of a sandbox's root that is the same for all. A backend mounts that
 * at once; it would need five times as long to make it piece by piece.
 * Inside the room only.
 */
#ifndef LB_BOX_STAGE_H
#define LB_BOX_STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LB_STAGE "/run/lb/box"
#define LB_STAGE_ROOT LB_STAGE "/root"

/* A folder or file that is to be seen under another name. */
struct lb_stage_source {
	const char *source; /* a real path */
	const char *name;   /* one component, below LB_STAGE; not "root" */
	bool is_file, read_only;
	/* What it was when it was judged: something else is refused. */
	dev_t dev;
	ino_t ino;
};

struct lb_stage {
	const struct lb_stage_source *sources;
	int n_sources;
	/*
	 * LB_STAGE_ROOT has /usr and what is linked to it, read-only; /etc,
	 * which is a source of ours; /dev with the devices that do nothing, a
	 * /dev/pts of its own and a /dev/shm and a /tmp of `tmp_bytes` each;
	 * and /run and /var/tmp, which belong to uid and gid, as the root does.
	 */
	const struct lb_stage_source *etc; /* NULL: there is no root */
	uint64_t tmp_bytes;
	/* The backend adds nothing: the root and its /dev are folders of the
	 * stage, which is read-only in the end. Two file systems less. */
	bool is_whole;
	uid_t uid;
	gid_t gid;
	/* /workspace: a source of ours, or memory, or, when both are not there,
	 * left to the backend. */
	const struct lb_stage_source *workspace;
	uint64_t workspace_bytes;
	/* A file system of its own over .skills keeps anybody inside from moving
	 * it away between two runs; in it are these. */
	bool pins_skills;
	const struct lb_stage_source *skills;
	int n_skills;
};

/* In the child that becomes the backend. -1: the step that failed is written to
 * `why`, and errno is set. */
int lb_stage_set(const struct lb_stage *stage, int why);

/* Write a step to `why`; errno stays. -1 always. */
int lb_stage_failed(int why, const char *step, const char *name);

#endif
