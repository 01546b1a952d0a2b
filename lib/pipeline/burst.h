/*
 * pipeline/burst.h - messages that become one: the first, and what joins it.
 */
#ifndef LB_PIPELINE_BURST_H
#define LB_PIPELINE_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "pipeline/way.h"
#include "record/record.h"

struct lb_burst {
	char *text; /* of the first record, which borrows it */
	struct lb_record first;
	char *id;             /* of the first: what the others went into */
	const char *pipeline; /* the caller's: of all of them */
	char *sender;         /* whose they are; "" is everybody's */
	struct lb_buf ids;    /* of all, each with its NUL */
	/* The members of the arrays so far, without the brackets. */
	struct lb_buf chain, mentions;
	bool mentioned, routed; /* one of them says so */
	struct lb_buf drops;    /* the ends of those that joined, as lines */
	size_t n, bytes;
};

/* A message of its own, its bytes copied; way->pipeline is borrowed. */
struct lb_burst *lb_burst_open(const struct lb_record *r,
			       const struct lb_way *way);
void lb_burst_close(struct lb_burst *b);

/* Is there one of that id? */
bool lb_burst_has(const struct lb_burst *b, const char *id);

/* One more; a line break stands between what they say. */
void lb_burst_join(struct lb_burst *b, const struct lb_record *r,
		   const struct lb_way *way);

/*
 * As lines: the drops of those that joined, then the message that they are;
 * the first as it came where none joined, else its members with the chains of
 * all. The drops come first so that whoever keeps track of a record knows of
 * all that end with it before it ends.
 */
void lb_burst_put(const struct lb_burst *b, struct lb_buf *out);

#endif
