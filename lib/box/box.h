/*
 * box/box.h - running commands where they can do no harm.
 *
 *     struct lb_box *box = lb_box_open(loop, config, state);
 *     struct lb_box_run *run = lb_box_start(box, &job, &err);
 *     ... lb_loop_turn() until job.done was called
 *
 * A run ends by itself: the command ended, or its time did. What it started
 * ends with it, whatever it did to stay. Nothing that comes from inside is
 * believed.
 */
#ifndef LB_BOX_BOX_H
#define LB_BOX_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "box/mounts.h"
#include "box/result.h"
#include "box/spec.h"
#include "config/config.h"

struct lb_box;
struct lb_box_run;

/* All borrowed but `state`. Nothing is looked for before the first run. The
 * process becomes the parent of those below it whose own has ended. */
struct lb_box *lb_box_open(struct lb_loop *loop, struct lb_config *config,
			   const char *state);
void lb_box_close(struct lb_box *box);

/* A skill, at /workspace/.skills/NAME. */
struct lb_box_skill {
	const char *name, *path;
	bool writable;
};

struct lb_box_job {
	struct lb_box_spec *spec; /* borrowed until done; its mounts are judged
				     and their paths made real */
	enum lb_box_asker asker;
	bool on_host; /* not in a sandbox: the operator wants it so */
	const struct lb_box_skill *skills;
	size_t n_skills;
	size_t shown; /* characters of a stream that are kept; 0: LB_BOX_SHOWN */
	/*
	 * Standard input: a descriptor that is copied from, or -1. And where
	 * output goes as it comes, instead of into the result; -1: there.
	 */
	int in, out, err;
	bool terminal; /* `in` and `out` are ours: the command gets another */
	bool need_groups; /* no cgroup, no run */
	bool is_last;     /* this box runs nothing else, now or later */
	bool counts_cpu;  /* the result's cpu_ms is wanted */
	/* It is ended when it has used so much of the processors' time, or,
	 * where that is not counted, its own time on all it may have; 0: not. */
	int64_t most_cpu_ms;
	/* The program lb-exec, which is started where there is a network; NULL:
	 * the one beside this program. */
	const char *helper;
	/*
	 * Called once, from the loop, when all is over. With an error: the
	 * command did not run (LB_UNAVAILABLE: there is no sandbox; LB_DENIED),
	 * or its program is not there (LB_NOINPUT, and the result's exit_code
	 * is 127) or cannot be run (LB_DENIED and 126); or what it wrote could
	 * not be handed on (LB_IO). The result is there in any case and
	 * released after the call.
	 */
	void (*done)(void *arg, struct lb_box_result *result,
		     const struct lb_error *error);
	void *arg;
};

/* NULL: it cannot begin, and done is not called. LB_DATA, LB_DENIED,
 * LB_NOINPUT: its spec; LB_UNAVAILABLE: there is no sandbox. */
struct lb_box_run *lb_box_start(struct lb_box *box,
				const struct lb_box_job *job,
				struct lb_error *err);

/* Ours has another size now: the command's terminal gets it. */
void lb_box_resize(struct lb_box_run *run);

/* Kill all of it; done is called as for one whose time is over, with
 * killed_by "cancelled". */
void lb_box_cancel(struct lb_box_run *run);

#endif
