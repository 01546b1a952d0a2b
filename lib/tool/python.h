/*
 * tool/python.h - the packages that a skill in Python asks for, in its session.
 *
 * A skill with requirements.txt, pyproject.toml, setup.py or setup.cfg gets an
 * environment in the workspace, .skill-envs/NAME.DIGEST, made once by a command
 * of its own: with the network that skills.python-network grants and the time
 * of skills.python-timeout, whatever the command that needs it may have. What
 * was made is known outside of the sandbox, so half of one is never used: it is
 * made anew. One process at a time makes it; when that dies, another does.
 */
#ifndef LB_TOOL_PYTHON_H
#define LB_TOOL_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop.h"
#include "box/box.h"
#include "config/config.h"

#define LB_PYTHON_ENVS ".skill-envs" /* below the workspace */

struct lb_pythons; /* what a process makes */
struct lb_python;  /* one who waits */

/* All borrowed but `state`. */
struct lb_pythons *lb_pythons_open(struct lb_loop *loop,
				   struct lb_config *config, const char *state);
/* What is under way is ended. */
void lb_pythons_close(struct lb_pythons *p);

/* Does the skill in that folder ask for packages? */
bool lb_python_is(int folder);

struct lb_python_end {
	const char *folder; /* of the environment, inside; NULL: see `why` */
	const char *why;    /* for a model */
	int64_t took_ms;    /* 0: it was there */
};

struct lb_python_order {
	const char *session, *profile; /* of the sandbox */
	const char *name, *path;       /* of the skill */
	int folder;                    /* a descriptor of it */
	int64_t deadline; /* mono ms: then done() says that it is being made */
	/* Once, from the loop. */
	void (*done)(void *arg, const struct lb_python_end *end);
	void *arg;
};

/* All of the order is copied; the descriptor is used in the call alone. NULL:
 * LB_DATA, what it asks for cannot be read; LB_IO. */
struct lb_python *lb_python_start(struct lb_pythons *p,
				  const struct lb_python_order *order,
				  struct lb_error *err);
/* It does not wait any more; done() is not called. What is made is made. */
void lb_python_leave(struct lb_python *waiter);

#endif
