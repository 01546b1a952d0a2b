/*
 * box/tender.h - the process between us and an engine: it starts the engine's
 * own program, says what that started, lets it go when we say so, and removes
 * it, also when we are gone. Inside the room only.
 *
 * An engine is a program that makes a sandbox for another process than itself:
 * to kill it ends nothing. The command waits inside, in a script of ours
 * (engine.h), until what is mounted and how it is closed was looked at from
 * here.
 */
#ifndef LB_BOX_TENDER_H
#define LB_BOX_TENDER_H

#include "box/driver.h"
#include "box/launch.h"

/* All borrowed. */
struct lb_tended {
	/* What starts it and stays until it ends; fds are the tender's. */
	struct lb_launch launch;
	/* Removes it, whatever it does; NULL: to end `launch` is enough. */
	char *const *remove;
	/* Where its first process is told: this command prints its number, or
	 * this file holds it; NULL, NULL: it is the child of `launch`. */
	char *const *find;
	const char *pidfile;
	const char *folder; /* of the run; gone when it is over */
	bool is_blind;      /* nothing in it can be seen: it does not wait */
};

/* Where in the run's folder what is seen inside is, and its two pipes: the
 * script writes to one, and reads from the other. */
#define LB_TENDED_INSIDE "in"
#define LB_TENDED_READY "in/ready"
#define LB_TENDED_GATE "in/gate"

/*
 * Start it; pid, status and ready of `x` are those of the tender then. It holds
 * `lock`, the folder's. LB_OS.
 */
int lb_tender_start(struct lb_box_exec *x, const struct lb_tended *tended,
		    int lock, struct lb_error *err);

/*
 * The same for another's tender: 0 in it, with what it says at 3, what it is told
 * at 4 and the lock at 5.
 */
pid_t lb_tender_split(struct lb_box_exec *x, int lock, struct lb_error *err);

/* What a tender's line says: a driver's `read`. */
void lb_tender_read(const char *line, struct lb_box_report *report);
/* A driver's `let_go`. */
int lb_tender_let_go(int ready);

/* Wait for a child that was killed, so long: its status; -1: it is not gone. */
int lb_tender_wait(pid_t pid, int64_t ms);

/*
 * Run `argv` to its end, or kill it: its exit status, -1 for none. What it says
 * on either stream is in `said` as far as that goes; may be NULL.
 */
int lb_tender_run(char *const argv[], char *const env[], int64_t timeout_ms,
		  struct lb_buf *said);

#endif
