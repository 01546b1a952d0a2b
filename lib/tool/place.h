/*
 * tool/place.h - where tools work: the workspace of a session, and its skills.
 *
 * What tools call /workspace is a folder of this machine, and
 * /workspace/.skills/NAME one of each skill.
 */
#ifndef LB_TOOL_PLACE_H
#define LB_TOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct lb_place_skill {
	const char *name;
	int fd; /* O_PATH of its folder */
	bool writable;
	bool asleep; /* it could be written to, if it was active */
	bool counts; /* what is in it counts in the quota */
};

/* All borrowed, for as long as a call runs. */
struct lb_place {
	int workspace; /* O_PATH of the folder */
	const struct lb_place_skill *skills;
	size_t n_skills;
	bool drop; /* we are root: work as this user */
	uid_t uid;
	gid_t gid;
	int64_t quota; /* bytes the workspace may have; 0: as much as it wants */
	bool quota_is_kept; /* by its file system, so we need not measure */
};

/* A path of a tool, found. */
struct lb_spot {
	int root;      /* the folder it is below; -1: the list of skills */
	char *path;    /* from there; "." is the root itself; owned */
	char *shown;   /* as tools name it: "/workspace/a"; owned */
	bool writable; /* may anything be changed there? */
	bool asleep;   /* no, but once the skill is active */
	bool is_in_workspace; /* no skill's */
	bool counts;          /* in the quota */
};

/*
 * Where a path leads: "/workspace/a", or "a", which is the same. "." and ".."
 * are taken out first. LB_DENIED: it is elsewhere; LB_NOINPUT: there is no such
 * skill; LB_DATA: it is none.
 */
int lb_place_find(const struct lb_place *place, const char *path, size_t len,
		  struct lb_spot *spot, struct lb_error *err);
void lb_spot_release(struct lb_spot *spot);

#define lb_autospot __attribute__((cleanup(lb_spot_release)))

/* Is there room for so many bytes more? LB_DENIED says what to do. */
int lb_place_room(const struct lb_place *place, const struct lb_spot *spot,
		  int64_t more, struct lb_error *err);

#endif
