/* lb-queue - what its verbs share. */
#ifndef LB_QUEUE_QUEUE_H
#define LB_QUEUE_QUEUE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/prog.h"
#include "store/queue-look.h"
#include "store/queue.h"

extern const struct lb_opt put_options[], take_options[], ack_options[],
	stats_options[], peek_options[], dead_options[], retry_options[],
	purge_options[], work_options[];

int put_verb(int argc, char **argv);
int take_verb(int argc, char **argv);
int ack_verb(int argc, char **argv);
int stats_verb(int argc, char **argv);
int peek_verb(int argc, char **argv);
int dead_verb(int argc, char **argv);
int retry_verb(int argc, char **argv);
int purge_verb(int argc, char **argv);
int work_verb(int argc, char **argv);

/* The queue that argv names, else "in"; ends the program when it is no name. */
const char *queue_name(int argc, char **argv);

/* The queue of that name, made when missing; NULL: failed. */
struct lb_queue *queue_open(const char *name, int busy_ms,
			    struct lb_error *err);

/*
 * For those who only look: 1 and *take; 0 when nothing was ever put (no
 * database is made for a look); -1 failed.
 */
int queue_look(const char *name, struct lb_queue **take, struct lb_error *err);

enum {
	QUEUE_BUSY_MS = 5000,
	/*
	 * What was given back behind another waits for that one, as all of a
	 * session does for its first; this only keeps one who says so of
	 * everything from spinning.
	 */
	QUEUE_BEHIND_MS = 100,
};

#endif
