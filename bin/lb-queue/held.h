/* lb-queue put - records that came and are not stored yet. */
#ifndef LB_QUEUE_HELD_H
#define LB_QUEUE_HELD_H

#include "record/ticket.h"

/* One of them, as places in `bytes`. */
struct entry {
	size_t text, len, key, session; /* key and session end with a NUL */
	size_t queued, queued_len;      /* what is told of it; no brace */
	int64_t not_before;
};

struct held {
	const char *queue; /* its name */
	struct lb_buf bytes;
	struct entry *entries;
	size_t n, size;
	struct lb_ticket ticket;
	struct lb_members members;
};

/* LB_DATA: it is no record that a queue can hold. */
int held_add(struct held *h, const struct lb_record *r, struct lb_error *err);

/* The same for a line, if that is known without a parse; else false. */
bool held_add_plain(struct held *h, const char *text, size_t len);

/* The first n are stored. */
void held_shift(struct held *h, size_t n);
void held_release(struct held *h);

#endif
