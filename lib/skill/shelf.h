/*
 * skill/shelf.h - where skills are kept, and which there are.
 *
 * Skills that were installed or made are folders of the store, NAME/SKILL.md
 * and what is beside it. `skills.paths` are more folders of them, for reading
 * alone: a folder of skills, or a project with .claude/skills or
 * .agents/skills. Of two of one name, the first counts, the store's before all
 * others.
 */
#ifndef LB_SKILL_SHELF_H
#define LB_SKILL_SHELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "config/config.h"
#include "skill/pack.h"
#include "skill/skill.h"

enum { LB_SHELF_SKILLS = 1000 };

struct lb_shelf {
	char *store;  /* its folder; need not be there */
	char **roots; /* all folders, the store first */
	size_t n_roots;
};

struct lb_shelf *lb_shelf_open(struct lb_config *config, const char *state);
void lb_shelf_close(struct lb_shelf *shelf);

/* One that is there. */
struct lb_shelved {
	char *name; /* of its folder; by the rule of skill/name.h, if it fits */
	char *folder;     /* whole */
	const char *root; /* the one it is in; the shelf's */
	bool is_own;      /* in the store: it may be changed */
	bool is_shadowed; /* another of that name comes before it */
	char *text;       /* of its SKILL.md */
	size_t len;
	struct lb_skill skill;
};

struct lb_shelved_all {
	struct lb_shelved *at; /* by name, in order of the folders */
	size_t n;
	size_t unread; /* that were too many */
};

/*
 * All of them, those that cannot be used, too: their findings say why. A folder
 * that is not there has none; LB_IO: one that cannot be read.
 */
int lb_shelf_list(const struct lb_shelf *shelf, struct lb_shelved_all *all,
		  struct lb_error *err);
void lb_shelved_release(struct lb_shelved_all *all);

/* The one of a name. LB_NOINPUT: there is none; LB_USAGE: it is no name. */
int lb_shelf_find(const struct lb_shelf *shelf, const char *name,
		  struct lb_shelved *one, struct lb_error *err);
void lb_shelved_one_release(struct lb_shelved *one);

/* A descriptor of its folder. LB_DENIED: a link leads out of the root. */
int lb_shelved_open(const struct lb_shelved *one, struct lb_error *err);

/* Its files. LB_DATA: a link or the like is in it. */
int lb_shelved_pack(const struct lb_shelved *one, struct lb_pack *pack,
		    struct lb_error *err);

#endif
