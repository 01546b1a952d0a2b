/*
 * skill/offer.h - the skills that a pack holds.
 */
#ifndef LB_SKILL_OFFER_H
#define LB_SKILL_OFFER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "skill/pack.h"
#include "skill/skill.h"

enum { LB_OFFERS = 1000, LB_OFFER_DEPTH = 6 };

/* One of them; borrows from the pack. */
struct lb_offer_one {
	char *folder;      /* in the pack */
	const char *shown; /* the same without a top folder that all share */
	const struct lb_pack_file *file; /* its SKILL.md */
	char *name;                      /* what it would be installed as */
	struct lb_skill skill;
};

struct lb_offers {
	struct lb_offer_one *at;
	size_t n, hidden; /* those below hidden folders, which are not in it */
};

struct lb_offer_from {
	const char
		*name;   /* for a skill at the top: what its source is called */
	bool is_folder;  /* that is the name of its folder */
	bool rename_top; /* a top folder that all share is none's name */
	const char *within; /* look below this folder alone; NULL or "": all */
};

/*
 * Those with a SKILL.md (or skill.md), at most LB_OFFER_DEPTH folders deep; no
 * further below one. Folders that begin with a dot are passed over unless
 * `within` leads there, and so is node_modules. A folder that all of the pack
 * is in, as archives have it, does not count. By their folders.
 *
 * LB_NOINPUT: there is none; LB_DATA: too many. The pack must outlive them.
 */
int lb_offers_find(struct lb_offers *o, const struct lb_pack *p,
		   const struct lb_offer_from *from, struct lb_error *err);
void lb_offers_release(struct lb_offers *o);

/*
 * Keep those that are named, by name or by folder; all of them with `all`, and
 * the only one where nothing is named. LB_USAGE: there are several and nothing
 * is named, one is not there, or it may be two.
 */
int lb_offers_choose(struct lb_offers *o, const char *const *names, size_t n,
		     bool all, struct lb_error *err);

/*
 * The files of one of them as a pack of its own, by the paths within its folder;
 * they are taken out of `from`. LB_DATA: something odd is in it, or it has more
 * than 2000 files.
 */
int lb_offer_take(struct lb_pack *to, struct lb_pack *from,
		  const struct lb_offer_one *one, struct lb_error *err);

#endif
