/*
 * skill/install.h - what comes into the store, and what must not.
 */
#ifndef LB_SKILL_INSTALL_H
#define LB_SKILL_INSTALL_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "skill/change.h"
#include "skill/offer.h"
#include "skill/shelf.h"

/* Where skills come from, as lock.json has it. */
struct lb_origin {
	const char *source; /* "/home/ann/skills", "https://..." */
	const char *ref;    /* a branch or tag that was asked for; or NULL */
	const char *commit; /* what it was then; or NULL */
	bool by_folder;     /* it is a folder: each skill in it is a source */
	bool nameless; /* nobody can say whether another is the same: stdin */
};

struct lb_install {
	bool replace;     /* what is from another source goes */
	bool force;       /* what was edited here goes */
	bool strict;      /* what is not as the specification says is refused */
	bool dry;         /* change nothing, but say what would be */
	const char *tree; /* each has this sum, or is refused; NULL: any */
};

enum lb_installed {
	LB_INSTALLED, /* was not there */
	LB_UPDATED,
	LB_UNCHANGED, /* was there, the same to the last byte */
};

/* What became of one. */
struct lb_install_row {
	char *name;
	char *folder; /* in the pack, "" for the top */
	enum lb_installed what;
	json_t *changes; /* of an update, as lb_skill_changes() */
};

struct lb_install_rows {
	struct lb_install_row *at;
	size_t n;
};

/*
 * Install all that is offered, whose files are taken out of the pack: all of
 * it or nothing. LB_DATA: one is unfit, or has another sum; LB_NO: one is not as the specification
 * says (strict); LB_DENIED: the name is taken by a skill of another source, in
 * the store or a search path (replace), or it was edited since it was
 * installed (force).
 */
int lb_skills_install(const struct lb_shelf *shelf, struct lb_offers *offers,
		      struct lb_pack *pack, const struct lb_origin *origin,
		      const struct lb_install *how,
		      struct lb_install_rows *rows, struct lb_error *err);
void lb_install_rows_release(struct lb_install_rows *rows);

/* "installed", "updated", "unchanged". */
const char *lb_installed_word(enum lb_installed what);

/* What a change means: "2 files differ: SKILL.md (changed), a.py (added)". */
void lb_changes_text(const json_t *changes, struct lb_buf *out);

#endif
