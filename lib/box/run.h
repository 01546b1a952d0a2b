/*
 * box/run.h - one run, from its start to its end. Inside the room only.
 *
 *     run.c        begins it
 *     run-pipes.c  its descriptors
 *     run-watch.c  what it says, its time, its quota
 *     run-end.c    its end
 */
#ifndef LB_BOX_RUN_H
#define LB_BOX_RUN_H

#include "box/bridge.h"
#include "box/driver.h"
#include "box/stream.h"
#include "fs/tree.h"

enum {
	LB_RUN_SOURCES = LB_BOX_MAX_MOUNTS * 2 + 1,
	LB_RUN_LINE = 4096, /* bytes of what a backend says */
};

struct lb_box_run {
	struct lb_box *box;
	struct lb_box_job job;
	const struct lb_box_driver *driver;
	struct lb_box_session session;
	bool has_session;
	int measured; /* O_PATH of the workspace, when we watch its size; -1 */
	int disk; /* O_PATH of what is on the disk that is not to be filled; -1 */
	int64_t disk_had; /* bytes left there at its start */
	struct lb_box_source sources[LB_RUN_SOURCES];
	char *targets[LB_RUN_SOURCES]; /* of skills; owned */
	char *home;                    /* or NULL; owned */
	struct lb_cgroup group;
	struct lb_bridge bridge; /* where there is a network */
	struct lb_box_exec x;
	int pidfd, child_fd; /* of the backend, of the first process inside */
	bool exited, child_gone;
	int status; /* of waitpid(2) */
	struct lb_box_stream out, err;
	bool is_one; /* `out` is both: they go to one place, in their order */
	struct lb_box_feed feed;
	char said[LB_RUN_LINE]; /* what the backend reports, a part of a line */
	size_t n_said;
	struct lb_box_report report;
	int64_t started;
	struct lb_timer deadline, late, measure, spend;
	struct lb_tree_size had; /* the workspace at its start */
	int measure_ms;          /* until the next look at the workspace */
	const char *killed_by;
	bool killed, timed_out, over;
	struct lb_error error; /* why it is killed; code LB_OK: see killed_by */
	struct lb_box_result result;
};

/* Are both the same file, pipe or terminal? -1 is none. */
bool lb_run_is_one_place(int a, int b);
/* Make its descriptors and start the backend. */
int lb_run_launch(struct lb_box_run *run, struct lb_error *err);
/* Everything is there: wait for what happens. LB_OS: it was killed. */
int lb_run_watch(struct lb_box_run *run, struct lb_error *err);
/* It is laid out, and may begin. */
int lb_run_let_go(struct lb_box_run *run, struct lb_error *err);
/* The backend's own report, as far as it is there; false: no more now. */
bool lb_run_read_status(struct lb_box_run *run);
/* Kill all of it, as its `killed_by` will say; NULL: for its time, or `error`. */
void lb_run_end_early(struct lb_box_run *run, const char *why);
/* Is nothing of it there any more? */
bool lb_run_has_ended(const struct lb_box_run *run);
/* Then: read and hand on the rest, and tell whoever waits. */
void lb_run_ended(struct lb_box_run *run);
/* What was killed, or lost its first process, has so long to be gone. */
void lb_run_wait_a_bit(struct lb_box_run *run);
/* Something happened: is it over? */
void lb_run_look(struct lb_box_run *run);
/* No other run follows: the guard may end while the caller is told. */
void lb_run_dismiss_guard(struct lb_box_run *run);
/* Free it; nothing is watched any more. */
void lb_run_free(struct lb_box_run *run);

/* The disk that the session's files are on, before anything runs. */
void lb_run_disk_first(struct lb_box_run *run);
/* Is there room left for others? false: no, and less than there was. Looks
 * again after *again_ms. */
bool lb_run_disk(const struct lb_box_run *run, int *again_ms);

/* How much is in the workspace before anything runs in it. */
void lb_run_measure_first(struct lb_box_run *run);

/* How much is in the workspace, against its quota: false: too much. Looks again
 * after *again_ms. */
bool lb_run_measure(const struct lb_box_run *run, int *again_ms);

#endif
