/*
 * box/remote.h - backends that have the files elsewhere: what their tenders
 * share. Inside the room only.
 *
 *     remote.c      how one begins, and what its answer means
 *     record.c      exec:CMD, another lb-exec
 *     e2b.c         a machine of a service (e2b.h)
 */
#ifndef LB_BOX_REMOTE_H
#define LB_BOX_REMOTE_H

#include "box/driver.h"

enum {
	/* For the other side to say itself that the time is over, ms. */
	LB_REMOTE_SLACK_MS = 15000,
	/* Descriptors of a tender of this kind: as tender.c has them. */
	LB_REMOTE_STATUS = 3,
	LB_REMOTE_ORDERS = 4,
	LB_REMOTE_LOCK = 5,
};

/* What it has in its hands: all that a command has here, it has there. LB_DENIED
 * for what cannot be: mounts, skills, a terminal. */
int lb_remote_check(const struct lb_box_exec *x, struct lb_error *err);

/*
 * Go on in a tender: tend(arg) is called in it, with the command's descriptors
 * as 0, 1 and 2, and is its end. LB_REMOTE_ORDERS is readable once it is to
 * stop. It holds `lock`, if that is not -1.
 */
int lb_remote_start(struct lb_box_exec *x, int lock, void (*tend)(void *arg),
		    void *arg, struct lb_error *err);

/* In a tender: all of it to the command's output, or to its errors. False:
 * nobody reads that any more, or it is to stop. */
bool lb_remote_write(int fd, const char *text, size_t len);

/* In a tender: the command begins now; for a driver with begin_ms. */
void lb_remote_begin(void);

/*
 * In a tender: how it ended. Members of a result (lb-records(7)) count: status,
 * exit_code, killed_by, isolated, limits_backend, notes.
 */
void lb_remote_answer(const json_t *result);

/* In a tender: it did not run; what a driver's `explain` reads then. */
void lb_remote_fail(const struct lb_error *err);
int lb_remote_explain(const char *said, struct lb_error *err);

/* A driver's `read`. */
void lb_remote_read(const char *line, struct lb_box_report *report);

/* What report.answer says, as the result. */
void lb_remote_result(const struct lb_box_report *report,
		      struct lb_box_result *result);

#endif
