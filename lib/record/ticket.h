/*
 * record/ticket.h - what a queue must know of a record: what names it, whose
 * turn it is, and whether a record that comes back ends it.
 */
#ifndef LB_RECORD_TICKET_H
#define LB_RECORD_TICKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "record/record.h"

enum { LB_TICKET_ID_MAX = 512, LB_TICKET_SESSION_MAX = 4096 }; /* bytes */

struct lb_ticket {
	const char *id;        /* borrowed; NULL when it has none */
	struct lb_buf key;     /* the same record has the same key */
	struct lb_buf session; /* whose order it keeps */
	int64_t not_before;    /* ms since the epoch, or 0 */
	bool ends;             /* it will have an end: message, query, reply */
};

/*
 * Zeroed before first use; filled again and again. LB_DATA: a message, query
 * or reply without an id, an id or session that is too long, or a not_before
 * more than a day after now_ms.
 */
int lb_ticket_read(struct lb_ticket *t, const struct lb_record *r,
		   int64_t now_ms, struct lb_error *err);
void lb_ticket_release(struct lb_ticket *t);

/* The name of part `part` of the reply of that id. */
void lb_ticket_part(struct lb_buf *b, const char *id, int64_t part);

enum lb_ending {
	LB_ENDS_NOTHING,
	LB_ENDS,       /* a drop, an error, the last receipt */
	LB_ENDS_PART,  /* a receipt with more to come */
	LB_ENDS_INTO,  /* a drop: it ends when another does */
	LB_ENDS_RETRY, /* an error that may pass */
	LB_ENDS_MOVED, /* queued: another queue has it now */
};

/*
 * What r says of the record whose id it has. *into is borrowed, with
 * LB_ENDS_INTO alone.
 */
enum lb_ending lb_record_ending(const struct lb_record *r, const char **into);

/* The kinds that may say so, NULL-ended. */
extern const char *const lb_ending_kinds[];

#endif
