/*
 * record/lanes.h - lines that wait for each other: a lane a session.
 *
 * For programs whose records take time. Within a session everything keeps its
 * order: an owned record waits for those before it, and a foreign line whose
 * session has something in hand waits behind that; every other line goes out
 * at once. What is held is bounded: lb_lanes_full() says when to stop reading.
 * `not_before` is obeyed up to five minutes ahead.
 *
 *     for each line      lb_lanes_line()
 *     each turn          lb_lanes_pump(), which calls start() for a lane's
 *                        first record: it sets lane->work, or shifts it out
 *     when work is done  lb_lane_shift(), work = NULL, lb_lane_ready()
 */
#ifndef LB_RECORD_LANES_H
#define LB_RECORD_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "base/map.h"
#include "record/line.h"
#include "record/record.h"

enum { LB_LANES_WAIT_MS = 5 * 60 * 1000, LB_LANES_BYTES = 64 << 20 };

/* A line that waits in its lane. */
struct lb_item {
	struct lb_item *next;
	char *text;
	size_t len;
	struct lb_record record; /* parsed when it is owned */
	bool owned;
	int64_t start_at; /* mono ms, when it asks to wait; or 0 */
	bool too_far;     /* ... longer than a record may */
};

/* What shares a key of order. Exists while it holds a line. */
struct lb_lane {
	struct lb_lanes *lanes;
	char *name;
	struct lb_item *first, *last;
	void *work;            /* of the first item, while it is in hand */
	struct lb_timer timer; /* not_before, or a start that failed */
	int tries;             /* the user's: starts that failed */
	bool is_ready;         /* in the list of those that may start */
	struct lb_lane *next_ready;
};

struct lb_lanes_user {
	const char *const *owned; /* kinds, NULL-ended */
	/*
	 * The name of an owned record's lane, borrowed until the next call;
	 * NULL: it was refused, and nothing more is done with it.
	 */
	const char *(*lane)(void *arg, const struct lb_record *r);
	/*
	 * May be NULL. All is done with a record before which nothing waits:
	 * true; false to have it wait for start().
	 */
	bool (*at_once)(void *arg, struct lb_record *r);
	/* May another be started? */
	bool (*has_room)(void *arg);
	void (*start)(void *arg, struct lb_lane *lane);
	/* It would wait for more than five minutes: it is dropped. Not called
	 * with at_any_time. */
	void (*too_late)(void *arg, const struct lb_record *r);
	/* A foreign line, on its way out. */
	void (*pass)(void *arg, const struct lb_line *line);
	/* A line that is not well-formed; err says why. */
	void (*bad)(void *arg, const struct lb_line *line,
		    const struct lb_error *err);
};

/* Zeroed, then the first members set by the caller. */
struct lb_lanes {
	const struct lb_lanes_user *user;
	void *arg;
	struct lb_loop *loop;
	size_t max;       /* records held */
	bool at_any_time; /* not_before is for others to obey */
	struct lb_map map;
	struct lb_lane *ready, **ready_end;
	size_t held, bytes;
	struct lb_record scratch;
};

void lb_lanes_line(struct lb_lanes *lanes, const struct lb_line *line);
bool lb_lanes_full(const struct lb_lanes *lanes);

/* Start what may start. */
void lb_lanes_pump(struct lb_lanes *lanes);

/* Would lb_lanes_pump() do something? */
bool lb_lanes_waiting(const struct lb_lanes *lanes);

/* The lane of that name; NULL when nothing is in it. */
struct lb_lane *lb_lane_find(const struct lb_lanes *lanes, const char *name);

/* The lane may start its next record, once there is room. */
void lb_lane_ready(struct lb_lane *lane);

/* The same in `ms`. */
void lb_lane_later(struct lb_lane *lane, int64_t ms);

/* Take the first item out; lb_item_free() it. */
struct lb_item *lb_lane_shift(struct lb_lane *lane);
void lb_item_free(struct lb_item *item);

/* `cancel` gets each lane that has work; may be NULL. */
void lb_lanes_release(struct lb_lanes *lanes,
		      void (*cancel)(struct lb_lane *lane));

#endif
