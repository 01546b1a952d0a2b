/*
 * box/kept.h - processes that go on when whoever started them is gone: MCP
 * servers, mostly. Each has a keeper (keeper.h) and a folder.
 *
 * Below the root of sandboxes (place.h), processes/NAME, 0700, holds
 *
 *     lock     held by the keeper as long as it lives; its pid
 *     info     a JSON object: name session command pid started_at status
 *              ("running", "exited") attached persistent owner? owner_since?
 *              exited_at? exit_code? ended?
 *     socket   where its standard input and output are reached
 *     log      what it wrote to standard error; log.1 is what was before
 *
 * Times are ms since the epoch. `ended` says why a keeper ended it.
 */
#ifndef LB_BOX_KEPT_H
#define LB_BOX_KEPT_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "box/owner.h"
#include "config/config.h"

enum { LB_KEPT_NAME_MAX = 64 };

/* [A-Za-z0-9._-], not beginning with a dot or '-'. LB_USAGE. */
int lb_kept_check_name(const char *name, struct lb_error *err);

/* Where they all are, of the workspace in force or below a root (place.h); and
 * one of them. Caller frees. */
char *lb_kept_all(struct lb_config *config, const char *state);
char *lb_kept_below(const char *root);
char *lb_kept_folder(const char *processes, const char *name);

/* The pid of its keeper; 0: there is none. The same process by a descriptor,
 * as pidfd_open(2) has it; -1. */
pid_t lb_kept_keeper(const char *folder);
int lb_kept_hold(const char *folder);

/*
 * What is known of it; caller releases. One whose keeper was killed has the
 * status "lost". NULL: LB_NOINPUT, there is none; LB_IO.
 */
json_t *lb_kept_info(const char *folder, struct lb_error *err);

/* Each, by name. The object is borrowed. */
int lb_kept_each(const char *processes,
		 void (*fn)(void *arg, const char *name, const json_t *info),
		 void *arg, struct lb_error *err);

/*
 * End it: its input is closed, then it is killed after grace_ms; waits until
 * its keeper is gone. LB_NOINPUT: it does not run. LB_AGAIN: it is still there.
 */
int lb_kept_stop(const char *folder, int64_t grace_ms, struct lb_error *err);

/*
 * End those of that owner, which have until then (mono ms) from the end of their
 * input; what is left is killed.
 */
void lb_kept_end_owned(const char *processes, const struct lb_owner *owner,
		       int64_t until);

/* Call fn with each that runs and whose owner does not. */
int lb_kept_orphans(const char *processes,
		    void (*fn)(void *arg, const char *name), void *arg,
		    struct lb_error *err);

/*
 * Its input and output: a socket, whose first line was read: others are what it
 * writes. LB_NOINPUT: it does not run; LB_AGAIN: somebody else is there.
 */
int lb_kept_connect(const char *folder, struct lb_error *err);

/*
 * Forget those that ended more than `kept_ms` ago, and so many more that only
 * `most` of the ended are left. How many were forgotten.
 */
int lb_kept_sweep(const char *processes, int64_t kept_ms, long most);

#endif
