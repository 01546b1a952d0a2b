/*
 * box/reaping.h - ending what is idle and what was left behind. Inside the room
 * only.
 *
 *     reap.c       sessions, in each workspace
 *     reap-rest.c  what is not a session: user ids, processes, copies of /etc,
 *                  control groups
 */
#ifndef LB_BOX_REAPING_H
#define LB_BOX_REAPING_H

#include "box/place.h"
#include "box/reap.h"

struct reap {
	struct lb_config *config;
	struct lb_box_places p;
	int64_t ttl_ms; /* INT64_MAX: sessions do not end by themselves */
	int64_t now;
	bool for_room; /* those without a file system end at once */
	int unmounts;  /* so many more */
	lb_box_reaped *fn;
	void *arg;
};

void lb_reap_tell(const struct reap *r, const char *what, const char *name);

/* Each name in a folder, whatever is removed meanwhile. */
void lb_reap_each(struct reap *r, const char *root, const char *below,
		  void (*fn)(struct reap *r, const char *name));

/* What reap-rest.c looks after, of one workspace. */
void lb_reap_rest(struct reap *r);

#endif
