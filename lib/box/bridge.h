/*
 * box/bridge.h - what a sandbox reaches of the network.
 *
 * A sandbox has a network namespace of its own, in which there is nothing but
 * itself. `lb-exec --bridge`, a process outside, has a socket in there that
 * listens on 127.0.0.1: sockets belong to the namespace in which they were
 * made, so a process enters it, makes the socket, hands it out and ends.
 * Whoever connects to it inside talks to our proxy (net/proxy.h), which
 * connects outside to what the spec allows. Nothing of ours runs inside, and
 * no socket of this machine is seen there.
 *
 *     bridge.c        the side of whoever runs the sandbox
 *     bridge-serve.c  that process
 */
#ifndef LB_BOX_BRIDGE_H
#define LB_BOX_BRIDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/loop.h"
#include "box/spec.h"
#include "config/config.h"

enum { LB_BRIDGE_PORT = 3128, LB_BRIDGE_SAID = 4096, LB_BRIDGE_NOTES = 8 };

/* Zeroed before first use; must not move. */
struct lb_bridge {
	struct lb_loop *loop;
	/* Called once, from the loop: it is there (NULL), or why not. */
	void (*opened)(void *arg, const struct lb_error *why);
	void *arg;
	/* Borrowed: what was refused is told there, and its hosts are here. */
	json_t *notes, *refused;
	/* The room's own. */
	pid_t pid;
	int from;
	bool is_open;
	size_t n_said;
	char said[LB_BRIDGE_SAID]; /* a part of a line */
};

/* For which sandbox; all borrowed until the call is over. */
struct lb_bridge_order {
	struct lb_config *config;
	const struct lb_box_spec *spec;
	const char *helper; /* or NULL; see box.h */
	pid_t pid;          /* the first process inside, as seen here */
	int pidfd;          /* of it */
	bool drop;          /* we are root: be that user */
	uid_t uid;
	gid_t gid;
};

/* LB_CONFIG: box.network.allow_private; LB_UNAVAILABLE: it cannot be had. */
int lb_bridge_start(struct lb_bridge *bridge,
		    const struct lb_bridge_order *order, struct lb_error *err);

/* With all its connections. Of zeroes, nothing happens. */
void lb_bridge_end(struct lb_bridge *bridge);

/* Variables that point programs inside to it: pairs of name and text, the last
 * of NULL. */
extern const char *const lb_bridge_env[][2];

/* What whoever works inside is told of it; NULL when there is none. New. */
char *lb_bridge_note(const struct lb_box_spec *spec);

/*
 * Be that process: standard input says what for, standard output is whoever
 * runs the sandbox, descriptor 3 a pidfd. Returns what to exit with.
 */
int lb_bridge_serve(void);

#endif
