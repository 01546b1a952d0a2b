/*
 * platform/inbox.h - where an adapter on a network puts what it received, and
 * how far it has read.
 *
 * To standard output: written as the reader takes it, then the offset is
 * stored. Into a queue: both in one transaction. Until that is done nothing
 * more is to be asked of the platform. Never blocks.
 *
 * Records of kind status go to standard output either way.
 */
#ifndef LB_PLATFORM_INBOX_H
#define LB_PLATFORM_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/loop.h"
#include "store/queue.h"

struct lb_inbox;

/*
 * `queue` NULL: to standard output; the offset is in $LB_STATE/queue.db all
 * the same. A queue that holds `max` records (0: any number) takes no more.
 * All texts are borrowed. SIGPIPE must be ignored.
 */
struct lb_inbox_place {
	const char *state, *queue;
	int64_t max;
	const char *bot, *source; /* whose offset, of what: once it is known */
};

struct lb_inbox *lb_inbox_open(struct lb_loop *loop,
			       const struct lb_inbox_place *place,
			       struct lb_error *err);
void lb_inbox_close(struct lb_inbox *inbox);

/* What was stored last: as lb_offset_get(). */
int lb_inbox_offset(struct lb_inbox *inbox, char **offset, int64_t *time_ms,
		    struct lb_error *err);

/*
 * NULL: it is safe. Else why not; nothing is lost, and lb_inbox_again() goes
 * on from there.
 */
typedef void lb_inbox_fn(void *arg, const struct lb_error *why);

/*
 * Keep these lines (borrowed until it is done) and then this offset (copied;
 * NULL for none). One at a time. fn is called from the loop.
 */
void lb_inbox_keep(struct lb_inbox *inbox, const struct lb_buf *lines,
		   const char *offset, lb_inbox_fn *fn, void *arg);
void lb_inbox_again(struct lb_inbox *inbox);
bool lb_inbox_is_busy(const struct lb_inbox *inbox);

/* A status record, whole. Left out when nobody reads what was said before. */
void lb_inbox_say(struct lb_inbox *inbox, const struct lb_buf *line);

/* The reader of standard output went away, or it cannot be written to. */
bool lb_inbox_left(const struct lb_inbox *inbox);
bool lb_inbox_broken(const struct lb_inbox *inbox, struct lb_error *err);

/* Is there something that standard output has not taken yet? */
bool lb_inbox_waits(const struct lb_inbox *inbox);

/* Lines into a queue, in the transaction of lb_queue_begin(). */
int lb_inbox_put(struct lb_queue *q, const char *lines, size_t len,
		 int64_t now_ms, struct lb_error *err);

#endif
