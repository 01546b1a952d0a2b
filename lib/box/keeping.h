/*
 * box/keeping.h - a keeper at work. Inside the room only.
 *
 *     keeper.c          begins and ends it, and says what it is
 *     keeper-streams.c  moves what is said
 */
#ifndef LB_BOX_KEEPING_H
#define LB_BOX_KEEPING_H

#include "base/loop.h"
#include "base/proc.h"
#include "box/keeper-log.h"
#include "box/keeper.h"
#include "box/way.h"

struct lb_keeping {
	const struct lb_keeper *how;
	struct lb_loop *loop;
	struct lb_guard *guard;
	int lock, listener;
	pid_t pid;
	int in, out, err, pidfd, owner; /* its; -1 when closed */
	int client;
	bool client_ended; /* it says nothing more, and listens still */
	struct lb_way to, from;
	uint64_t unheard; /* lines that nobody was there to read */
	struct lb_keeper_log log;
	struct lb_timer idle, death;
	int64_t started;
	int status;
	const char *ended; /* why we ended it; NULL */
	bool over;
};

/* Watch all that is open now for what is wanted of it now. */
void lb_keeping_watch(struct lb_keeping *k);
void lb_keeping_shut(struct lb_keeping *k, int *fd);

/* A client came, and is greeted or sent away. */
void lb_keeping_accept(int fd, uint32_t events, void *arg);

/* What it has still to say, when it has ended. */
void lb_keeping_drain(struct lb_keeping *k);

/* Somebody is attached, or nobody any more: it is written down, and counts. */
void lb_keeping_tell(struct lb_keeping *k);

#endif
