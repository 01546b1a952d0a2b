/*
 * store/queue-look.h - what is in a queue, and cleaning it up.
 */
#ifndef LB_STORE_QUEUE_LOOK_H
#define LB_STORE_QUEUE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "store/queue.h"

struct lb_queue_found {
	int64_t seq, owner; /* owner 0: in nobody's hand */
	int ended;          /* enum lb_queue_end, 0: not yet */
};

/*
 * The record of that key, of that session or (NULL) of any: 1, 0 none, -1
 * failed. Where there are several, one that has not ended is preferred.
 */
int lb_queue_find(struct lb_queue *q, const char *key, const char *session,
		  struct lb_queue_found *found, struct lb_error *err);

struct lb_queue_row {
	int64_t seq, put, ended;                    /* ms; ended 0: not yet */
	const char *key, *session, *text, *outcome; /* borrowed; outcome NULL */
	size_t len, outcome_len;
	int how; /* enum lb_queue_end, 0: not ended */
	bool held, alone;
	int64_t not_before;
	int tries, deaths;
};

enum lb_queue_list {
	LB_QUEUE_ALL,        /* that have not ended, oldest first */
	LB_QUEUE_LIST_READY, /* of these, what could be taken now */
	LB_QUEUE_LIST_DONE,  /* ended, the dead left out, oldest end first */
	LB_QUEUE_LIST_DEAD,
	LB_QUEUE_LIST_FAILED, /* that an error ended, the dead too */
};

/* fn gets each, at most max; it returns 0 to go on. */
int lb_queue_each(struct lb_queue *q, enum lb_queue_list which, int64_t max,
		  int64_t now_ms,
		  int (*fn)(void *arg, const struct lb_queue_row *row),
		  void *arg, struct lb_error *err);

struct lb_queue_stats {
	int64_t depth, held, leases, delayed, dead; /* now */
	int64_t oldest; /* when the oldest that has not ended was put; 0 */
	int64_t put, done, died, retried, deaths, dropped; /* ever */
};

int lb_queue_stats(struct lb_queue *q, int64_t now_ms, struct lb_queue_stats *s,
		   struct lb_error *err);

/* The names of all queues, ordered. */
int lb_queue_names(const char *state, int (*fn)(void *arg, const char *name),
		   void *arg, struct lb_error *err);

/* A record that ended waits again, as new. 1, 0: it has not, or moved, -1. */
int lb_queue_revive(struct lb_queue *q, int64_t seq, int64_t now_ms,
		    struct lb_error *err);

/*
 * End the oldest record in nobody's hand: *seq and its text (caller frees);
 * then lb_queue_drop() it with its outcome. 1, 0: all are in hand, -1.
 */
int lb_queue_oldest(struct lb_queue *q, int64_t now_ms, int64_t *seq,
		    char **text, size_t *len, struct lb_error *err);
int lb_queue_drop(struct lb_queue *q, int64_t seq, int64_t now_ms,
		  const char *outcome, size_t len, struct lb_error *err);

/*
 * Forget at most `max` records that ended before before_ms, dead ones only
 * with `dead`. Returns how many, or -1. Call until it returns 0.
 */
int64_t lb_queue_purge(struct lb_queue *q, int64_t before_ms, bool dead,
		       int max, struct lb_error *err);

#endif
