/*
 * skill/change.h - changing the store, one at a time and all or nothing.
 *
 * Beside the skills, the store has
 *     lock.json   {"version":1,"skills":{NAME: where it is from}}
 *     .lists/NAME what was installed (skill/sum.h)
 *     .lock       held by whoever changes something
 *     .pending    what is being put in place; .new-* what is not yet there
 *
 * New files are written beside the skills and synced, then renamed into place;
 * a change that was cut off is finished or undone by the next.
 */
#ifndef LB_SKILL_CHANGE_H
#define LB_SKILL_CHANGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "skill/pack.h"

struct lb_change {
	const char *store; /* borrowed */
	int held, folder;  /* descriptors */
	json_t *skills;    /* of lock.json, by name */
};

/*
 * Where skills are from, an object by their names: {"source", "folder"?,
 * "ref"?, "commit"?, "tree", "installed"}. New; empty where there is no store.
 * LB_DATA: lock.json is damaged.
 */
json_t *lb_change_known(const char *store, struct lb_error *err);

/* What was installed as `name` (skill/sum.h); empty when that is not known. */
int lb_change_list(const char *store, const char *name, struct lb_buf *list,
		   struct lb_error *err);

/* Waits for others that change it, up to 10 s. LB_AGAIN. The store is made. */
int lb_change_begin(struct lb_change *c, const char *store,
		    struct lb_error *err);
void lb_change_end(struct lb_change *c);

struct lb_change_item {
	const char *name;
	const struct lb_pack *pack;
	/* Its member of lock.json, borrowed; NULL: what was installed is still
	 * that, and this is an edit of it. */
	json_t *from;
};

/*
 * Put skills in place of what has their names. Nothing is changed on failure,
 * but for those of several that came before one that could not be renamed.
 */
int lb_change_put(struct lb_change *c, const struct lb_change_item *items,
		  size_t n, struct lb_error *err);

/* Remove one, also one that is known and not there; nothing else is touched. */
int lb_change_remove(struct lb_change *c, const char *name,
		     struct lb_error *err);

#endif
