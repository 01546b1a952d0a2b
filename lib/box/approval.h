/*
 * box/approval.h - what somebody allows when he allows a command.
 *
 * The request itself, and what became of it, is store/approval.h's.
 */
#ifndef LB_BOX_APPROVAL_H
#define LB_BOX_APPROVAL_H

#include "base/buf.h"
#include "base/error.h"

enum {
	LB_BOX_HASH = 65,               /* hexadecimal digits and the NUL */
	LB_BOX_MAX_APPROVAL = 8 * 1024, /* bytes that a person is shown */
};

/* All borrowed. */
struct lb_box_wish {
	const char *command, *workdir;
	const char *session; /* its name; NULL: none */
	char *const *env; /* "NAME=text", NULL-ended, in any order; or NULL */
	const char *workspace; /* whose it is (box/admit.h); NULL: nobody's */
};

/*
 * What the approval is for, as the SHA-256 of all of it, and what a person who
 * is asked gets to see, which is all of it, too. LB_DENIED: it is too much to
 * be looked at.
 */
int lb_box_wish_read(const struct lb_box_wish *wish, char hash[LB_BOX_HASH],
		     struct lb_buf *text, struct lb_error *err);

#endif
