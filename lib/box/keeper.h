/*
 * box/keeper.h - the process that holds the standard streams of another, so
 * that they can be reached one after the other by whoever needs them.
 *
 * It listens on a Unix socket for its own user. A client is greeted by one line,
 *
 *     {"kind":"attached","name":NAME,"pid":PID}
 *
 * or refused by {"kind":"error","code":"busy",...} when there is another one.
 * From then on its lines go to the process, and the process's to it: whole
 * lines, at most LB_KEEPER_LINE bytes. What the process writes when nobody is
 * there is thrown away, and how much is written to its log. The process does
 * not notice that a client comes or goes.
 *
 * The keeper and the process end together, however either does.
 */
#ifndef LB_BOX_KEEPER_H
#define LB_BOX_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "box/owner.h"

enum {
	LB_KEEPER_LINE = 16 * 1024 * 1024,
	LB_KEEPER_LOG = 256 * 1024, /* bytes; then it begins anew, and the one
				       before is kept */
};

struct lb_keeper {
	const char *name, *folder; /* kept.h's */
	const char *session;       /* or NULL */
	char *const *argv;         /* what is started */
	char *const *command;      /* what it is said to be */
	int64_t idle_ms;  /* nobody attached for so long: it ends; INT64_MAX */
	int64_t grace_ms; /* from the end of its input to its death */
	struct lb_owner owner; /* ends when that one does; pid 0: nobody */
	int gate;              /* is closed when it counts as running; -1 */
	int ready; /* is written to and closed when all is there; -1 */
};

/*
 * Until the process ends, or is ended by SIGTERM (its input first) or SIGINT (at
 * once): what it exited with. -1: LB_AGAIN, one of that name runs; LB_IO, LB_OS.
 */
int lb_keeper_run(const struct lb_keeper *how, struct lb_error *err);

#endif
