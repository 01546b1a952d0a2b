/*
 * box/stream.h - what comes out of a sandbox, and what goes in. Inside the room
 * only.
 */
#ifndef LB_BOX_STREAM_H
#define LB_BOX_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/loop.h"
#include "box/result.h"

/* One stream: a pipe that is read to its end. */
struct lb_box_stream {
	struct lb_loop *loop;
	int fd;         /* -1: it has ended */
	int sink;       /* goes on to it as it comes; -1: kept in `kept` */
	bool shows;     /* the sink is a terminal: nothing that it obeys */
	bool sink_gone; /* nothing can be written to it any more */
	int trouble;    /* why, as errno has it; 0: its reader left */
	/*
	 * What begins with this is held back until it is known whose it is;
	 * NULL: nothing is. See lb_box_stream_let_go().
	 */
	const char *holds;
	struct lb_buf held;
	bool waits;         /* for the sink */
	struct lb_buf text; /* that the sink did not take yet */
	struct lb_buf part; /* the beginning of a character, for a terminal */
	struct lb_box_output *kept;
	uint64_t bytes;
	void (*changed)(void *arg); /* it ended, or more came */
	void *arg;
};

void lb_box_stream_open(struct lb_box_stream *s, int take_fd);
/* Read what there is now, until it would have to wait. */
void lb_box_stream_drain(struct lb_box_stream *s);
/* What was held back goes on to the sink; nothing is any more. */
void lb_box_stream_let_go(struct lb_box_stream *s);
/* Read what there is now, and be as if nothing had come: nothing is held back
 * any more. */
void lb_box_stream_forget(struct lb_box_stream *s);
void lb_box_stream_close(struct lb_box_stream *s);

/* What is copied into a sandbox. */
struct lb_box_feed {
	struct lb_loop *loop;
	int from; /* borrowed; -1: over */
	int to;   /* -1: over */
	char text[4096];
	size_t at, len;
};

void lb_box_feed_open(struct lb_box_feed *f, struct lb_loop *loop, int from,
		      int take_to);
void lb_box_feed_close(struct lb_box_feed *f);

#endif
