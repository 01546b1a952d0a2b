/*
 * store/limits-window.h - the arithmetic of store/limits.h: one counter.
 */
#ifndef LB_STORE_LIMITS_WINDOW_H
#define LB_STORE_LIMITS_WINDOW_H

#include "store/limits.h"

enum { LB_LIMITS_SLOTS = 17 };

/* A ring of the last slots: one of them for a fixed window, and for a sliding
 * one sixteen and the one that is only partly within it. */
struct lb_counter {
	int64_t at;      /* when the last one that was counted may go on */
	int64_t slot;    /* the number of the newest slot */
	int64_t noticed; /* the window it last told of, plus 1 */
	uint32_t counts[LB_LIMITS_SLOTS];
};

/* Slots that a window has. */
size_t lb_counter_slots(const struct lb_limit *w);

/* Can it have come of counting? What a file holds may be anything. */
bool lb_counter_is_sound(const struct lb_counter *c, const struct lb_limit *w);

/* The first moment from t on at which there is room; INT64_MAX for never. */
int64_t lb_counter_room(const struct lb_counter *c, const struct lb_limit *w,
			int64_t t);
void lb_counter_add(struct lb_counter *c, const struct lb_limit *w, int64_t t);

/* Mark the window of t as told of; was it not yet? */
bool lb_counter_tell(struct lb_counter *c, const struct lb_limit *w, int64_t t);

#endif
