/*
 * platform/deliver.h - what the files of lb-send share, and no adapter.
 */
#ifndef LB_PLATFORM_DELIVER_H
#define LB_PLATFORM_DELIVER_H

#include "base/loop.h"
#include "platform/send.h"
#include "record/line.h"

/* Foreign lines that stand side by side in the reader's buffer. */
struct lb_send_run {
	const char *from;
	size_t len;
};

struct lb_send_engine {
	struct lb_send *send;
	struct lb_lines *in;
	struct lb_line line; /* that is being looked at */
	struct lb_send_run run;
	struct lb_buf lane; /* a name that was made up */
	struct lb_timer grace;
	bool watching, ended, stopping, out_of_time;
	int code;
};

/* send-lines.c: for record/lanes.h, but for `owned`. */
extern const struct lb_lanes_user lb_send_user;

/* The foreign lines that were seen go out. */
void lb_send_run_flush(struct lb_send_engine *e);

/* ---- send.c */

/* What lb-send owns; NULL-ended. */
const char *const *lb_send_kinds(const struct lb_send *send);

/* The adapter of the record's bot; bot "-" and unknown ones print. NULL: it
 * cannot send. */
const struct lb_sink *lb_send_sink(struct lb_send *send,
				   const struct lb_record *r);

/* An owned record that needs no network, all of it. `session` as in struct
 * lb_delivery. */
void lb_send_record(struct lb_send *send, const struct lb_sink *sink,
		    const struct lb_record *r, const char *session);

/*
 * Zeroed; `r` (with an id) is borrowed until the release. False: it cannot be
 * sent at all, d->code and d->why say why.
 */
bool lb_delivery_open(struct lb_delivery *d, const struct lb_record *r);
void lb_delivery_release(struct lb_delivery *d);

/*
 * Was the record given up on? That is forgotten with its final part, and when
 * the part that failed comes again.
 */
bool lb_send_gave_up(struct lb_send *send, const struct lb_delivery *d);

/* Is it to be given back, behind another? Then d says why. */
bool lb_send_held_back(struct lb_send *send, struct lb_delivery *d);

/* Write what became of it. */
void lb_send_sent(struct lb_send *send, const struct lb_sink *sink,
		  const struct lb_delivery *d);
void lb_send_not_sent(struct lb_send *send, const struct lb_sink *sink,
		      const struct lb_delivery *d);

/* No more comes: show what was held back. Then release what is held. */
void lb_send_end(struct lb_send *send);
void lb_send_release(struct lb_send *send);

/* What to exit with for the failures seen on the way. */
int lb_send_code(const struct lb_send *send);

#endif
