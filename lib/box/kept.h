/*
 * box/kept.h - processes that go on when whoever started them is gone: MCP
 * servers, mostly. Each has a keeper (keeper.h) and a folder.
 *
 * Below `box.local.host_root`, processes/NAME, 0700, holds
 *
 *     lock     held by the keeper as long as it lives; its pid
 *     info     a JSON object: name session command pid started_at status
 *              ("running", "exited") attached persistent owner? exited_at?
 *              exit_code? ended?
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
#include "config/config.h"

enum { LB_KEPT_NAME_MAX = 64 };

/* [A-Za-z0-9._-], not beginning with a dot or '-'. LB_USAGE. */
int lb_kept_check_name(const char *name, struct lb_error *err);

/* Where they all are; and one of them. Caller frees. */
char *lb_kept_all(struct lb_config *config, const char *state);
char *lb_kept_folder(const char *processes, const char *name);

/* The pid of its keeper; 0: there is none. */
pid_t lb_kept_keeper(const char *folder);

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
