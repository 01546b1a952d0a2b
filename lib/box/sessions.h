/*
 * box/sessions.h - which sessions there are, and how much they take.
 */
#ifndef LB_BOX_SESSIONS_H
#define LB_BOX_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "config/config.h"

/* One, as it is at this moment. Texts are borrowed. */
struct lb_box_about {
	const char *name;
	const char *workspace; /* its folder on this machine */
	int64_t last_used;     /* ms since the epoch */
	bool in_use, mounted, persistent;
	bool alive;           /* counts toward `box.limits.max_sessions` */
	int64_t size_mb;      /* of its file system; 0: it has none */
	bool is_measured;     /* these are known: */
	int64_t bytes, files; /* what its workspace takes */
};

/*
 * Call fn with each, in no order. `measure` looks how much they take: at most
 * some seconds each. How many, or -1: LB_DENIED.
 */
int64_t lb_box_sessions(struct lb_config *config, const char *state,
			bool measure,
			void (*fn)(void *arg, const struct lb_box_about *about),
			void *arg, struct lb_error *err);

#endif
