/*
 * push/attempt.h - a delivery, its tries and its end; for this room.
 */
#ifndef LB_PUSH_ATTEMPT_H
#define LB_PUSH_ATTEMPT_H

#include "push/push.h"

/* At the end of its webhook's queue. */
void lb_delivery_queue(struct lb_delivery *d);

/* Post it; it may be gone afterwards. attempt.c */
void lb_delivery_try(struct lb_delivery *d);

/* What it said of the message, once; later ones count for nothing. */
void lb_delivery_opinion(struct lb_delivery *d, bool skip);

/* It failed, or its time is over: that is no opinion. */
void lb_delivery_silent(struct lb_delivery *d);

/* One line about it, and it is gone. */
void lb_delivery_give_up(struct lb_delivery *d, const char *why);

/* It is gone, delivered or not. Not while it is in a queue. */
void lb_delivery_close(struct lb_delivery *d);

#endif
