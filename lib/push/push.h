/*
 * push/push.h - the inside of lb-push: messages on their way, and those who
 * are told of them.
 *
 * Every line passes. A message that a webhook wants makes a delivery, which
 * lives on after its message went by: it waits for its turn, is posted, and
 * posted again. Only for webhooks with `wait` is a message held, in its
 * session's order (record/lanes.h), until each said something or its time is
 * over.
 */
#ifndef LB_PUSH_PUSH_H
#define LB_PUSH_PUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"
#include "net/http.h"
#include "push/hook.h"
#include "record/lanes.h"
#include "record/line.h"
#include "record/out.h"

/* What of a message is needed to tell others. Borrowed from its record. */
struct lb_pushed {
	const char *id, *bot, *launcher_type, *launcher_id;
	enum lb_push_event event;
	int64_t time;
};

enum {
	LB_PUSH_HELD = 1000, /* deliveries that a webhook may have */
	LB_PUSH_BYTES = 64 * 1024 * 1024, /* ... and their bodies, of all */
	LB_PUSH_MESSAGES = 1024,      /* messages that wait for an opinion */
	LB_PUSH_ANSWER = 1024 * 1024, /* bytes of an opinion */
	LB_PUSH_SILENCES = 3, /* after so many a webhook is not waited for */
};

/* A message that waits for opinions: the work of its lane. */
struct lb_wait {
	struct lb_lane *lane;
	size_t open;         /* opinions that are still to come */
	const char *skip_by; /* the webhook that said no; or NULL */
};

/* One webhook is told of one message. */
struct lb_delivery {
	struct lb_push *push;
	struct lb_hook *hook;
	struct lb_delivery *prev, *next; /* of all there are */
	struct lb_delivery *behind;      /* the next in its hook's queue */
	char uuid[40];
	char *id; /* of the message */
	struct lb_buf body;
	int tries;
	struct lb_timer timer;    /* the next try */
	struct lb_timer patience; /* the end of waiting for an opinion */
	struct lb_wait *wait;     /* NULL when nobody waits for it */
	struct lb_http_call *call;
	int status; /* of the answer that began to come; 0 */
	struct lb_buf answer;
	char *why;                /* what ended its last try; or NULL */
	struct lb_buf headers[3]; /* id, time, signature */
};

struct lb_push_options {
	struct lb_config *config;
	int64_t drain_ms, grace_ms; /* at the end of the input; on a signal */
	int failed_fd;              /* a JSON line for each given up; -1 */
	size_t max_line;
	bool strict;
};

struct lb_push {
	const struct lb_push_options *options;
	struct lb_hooks hooks;
	size_t max_in_flight, in_flight, each_in_flight;
	bool holds_up; /* a full queue stops the reading */
	struct lb_loop *loop;
	struct lb_http *http;
	struct lb_lines *in;
	struct lb_out *out;
	struct lb_lanes lanes;
	struct lb_buf lane; /* the name of a lane */
	struct lb_delivery *all;
	size_t n, bytes;
	size_t given_up;
	struct lb_timer end;
	bool stopping, ended, watching, out_of_time, closed;
	bool quiet; /* the output failed: that is the one line to be read */
	int code;
};

/* What is in r; false when it lacks what a message must have. body.c */
bool lb_pushed_read(struct lb_pushed *p, const struct lb_record *r);

/* The id of a delivery: the same for the same message. body.c */
void lb_push_uuid(const struct lb_pushed *p, const char *hook, char out[40]);

/* What is posted. body.c */
void lb_push_body(struct lb_buf *b, const struct lb_pushed *p,
		  const struct lb_record *r, const char *uuid);

/*
 * Tell all who want to know, and with `wait` hold the message for those whose
 * opinion counts. delivery.c
 */
void lb_push_tell(struct lb_push *push, const struct lb_pushed *p,
		  const struct lb_record *r, struct lb_wait *wait);

/* Does one of them wait for an opinion on it? */
bool lb_push_waits(const struct lb_push *push, const struct lb_pushed *p);

/* Is there a webhook whose queue takes no more? */
bool lb_push_is_full(const struct lb_push *push);

/* Start what may start. */
void lb_push_pump(struct lb_push *push);

/* The time is over: what is left is given up. */
void lb_push_abandon(struct lb_push *push);

/* Opinions are in; pass it or drop it. engine.c */
void lb_wait_done(struct lb_wait *wait);

/* One will not be delivered; d may be NULL. failed.c */
void lb_push_failed(struct lb_push *push, const struct lb_hook *hook,
		    const struct lb_delivery *d, const struct lb_pushed *p,
		    const char *why);

/* Standard input to standard output; returns what to exit with. engine.c */
int lb_push_run(struct lb_push *push);

#endif
